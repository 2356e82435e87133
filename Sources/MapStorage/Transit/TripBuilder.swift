import Domain
import Pipeline
import Transit

/// Makes the calls of a trip from its rows of `stop_times.txt`.
struct TripBuilder {
    /// Why a trip is left out.
    enum Failure: Error, CustomStringConvertible {
        case tooShort, tooLong, noTimes, sameSequence, backward

        var description: String {
            switch self {
            case .tooShort: "the trip has less than two stops"
            case .tooLong: "the trip has too many stops"
            case .noTimes: "the trip has no time at its first or its last stop"
            case .sameSequence: "the trip has a stop_sequence twice"
            case .backward: "the times of the trip go back"
            }
        }
    }

    private struct Row {
        var call: Call
        var isTimed: Bool
    }

    /// Of all stops of the feed.
    private let stops: [(position: Coordinate, isKept: Bool)]
    private var rows: [Row] = []
    private var isTooLong = false

    init(stops: [(position: Coordinate, isKept: Bool)]) {
        self.stops = stops
    }

    /// The departure from the first stop of the trip, whether it is kept or not. There must be calls.
    var firstDeparture: Int { rows[0].call.departure }

    mutating func clear() {
        rows.removeAll(keepingCapacity: true)
        isTooLong = false
    }

    /// Adds the next row by `stop_sequence`. Of two times, one is enough.
    mutating func add(stop: Int, sequence: Int, arrival: Int?, departure: Int?, flags: Int64, limit: Int) {
        guard rows.count < limit else {
            isTooLong = true
            return
        }
        var call = Call(
            stop: stop, sequence: sequence, arrival: arrival ?? departure ?? 0, departure: departure ?? arrival ?? 0)
        call.canBoard = flags & 1 == 0
        call.canAlight = flags & 2 == 0
        rows.append(Row(call: call, isTimed: (arrival ?? departure) != nil))
    }

    /// The calls at the stops that are kept. A time that the feed lacks follows from the distances between the stops.
    mutating func calls() throws(Failure) -> [Call] {
        guard !isTooLong else { throw .tooLong }
        guard rows.count > 1 else { throw .tooShort }
        guard rows[0].isTimed, rows[rows.count - 1].isTimed else { throw .noTimes }
        var start = 0
        for end in 1..<rows.count {
            guard rows[end].call.sequence > rows[end - 1].call.sequence else { throw .sameSequence }
            if rows[end].isTimed {
                interpolate(from: start, to: end)
                start = end
            }
        }
        // Nobody boards at the last stop, and nobody alights at the first one.
        rows[0].call.canAlight = false
        rows[rows.count - 1].call.canBoard = false
        var last = rows[0].call.arrival
        for row in rows {
            guard row.call.arrival >= last, row.call.departure >= row.call.arrival else { throw .backward }
            last = row.call.departure
        }
        return rows.map(\.call).filter { stops[$0.stop].isKept }
    }

    private mutating func interpolate(from start: Int, to end: Int) {
        guard end - start > 1 else { return }
        var metres = [0.0]
        for index in start..<end {
            let (here, next) = (stops[rows[index].call.stop], stops[rows[index + 1].call.stop])
            // At least 1 m: two stops at one place have different times too.
            metres.append(metres[metres.count - 1] + max(here.position.metres(to: next.position), 1))
        }
        let departure = rows[start].call.departure
        let seconds = Double(rows[end].call.arrival - departure)
        for index in start + 1..<end {
            let time = departure + Int((seconds * metres[index - start] / metres[end - start]).rounded(.down))
            rows[index].call.arrival = time
            rows[index].call.departure = time
        }
    }
}
