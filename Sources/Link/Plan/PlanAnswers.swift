import Domain
import JSONCoding
import Wire

/// The requests of link.sock about planned work.
extension Planner {
    /// A place in the lists of the sources.
    private struct Place {
        let source: Int
        let item: Int
    }

    /// The most bytes of a list: what is behind them is left out.
    private static let listLimit = 48_000

    /// In the order of the days, courses without one last, those that have failed before others.
    private var places: [Place] {
        let all = sources.indices.flatMap { source in
            sources[source].plan.items.indices.map { Place(source: source, item: $0) }
        }
        return all.enumerated().sorted { first, second in
            let keys = [first, second].map { entry in
                let work = work(entry.element)
                return (work.day ?? "~", work.kind == .course && work.state != .failed ? 1 : 0, entry.offset)
            }
            return keys[0] < keys[1]
        }.map(\.element)
    }

    private func work(_ place: Place) -> PlannedWork { sources[place.source].plan.items[place.item] }

    func list() -> [UInt8] {
        let places = places
        var line = JSONWriter(capacity: 4096)
        line.object { line in
            line.member("fetching", isFetching)
            line.array("plans") { line in
                for (index, place) in places.enumerated() where line.bytes.count < Self.listLimit {
                    write(place, number: index + 1, into: &line)
                }
            }
        }
        return line.bytes
    }

    private func write(_ place: Place, number: Int, into line: inout JSONWriter) {
        let work = work(place)
        line.object {
            $0.member("plan", number)
            $0.member("from", sources[place.source].settings.name)
            $0.member("kind", work.kind.rawValue)
            $0.member("day", work.day)
            $0.member("name", work.name)
            $0.member("state", work.state.rawValue)
            $0.member("reason", work.reason)
        }
    }

    /// A workout with its FIT file. Whoever wants to follow it loads it with the own right to command.
    func workout(number: Int) throws(RPCError) -> [UInt8] {
        let places = places
        guard places.indices.contains(number - 1) else {
            throw .notFound("plan", "there is no plan \(number): 'pacectl plan' lists them")
        }
        let place = places[number - 1]
        guard work(place).kind == .workout else {
            throw .unavailable("plan \(number) is a course: 'pacectl course' lists it")
        }
        guard let bytes = bytes(of: work(place), place.source) else {
            throw .unavailable(
                "the file of plan \(number) is not there, or has more than \(Planner.workoutLimit) bytes")
        }
        var line = JSONWriter(capacity: bytes.count * 2)
        line.object { line in
            line.key("plan")
            write(place, number: number, into: &line)
            line.member("data", String(decoding: Base64.encode(bytes), as: UTF8.self))
        }
        return line.bytes
    }
}
