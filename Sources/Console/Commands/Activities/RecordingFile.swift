import Domain
import Formats
import Import

/// A file to import or replay.
struct RecordingFile {
    let path: String
    /// Whether a broken file is read up to the break.
    let salvages: Bool
    /// Whether each of several activities is read on its own. Else those of a FIT file are one, and of a TCX file the first one
    /// is read.
    let splits: Bool
    /// How to read each activity of a FIT file; empty for other files.
    private let plans: [FitPlan]

    /// Reads a FIT file once, and other files up to their first bytes.
    ///
    /// - Throws: ``Failure``
    init(path: String, salvages: Bool = false, splits: Bool = false) throws {
        self.path = path
        self.salvages = salvages
        self.splits = splits
        struct IsNotNeeded: Error {}
        var contents = FileContents()
        do {
            plans = try InputFile(path: path).read(
                {
                    try contents.feed($0)
                    if contents.isNeeded == false { throw IsNotNeeded() }
                }, finish: { contents.plans(splits: splits) })
        } catch is IsNotNeeded {
            plans = []
        }
    }

    /// The name, safe to print.
    var name: String { InputFile(path: path).name }

    /// Reads an activity of the file in chunks from start to end. May be called more than once.
    ///
    /// - Parameters:
    ///   - activity: its number in the file, from 0. What is read of the first one has the number of activities.
    ///   - row: called with each row. The rows are valid only if this call returns.
    /// - Throws: ``Failure`` with the error and its place, or the errors of `row`.
    func read(activity: Int = 0, _ row: (RecordingRow) throws -> Void) throws -> ImportedRecording {
        let plan = plans.indices.contains(activity) ? plans[activity] : nil
        var reader = FileImport(salvages: salvages, plan: plan, activity: splits ? activity : nil)
        return try InputFile(path: path).read({ try reader.feed($0, row) }, finish: { try reader.finish(row) })
    }
}
