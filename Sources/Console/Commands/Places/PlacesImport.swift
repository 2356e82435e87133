import Domain
import Glibc
import JSONCoding
import Linux
import MapStorage
import Maps
import SQLite
import Servers

extension Invocation {
    /// Writes `places.db` from an extract of OpenStreetMap. The old file stays until the new one is complete.
    func importPlaces(_ path: String, _ options: PlacesOptions) throws(Failure) {
        guard access(path, R_OK) == 0 else {
            let error = SystemError("open", code: errno)
            throw .failed("cannot read \(SanitizedText.line(path, limit: 256) ?? ""): \(error)")
        }
        try refuseDuringRun(isForced: options.isForced)
        let isSequence = [".geojsonseq", ".geojsons"].contains { path.hasSuffix($0) }
        if !options.isForced, !isSequence { try PlacesImport.checkMemory(root: options.root) }
        let directory = try options.mapsDirectory()
        let new = try PlacesImport(path, into: directory)
        if isSequence { try new.readSequence() } else { try new.readExtract() }
        try new.replace()
        try report(new)
    }

    /// - Throws: ``Failure`` during a run, which an import may disturb.
    func refuseDuringRun(isForced: Bool) throws(Failure) {
        if !isForced, let state = try? presentState(needsSettings: false).state, state.run != .idle {
            throw .failed("a run is in progress: import after it, or insist with --force")
        }
    }

    /// Says what was imported.
    func report(_ new: PlacesImport) throws(Failure) {
        let places = new.counts.sorted { $0.key.rawValue < $1.key.rawValue }
        if isJSON {
            var writer = JSONWriter()
            writer.object {
                $0.object("places") { for (kind, count) in places { $0.member(kind.name, count) } }
                $0.member("skipped", new.skipped)
            }
            return try writeOut(String(decoding: writer.bytes, as: UTF8.self) + "\n")
        }
        let total = new.counts.values.reduce(0, +)
        let list = places.map { "\($0.key.name) \($0.value)" }.joined(separator: ", ")
        try writeOut("Imported \(total) places into \(new.target): \(list).\n\(Place.attribution)\n")
        if new.skipped > 0 { complain("\(new.skipped) features were left out: their shape is damaged or too large") }
    }
}

/// The import of one file. The old places stay until ``replace()``.
final class PlacesImport {
    /// Bytes that osmium-tool may need: see man/pacectl.1.
    private static let neededMemory = 400 << 20
    /// Bytes of a feature. Its parsed form takes ten times as much.
    private static let lineLimit = 2 << 20
    private static let separator = UInt8(ascii: "\u{1E}")

    private let source: String
    private let file: NewMapsFile
    /// The number of features whose tags name a place, but whose ID or shape is unusable.
    private(set) var skipped = 0
    /// The number of places of each kind.
    private(set) var counts: [PlaceKind: Int] = [:]
    private var hasIDs = true

    var target: String { file.target }
    /// The places of the extract, and the positions of its nodes.
    private var filtered: String { target + ".osm.pbf" }
    private var nodes: String { target + ".nodes" }

    init(_ path: String, into directory: String) throws(Failure) {
        // A leading dash would be an option of osmium.
        source = path.hasPrefix("-") ? "./" + path : path
        file = try NewMapsFile(PlacesDatabase.fileName, in: directory)
    }

    /// Refuses an extract that osmium-tool would not have the memory for.
    ///
    /// - Parameter root: instead of `/`, for tests.
    static func checkMemory(root: String) throws(Failure) {
        if let free = MemoryInformation.available(root: root), free < neededMemory {
            throw .failed(
                "osmium needs up to \(neededMemory >> 20) MiB of memory, and \(free >> 20) MiB are free: "
                    + "import on a larger computer and copy places.db, or insist with --force")
        }
    }

    // MARK: Sources

    /// Imports a GeoJSON text sequence (RFC 8142).
    func readSequence() throws(Failure) {
        try write(features: openSource()) { () throws(Failure) in }
    }

