package import Domain

/// The header of an imported file. Its rows were passed on while it was read.
package struct ImportedRecording: Equatable, Sendable {
    /// Its totals are computed from the rows; its ``RecordedActivity/sourceTotals`` has the file's own.
    package var recording: RecordedActivity
    package var skipped: SkippedElements
    /// The number of activities in the file: this one and others.
    package var activities = 1
    /// The break up to which a damaged file was read; nil for a whole file.
    package var damage: FileError?

    package init(recording: RecordedActivity, skipped: SkippedElements) {
        self.recording = recording
        self.skipped = skipped
    }
}

/// The elements of a file that were not imported: counted by name, in the order of their first occurrence.
package struct SkippedElements: Equatable, Sendable {
    /// The largest number of distinct names.
    package static let nameLimit = 64

    package struct Entry: Equatable, Sendable {
        package var name: SanitizedText
        package var count: Int
    }

    package private(set) var entries: [Entry] = []
    /// The number of elements whose names exceed the limit.
    package private(set) var others = 0

    package init() {}

    /// - Parameter name: the element's name in the file, or a description of an error.
    package mutating func count(_ name: String, _ count: Int = 1) {
        guard count > 0 else { return }
        if let index = index(of: name) {
            entries[index].count += count
            return
        }
        guard let name = SanitizedText(name) else { return }
        if let index = index(of: name.text) {
            entries[index].count += count
        } else if entries.count < Self.nameLimit {
            entries.append(Entry(name: name, count: count))
        } else {
            others += count
        }
    }

    /// The number of elements with a name.
    package subscript(name: String) -> Int {
        index(of: name).map { entries[$0].count } ?? 0
    }

    private func index(of name: String) -> Int? {
        entries.firstIndex { $0.name.text == name }
    }
}
