import Domain
import JSONCoding
import SQLite

/// A map of raster tiles in a file, for reading.
///
/// Source: MBTiles 1.3, github.com/mapbox/mbtiles-spec.
package final class TileFile {
    /// A tile of the grid of web maps: `x` counts from the west, `y` from the north.
    package struct Tile: Equatable, Sendable {
        static let deepest = 22

        var zoom: Int
        var x: Int
        var y: Int

        /// Nil for a tile outside of the grid.
        init?(zoom: Int, x: Int, y: Int) {
            guard (0...Self.deepest).contains(zoom), (0..<1 << zoom).contains(x), (0..<1 << zoom).contains(y) else {
                return nil
            }
            self.zoom = zoom
            self.x = x
            self.y = y
        }
    }

    /// The types of the formats that browsers draw.
    private static let types = ["png": "image/png", "jpg": "image/jpeg", "webp": "image/webp"]
    private static let sizeLimit = 1 << 20

    /// The media type of the tiles.
    let type: String
    private let database: SQLiteDatabase
    private let zooms: ClosedRange<Int>
    private let attribution: String?

    /// - Parameter path: a path without symbolic links. The file must not change while it is open.
    /// - Throws: ``SQLiteError`` if it is no file of raster tiles.
    init(_ path: String) throws(SQLiteError) {
        database = try SQLiteDatabase(path, .immutable)
        try database.distrustSchema()
        let format = try Self.metadata("format", in: database) ?? ""
        guard let type = Self.types[format] else {
            throw SQLiteError(rejecting: "its tiles are no images of format png, jpg or webp")
        }
        self.type = type
        let least = try database.integer("SELECT min(zoom_level) FROM tiles")
        let most = try database.integer("SELECT max(zoom_level) FROM tiles")
        guard let least, let most, 0 <= least, least <= most, most <= Tile.deepest else {
            throw SQLiteError(rejecting: "it has no tiles of zoom 0 to \(Tile.deepest)")
        }
        zooms = Int(least)...Int(most)
        attribution = try Self.metadata("attribution", in: database).flatMap { SanitizedText.line($0, limit: 200) }
    }

    private static func metadata(_ name: String, in database: SQLiteDatabase) throws(SQLiteError) -> String? {
        try database.text("SELECT value FROM metadata WHERE name = '\(name)'")
    }

    /// What a page must know to draw the tiles.
    var description: JSONWriter {
        var json = JSONWriter(capacity: 256)
        json.object { json in
            json.member("available", true)
            json.member("min_zoom", zooms.lowerBound)
            json.member("max_zoom", zooms.upperBound)
            json.member("attribution", attribution)
        }
        return json
    }

    /// The image of a tile; nil if there is none, or if it cannot be read.
    func image(of tile: Tile) -> [UInt8]? {
        // Rows count from the south.
        let row = (1 << tile.zoom) - 1 - tile.y
        do throws(SQLiteError) {
            let query = try database.prepare(
                "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?")
            try query.bind(tile.zoom, tile.x, row)
            guard try query.step(), let bytes = query.bytes(0), bytes.count <= Self.sizeLimit else { return nil }
            return bytes
        } catch {
            return nil
        }
    }
}
