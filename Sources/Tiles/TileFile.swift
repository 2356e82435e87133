import Domain
package import JSONCoding
import Linux
package import SQLite

/// A map in a file of tiles, for reading: vector tiles of a known schema, or images.
///
/// Source: MBTiles 1.3, github.com/mapbox/mbtiles-spec.
package final class TileFile {
    /// A tile of the grid of web maps: `x` counts from the west, `y` from the north.
    package struct Tile: Equatable, Sendable {
        package static let deepest = 22

        var zoom: Int
        var x: Int
        var y: Int

        /// Nil for a tile outside of the grid.
        package init?(zoom: Int, x: Int, y: Int) {
            guard (0...Self.deepest).contains(zoom), (0..<1 << zoom).contains(x), (0..<1 << zoom).contains(y) else {
                return nil
            }
            self.zoom = zoom
            self.x = x
            self.y = y
        }
    }

    /// What names the layers of vector tiles.
    package enum Schema: String, CaseIterable, Sendable {
        case shortbread, openmaptiles

        /// A layer that only this schema has.
        fileprivate var layer: String {
            switch self {
            case .shortbread: "streets"
            case .openmaptiles: "transportation"
            }
        }

        /// What a map must show if its file names no attribution.
        fileprivate var attribution: String {
            switch self {
            case .shortbread: "© OpenStreetMap contributors"
            case .openmaptiles: "© OpenMapTiles © OpenStreetMap contributors"
            }
        }
    }

    package enum Kind: Equatable, Sendable {
        /// Images of a media type that browsers draw.
        case raster(type: String)
        case vector(Schema)
    }

    private static let images = ["png": "image/png", "jpg": "image/jpeg", "webp": "image/webp"]
    private static let vectorType = "application/vnd.mapbox-vector-tile"
    private static let sizeLimit = 1 << 20
    /// Steps of SQLite, to open a file and to read a tile. A file of 1,000,000 tiles without an index needs 10 for each.
    private static let steps = (opening: 100_000_000, tile: 10_000_000)
    private static let layerLimit = 64
    private static let metadataLimit = 1 << 20
    /// KiB of pages that SQLite keeps.
    private static let cacheSize = 256

    /// The name of the imported map in the directory of maps.
    package static let fileName = "map.mbtiles"

    package let kind: Kind
    package let zooms: ClosedRange<Int>
    package let attribution: String
    /// West, south, east and north in degrees, with commas between; nil if the file does not state them.
    package let bounds: String?
    private let database: SQLiteDatabase

    /// - Parameter path: a path without symbolic links. The file must not change while it is open.
    /// - Throws: ``SQLiteError`` if it is no file of tiles that the page draws.
    package init(_ path: String) throws(SQLiteError) {
        database = try SQLiteDatabase(path, .immutable)
        try database.distrustSchema()
        try database.execute("PRAGMA cache_size = -\(Self.cacheSize)")
        database.limitSteps(Self.steps.opening)
        let format = try Self.metadata("format", in: database) ?? ""
        if let type = Self.images[format] {
            kind = .raster(type: type)
        } else if format == "pbf" {
            kind = .vector(try Self.schema(of: database))
        } else {
            throw SQLiteError(rejecting: "its tiles are neither vector tiles nor images of format png, jpg or webp")
        }
        let least = try database.integer("SELECT min(zoom_level) FROM tiles")
        let most = try database.integer("SELECT max(zoom_level) FROM tiles")
        guard let least, let most, 0 <= least, least <= most, most <= Tile.deepest else {
            throw SQLiteError(rejecting: "it has no tiles of zoom 0 to \(Tile.deepest)")
        }
        zooms = Int(least)...Int(most)
        bounds = try Self.metadata("bounds", in: database).flatMap { SanitizedText.line($0, limit: 100) }
        let stated = try Self.metadata("attribution", in: database).flatMap { SanitizedText.line($0, limit: 200) }
        if case .vector(let schema) = kind {
            attribution = stated ?? schema.attribution
        } else {
            attribution = stated ?? ""
        }
        database.limitSteps(Self.steps.tile)
    }

    private static func metadata(_ name: String, in database: SQLiteDatabase) throws(SQLiteError) -> String? {
        try database.text("SELECT substr(value, 1, \(metadataLimit)) FROM metadata WHERE name = '\(name)'")
    }

    private static func schema(of database: SQLiteDatabase) throws(SQLiteError) -> Schema {
        let json = try metadata("json", in: database).flatMap { try? JSON(parsing: $0.utf8) }
        let layers = (json?["vector_layers"]?.array ?? []).prefix(layerLimit).compactMap { $0["id"]?.string }
        if let schema = Schema.allCases.first(where: { layers.contains($0.layer) }) { return schema }
        let names = layers.prefix(8).compactMap { SanitizedText($0)?.text }.joined(separator: ", ")
        throw SQLiteError(
            rejecting: "its layers are those of no known schema, Shortbread or OpenMapTiles: "
                + (names.isEmpty ? "it names none" : names))
    }

    /// Such as `vector tiles (shortbread), zoom 6 to 14`.
    package var summary: String {
        let words =
            switch kind {
            case .raster(let type): "images (\(type))"
            case .vector(let schema): "vector tiles (\(schema.rawValue))"
            }
        return "\(words), zoom \(zooms.lowerBound) to \(zooms.upperBound)"
    }

    /// The number of tiles.
    package var count: Int {
        get throws(SQLiteError) {
            database.limitSteps(Self.steps.opening)
            defer { database.limitSteps(Self.steps.tile) }
            return Int(try database.integer("SELECT count(*) FROM tiles") ?? 0)
        }
    }

    /// Whether the pages of the file are whole. Reads all of it.
    package func check() throws(SQLiteError) {
        database.limitSteps(nil)
        defer { database.limitSteps(Self.steps.tile) }
        guard try database.text("PRAGMA quick_check(1)") == "ok" else { throw SQLiteError(rejecting: "it is damaged") }
    }

    /// What a page must know to draw the tiles.
    ///
    /// - Parameter version: a text that is another one for another file; nil to leave it out.
    package func description(version: String?) -> JSONWriter {
        var json = JSONWriter(capacity: 256)
        json.object { json in
            json.member("available", true)
            switch kind {
            case .raster: json.member("kind", "raster")
            case .vector(let schema):
                json.member("kind", "vector")
                json.member("schema", schema.rawValue)
            }
            json.member("min_zoom", zooms.lowerBound)
            json.member("max_zoom", zooms.upperBound)
            json.member("bounds", bounds)
            json.member("attribution", attribution.isEmpty ? nil : attribution)
            json.member("version", version)
        }
        return json
    }

    /// A tile as it is stored: its bytes, their media type, and their Content-Encoding.
    package struct Content: Equatable, Sendable {
        package let bytes: [UInt8]
        package let type: String
        /// Nil for bytes that are not packed.
        package let encoding: String?
    }

    /// The content of a tile; nil if there is none, or if it cannot be read.
    package func content(of tile: Tile) -> Content? {
        // Rows count from the south.
        let row = (1 << tile.zoom) - 1 - tile.y
        do throws(SQLiteError) {
            let query = try database.prepare(
                "SELECT tile_data FROM tiles WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?")
            try query.bind(tile.zoom, tile.x, row)
            guard try query.step(), let bytes = query.bytes(0), bytes.count <= Self.sizeLimit else { return nil }
            switch kind {
            case .raster(let type): return Content(bytes: bytes, type: type, encoding: nil)
            case .vector: return Content(bytes: bytes, type: Self.vectorType, encoding: Self.encoding(of: bytes))
            }
        } catch {
            return nil
        }
    }

    /// The specification demands gzip; files with zlib and with bare tiles are common.
    private static func encoding(of bytes: [UInt8]) -> String? {
        switch bytes.first {
        case 0x1F: "gzip"
        case 0x78: "deflate"
        default: nil
        }
    }
}
