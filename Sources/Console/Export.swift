import Domain
import Formats
import Glibc
import Linux
import Storage

extension Invocation {
    /// Exports an activity to a file or to standard output. Lists on standard error what the format cannot hold.
    func export(_ id: Int, as format: ExportFormat, to path: String?) throws(Failure) {
        if path == nil, format == .fit, isatty(STDOUT_FILENO) == 1 {
            throw .usage("a FIT file is binary and not written to a terminal: name a file with -o")
        }
        let state = StateDirectory(stateDirectory)
        let journal = try state.journal()
        let loss: ExportLoss
        do {
            guard let recording = try journal.recording(id) else { throw Failure.noActivity(id) }
            let now = Clock.systemTime()
            let origin = ExportMetadata.ofThisMachine(
                started: recording.started, written: now >= Release.date ? now : nil)
            let rows = try journal.rows(of: id)
            if let path {
                loss = try Target(path).write { sink in
                    try format.write(recording, rows: rows, origin: origin, into: sink)
                }
            } else {
                loss = try format.write(recording, rows: rows, origin: origin) { bytes in
                    try writeOut(bytes.withUnsafeBytes { Array($0) })
                }
            }
        } catch {
            throw state.failure(reading: error)
        }
        let words = loss.words
        if !words.isEmpty { complain("\(format.title) cannot hold \(words.joined(separator: ", "))") }
    }

    /// The file to write.
    private struct Target {
        let path: String
        private let directory: String
        private let name: String

        /// - Throws: ``Failure`` if the file exists already.
        init(_ path: String) throws(Failure) {
            self.path = path
            let slash = path.lastIndex(of: "/")
            name = slash.map { String(path[path.index(after: $0)...]) } ?? path
            directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            var status = stat()
            if name.isEmpty || lstat(path, &status) == 0 { throw alreadyExists }
        }

        private var alreadyExists: Failure {
            .failed("\(harmless(path, limit: 256) ?? path) exists already; name another file with -o")
        }

        /// Writes the file atomically.
        func write(_ body: ((Span<UInt8>) throws -> Void) throws -> ExportLoss) throws -> ExportLoss {
            do {
                var file = try AtomicFileWriter(in: directory, name: name)
                let loss = try body { try file.write($0) }
                guard try file.finish(as: name) else { throw alreadyExists }
                return loss
            } catch let error as SystemError {
                throw Failure.failed("cannot write \(harmless(path, limit: 256) ?? path): \(error)")
            }
        }
    }
}

extension ExportFormat {
    /// The name of the format for users.
    fileprivate var title: String {
        switch self {
        case .fit, .gpx, .tcx, .kml, .csv: rawValue.uppercased()
        case .geojson: "GeoJSON"
        }
    }
}

extension ExportLoss {
    /// The lost elements with their counts; empty if nothing was lost.
    var words: [String] {
        func count(_ count: Int, _ one: String, _ many: String) -> String? {
            count == 0 ? nil : "\(count) \(count == 1 ? one : many)"
        }
        return [
            count(secondsWithoutPosition, "second without position", "seconds without position"),
            count(samples, "extra sample in the same second", "extra samples in the same second"),
            count(lonePositions, "isolated position", "isolated positions"),
            count(beats, "RR interval", "RR intervals"), count(laps, "lap", "laps"),
            count(distances, "second's distance", "seconds' distance"),
            count(speeds, "second's speed", "seconds' speed"),
            count(cadences, "second's cadence", "seconds' cadence"), count(powers, "second's power", "seconds' power"),
            count(temperatures, "second's temperature", "seconds' temperature"),
        ].compactMap(\.self)
    }
}
