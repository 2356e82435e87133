import Domain
import Glibc
import JSONCoding
import Linux
import SQLite
import Tiles

extension Command {
    /// The map behind the routes of the page.
    static let map = [
        Command(
            "map import", words: [.one("FILE", "a file", .files)], options: [Options.force],
            others: hidden,
            "make the map of the page from an extract of OpenStreetMap, FILE.osm.pbf (needs tilemaker and osmium-tool), or "
                + "take FILE.mbtiles",
            read: { ($0.words[0], MapOptions($0)) }, run: { try $0.importMap($1.0, $1.1) }),
        Command(
            "map show", others: hidden, "show the area, the zooms, the size and the credit of the map",
            read: { MapOptions($0) }, run: { try $0.mapText($1) }),
        Command(
            "map remove", others: hidden, "remove the map", read: { MapOptions($0) }, run: { try $0.removeMap($1) }),
    ]

    private static let hidden: [any CommandOptionRow] = [Options.mapsDirectory, Options.root]
}

/// The options of `pacectl map`.
package struct MapOptions: Equatable {
    /// Imports in spite of little memory and of a run.
    var isForced = false
    /// Nil for the default.
    var directory: String?
    /// Instead of `/`, for tests.
    var root = ""

    init(_ arguments: Arguments) {
        isForced = arguments.has(Options.force)
        directory = arguments[Options.mapsDirectory]
        root = arguments[Options.root] ?? ""
    }

    /// Where the map is: `/var/lib/paced-maps` if it exists, else `$XDG_DATA_HOME/paced`.
    func mapsDirectory() throws(Failure) -> String {
        guard let path = directory ?? MapsDirectory.path(root: root, environment: environment) else {
            throw .failed(
                "there is no \(root)\(MapsDirectory.system), and HOME is not set: name a directory with --maps-dir")
        }
        return path
    }
}

extension Invocation {
    /// Imports an extract or a finished map. The old map stays until the new one is complete.
    fileprivate func importMap(_ path: String, _ options: MapOptions) throws(Failure) {
        let name = SanitizedText.line(path, limit: 256) ?? ""
        guard access(path, R_OK) == 0 else { throw .failed("cannot read \(name): \(SystemError("open", code: errno))") }
        if !options.isForced, let state = try? presentState(needsSettings: false).state, state.run != .idle {
            throw .failed("a run is in progress: import after it, or insist with --force")
        }
        let map = try MapImport(path, into: options.mapsDirectory())
        if path.hasSuffix(".mbtiles") {
            try map.take()
        } else {
            try map.make(options)
        }
        let file = try opened(map.target)
        try writeOut(
            isJSON
                ? String(decoding: file.description(version: "").bytes, as: UTF8.self) + "\n"
                : "Imported into \(map.target):\n" + text(of: file, at: map.target))
        if map.lacksSea {
            complain(
                "the sea is a band along the coast: an extract has no area of it")
        }
    }

    fileprivate func mapText(_ options: MapOptions) throws(Failure) -> String {
        let path = try options.mapsDirectory() + "/" + TileFile.fileName
        guard access(path, F_OK) == 0 else { throw .noMap(path) }
        let file = try opened(path)
        if isJSON { return String(decoding: file.description(version: "").bytes, as: UTF8.self) + "\n" }
        return try text(of: file, at: path)
    }

    fileprivate func removeMap(_ options: MapOptions) throws(Failure) -> String {
        let path = try options.mapsDirectory() + "/" + TileFile.fileName
        guard unlink(path) == 0 else {
            if errno == ENOENT { throw .noMap(path) }
            throw .failed("cannot remove \(path): \(SystemError("unlink", code: errno))")
        }
        return "Removed: \(path).\n"
    }

    private func opened(_ path: String) throws(Failure) -> TileFile {
        do {
            let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
            return try TileFile(Directory(directory).path + "/" + TileFile.fileName)
        } catch {
            throw .failed("cannot read \(path): \(error)")
        }
    }

    private func text(of file: TileFile, at path: String) throws(Failure) -> String {
        var status = stat()
        stat(path, &status)
        let kind =
            switch file.kind {
            case .raster(let type): "images (\(type))"
            case .vector(let schema): "vector tiles (\(schema.rawValue))"
            }
        do {
            let megabytes = DecimalFormat.text(Double(status.st_size) / 1e6, decimals: 1) ?? "--"
            return "  \(try file.count) \(kind), zoom \(file.zooms.lowerBound) to \(file.zooms.upperBound), \(megabytes) MB\n"
                + (file.bounds.map { "  \($0)\n" } ?? "") + (file.attribution.isEmpty ? "" : "  \(file.attribution)\n")
        } catch {
            throw .failed("cannot read \(path): \(error)")
        }
    }
}

extension Failure {
    fileprivate static func noMap(_ path: String) -> Failure {
        .failed("there is no map at \(path): 'pacectl map import EXTRACT.osm.pbf' makes one")
    }
}
