import Domain
import MapStorage
import Pipeline
import TestKit
import Transit

/// A made network of lines in Berlin from March to October 2026: its feed, and its vehicles by plain rules.
struct MadeNetwork {
    struct Call {
        var stop: Int
        var sequence: Int
        /// Seconds of the service day.
        var arrival: Int
        var departure: Int
        var canBoard = true
        var canAlight = true
    }

    struct Trip {
        var id: String
        var line: Int
        var service: Int
        /// 0 unknown, 1 yes, 2 no.
        var bikes: Int
        var calls: [Call]
        /// Periods and seconds between runs.
        var frequencies: [(period: Range<Int>, headway: Int)] = []
    }

    /// A service, its days by the calendar, and the days on which it runs besides or not.
    private static let services: [(id: String, weekdays: [Bool], added: [String], removed: [String])] = [
        ("week", [true, true, true, true, true, false, false], ["20260329"], ["20260327", "20261026"]),
        ("end", [false, false, false, false, false, true, true], ["20260327", "20261026"], ["20260329"]),
        ("dates", [], ["20260328", "20260330", "20261023", "20261024"], []),
    ]
    /// The days whose vehicles are known, around the changes of the clocks.
    private static let days = [("20260326", "20260331"), ("20261022", "20261027")]

    private(set) var stops: [Coordinate] = []
    private(set) var trips: [Trip] = []
    private let lineCount = 20

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            stops.append(
                Coordinate(latitude: 52.5 + random.uniform() * 0.05, longitude: 13.4 + random.uniform() * 0.08))
        }
        // Stops of the other direction, or across a square.
        for stop in 0..<20 {
            stops.append(
                Coordinate(
                    latitude: stops[stop].latitude + random.normal() * 0.001,
                    longitude: stops[stop].longitude + random.normal() * 0.001))
        }
        for line in 0..<lineCount {
            let (north, east) = (random.normal(), random.normal())
            let count = Int.random(in: 5...11, using: &random)
            var way = Array(stops.indices.shuffled(using: &random).prefix(count))
            way.sort { first, second in
                func along(_ stop: Int) -> Double { stops[stop].latitude * north + stops[stop].longitude * east }
                return along(first) < along(second)
            }
            if line % 5 == 0 { way.append(way[0]) }
            addTrips(of: line, way, &random)
            addTrips(of: line, way.reversed(), &random)
        }
    }

    /// The trips of a line in one direction.
    private mutating func addTrips(of line: Int, _ way: [Int], _ random: inout SeededRandom) {
        for service in Self.services.indices {
            let headway = Int.random(in: line % 3 == 1 ? 20_000...40_000 : 900...4000, using: &random)
            let end = line % 3 == 0 ? 26 * 3600 : 22 * 3600
            let starts = Array(stride(from: 5 * 3600 + Int.random(in: 0...3600, using: &random), to: end, by: headway))
            for start in line % 7 == 3 ? [starts[0]] : starts {
                var trip = Trip(
                    id: "\(trips.count)", line: line, service: service, bikes: Int.random(in: 0...2, using: &random),
                    calls: [])
                var (time, sequence) = (start, 0)
                for (place, stop) in way.enumerated() {
                    let halt = random.uniform() < 0.2 ? Int.random(in: 10...400, using: &random) : 0
                    if place > 0 {
                        time +=
                            Int(stops[way[place - 1]].metres(to: stops[stop]) / 8)
                            + Int.random(in: 0...90, using: &random)
                    }
                    sequence += Int.random(in: 1...3, using: &random)
                    trip.calls.append(
                        Call(
                            stop: stop, sequence: sequence, arrival: time, departure: time + halt,
                            canBoard: random.uniform() > 0.05 && place < way.count - 1,
                            canAlight: random.uniform() > 0.05 && place > 0))
                    time += halt
                }
                if line % 7 == 3 {
                    trip.frequencies = [(6 * 3600..<9 * 3600, 700), (9 * 3600..<25 * 3600, headway)]
                }
                trips.append(trip)
            }
        }
    }

    // MARK: Feed

    var feed: MadeFeed {
        var feed = MadeFeed()
        var calendar = "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n"
        var dates = "service_id,date,exception_type\n"
        for service in Self.services {
            if !service.weekdays.isEmpty {
                calendar += service.id + service.weekdays.map { $0 ? ",1" : ",0" }.joined() + ",20260301,20261031\n"
            }
            for day in service.added { dates += "\(service.id),\(day),1\n" }
            for day in service.removed { dates += "\(service.id),\(day),2\n" }
        }
        let places = stops.enumerated().map { "\($0),\($0),\($1.latitude),\($1.longitude)\n" }.joined()
        var (trips, times) = ("route_id,service_id,trip_id,bikes_allowed\n", "")
        var frequencies = "trip_id,start_time,end_time,headway_secs\n"
        for trip in self.trips {
            trips += "\(trip.line),\(Self.services[trip.service].id),\(trip.id),\(trip.bikes)\n"
            for call in trip.calls {
                times += "\(trip.id),\(Self.text(call.arrival)),\(Self.text(call.departure)),\(call.stop),"
                times += "\(call.sequence),\(call.canBoard ? 0 : 1),\(call.canAlight ? 0 : 1)\n"
            }
            for (period, headway) in trip.frequencies {
                frequencies += "\(trip.id),\(Self.text(period.lowerBound)),\(Self.text(period.upperBound)),\(headway)\n"
            }
        }
        feed.files["calendar.txt"] = calendar
        feed.files["calendar_dates.txt"] = dates
        feed.files["stops.txt"] = "stop_id,stop_name,stop_lat,stop_lon\n" + places
        feed.files["routes.txt"] = "route_id,route_short_name\n" + (0..<lineCount).map { "\($0),\($0)\n" }.joined()
        feed.files["trips.txt"] = trips
        feed.files["frequencies.txt"] = frequencies
        feed.files["stop_times.txt"] =
            "trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,drop_off_type\n" + times
        return feed
    }

    private static func text(_ seconds: Int) -> String {
        let (minutes, rest) = (seconds / 60 % 60, seconds % 60)
        return "\(seconds / 3600):\(minutes < 10 ? "0" : "")\(minutes):\(rest < 10 ? "0" : "")\(rest)"
    }

    // MARK: Vehicles

    /// All vehicles of the days around the changes of the clocks.
    var vehicles: [MadeVehicle] {
        let days = Self.days.flatMap { first, last in
            ((ServiceDay(first)?.number ?? 0)...(ServiceDay(last)?.number ?? 0)).map { ServiceDay(number: $0) }
        }
        return days.flatMap { day in trips.flatMap { vehicles(of: $0, on: day) } }
    }

    private func vehicles(of trip: Trip, on day: ServiceDay) -> [MadeVehicle] {
        let service = Self.services[trip.service]
        guard
            service.added.contains(day.text)
                || (!service.weekdays.isEmpty && service.weekdays[day.weekday] && !service.removed.contains(day.text))
        else { return [] }
        let isSummer = "20260329" <= day.text && day.text < "20261025"
        let start = day.number * 86_400 - (isSummer ? 7200 : 3600)
        let first = trip.calls[0].departure
        let departures = trip.frequencies.flatMap { Array(stride(from: $0.lowerBound, to: $0.upperBound, by: $1)) }
        return (trip.frequencies.isEmpty ? [first] : departures).map { departure in
            let calls = trip.calls.map { call in
                MadeVehicle.Call(
                    stop: call.stop, sequence: call.sequence, arrival: start + call.arrival + departure - first,
                    departure: start + call.departure + departure - first, canBoard: call.canBoard,
                    canAlight: call.canAlight)
            }
            return MadeVehicle(trip: trip.id, day: day, line: trip.line, allowsBikes: trip.bikes == 1, calls: calls)
        }
    }
}
