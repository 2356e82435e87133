package import Domain

/// A page about one activity: one HTML file that needs no network. Its drawings are simplified, its figures are not.
package struct ReportPage {
    package var recording: RecordedActivity
    /// The number of gaps in its positions.
    package var gaps: Int
    package var isOpen = false
    /// What was lost of a recovered activity; nil if nothing.
    package var recovered: String?
    /// Kilometres, else miles.
    package var metric: Bool
    /// The start in local time; nil if unknown.
    package var started: String?
    /// The variability of the heart rate; nil without RR intervals.
    package var variability: HeartRateVariability?
    /// The variability along the activity, by time.
    package var variabilityPoints: [VariabilityPoint] = []
    /// The best times and powers inside the activity, by kind.
    package var bests: [BestEffort] = []
    /// The figures of the own fields, by their places.
    package var fieldFigures: [OwnFieldFigures] = []
    /// The radius around the first and the last position in which positions are hidden, in metres; nil for none.
    package var hidden: Int?
    package var language = ReportLanguage.english

    package init(_ recording: RecordedActivity, gaps: Int, metric: Bool, started: String?) {
        self.recording = recording
        self.gaps = gaps
        self.metric = metric
        self.started = started
    }

    /// The page's bytes, in UTF-8.
    ///
    /// - Parameter rows: of the recording, without the positions to hide. They are read twice.
    package func html(_ rows: some RecordingRows) throws -> [UInt8] {
        let extent = try TrackExtent(rows)
        let unit = metric ? 1000 : RunFormat.metresPerMile
        var map = RouteMap(extent.frame)
        var lines = TrackLines(extent, variabilityPoints)
        var splits = Splits(of: extent.metres, unit: unit, most: 50)
        let marked = max(RoundNumber.above(extent.metres / unit / 20), 1)
        var badges = EarnedBadges(recording.sport)
        var gap = SampleGap(extent)
        var breaks = 0
        try rows.each { row in
            if case .sample(let sample) = row, gap.isGap(before: sample) {
                breaks += 1
                lines.breakLines()
                map?.breakLine()
            }
            lines.add(row, stepsPerCadence: recording.sport.stepsPerCadence)
            switch row {
            case .begin, .end, .segment: map?.breakLine()
            case .sample(let sample):
                map?.add(sample, mark: marked * unit, counting: Int(marked))
                if let badge = badges.add(sample) { map?.mark(badge, at: sample) }
                splits.add(sample)
            case .beats, .lap, .autoPause, .autoResume: break
            }
        }
        map?.finish()
        splits.finish()

        var page = HTMLText(language: language)
        head(&page)
        figures(&page, isUncertain: isDistanceUncertain || breaks > 0)
        page.add("<div class=\"track\">")
        if let map { add(map, to: &page) }
        let charts = Charts(
            lines: lines, extent: extent, isByPace: recording.sport.isByPace, metric: metric, language: language)
        charts.add(to: &page)
        page.add("</div><div class=\"tables\">")
        tables(&page, splits, badges, unit: unit)
        page.add("</div>")
        notes(&page, extent, breaks: breaks)
        page.add("</main>")
        if charts.isDrawn {
            page.add("<script type=\"application/json\" id=\"data\">")
            page.add(bytes: charts.data(map))
            page.add("</script><script>")
            page.add(bytes: PackageResources.page_js)
            page.add("</script>")
        }
        page.add("</body></html>\n")
        return page.bytes
    }

    private func head(_ page: inout HTMLText) {
        page.begin(title: title + (started.map { ", " + $0 } ?? ""), style: Self.colours)
        page.add("<body><main><header>")
        page.element("h1", "", title)
        let marks = [
            recording.name == nil ? nil : Self.title(of: recording.sport), recording.isIndoor ? "indoors" : nil,
            recording.isDemo ? "simulated by a demo" : nil, isOpen ? "still in progress" : nil,
        ].compactMap { word in word.map(language.text) }
        page.element("p", "", ([started ?? language.text("Unknown date")] + marks).joined(separator: " · "))
        if let weather = recording.weather {
            page.say("p", "", "Weather at the start: \(weather.text(metric: metric))")
        }
        page.add("</header>")
    }

    /// The colours of the route.
    private static var colours: String {
        (0...RouteMap.fastest).map { colour in
            let parts = RouteMap.components(of: colour).map(String.init).joined(separator: " ")
            return ".c\(colour){stroke:var(--only,rgb(\(parts)))}"
        }.joined()
    }

    private var title: String {
        recording.name?.text ?? language.text(Self.title(of: recording.sport))
    }

    static func title(of sport: Sport) -> String {
        switch sport {
        case .run: "Run"
        case .walk: "Walk"
        case .hike: "Hike"
        case .ride: "Ride"
        case .other: "Activity"
        }
    }

    // MARK: The map

    private func add(_ map: RouteMap, to page: inout HTMLText) {
        let size = [map.extent.width, map.extent.height].map { RunFormat.distance(metres: $0, metric: metric) }
        let unit = RunFormat.distanceUnit(metric: metric)
        page.add("<section class=\"route\">")
        page.say("h2", "", "Route")
        page.add("<figure><div class=\"map\">")
        page.add("<svg viewBox=\"0 0 \(Int(RouteMap.width)) \(Int(map.height))\" role=\"img\" aria-label=\"")
        page.add(
            escaped: language.text(
                "The route on a map, \(size[0]) by \(size[1]) \(unit), north is up. The charts have its values."))
        page.add("\"><defs><g id=\"lines\">")
        map.addPaths(to: &page)
        page.add("</g></defs><use class=\"casing\" href=\"#lines\"/><use href=\"#lines\"/></svg>")
        for check in map.checkPoints {
            page.element(
                "b",
                "class=\"badge\" aria-hidden=\"true\" title=\"\(check.badge.name)\" style=\"\(map.style(check.x, check.y))\"",
                "★")
        }
        for (index, mark) in recording.marks.enumerated() {
            guard let coordinate = mark.coordinate else { continue }
            let place = map.place(of: coordinate)
            // A hidden place has no marks, but one indoors or of another file may be far from the route.
            guard (0...RouteMap.width).contains(place.x), (0...map.height).contains(place.y) else { continue }
            let title = mark.text?.text ?? language.text(mark.kind.rawValue)
            page.add("<b class=\"flag\" style=\"\(map.style(place.x, place.y))\" title=\"")
            page.add(escaped: title)
            page.add("\">⚑<small>\(index + 1)</small></b>")
        }
        for mark in map.marks {
            page.add(
                "<span class=\"mark\" aria-hidden=\"true\" style=\"\(map.style(mark.x, mark.y))\">\(mark.number)</span>"
            )
        }
        let ends = hidden == nil ? ["Start", "End"] : ["First position shown", "Last position shown"]
        let both = hidden == nil ? "Start, end" : "First and last position shown"
        if let start = map.start, let end = map.end {
            let isLoop = abs(start.x - end.x) + abs(start.y - end.y) < RouteMap.width / 8
            for (name, point) in zip(
                isLoop ? [both, ""] : ends, [start, end])
            {
                let style = map.style(point.x, point.y)
                page.add("<i class=\"pin\" style=\"\(style)\"></i>")
                // The whole label is inside, also on a telephone.
                let margin = RouteMap.width * (isLoop ? 0.3 : 0.18)
                let label = map.style(min(max(point.x, margin), RouteMap.width - margin), point.y)
                let side = point.y < map.height * 0.15 ? "ends below" : "ends"
                if !name.isEmpty { page.say("span", "class=\"\(side)\" style=\"\(label)\"", name) }
            }
        }
        page.add("<i class=\"here\" hidden></i>")
        page.add("</div>")
        let bar = map.scaleBar(metric: metric)
        page.element("div", "class=\"scale\" style=\"width:\(bar.percent)%\"", language.figures(bar.text))
        page.add("<figcaption class=\"legend\">")
        if let speeds = map.speeds() {
            page.say("span", "", "slow \(rate(speeds.slow))")
            page.add("<i></i>")
            page.say("span", "", "fast \(rate(speeds.fast))")
            page.say("span", "", "yellow is the median, \(rate(speeds.median))")
        }
        page.add("</figcaption></figure></section>")
    }

    /// A pace or a speed, with its unit.
    func rate(_ speed: Double?) -> String {
        language.text(Rate(isByPace: recording.sport.isByPace, metric: metric).text(speed))
    }

    // MARK: The notes

    private func notes(_ page: inout HTMLText, _ extent: TrackExtent, breaks: Int) {
        var notes: [Sentence] = []
        if let hidden {
            notes.append(
                "What was within \(hidden) m of a point near the start, or of one near the end, is left out: times, totals, splits "
                    + "and laps begin at the first position shown and end at the last one.")
        }
        if recording.isTimeUncertain { notes.append("No clock was set: the date is unknown.") }
        if recording.isTimeGuessed { notes.append("≈ The date is a guess of a clock that nothing has confirmed.") }
        if gaps > 0 {
            notes.append(
                gaps == 1
                    ? "≈ The position was lost once: distance and pace are less certain there, and lines have gaps."
                    : "≈ The position was lost \(gaps) times: distance and pace are less certain there, and lines have gaps."
            )
        }
        if breaks > 0 {
            notes.append(
                breaks == 1
                    ? "≈ Samples are missing once: the distance counts a straight line there, and lines have gaps."
                    : "≈ Samples are missing \(breaks) times: the distance counts a straight line there, and lines have gaps."
            )
        }
        if let recovered { notes.append("≈ This activity is \(recovered): figures may be too low.") }
        if recording.isIndoor { notes.append("Indoors there are no positions; a distance is that of a sensor.") }
        if let stated = otherDistance {
            let given = distance(recording.total.distanceMetres)
            notes.append("≈ The file states a distance of \(distance(stated)), the samples give \(given).")
        }
        if let source = recording.sourceTotals {
            let creator = source.creator.map(\.text)
            notes.append(
                creator.map { "Imported from \($0); the figures are computed from its samples." }
                    ?? "Imported; the figures are computed from its samples.")
        }
        for sensor in recording.sensors {
            if let name = sensor.name ?? sensor.model ?? sensor.manufacturer {
                notes.append("Sensor: \(name.text).")
            }
        }
        if extent.samples > 1, extent.end > 0 {
            let seconds = max(extent.end / 1000 / Int64(max(min(extent.samples, TrackLines.columns), 2)), 1)
            notes.append("Charts show means of about \(seconds) s, figures and tables all samples.")
        }
        page.notes(notes)
    }

    /// The distance that the file states, if it differs by over 1 %.
    private var otherDistance: Double? {
        let metres = recording.total.distanceMetres
        guard let stated = recording.sourceTotals?.distanceMetres, abs(stated - metres) > max(stated, metres) / 100
        else {
            return nil
        }
        return stated
    }

    func distance(_ metres: Double) -> String {
        RunFormat.distance(metres: metres, metric: metric) + " " + RunFormat.distanceUnit(metric: metric)
    }

    /// Whether distance and pace have the mark of uncertain figures.
    var isDistanceUncertain: Bool {
        gaps > 0 || otherDistance != nil || recovered != nil
    }
}

/// Formats a speed as the sport shows it.
struct Rate {
    var isByPace: Bool
    var metric: Bool

    /// The slowest speed with a pace, in metres per second: a pace of 50 minutes.
    private static let slowest = 1 / 3.0

    var unit: String {
        isByPace ? RunFormat.paceUnit(metric: metric) : RunFormat.speedUnit(metric: metric)
    }

    func figures(_ speed: Double?) -> String {
        guard let speed else { return "–" }
        guard isByPace else { return RunFormat.speed(metresPerSecond: speed, metric: metric) }
        return speed < Self.slowest ? "standing" : RunFormat.pace(secondsPerMetre: 1 / speed, metric: metric)
    }

    func text(_ speed: Double?) -> String {
        let figures = figures(speed)
        return figures == "standing" ? figures : figures + " " + unit
    }
}
