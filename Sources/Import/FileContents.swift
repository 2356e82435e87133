package import Formats

/// Reads a file once before it is imported: the messages of a FIT file may come in any order, and be those of several
/// activities. Files of other formats need no such pass.
package struct FileContents: ~Copyable {
    private var head: [UInt8] = []
    private var fit: FitReader?
    /// Whether the file needs the pass; nil until its first bytes are known.
    package private(set) var isNeeded: Bool?

    package init() {}

    /// Reads the next bytes of the file.
    package mutating func feed(_ bytes: Span<UInt8>) throws {
        guard isNeeded == nil else {
            try fit?.feed(bytes) { _ in }
            return
        }
        let count = min(FileKind.headSize - head.count, bytes.count)
        for index in 0..<count { head.append(bytes[index]) }
        guard head.count == FileKind.headSize else { return }
        let isFIT = FitReader.recognises(head.span)
        isNeeded = isFIT
        if isFIT {
            var reader = FitReader(FitSurvey())
            try reader.feed(head.span) { _ in }
            fit = reader
        }
        try feed(bytes.extracting(droppingFirst: count))
    }

    /// Ends the pass.
    ///
    /// - Parameter splits: whether each of several activities is read on its own.
    /// - Returns: How to read each activity of the file; empty if it is no FIT file.
    package func plans(splits: Bool) -> [FitPlan] {
        fit?.finishSurvey().plans(splits: splits) ?? []
    }
}
