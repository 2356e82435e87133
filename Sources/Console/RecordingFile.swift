import Domain
import Formats
import Import

/// A file to import or replay.
struct RecordingFile {
    let path: String
    /// Whether a broken file is read up to the break.
    var salvages = false

    /// The name, safe to print.
    var name: String { InputFile(path: path).name }

    /// Reads the file in chunks from start to end. May be called more than once.
    ///
    /// - Parameter row: called with each row. The rows are valid only if this call returns.
    /// - Throws: ``Failure`` with the error and its place, or the errors of `row`.
    func read(_ row: (RecordingRow) throws -> Void) throws -> ImportedRecording {
        var reader = FileImport(salvages: salvages, order: try order())
        return try InputFile(path: path).read({ try reader.feed($0, row) }, finish: { try reader.finish(row) })
    }

    /// The order of a FIT file. Other files are read up to their first bytes.
    private func order() throws -> FitOrder? {
        struct IsNotNeeded: Error {}
        var order = FileOrder()
        do {
            return try InputFile(path: path).read(
                {
                    try order.feed($0)
                    if order.isNeeded == false { throw IsNotNeeded() }
                }, finish: { order.order() })
        } catch is IsNotNeeded {
            return nil
        }
    }
}
