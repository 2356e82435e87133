import Domain
import Formats
import Glibc
import Import
import Linux

/// A file to import or replay.
struct RecordingFile {
    let path: String
    /// Whether a broken FIT file is read up to the break.
    var salvages = false

    /// The name, safe to print.
    var name: String {
        SanitizedText.line(path, limit: 256) ?? "the file without a name"
    }

    /// Reads the file in chunks from start to end. May be called more than once.
    ///
    /// - Parameter row: called with each row. The rows are valid only if this call returns.
    /// - Throws: ``Failure`` with the error and its place, or the errors of `row`.
    func read(_ row: (RecordingRow) throws -> Void) throws -> ImportedRecording {
        do {
            let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
            var status = stat()
            guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw Failure.failed(
                    "cannot read \(name): it must be a regular file, since it is read twice; save it to a file first"
                )
            }
            var reader = FileImport(salvages: salvages)
            var gunzip: Gunzip?
            var isFirst = true
            var piece = [UInt8](repeating: 0, count: 65_536)
            while let count = try piece.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
                let bytes = piece.span.extracting(0..<count)
                if isFirst, Gunzip.recognises(bytes) { gunzip = try Gunzip() }
                isFirst = false
                if gunzip == nil {
                    try reader.feed(bytes, row)
                } else {
                    try gunzip?.feed(bytes) { unpacked in try reader.feed(unpacked, row) }
                }
            }
            return try reader.finish(row)
        } catch let error as SystemError {
            throw Failure.failed("cannot read \(name): \(error)")
        } catch let error as FileError {
            throw Failure.failed("\(name): \(error)")
        }
    }
}
