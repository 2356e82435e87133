import Domain
import Weather

// The forecast for the next hours.
extension WeatherText {
    /// The rows, the present hour included, as RunFree has.
    private static let hours = 6
    /// Metres. Visibilities below are in the rows.
    private static let shortVisibility = 5000.0

    /// The time that the rows and the warnings are about; nil while the time of day is unknown.
    var ahead: Range<UTC>? {
        now.map { now in
            now..<UTC(milliseconds: units.hour(of: now).milliseconds + Int64(Self.hours) * 3_600_000)
        }
    }

    func forecastLines(of figures: WeatherFigures, sun: SunStatus?) -> [WeatherLine] {
        guard let forecast = figures.forecast, let now else { return [] }
        var lines: [WeatherLine] = []
        if let rain = figures.rainFrom {
            let time = rain > now ? "from " + units.moment(rain, now: now) : "now"
            lines.append(WeatherLine(texts: ["Precipitation expected " + time], role: .figure, rank: 4))
        }
        if let shift = figures.windShiftAt, shift > now {
            let wind = forecast.periods.first { $0.period.contains(shift) }.map { windCells($0.state.conditions) } ?? []
            let text = "Wind shift at " + units.moment(shift, now: now)
            let after = wind.isEmpty ? "" : ": " + wind.joined(separator: ", ")
            lines.append(WeatherLine(texts: [text + after, text], role: .figure, rank: 4))
        }
        lines += rows(of: forecast, sun: sun, now: now)
        guard let rank = lines.map(\.rank).min() else { return [] }
        let age = milliseconds(since: forecast.issued).map {
            ", made " + WeatherUnits.duration(milliseconds: $0) + " ago"
        }
        let place = forecast.station + ", " + place(metres: forecast.metres)
        let title = WeatherLine(
            texts: ["Forecast of " + place + (age ?? ""), place + (age ?? "")], role: .forecast, rank: rank)
        return [WeatherLine(texts: [""], role: .gap, rank: 8), title] + lines
    }

    /// A row for each hour of local time that the forecast has, and for sunrise and sunset between them.
    private func rows(of forecast: WeatherFigures.Forecast, sun: SunStatus?, now: UTC) -> [WeatherLine] {
        let first = units.hour(of: now)
        var cells: [(time: UTC, full: [String], short: [String])] = []
        for hour in 0..<Self.hours {
            let start = UTC(milliseconds: first.milliseconds + Int64(hour) * 3_600_000)
            let end = UTC(milliseconds: start.milliseconds + 3_600_000)
            let period = forecast.periods.first { $0.period.contains(max(start, now)) }
            guard let conditions = period?.state.conditions else { continue }
            let wind = windCells(conditions)
            let weather = weatherCell(conditions) ?? ""
            let overlays = forecast.periods.flatMap(\.state.overlays).filter {
                $0.period.overlaps(max(start, now)..<end)
            }
            // An overlay of several periods is in each of them.
            let changes = overlays.compactMap { text(of: $0, beside: conditions) }.reduce(into: [String]()) {
                if !$0.contains($1) { $0.append($1) }
            }
            let all = ([weather] + changes).filter { !$0.isEmpty }.joined(separator: "; ")
            let clock = units.clock(start)
            cells.append(
                (start, [clock, wind.first ?? "", wind.dropFirst().first ?? "", all], [clock, wind.first ?? "", all]))
        }
        guard let last = cells.last else { return [] }
        for (name, time) in [("sunrise", sun?.rise), ("sunset", sun?.set)] {
            guard let time, time > now, time.milliseconds < last.time.milliseconds + 3_600_000 else { continue }
            let index = cells.firstIndex { $0.time > time } ?? cells.count
            let clock = units.clock(time)
            cells.insert((time, [clock, name, "", ""], [clock, name, ""]), at: index)
        }
        return zip(Self.aligned(cells.map(\.full)), Self.aligned(cells.map(\.short))).map { full, short in
            WeatherLine(texts: [full, short], role: .hour, rank: 6)
        }
    }

    private static func aligned(_ rows: [[String]]) -> [String] {
        var columns = rows[0].map { _ in TextTable.Column(head: "") }
        columns[0].isNumber = true
        var table = TextTable(columns)
        for row in rows { table.append(row) }
        return Array(table.lines.dropFirst())
    }

    /// The wind and the gusts of a row; empty if no wind is known.
    private func windCells(_ conditions: WeatherConditions) -> [String] {
        guard let wind = conditions.wind, let speed = wind.metresPerSecond else { return [] }
        let gust = wind.gustMetresPerSecond.map { ["gusts " + units.speedFigures($0)] } ?? []
        if speed == 0, gust.isEmpty { return ["calm"] }
        let from =
            wind.isVariable ? "variable " : wind.fromDegrees.map { RunFormat.compass(Double($0)) + " " } ?? ""
        return [from + units.speed(speed)] + gust
    }

    /// The weather, else the sky, and a short visibility.
    private func weatherCell(_ conditions: WeatherConditions) -> String? {
        let weather = conditions.weather.map(Self.words) ?? ""
        let sight = conditions.visibility.flatMap { $0.metres < Self.shortVisibility ? visibility(conditions) : nil }
        let texts = [weather.isEmpty ? Self.sky(conditions) : weather, sight].compactMap(\.self)
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// What an overlay changes, such as "30 % thunderstorm with rain"; nil if nothing that a row shows.
    private func text(of overlay: ForecastGroup, beside conditions: WeatherConditions) -> String? {
        let change = overlay.conditions
        var texts: [String] = []
        if let weather = weatherCell(change), weather != weatherCell(conditions) { texts.append(weather) }
        let wind = windCells(change)
        let before = windCells(conditions)
        // A change of the gusts alone does not repeat the mean wind.
        if wind != before { texts += wind.first == before.first ? wind.dropFirst() : wind[...] }
        if texts.isEmpty { return nil }
        return manner(of: overlay) + " " + texts.joined(separator: ", ")
    }

    private func manner(of overlay: ForecastGroup) -> String {
        let probability = overlay.probability.map { "\($0) %" }
        return switch overlay.kind {
        case .becoming: "becoming"
        case .temporary: [probability, "at times"].compactMap(\.self).joined(separator: " ")
        case .possible, .initial, .from: probability ?? "perhaps"
        }
    }
}
