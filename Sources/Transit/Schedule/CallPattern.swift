/// A stop of a trip.
package struct Call: Equatable, Sendable {
    /// The number of the stop in the timetable.
    package var stop: Int
    /// `stop_sequence` of the feed.
    package var sequence: Int
    /// Seconds.
    package var arrival: Int
    /// Seconds, at least ``arrival``.
    package var departure: Int
    package var canBoard = true
    package var canAlight = true
    /// Whether live data has the times.
    package var isLive = false
    /// Whether the vehicle passes the stop by, though the timetable has it.
    package var isSkipped = false

    package init(stop: Int, sequence: Int, arrival: Int, departure: Int) {
        self.stop = stop
        self.sequence = sequence
        self.arrival = arrival
        self.departure = departure
    }
}

/// The stops of a trip with times from the first arrival on. Many trips share one.
///
/// The stored form is a list of numbers of 7 bits a byte, the lowest bits first, five for each call: the stop, the
/// difference of the sequence, 1 for no boarding plus 2 for no alighting, the seconds from the previous departure to the
/// arrival, and those to the departure.
package enum CallPattern {
    /// - Parameter calls: with times that never go back, and growing sequences.
    package static func encode(_ calls: [Call]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(calls.count * 7)
        var (sequence, departure) = (0, calls.first?.arrival ?? 0)
        for call in calls {
            append(call.stop, to: &bytes)
            append(call.sequence - sequence, to: &bytes)
            append((call.canBoard ? 0 : 1) + (call.canAlight ? 0 : 2), to: &bytes)
            append(call.arrival - departure, to: &bytes)
            append(call.departure - call.arrival, to: &bytes)
            (sequence, departure) = (call.sequence, call.departure)
        }
        return bytes
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Nil for bytes that are no such list.
    package static func decode(_ bytes: [UInt8]) -> [Call]? {
        var calls: [Call] = []
        calls.reserveCapacity(bytes.count / 5)
        var index = 0
        func number() -> Int? {
            var value = 0
            for shift in stride(from: 0, to: 35, by: 7) {
                guard index < bytes.count else { return nil }
                let byte = Int(bytes[index])
                index += 1
                value |= (byte & 0x7F) << shift
                if byte < 0x80 { return value }
            }
            return nil
        }
        var (sequence, departure) = (0, 0)
        while index < bytes.count {
            guard let stop = number(), let step = number(), let flags = number(), let travel = number(),
                let dwell = number()
            else { return nil }
            sequence += step
            var call = Call(
                stop: stop, sequence: sequence, arrival: departure + travel, departure: departure + travel + dwell)
            call.canBoard = flags & 1 == 0
            call.canAlight = flags & 2 == 0
            departure = call.departure
            calls.append(call)
        }
        return calls
    }
}
