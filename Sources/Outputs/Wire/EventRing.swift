package import Domain

/// The newest events as the lines that they are on the wire, numbered from 1 without holes.
///
/// Clients have a place in it, not a copy. At most ``limit`` events and ``byteLimit`` bytes are retained; the second is
/// reached only when many events carry the longest settings.
package struct EventRing: Sendable {
    package static let limit = 1000
    package static let byteLimit = 1 << 20

    /// The numbers of the events that are retained; empty at first, and then its upper bound is the first number to come.
    package private(set) var retained = 1..<1

    /// The line of event `n` is at `n % limit`.
    private var lines: [[UInt8]] = []
    private var byteCount = 0
    private var writer = LineWriter(capacity: 512)

    /// Goes on after the events of an earlier start, the newest last. Only those without a hole before them are retained.
    package init(after kept: [(sequence: Int, line: [UInt8])] = []) {
        for (sequence, line) in kept.suffix(Self.limit) {
            if sequence != retained.upperBound { self = EventRing(next: sequence) }
            append(line)
        }
    }

    private init(next: Int) {
        retained = next..<next
    }

    /// Gives an event the next number.
    ///
    /// - Returns: its line.
    @discardableResult
    package mutating func append(_ event: Event) -> [UInt8] {
        writer.clear()
        writer.event(event, sequence: retained.upperBound)
        let line = Array(writer.bytes)
        append(line)
        return line
    }

    private mutating func append(_ line: [UInt8]) {
        let number = retained.upperBound
        while retained.count == Self.limit || (byteCount + line.count > Self.byteLimit && !retained.isEmpty) {
            dropFirst()
        }
        if lines.isEmpty { lines = Array(repeating: [], count: Self.limit) }
        lines[number % Self.limit] = line
        byteCount += line.count
        retained = retained.lowerBound..<number + 1
    }

    /// The line of an event that is retained.
    package subscript(number: Int) -> [UInt8] {
        precondition(retained.contains(number))
        return lines[number % Self.limit]
    }

    private mutating func dropFirst() {
        let slot = retained.lowerBound % Self.limit
        byteCount -= lines[slot].count
        lines[slot] = []
        retained.removeFirst()
    }
}
