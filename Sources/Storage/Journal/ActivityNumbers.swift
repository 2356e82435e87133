import Domain

/// The numbers that activities get when they begin, each once.
///
/// The loop gives them to runs and imports, the journal's thread to recovered activities. A number is on the disk
/// when its activity is: the next start of the daemon continues above the numbers of the journal.
package struct ActivityNumbers: Sendable {
    package private(set) var next: Int
    /// Those that were given and are not in the journal yet.
    private var pending: [Int] = []

    package init(next: Int) {
        self.next = next
    }

    /// Gives a number to an activity that begins.
    package mutating func take() -> Int {
        defer { next += 1 }
        pending.append(next)
        return next
    }

    /// Takes back a number whose activity has not begun. It is lost if another activity has begun since.
    package mutating func giveBack(_ number: Int) {
        wrote(number)
        if number == next - 1 { next = number }
    }

    /// Reports that the activity of a number is in the journal.
    package mutating func wrote(_ number: Int) {
        pending.removeAll { $0 == number }
    }

    /// Gives a number that the journal does not have.
    ///
    /// - Returns: false if the number was given, and is not in the journal yet.
    package mutating func take(_ number: Int) -> Bool {
        if pending.contains(number) { return false }
        next = max(next, number + 1)
        return true
    }

    /// Continues with at least this number, which is above those of the journal.
    package mutating func skip(to number: Int) {
        next = max(next, number)
    }

    mutating func renumber(_ shift: Renumbering.Shift) {
        next = shift(next)
        pending = pending.map { shift($0) }
    }
}
