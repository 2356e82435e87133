import TestKit
import Transit

/// A run of a trip on a day.
struct MadeVehicle {
    struct Call: Equatable {
        var stop: Int
        var sequence: Int
        /// Seconds since 1970.
        var arrival: Int
        var departure: Int
        var canBoard: Bool
        var canAlight: Bool
        /// Whether it is passed by, though one could board.
        var isSkipped = false
    }

    /// What identifies it in the timetable: the trip, and the departure by the timetable.
    struct Key: Hashable {
        var trip: String
        var departure: Int
    }

    var trip: String
    var day: ServiceDay
    var line: Int
    var allowsBikes: Bool
    var isCanceled = false
    var calls: [Call]
    /// The number of its trip in the timetable.
    var number = 0

    var key: Key { Key(trip: trip, departure: calls[0].departure) }

    init(trip: String, day: ServiceDay, line: Int, allowsBikes: Bool, calls: [Call]) {
        self.trip = trip
        self.day = day
        self.line = line
        self.allowsBikes = allowsBikes
        self.calls = calls
    }

    // MARK: Live data

    /// Makes live data, and applies it by the rules of GTFS-Realtime.
    mutating func makeLive(_ random: inout SeededRandom) -> LiveTimetable.Trip {
        var trip = LiveTimetable.Trip(day: day)
        trip.isCanceled = random.uniform() < 0.1
        isCanceled = trip.isCanceled
        /// The delays from the first update on.
        var delays: [(arrival: Int, departure: Int)?] = []
        var delay: Int?
        let kind = random.uniform()
        let range = kind < 0.02 ? 7200...20_000 : kind < 0.2 ? -1400 ... -1000 : -300...1200
        for place in calls.indices {
            var times = delay.map { ($0, $0) }
            if random.uniform() < 0.3 {
                var update = LiveTimetable.StopUpdate()
                update.sequence = calls[place].sequence
                switch random.uniform() {
                case ..<0.1:
                    update.kind = .noData
                    times = nil
                case ..<0.25:
                    update.kind = .skipped
                    calls[place].isSkipped = calls[place].canBoard
                    (calls[place].canBoard, calls[place].canAlight) = (false, false)
                default:
                    let seconds = Int.random(in: range, using: &random)
                    let more = Int.random(in: -400...100, using: &random)
                    update.departure = .delay(seconds)
                    times = (times?.1 ?? seconds, seconds)
                    if random.uniform() < 0.5 {
                        update.arrival = .time(calls[place].arrival + seconds + more)
                        times = (seconds + more, seconds)
                    }
                }
                trip.updates.append(update)
            }
            delays.append(times)
            delay = times?.1
        }
        apply(delays)
        return trip
    }

    private mutating func apply(_ delays: [(arrival: Int, departure: Int)?]) {
        guard let first = delays.firstIndex(where: { $0 != nil }) else { return }
        var last = Int.min
        for place in first..<calls.count {
            calls[place].arrival = max(calls[place].arrival + (delays[place]?.arrival ?? 0), last)
            calls[place].departure = max(
                calls[place].departure + (delays[place]?.departure ?? 0), calls[place].arrival)
            last = calls[place].departure
        }
        // The vehicle has left the stops before.
        for place in 0..<first {
            calls[place].arrival = min(calls[place].arrival, calls[first].arrival)
            calls[place].departure = min(calls[place].departure, calls[first].arrival)
        }
    }

    /// A ride that the timetable lacks, with the stops of this vehicle.
    func added(number: Int, after seconds: Int) -> (vehicle: MadeVehicle, ride: Ride) {
        var vehicle = self
        vehicle.number = number
        let start = calls[0].arrival + seconds
        let schedule = calls.map { call in
            var moved = Transit.Call(
                stop: call.stop, sequence: call.sequence, arrival: call.arrival - calls[0].arrival,
                departure: call.departure - calls[0].arrival)
            (moved.canBoard, moved.canAlight) = (call.canBoard, call.canAlight)
            return moved
        }
        for place in calls.indices {
            vehicle.calls[place].arrival += seconds
            vehicle.calls[place].departure += seconds
        }
        var ride = Ride(trip: number, day: day, line: line, start: start, schedule: schedule)
        ride.allowsBikes = allowsBikes
        return (vehicle, ride)
    }
}
