import Glibc
import SQLite
import TestKit
import Testing
import Tiles

@Suite struct TileFileTests {
    private let directory = TemporaryDirectory()

    private static let tables = """
        CREATE TABLE metadata (name TEXT, value TEXT);
        CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
        INSERT INTO metadata VALUES ('format', 'pbf'), ('json', '{"vector_layers":[{"id":"streets"}]}');
        """

    /// Writes a file beside the map, and renames it, as an import does.
    @discardableResult
    private func write(_ statements: String) throws -> String {
        let new = directory("new")
        try SQLiteDatabase(new, .writing).execute(Self.tables + statements)
        let path = directory("map.mbtiles")
        guard rename(new, path) == 0 else { throw SQLiteError(rejecting: "rename failed") }
        return path
    }

    private func tile(_ zoom: Int, _ x: Int, _ y: Int) throws -> TileFile.Tile {
        try #require(TileFile.Tile(zoom: zoom, x: x, y: y))
    }

    @Test("A tile is given as it is stored, with its encoding")
    func encodings() throws {
        let file = try TileFile(
            write(
                """
                INSERT INTO tiles VALUES
                (2, 0, 3, x'1f8b08'), (2, 1, 3, x'789c00'), (2, 2, 3, x'1a00'), (2, 3, 3, zeroblob(1048577));
                """))
        #expect(file.kind == .vector(.shortbread) && file.zooms == 2...2)
        #expect(try file.content(of: tile(2, 0, 0))?.encoding == "gzip")
        #expect(try file.content(of: tile(2, 1, 0))?.encoding == "deflate")
        let bare = try file.content(of: tile(2, 2, 0))
        #expect(
            bare?.encoding == nil && bare?.bytes == [0x1A, 0] && bare?.type == "application/vnd.mapbox-vector-tile")
        #expect(try file.content(of: tile(2, 3, 0)) == nil, "a tile of more than 1 MiB is a hole")
        #expect(try file.content(of: tile(2, 0, 3)) == nil)
    }

    @Test("A view that computes without end is interrupted")
    func endlessView() throws {
        let endless = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT"
        let path = try write("DROP TABLE tiles; CREATE VIEW tiles AS \(endless) i AS zoom_level FROM n;")
        #expect(throws: SQLiteError.self) { try TileFile(path) }
        let tiles = try TileFile(
            write(
                """
                ALTER TABLE tiles RENAME TO stored; INSERT INTO stored VALUES (2, 0, 3, x'1a00');
                CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row,
                (SELECT count(*) FROM (\(endless) i FROM n)) AS tile_data FROM stored;
                """))
        #expect(try tiles.content(of: tile(2, 0, 0)) == nil)
    }

    @Test("A map that an import replaces or removes is seen at the next look, and the old one is whole until then")
    func replacement() throws {
        let tiles = CurrentTiles(directory("map.mbtiles"))
        #expect(try tiles.refreshed() == nil && tiles.content(of: tile(2, 0, 0)) == nil)
        try write("INSERT INTO tiles VALUES (2, 0, 3, x'1a00');")
        let first = try #require(try tiles.refreshed())
        #expect(try tiles.refreshed()?.version == first.version)
        try write("INSERT INTO tiles VALUES (2, 0, 3, x'1a01');")
        #expect(try tiles.content(of: tile(2, 0, 0))?.bytes == [0x1A, 0])
        #expect(try tiles.refreshed()?.version != first.version)
        #expect(try tiles.content(of: tile(2, 0, 0))?.bytes == [0x1A, 1])
        try write("DROP TABLE tiles;")
        #expect(throws: SQLiteError.self) { try tiles.refreshed() }
        #expect(try tiles.refreshed() == nil && tiles.content(of: tile(2, 0, 0)) == nil)
        unlink(directory("map.mbtiles"))
        #expect(try tiles.refreshed() == nil)
    }
}