    private func openSource() throws(Failure) -> FileDescriptor {
        do throws(SystemError) {
            return try FileDescriptor.open(source, O_RDONLY)
        } catch {
            throw .failed("cannot read \(SanitizedText.line(source, limit: 256) ?? ""): \(error)")
        }
    }

    /// Imports a file that osmium-tool reads.
    func readExtract() throws(Failure) {
        yieldToRuns()
        for name in ["INPUT", "OSMDATA", "OUTPUT", "WORK"] { setenv("OSMIUM_MAX_\(name)_QUEUE_SIZE", "2", 1) }
        setenv("OSMIUM_POOL_THREADS", "1", 1)
        let progress = isatty(STDERR_FILENO) == 1 ? "--progress" : "--no-progress"
        defer {
            unlink(filtered)
            unlink(nodes)
        }
        let filter = try start(
            ["tags-filter", progress, "--overwrite", "-f", "pbf", "-o", filtered, source] + PlaceRule.osmiumFilter)
        try check(filter.wait(), "tags-filter")
        unlink(nodes)
        let export = try start([
            "export", progress, "-f", "geojsonseq", "--add-unique-id=type_id", "-i", "sparse_file_array,\(nodes)",
            "-F", "pbf", filtered,
        ])
        try write(features: export.output) { () throws(Failure) in try check(export.wait(), "export") }
    }

    private func start(_ words: [String]) throws(Failure) -> PipedProcess {
        do throws(SystemError) {
            return try PipedProcess(["osmium"] + words)
        } catch {
            if error.code == ENOENT { throw .failed("this needs osmium: sudo apt install osmium-tool") }
            throw .failed("cannot start osmium: \(error)")
        }
    }

    private func check(_ status: Int32, _ command: String) throws(Failure) {
        guard status != 0 else { return }
        let name = SanitizedText.line(source, limit: 256) ?? ""
        throw .failed("osmium \(command) cannot read \(name): see its message above; the old places are kept")
    }

    // MARK: Places

    /// Writes the features to a new file.
    ///
    /// - Parameter checkEnd: throws if the features were not complete.
    private func write(
        features: borrowing FileDescriptor, checkEnd: () throws(Failure) -> Void
    ) throws(Failure) {
        do {
            let writer = try PlacesWriter(at: file.path)
            try read(features, into: writer)
            try checkEnd()
            guard !writer.counts.isEmpty else {
                throw Failure.failed(
                    hasIDs
                        ? "the file has no place of a known kind; the old places are kept"
                        : "the features have no IDs: make the file with "
                            + "'osmium export -f geojsonseq --add-unique-id=type_id'")
            }
            let now = Clock.systemTime()
            try writer.finish(
                source: source.split(separator: "/").last.map(String.init) ?? source,
                at: now >= Release.date ? now : nil)
            counts = writer.counts
        } catch {
            throw error as? Failure ?? failure(error)
        }
    }

    /// Replaces the old places by the new ones.
    func replace() throws(Failure) {
        do {
            try file.replace()
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: any Error) -> Failure {
        .failed("cannot write \(file.path) (\(error)); the old places are kept")
    }

    private func read(_ input: borrowing FileDescriptor, into writer: PlacesWriter) throws {
        var reader = LineSplitter(limit: Self.lineLimit)
        var number = 0
        var hasEnded = false
        while !hasEnded {
            hasEnded = reader.read(from: input) == .ended
            while let line = reader.next(hasEnded: hasEnded) {
                number += 1
                switch line {
                case .tooLong: skipped += 1
                case .line(let line): try add(line, number, to: writer)
                }
            }
        }
    }

    private func add(_ line: ArraySlice<UInt8>, _ number: Int, to writer: PlacesWriter) throws {
        let text = line.first == Self.separator ? line.dropFirst() : line
        if text.isEmpty { return }
        do {
            try writer.add(PlaceFeature(JSON(parsing: text)))
        } catch let failure as PlaceFeature.Failure {
            if failure == .noID { hasIDs = false }
            skipped += 1
        } catch is ParseError {
            throw Failure.failed(
                "\(SanitizedText.line(source, limit: 256) ?? ""):\(number): the line is not JSON; "
                    + "the old places are kept")
        }
    }
}
