package import Domain
import Glibc
import Linux
import Wire

/// The data of uploads, each in an unnamed file of the state directory, which a hang-up, a kill and a power cut
/// remove. Used on the thread of ``DiskWorker``.
package struct UploadSpools {
    private let directory: String
    private var spools: [Int: Spool] = [:]

    /// The most lines of one step, so that other requests need not wait long.
    static let checkedLines = 4096
    /// The most bytes of one read.
    private static let pieceSize = 65_536

    /// A file, and the place of its reader.
    private final class Spool {
        let file: FileDescriptor
        var size = 0
        var reader = ActivityUploadReader()
        var courseReader = CourseUploadReader()
        /// Read bytes; those from `start` on are not consumed.
        var bytes: [UInt8] = []
        var start = 0
        /// The place in the file of the next bytes to read.
        var place = 0

        init(_ file: consuming FileDescriptor) {
            self.file = file
        }
    }

    package init(in directory: String) {
        self.directory = directory
    }

    package mutating func open(_ number: Int) throws {
        spools[number] = Spool(try Directory(private: directory).makeUnnamed(mode: JournalFile.mode))
    }

    package mutating func append(_ bytes: [UInt8], to number: Int) throws {
        let spool = try spool(number)
        try spool.file.write(bytes, at: spool.size)
        spool.size += bytes.count
    }

    mutating func close(_ number: Int) {
        spools[number] = nil
    }

    /// Validates the next lines.
    ///
    /// - Returns: the recording and its gaps once all lines are valid; nil if there are more lines. The next call of
    ///   ``rows(of:limit:)`` returns the first rows.
    package mutating func check(_ number: Int) throws -> (RecordedActivity, gaps: Int)? {
        let spool = try spool(number)
        for _ in 0..<Self.checkedLines {
            guard let line = try nextLine(of: spool) else {
                let result = (try spool.reader.finish(), spool.reader.gaps)
                rewind(spool)
                return result
            }
            _ = try spool.reader.read(line)
        }
        return nil
    }

    /// Validates the next lines of a course.
    ///
    /// - Returns: the course once all lines are valid; nil if there are more lines.
    mutating func checkCourse(_ number: Int) throws -> StoredCourse? {
        let spool = try spool(number)
        for _ in 0..<Self.checkedLines {
            guard let line = try nextLine(of: spool) else {
                return try StoredCourse(
                    spool.courseReader.finish(), name: spool.courseReader.name, uuid: spool.courseReader.uuid,
                    added: Clock.systemTime())
            }
            try spool.courseReader.read(line)
        }
        return nil
    }

    /// The next rows, at most `limit`; empty after the last one.
    package mutating func rows(of number: Int, limit: Int) throws -> [RecordingRow] {
        let spool = try spool(number)
        var rows: [RecordingRow] = []
        rows.reserveCapacity(limit)
        while rows.count < limit, let line = try nextLine(of: spool) {
            if let row = try spool.reader.read(line) { rows.append(row) }
        }
        return rows
    }

    /// Returns to the first row.
    package mutating func rewind(_ number: Int) throws {
        rewind(try spool(number))
    }

    private func spool(_ number: Int) throws(ActivityUploadReader.Failure) -> Spool {
        guard let spool = spools[number] else { throw ActivityUploadReader.Failure("the upload is gone") }
        return spool
    }

    private func rewind(_ spool: Spool) {
        spool.reader = ActivityUploadReader()
        spool.bytes = []
        spool.start = 0
        spool.place = 0
    }

    /// The next line without its newline; nil at the end of the file, where the last line may lack it.
    private func nextLine(of spool: Spool) throws -> ArraySlice<UInt8>? {
        while true {
            if let end = spool.bytes[spool.start...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { spool.start = end + 1 }
                return spool.bytes[spool.start..<end]
            }
            let rest = Array(spool.bytes[spool.start...])
            spool.start = 0
            // The reader rejects a line that is too long.
            if rest.count <= ActivityUpload.lineLimit {
                let piece = try spool.file.read(atMost: Self.pieceSize, at: spool.place)
                spool.place += piece.count
                spool.bytes = rest + piece
                if !piece.isEmpty { continue }
            }
            spool.bytes = []
            return rest.isEmpty ? nil : rest[...]
        }
    }
}
