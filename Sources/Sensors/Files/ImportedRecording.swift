package import Domain

/// What a file held as a whole. Its rows were handed over while it was read.
package struct ImportedRecording: Equatable, Sendable {
    /// Its figures are counted from the rows, its ``RecordedActivity/claim`` is what the file says.
    package var recording: RecordedActivity
    package var leftovers: SkippedElements

    package init(recording: RecordedActivity, leftovers: SkippedElements) {
        self.recording = recording
        self.leftovers = leftovers
    }
}

/// What a file held and was not kept: counted by name, in the order in which it was first met.
package struct SkippedElements: Equatable, Sendable {
    /// The most names that are told apart.
    package static let nameLimit = 64

    package struct Entry: Equatable, Sendable {
        package var name: SanitizedText
        package var count: Int
    }

    package private(set) var entries: [Entry] = []
    /// What was met when there were so many names already.
    package private(set) var others = 0

    package init() {}

    /// - Parameter name: the file's own word, or ours for what is wrong with so many of its points.
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

    /// How many there were of a name.
    package subscript(name: String) -> Int {
        index(of: name).map { entries[$0].count } ?? 0
    }

    private func index(of name: String) -> Int? {
        entries.firstIndex { $0.name.text == name }
    }
}
