import Domain
import MapStorage
import Pipeline
import Transit

/// Tries all vehicles of a network.
struct ExhaustiveSearch {
    struct Way: Hashable {
        var departure: Int
        var arrival: Int
        var changes: Int
    }

    /// The stops that can be reached on foot from each stop, itself included, with the metres.
    private let neighbors: [[(stop: Int, metres: Double)]]
    private let stops: [Coordinate]
    private let vehicles: [MadeVehicle]
    /// Of each stop: the time, the number of the trip, the place, and whether the departure is canceled.
    private var departures: [[[Int]]]

    init(stops: [Coordinate], vehicles: [MadeVehicle]) {
        self.stops = stops
        self.vehicles = vehicles
        neighbors = stops.map { here in
            stops.enumerated().map { ($0, here.metres(to: $1)) }.filter { $0.1 <= 250 }
        }
        departures = Array(repeating: [], count: stops.count)
        for vehicle in vehicles {
            for (place, call) in vehicle.calls.enumerated().dropLast() where call.canBoard || call.isSkipped {
                let isCanceled = vehicle.isCanceled || call.isSkipped
                departures[call.stop].append([call.departure, vehicle.number, place, isCanceled ? 1 : 0])
            }
        }
    }

    /// The departures in 24 hours, in the order of time.
    func departures(from wanted: [Int], after time: Int, limit: Int) -> [[Int]] {
        let found = wanted.flatMap { departures[$0] }.filter { (time...time + 86_400).contains($0[0]) }
        return Array(found.sorted { $0.lexicographicallyPrecedes($1) }.prefix(limit))
    }

    /// The vehicles that are on their way between two times.
    private func vehicles(in times: ClosedRange<Int>) -> [MadeVehicle] {
        vehicles.filter { vehicle in
            vehicle.calls[0].arrival <= times.upperBound
                && vehicle.calls[vehicle.calls.count - 1].departure >= times.lowerBound
        }
    }

    /// The ways that no other one surpasses, in the order of arrival, then of departure.
    func ways(
        from start: Coordinate, to end: Coordinate, in times: ClosedRange<Int>, walking: WalkingRule, needsBikes: Bool
    ) -> [Way] {
        /// A walk is 1.3 times as long as the distance.
        func seconds(_ metres: Double) -> Int { Int((metres * 1.3 / walking.speed).rounded(.up)) }
        func walks(_ place: Coordinate) -> [Int?] {
            stops.map { stop in
                let metres = stop.metres(to: place)
                return metres <= walking.radius ? seconds(metres) : nil
            }
        }
        let (access, egress) = (walks(start), walks(end))
        let usable = vehicles(in: times).filter { !$0.isCanceled && ($0.allowsBikes || !needsBikes) }
        /// By changes and departure, the earliest arrival.
        var arrivals: [[Int: Int]] = [[:], [:]]
        /// Of each stop: when another vehicle can be boarded there, after which departure.
        var reached: [[(ready: Int, departure: Int)]] = Array(repeating: [], count: stops.count)
        func alight(_ call: MadeVehicle.Call, _ departure: Int, changes: Int) {
            guard let walk = egress[call.stop], call.arrival + walk <= times.upperBound else { return }
            arrivals[changes][departure] = min(arrivals[changes][departure] ?? .max, call.arrival + walk)
        }
        for vehicle in usable {
            for (place, board) in vehicle.calls.enumerated() where board.canBoard {
                guard let walk = access[board.stop], board.departure - walk >= times.lowerBound else { continue }
                for call in vehicle.calls[(place + 1)...] where call.canAlight {
                    alight(call, board.departure - walk, changes: 0)
                    guard call.arrival + 120 <= times.upperBound else { continue }
                    for (stop, metres) in neighbors[call.stop] {
                        reached[stop].append((call.arrival + 120 + seconds(metres), board.departure - walk))
                    }
                }
            }
        }
        for vehicle in usable where vehicle.calls.contains(where: { egress[$0.stop] != nil }) {
            for (place, board) in vehicle.calls.enumerated() where board.canBoard {
                for (ready, departure) in reached[board.stop] where ready <= board.departure {
                    for call in vehicle.calls[(place + 1)...] where call.canAlight {
                        alight(call, departure, changes: 1)
                    }
                }
            }
        }
        return Self.best(arrivals)
    }

    private static func best(_ arrivals: [[Int: Int]]) -> [Way] {
        let ways = arrivals.enumerated().flatMap { changes, arrivals in
            arrivals.map { Way(departure: $0, arrival: $1, changes: changes) }
        }
        return ways.filter { way in
            !ways.contains { other in
                other != way && other.departure >= way.departure && other.arrival <= way.arrival
                    && other.changes <= way.changes
            }
        }.sorted { ($0.arrival, -$0.departure) < ($1.arrival, -$1.departure) }
    }
}
