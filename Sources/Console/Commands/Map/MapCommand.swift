import Domain
import Glibc
import JSONCoding
import Linux
import Maps
import SQLite
import Tiles

extension Command {
    /// The map behind the routes of the page.
    static let map = [
        Command(
            "map import", words: [.one("FILE", "a file", .files)], options: [Options.water, Options.force],
            others: hidden,
            "make the map of the page from an extract of OpenStreetMap, FILE.osm.pbf (needs tilemaker and osmium-tool), "
                + "or take a finished map, FILE.mbtiles",
            read: { ($0.words[0], MapOptions($0)) }, run: { try $0.importMap($1.0, $1.1) }),
        Command(
            "map show", others: hidden, "show the area, the zooms, the size and the credit of the map",
            read: { MapOptions($0) }, run: { try $0.mapText($1) }),
        Command(
            "map remove", others: hidden, "remove the map", read: { MapOptions($0) }, run: { try $0.removeMap($1) }),
        Command(
            "region import", words: [.one("FILE", "a file", .files)], options: [Options.water, Options.force],
            others: hidden, "make the map and the places of one extract of OpenStreetMap, FILE.osm.pbf, or neither",
            read: { ($0.words[0], MapOptions($0)) }, run: { try $0.importRegion($1.0, $1.1) }),
    ]

    private static let hidden: [any CommandOptionRow] = [
        Options.mapsDirectory, Options.tilemakerDirectory, Options.root,
    ]
}

extension Options {
    fileprivate static let water = CommandOption.directory("--water", "where water_polygons.shp is, for the sea")
    fileprivate static let tilemakerDirectory = CommandOption.directory(
        "--tilemaker-dir", "where config.json and process.lua for tilemaker are")
}

/// The options of `pacectl map`.
package struct MapOptions: Equatable {
    var maps: PlacesOptions
    /// The directory of the areas of the sea.
    var water: String?
    /// The directory of the profile of tilemaker; nil for that of paced.
    var profile: String?

    init(_ arguments: Arguments) {
        maps = PlacesOptions(arguments)
        water = arguments[Options.water]
        profile = arguments[Options.tilemakerDirectory]
    }
}

extension Invocation {
    /// Imports an extract or a finished map. The old map stays until the new one is complete.
    fileprivate func importMap(_ path: String, _ options: MapOptions) throws(Failure) {
        try refuseDuringRun(isForced: options.maps.isForced)
        let map = try MapImport(path, into: options.maps.mapsDirectory())
        if path.hasSuffix(".mbtiles") {
            if options.water != nil { throw .usage("--water needs an extract, FILE.osm.pbf") }
            try map.take()
        } else {
            let maker = try map.maker(options)
            try map.make(maker, water: waterDirectory(options)) { time throws(Failure) in try announce(maker, time) }
        }
        let former = try? TileFile(map.target)
        try map.replace()
        try report(map, insteadOf: former)
    }

    /// Imports an extract as the map and as the places, or keeps the old ones of both.
    fileprivate func importRegion(_ path: String, _ options: MapOptions) throws(Failure) {
        try refuseDuringRun(isForced: options.maps.isForced)
        let directory = try options.maps.mapsDirectory()
        let map = try MapImport(path, into: directory)
        let maker = try map.maker(options)
        let water = try waterDirectory(options)
        let places = try PlacesImport(path, into: directory)
        if !options.maps.isForced { try PlacesImport.checkMemory(root: options.maps.root) }
        do throws(Failure) {
            // In this order, because the map takes longer and blocks the signals that end an import.
            try places.readExtract()
        } catch {
            throw .failed("\(error.message), and the old map too")
        }
        do throws(Failure) {
            try map.make(maker, water: water) { time throws(Failure) in try announce(maker, time) }
        } catch {
            throw .failed("\(error.message), and the old places too")
        }
        let former = try? TileFile(map.target)
        try map.replace()
        try places.replace()
        try report(map, insteadOf: former)
        try report(places)
    }

    /// The directory of `--water`, without links.
    private func waterDirectory(_ options: MapOptions) throws(Failure) -> String? {
        guard let path = options.water else { return nil }
        guard let found = realpath(path, nil) else {
            throw .failed("cannot find \(path): \(SystemError("open", code: errno))")
        }
        defer { free(found) }
        let directory = String(cString: found)
        guard access(directory + "/water_polygons.shp", R_OK) == 0 else {
            throw .failed(
                "there is no water_polygons.shp in \(path): unpack water-polygons-split-4326.zip of "
                    + "osmdata.openstreetmap.de there")
        }
        return directory
    }

    private func announce(_ maker: TileMaker, _ time: Duration) throws(Failure) {
        if isJSON { return }
        let seconds = max(1, Int(time.components.seconds))
        let words = seconds < 120 ? "\(seconds) s" : "\((seconds + 59) / 60) min"
        try writeOut("The map takes about \(words), at most \(maker.needs).\n")
    }

    private func report(_ map: MapImport, insteadOf former: TileFile?) throws(Failure) {
        let file = try opened(map.target)
        if isJSON {
            try writeOut(json(of: file))
        } else {
            try writeOut("Imported into \(map.target):\n" + text(of: file, at: map.target))
            if let former, former.bounds != file.bounds {
                let area = former.bounds.map { " \($0)" } ?? ""
                try writeOut(
                    "The map of the area\(area) is replaced. For both, merge the extracts before: "
                        + "osmium merge A.osm.pbf B.osm.pbf -o BOTH.osm.pbf\n")
            }
        }
        if map.leftOut > 0 {
            complain("\(map.leftOut) ways were left out: the extract lacks nodes of them, which 'osmium extract' keeps")
        }
        if map.lacksSea { complain("the sea is a band along the coast: --water DIR gives it an area, see pacectl(1)") }
    }

    fileprivate func mapText(_ options: MapOptions) throws(Failure) -> String {
        let path = try options.maps.mapsDirectory() + "/" + TileFile.fileName
        guard access(path, F_OK) == 0 else { throw .noMap(path) }
        let file = try opened(path)
        return isJSON ? json(of: file) : "\(path):\n" + (try text(of: file, at: path))
    }

    fileprivate func removeMap(_ options: MapOptions) throws(Failure) -> String {
        let path = try options.maps.mapsDirectory() + "/" + TileFile.fileName
        guard unlink(path) == 0 else {
            if errno == ENOENT { throw .noMap(path) }
            throw .failed("cannot remove \(path): \(SystemError("unlink", code: errno))")
        }
        return "Removed: \(path)\n"
    }

    private func opened(_ path: String) throws(Failure) -> TileFile {
        do {
            let directory = String(path.dropLast(TileFile.fileName.count + 1))
            return try TileFile(Directory(directory.isEmpty ? "/" : directory).path + "/" + TileFile.fileName)
        } catch {
            throw .failed("cannot read \(path): \(error)")
        }
    }

    private func json(of file: TileFile) -> String {
        String(decoding: file.description(version: nil).bytes, as: UTF8.self) + "\n"
    }

    private func text(of file: TileFile, at path: String) throws(Failure) -> String {
        var status = stat()
        stat(path, &status)
        do {
            let megabytes = DecimalFormat.text(Double(status.st_size) / 1e6, decimals: 1) ?? "--"
            return "  \(try file.count) \(file.summary), \(megabytes) MB\n"
                + (file.bounds.map { "  west, south, east, north: \($0)\n" } ?? "")
                + (file.attribution.isEmpty ? "" : "  \(file.attribution)\n")
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
