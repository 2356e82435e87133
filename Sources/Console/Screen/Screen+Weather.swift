import Domain
import Weather

// The page of the topic `weather`.
extension Screen {
    /// The narrowest screen with an arrow beside the text.
    private static let arrowLimit = 72
    /// The narrowest screen whose rows of the forecast have all columns.
    private static let fullRowLimit = 60

    func draw(
        _ weather: WatchModel.Weather, _ state: ReceivedState, of view: WatchModel, from top: Int, rows: Int,
        on canvas: inout Canvas
    ) {
        let columns = size.columns - 4
        guard columns > 0, rows > 0 else { return }
        var text = WeatherText(
            units: WeatherUnits(metric: view.isMetric, twelveHour: view.settings.twelveHourClock) { _ in
                view.minutesFromUTC
            }, now: state.time)
        text.isStale = weather.isStale
        text.publishedMilliseconds = weather.age
        let lines = Self.most(text.lines(of: weather.data, sun: state.sun, wind: state.wind), rows: rows)
        let relative = weather.data.figures == nil ? nil : state.wind?.relative
        let hasArrow = size.columns >= Self.arrowLimit && relative != nil && lines.count > Self.arrowRows
        let drawing = drawing(of: weather, state)
        let drawingTop = hasArrow ? Self.arrowRows + 2 : 1
        let hasDrawing = size.columns >= Self.arrowLimit && lines.count >= drawingTop + drawing.count
        var isStale = false
        for (index, line) in lines.enumerated() {
            if case .station(let isOld) = line.role { isStale = isOld }
            let isBesideArrow = hasArrow && (1...Self.arrowRows).contains(index)
            let isBesideDrawing = hasDrawing && (drawingTop..<drawingTop + drawing.count).contains(index)
            let room =
                isBesideArrow
                ? columns - Self.arrowColumns - 2 : isBesideDrawing ? columns - WeatherDrawing.columns - 2 : columns
            let shown = shown(line, columns: room)
            canvas.put(shown, row: top + index, column: 2, Self.style(of: line, isStale: isStale))
        }
        if hasArrow, let relative {
            drawArrow(
                relative + 180, row: top + 1, column: size.columns - 2 - Self.arrowColumns,
                isStale ? .secondary : .cyan, on: &canvas)
        }
        guard hasDrawing else { return }
        for (index, line) in drawing.enumerated() {
            canvas.put(
                line, row: top + drawingTop + index, column: size.columns - 2 - WeatherDrawing.columns,
                isStale ? .quiet : .plain)
        }
    }

    /// Empty if nothing is known.
    private func drawing(of weather: WatchModel.Weather, _ state: ReceivedState) -> [String] {
        weather.data.figures?.conditions.icon.map {
            WeatherDrawing.lines(of: $0, isNight: state.sun?.phase.isDark ?? false)
        } ?? []
    }

    private func shown(_ line: WeatherLine, columns: Int) -> String {
        switch line.role {
        // All rows are of the same variant, so that their columns are in line.
        case .hour: TerminalText.cut(line.texts[size.columns >= Self.fullRowLimit ? 0 : 1], to: columns)
        case .warning: "! " + Self.lines(line.texts, in: Size(columns: columns - 2, rows: 1))[0]
        case .station, .forecast, .reason, .figure, .gap:
            Self.lines(line.texts, in: Size(columns: columns, rows: 1))[0]
        }
    }

    private static func style(of line: WeatherLine, isStale: Bool) -> Style {
        switch line.role {
        case .station(let isStale): Style(colour: isStale ? .yellow : .primary, isBold: true)
        case .forecast: Style(isBold: true)
        case .warning: Style(colour: .red, isBold: true)
        case .reason: Style(colour: .yellow)
        case .figure: isStale ? .quiet : .plain
        case .hour, .gap: .plain
        }
    }

    /// The lines of the lowest ranks that fit, in their order. A title whose lines do not fit leaves its place to others.
    private static func most(_ lines: [WeatherLine], rows: Int) -> [WeatherLine] {
        var ranked = lines.indices.sorted { (lines[$0].rank, $0) < (lines[$1].rank, $1) }
        while true {
            let chosen = ranked.prefix(rows).sorted()
            let lone = chosen.enumerated().first { offset, index in
                lines[index].isTitle && index > 0
                    && (offset + 1 == chosen.count || lines[chosen[offset + 1]].isTitle
                        || lines[chosen[offset + 1]].role == .gap)
            }
            guard let lone else {
                let last = chosen.last { lines[$0].role != .gap } ?? 0
                return chosen.filter { $0 <= last }.map { lines[$0] }
            }
            let end = lines.indices.first { $0 > lone.element && lines[$0].isTitle } ?? lines.count
            ranked.removeAll { (lone.element..<end).contains($0) }
        }
    }
}
