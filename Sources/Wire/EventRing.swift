package import Domain
import JSONCoding

/// The lines of the newest events, numbered from 1 without gaps, and before them the discarded events that the present
/// run needs (``RetainedRunEvents``).
///
/// Clients have a place in the ring, not a copy. It retains at most ``limit`` events and ``byteLimit`` bytes of both
/// kinds together; only many events with the longest settings reach the second limit.
package struct EventRing: Sendable {
    package static let limit = 1000
    package static let byteLimit = 1 << 20

    /// The numbers of the newest events, all retained. At first it is empty; its upper bound is always the next number.
    package private(set) var retained = 1..<1

    /// The line of a newest event with number `n` is at `n % limit`.
    private var lines: [[UInt8]] = []
    /// Events before the newest that the run needs, in order.
    private var older: [(number: Int, line: [UInt8])] = []
    private var marks = RetainedRunEvents()
    private var byteCount = 0

    /// The number of the event that began the run in progress; nil without one.
    package var runStart: Int? { marks.start }

    /// Restores the events of an earlier start, in order. Before a gap, only those that the run needs are kept.
    package init(after stored: [(sequence: Int, line: [UInt8])] = []) {
        for (sequence, line) in stored {
            resume(at: sequence)
            append(line, RetainedRunEvents.Kind(line: line))
        }
    }

    /// Inserts the events of an earlier start before those in memory, whose numbers shift.
    package mutating func renumber(_ numbers: Renumbering.Shift, after stored: [(sequence: Int, line: [UInt8])]) {
        var present: [(sequence: Int, line: [UInt8])] = []
        var position = first(from: numbers.first)
        while let number = position {
            present.append((numbers(number), JSONWriter.eventLine(self[number], sequence: numbers(number))))
            position = first(from: number + 1)
        }
        let next = numbers(retained.upperBound)
        self = EventRing(after: stored + present)
        resume(at: next)
    }

    /// Sets the number of the next event.
    private mutating func resume(at number: Int) {
        if number == retained.upperBound { return }
        while !retained.isEmpty { dropFirst() }
        retained = number..<number
    }

    /// Appends an event. Its number is normally the next one; a gap counts as discarded events.
    package mutating func append(_ event: EventLine) {
        resume(at: event.number)
        append(event.bytes, event.kind)
    }

    private mutating func append(_ line: [UInt8], _ kind: RetainedRunEvents.Kind?) {
        let number = retained.upperBound
        if let kind {
            marks.add(number, kind)
            older.removeAll { entry in
                if marks.contains(entry.number) { return false }
                byteCount -= entry.line.count
                return true
            }
        }
        while retained.count + older.count >= Self.limit
            || (byteCount + line.count > Self.byteLimit && !retained.isEmpty)
        {
            dropFirst()
        }
        if lines.isEmpty { lines = Array(repeating: [], count: Self.limit) }
        lines[number % Self.limit] = line
        byteCount += line.count
        retained = retained.lowerBound..<number + 1
    }

    /// Returns the first retained event from a number on. Nil if there is none.
    package func first(from number: Int) -> Int? {
        if number < retained.lowerBound, let entry = older.first(where: { $0.number >= number }) { return entry.number }
        return number < retained.upperBound ? max(number, retained.lowerBound) : nil
    }

    /// The line of a retained event.
    package subscript(number: Int) -> [UInt8] {
        if retained.contains(number) { return lines[number % Self.limit] }
        guard let entry = older.first(where: { $0.number == number }) else {
            preconditionFailure("event \(number) is not retained")
        }
        return entry.line
    }

    private mutating func dropFirst() {
        let number = retained.removeFirst()
        let slot = number % Self.limit
        if marks.contains(number) {
            older.append((number, lines[slot]))
        } else {
            byteCount -= lines[slot].count
        }
        lines[slot] = []
    }
}
