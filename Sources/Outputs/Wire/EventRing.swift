package import Domain

/// The newest events as the lines that they are on the wire, numbered from 1 without holes, and before them what the present run needs
/// (``RetainedRunEvents``) of those that made room.
///
/// Clients have a place in it, not a copy. At most ``limit`` events and ``byteLimit`` bytes are retained, both kinds together; the second
/// is reached only when many events carry the longest settings.
package struct EventRing: Sendable {
    package static let limit = 1000
    package static let byteLimit = 1 << 20

    /// The numbers of the newest events, all of which are retained; empty at first, and then its upper bound is the first number to come.
    package private(set) var retained = 1..<1

    /// The line of event `n` of the newest is at `n % limit`.
    private var lines: [[UInt8]] = []
    /// Events before the newest that the run needs, in the order of their numbers.
    private var kept: [(number: Int, line: [UInt8])] = []
    private var marks = RetainedRunEvents()
    private var byteCount = 0
    private var writer = JSONWriter(capacity: 512)

    /// Resumes after the events of an earlier start, the newest last. Of those before a hole only what the run needs is retained.
    package init(after stored: [(sequence: Int, line: [UInt8])] = []) {
        for (sequence, line) in stored {
            resume(at: sequence)
            append(line, RetainedRunEvents.Kind(line: line))
        }
    }

    /// Puts the events of an earlier start before those that were counted in memory, whose numbers move.
    package mutating func renumber(_ numbers: Renumbering.Shift, after stored: [(sequence: Int, line: [UInt8])]) {
        var own: [(sequence: Int, line: [UInt8])] = []
        var place = first(from: numbers.first)
        while let number = place {
            own.append((numbers(number), JSONWriter.eventLine(self[number], sequence: numbers(number))))
            place = first(from: number + 1)
        }
        let next = numbers(retained.upperBound)
        self = EventRing(after: stored + own)
        resume(at: next)
    }

    /// Gives the next event this number.
    private mutating func resume(at number: Int) {
        if number == retained.upperBound { return }
        while !retained.isEmpty { dropFirst() }
        retained = number..<number
    }

    /// Gives an event the next number.
    ///
    /// - Returns: its line.
    @discardableResult
    package mutating func append(_ event: Event) -> [UInt8] {
        writer.clear()
        writer.event(event, sequence: retained.upperBound)
        let line = Array(writer.bytes)
        append(line, RetainedRunEvents.Kind(event.kind))
        return line
    }

    private mutating func append(_ line: [UInt8], _ kind: RetainedRunEvents.Kind?) {
        let number = retained.upperBound
        if let kind {
            marks.add(number, kind)
            kept.removeAll { entry in
                if marks.contains(entry.number) { return false }
                byteCount -= entry.line.count
                return true
            }
        }
        while retained.count + kept.count >= Self.limit
            || (byteCount + line.count > Self.byteLimit && !retained.isEmpty)
        {
            dropFirst()
        }
        if lines.isEmpty { lines = Array(repeating: [], count: Self.limit) }
        lines[number % Self.limit] = line
        byteCount += line.count
        retained = retained.lowerBound..<number + 1
    }

    /// The first event from a number on that is retained; nil where there is none.
    package func first(from number: Int) -> Int? {
        if number < retained.lowerBound, let entry = kept.first(where: { $0.number >= number }) { return entry.number }
        return number < retained.upperBound ? max(number, retained.lowerBound) : nil
    }

    /// The line of an event that is retained.
    package subscript(number: Int) -> [UInt8] {
        if retained.contains(number) { return lines[number % Self.limit] }
        guard let entry = kept.first(where: { $0.number == number }) else {
            preconditionFailure("event \(number) is not retained")
        }
        return entry.line
    }

    private mutating func dropFirst() {
        let number = retained.removeFirst()
        let slot = number % Self.limit
        if marks.contains(number) {
            kept.append((number, lines[slot]))
        } else {
            byteCount -= lines[slot].count
        }
        lines[slot] = []
    }
}
