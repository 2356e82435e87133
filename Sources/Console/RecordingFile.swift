import Domain
import Formats
import Import

/// A file to import or replay.
struct RecordingFile {
    let path: String
    /// Whether a broken FIT file is read up to the break.
    var salvages = false

    /// The name, safe to print.
    var name: String { InputFile(path: path).name }

    /// Reads the file in chunks from start to end. May be called more than once.
    ///
    /// - Parameter row: called with each row. The rows are valid only if this call returns.
    /// - Throws: ``Failure`` with the error and its place, or the errors of `row`.
    func read(_ row: (RecordingRow) throws -> Void) throws -> ImportedRecording {
        var reader = FileImport(salvages: salvages)
        return try InputFile(path: path).read({ try reader.feed($0, row) }, finish: { try reader.finish(row) })
    }
}
