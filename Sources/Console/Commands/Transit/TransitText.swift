import Domain
import JSONCoding
import Weather

/// Answers of a timetable as text for people.
struct TransitText {
    let units: WeatherUnits
    let now: UTC

    /// Nil if there are no departures.
    func departures(_ answer: JSON) -> String? {
        guard let departures = answer["departures"]?.array, !departures.isEmpty else { return nil }
        var table = TextTable([
            .init(head: "IN", isNumber: true), .init(head: "TIME"), .init(head: "PLAN"), .init(head: "LINE"),
            .init(head: "TO"), .init(head: "STOP"),
            .init(head: "BIKES"), .init(head: "NOTE"),
        ])
        for departure in departures {
            let (time, plan) = (clock(departure["departure"]), clock(departure["scheduled"]))
            table.append([
                minutes(to: departure["departure"]), time.isEmpty ? departure["text"]?.harmlessText() ?? "" : time,
                plan == time ? "" : plan, line(departure), departure["headsign"]?.harmlessText() ?? "",
                departure["stop_name"]?.harmlessText() ?? "", bikes(departure), note(departure),
            ])
        }
        return table.lines.map { $0 + "\n" }.joined()
    }

    /// Nil if there are no journeys.
    func journeys(_ answer: JSON) -> String? {
        guard let journeys = answer["journeys"]?.array, !journeys.isEmpty else { return nil }
        var text = journeys.map(journey).joined(separator: "\n")
        if let last = answer["last"] {
            text += "\nThe last way home: leave at \(clock(last["leave"])), arrive at \(clock(last["arrive"])).\n"
        }
        return text
    }

    private func journey(_ journey: JSON) -> String {
        let legs = journey["legs"]?.array ?? []
        func walk(_ name: String) -> String { journey[name]?.number.map(units.distance) ?? "" }
        var lines = [
            "Leave at \(clock(journey["leave"])), arrive at \(clock(journey["arrive"])):",
            "  walk \(walk("distance_to_stop_m")) to \(name(legs.first?["from"]))",
        ]
        for (index, leg) in legs.enumerated() {
            if index > 0 { lines.append("  change to \(name(leg["from"]))") }
            let (time, plan) = (clock(leg["departure"]), clock(leg["scheduled"]))
            let headsign = leg["headsign"]?.harmlessText().map { " to \($0)" } ?? ""
            let notes = [
                plan == time ? "" : "planned \(plan)", note(leg), bikes(leg).isEmpty ? "" : "bikes " + bikes(leg),
            ].filter { !$0.isEmpty }
            lines.append(
                "  \(time) line \(line(leg))\(headsign), off at \(clock(leg["arrival"])) \(name(leg["to"]))"
                    + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"))
        }
        lines.append("  walk \(walk("distance_from_stop_m")) home")
        return lines.map { $0 + "\n" }.joined()
    }

    /// Whether the times are live, and whose they are.
    static func status(_ answer: JSON) -> String {
        let agency = answer["agency"]?.harmlessText() ?? ""
        if answer["live"]?.bool == true {
            let age = answer["live_age_s"]?.integer ?? 0
            return (agency.isEmpty ? "" : agency + ", ") + "live data of \(age) s ago\n"
        }
        let reason = answer["reason"]?.harmlessText(limit: 256) ?? ""
        return "\(agency), by the timetable" + (reason.isEmpty ? "" : ": \(reason)") + "\n"
    }

    private func name(_ stop: JSON?) -> String {
        stop?["name"]?.harmlessText() ?? ""
    }

    private func line(_ json: JSON) -> String {
        (json["code"] ?? json["name"] ?? json["line"])?.harmlessText() ?? ""
    }

    private func bikes(_ json: JSON) -> String {
        json["bikes"]?.bool.map { $0 ? "yes" : "no" } ?? ""
    }

    private func note(_ json: JSON) -> String {
        if json["canceled"]?.bool == true { return "canceled" }
        if json["live"]?.bool == true { return "live" }
        return json["headway_s"]?.integer.map { "about every \(max($0 / 60, 1)) min" } ?? ""
    }

    /// Such as `5 min`; empty for a time of another day, as `--time` asks for.
    private func minutes(to time: JSON?) -> String {
        guard let moment = time?.string.flatMap({ UTC(iso8601: $0) }) else { return "" }
        let minutes = (moment.milliseconds - now.milliseconds) / 60_000
        return (0..<1440).contains(minutes) ? "\(minutes) min" : ""
    }

    /// The time of day in the agency's local time, such as `08:05`.
    private func clock(_ time: JSON?) -> String {
        // Without the zone it is what a clock there shows.
        guard let shown = time?.string.flatMap({ UTC(iso8601: $0.dropLast("-05:00".count)) }) else { return "" }
        return Screen.clock(shown, minutesFromUTC: 0, twelveHour: units.twelveHour)
    }
}
