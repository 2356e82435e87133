import Domain
import Glibc
import JSONCoding

/// The result of `route.find` as a table: a line for each route, the flattest first, coloured from green to red.
struct RouteText {
    let words: StatusText
    var characters = CharacterSet.ofTerminal
    var palette = Palette.none

    /// A route as paced-net describes it.
    private struct Route {
        var length: Double
        var ascent: Double?
        var descent: Double?
        var steepest: Double?
        var seconds: Double?
        var isTie: Bool
        var distances: [Double]
        var altitudes: [Double]

        init?(_ json: JSON) {
            guard let length = json.metres("length_m"), length >= 0 else { return nil }
            self.length = length
            ascent = json.metres("ascent_m")
            descent = json.metres("descent_m")
            steepest = json["steepest_percent"]?.number.flatMap { (0...1000).contains($0) ? $0 : nil }
            seconds = json["duration_s"]?.number.flatMap { (0...1e7).contains($0) ? $0 : nil }
            isTie = json["is_tie"]?.bool ?? false
            let distances = (json["distance_m"]?.array ?? []).prefix(RouteText.sampleLimit).compactMap(\.number)
            let altitudes = (json["altitude_m"]?.array ?? []).prefix(RouteText.sampleLimit).compactMap(\.number)
            let isProfile =
                distances.count == altitudes.count && distances.count > 1 && altitudes.allSatisfy { abs($0) < 1e6 }
                && zip(distances, distances.dropFirst()).allSatisfy { $0 <= $1 }
            self.distances = isProfile ? distances : []
            self.altitudes = isProfile ? altitudes : []
        }

        /// The altitude at a distance from the start; nil beyond the end.
        func altitude(at metres: Double) -> Double? {
            guard let after = distances.firstIndex(where: { $0 >= metres }), after > 0 else { return altitudes.first }
            let step = distances[after] - distances[after - 1]
            let part = step > 0 ? (metres - distances[after - 1]) / step : 0
            return altitudes[after - 1] + (altitudes[after] - altitudes[after - 1]) * part
        }
    }

    fileprivate static let sampleLimit = 1000
    private static let routeLimit = 32
    private static let profileWidth = 28
    private static let blocks = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    /// By rank. Further routes are brown.
    private static let colours: [Style.Colour] = [.green, .mint, .yellow, .orange, .red]

    /// - Returns: nil if the result has no route.
    func table(_ result: JSON) -> String? {
        let routes = (result["routes"]?.array ?? []).prefix(Self.routeLimit).compactMap { Route($0) }
        guard !routes.isEmpty else { return nil }
        var table = TextTable([
            .init(head: "ROUTE", isNumber: true), .init(head: "LENGTH", isNumber: true),
            .init(head: "UP", isNumber: true),
            .init(head: "DOWN", isNumber: true), .init(head: "STEEPEST", isNumber: true),
            .init(head: "TIME", isNumber: true), .init(head: "PROFILE"), .init(head: ""),
        ])
        for (index, route) in routes.enumerated() {
            table.append([
                "\(index + 1)", words.courseDistance(route.length), route.ascent.map(words.courseClimb) ?? "",
                route.descent.map(words.courseClimb) ?? "",
                route.steepest.map { (DecimalFormat.text($0, decimals: 0) ?? "--") + " %" } ?? "",
                route.seconds.map { StatusText.duration(Int64($0 * 1000)) } ?? "", profile(of: route, among: routes),
                route.isTie ? "tie" : "",
            ])
        }
        var lines = table.lines
        for (index, line) in lines.enumerated().dropFirst() {
            let colour = index - 1 < Self.colours.count ? Self.colours[index - 1] : .brown
            lines[index] = palette.sequence(Style(colour: colour)) + line + palette.sequence(.plain)
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// A profile of one row. All profiles have the same axes: that of the longest route fills the row.
    private func profile(of route: Route, among routes: [Route]) -> String {
        guard characters == .utf8, !route.altitudes.isEmpty, let longest = routes.map(\.length).max(), longest > 0,
            let low = routes.flatMap(\.altitudes).min(), let high = routes.flatMap(\.altitudes).max()
        else { return "" }
        // Flat routes stay flat.
        let span = max(high - low, 20)
        let columns = max(Int((route.length / longest * Double(Self.profileWidth)).rounded()), 1)
        return (0..<columns).map { column in
            let metres = (Double(column) + 0.5) / Double(columns) * route.length
            let altitude = route.altitude(at: metres) ?? low
            return Self.blocks[min(max(Int((altitude - low) / span * 8), 0), 7)]
        }.joined()
    }
}
