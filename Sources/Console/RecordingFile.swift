import Adapters
import Domain
import Glibc
import Linux
import Sensors

/// A file from outside that holds a recording.
struct RecordingFile {
    let path: String

    /// Its name as it can be shown.
    var name: String {
        harmless(path, limit: 256) ?? "the file without a name"
    }

    /// Reads the file from its first byte to its last, piece by piece. It may be read more than once.
    ///
    /// - Parameter row: called with each row; the rows are good only once this has returned.
    /// - Throws: ``Failure`` with what is wrong and where, or what `row` throws.
    func read(_ row: (RecordingRow) throws -> Void) throws -> ImportedRecording {
        do {
            let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
            var status = stat()
            guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw Failure.failed(
                    "cannot read \(name): it is no regular file, and it is read twice; save what it holds to a file first"
                )
            }
            var reader = FileImport()
            var piece = [UInt8](repeating: 0, count: 65_536)
            while let count = try piece.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
                try reader.feed(piece.span.extracting(0..<count), row)
            }
            return try reader.finish(row)
        } catch let error as SystemError {
            throw Failure.failed("cannot read \(name): \(error)")
        } catch let error as FileError {
            throw Failure.failed("\(name): \(error)")
        }
    }
}
