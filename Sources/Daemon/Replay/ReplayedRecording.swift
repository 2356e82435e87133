import Domain
import Glibc
import Linux
import Storage
import Wire

/// A recording that is replayed. A child process parses it; the daemon validates each row as one of an upload.
///
///     pacectl rows FILE|ID ──▶ pipe ──▶ unnamed file ──▶ ActivityUploadReader ──▶ rows
struct ReplayedRecording {
    /// Why a recording cannot be replayed, as text for people.
    struct Failure: Error, CustomStringConvertible {
        var description: String
        /// A signal asked the daemon to stop meanwhile.
        var isStopped = false
    }

    let header: RecordedActivity
    /// A line for the log about what is missing, such as the rest of a broken file; empty if nothing is.
    let warning: String
    private var spool: UploadSpools

    /// How long the child may take.
    private static let timeLimit = Duration.seconds(300)
    private static let rowLimit = 256
    private static let number = 0

    /// - Parameters:
    ///   - name: a file, or the number of an activity in `stateDirectory`.
    ///   - stateDirectory: nil for the default of pacectl.
    ///   - directory: a private one, for the unnamed file.
    init(_ name: String, stateDirectory: String?, in directory: String) throws {
        guard let parser = Machine.programBeside("pacectl") else {
            throw Failure(description: "pacectl, which reads the recording, is not in the directory of paced")
        }
        var spool = UploadSpools(in: directory)
        try spool.open(Self.number)
        var size = 0
        let options = stateDirectory.map { ["--state-dir", $0] } ?? []
        let ending = try ChildProgram.run(
            [parser, "rows"] + options + ["--", name], within: Self.timeLimit, until: ServiceController.signals
        ) { bytes in
            size += bytes.count
            guard size <= UploadRequest.sizeLimit else {
                throw Failure(description: "the recording is larger than \(UploadRequest.sizeLimit >> 20) MiB")
            }
            try spool.append(bytes, to: Self.number)
        }
        let words = Self.firstLine(of: ending.errors)
        guard ending.isSuccess else {
            throw Failure(
                description: ending.isLate
                    ? "pacectl has not read the recording within \(Int(Self.timeLimit.inSeconds)) s"
                    : words.isEmpty ? "pacectl, which reads the recording, has failed" : words,
                isStopped: ending.isStopped)
        }
        header = try Self.check(&spool)
        self.spool = spool
        warning = words
    }

    /// The next rows; empty after the last one.
    mutating func rows() throws -> [RecordingRow] {
        try spool.rows(of: Self.number, limit: Self.rowLimit)
    }

    /// Returns to the first row.
    mutating func rewind() throws {
        try spool.rewind(Self.number)
    }

    /// The first line of the child's errors, without its name and without control characters; empty if there is none.
    private static func firstLine(of errors: String) -> String {
        var line = errors.split(separator: "\n").first.map(String.init) ?? ""
        if line.hasPrefix("pacectl: ") { line.removeFirst("pacectl: ".count) }
        return SanitizedText.line(line, limit: 1024) ?? ""
    }

    /// Checks all rows of the file and returns its header.
    private static func check(_ spool: inout UploadSpools) throws -> RecordedActivity {
        while true {
            if let (header, _) = try spool.check(number) { return header }
        }
    }
}
