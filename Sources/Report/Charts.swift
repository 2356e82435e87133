import Domain
import JSONCoding

/// The charts of an activity, each along time and, if it is known, along distance.
struct Charts {
    let lines: TrackLines
    let extent: TrackExtent
    let isByPace: Bool
    let metric: Bool
    let language: ReportLanguage

    private static let height = 100.0
    private static let width = 1000.0

    var isDrawn: Bool { !lines.figures.isEmpty && extent.end > 0 }
    private var hasDistance: Bool { extent.metres > 0 }
    private var rate: Rate { Rate(isByPace: isByPace, metric: metric) }

    func add(to page: inout HTMLText) {
        guard isDrawn else { return }
        page.add("<section class=\"values\">")
        page.say("h2", "", "Values along the way")
        if hasDistance {
            page.add("<input class=\"switch\" type=\"radio\" name=\"axis\" id=\"by-distance\" checked>")
        }
        page.add("<input class=\"switch\" type=\"radio\" name=\"axis\" id=\"by-time\"\(hasDistance ? "" : " checked")>")
        page.add("<div class=\"tabs\"\(hasDistance ? "" : " hidden")>")
        if hasDistance { page.say("label", "for=\"by-distance\"", "By distance") }
        page.say("label", "for=\"by-time\"", "By time, with pauses")
        page.add("</div><div class=\"charts\">")
        for figure in lines.figures { chart(figure, &page) }
        if hasDistance { ticks(ofDistance: &page) }
        ticks(ofTime: &page)
        page.add("<p hidden>")
        page.say("label", "for=\"slider\"", "Place in the activity")
        page.add(": <output id=\"where\" for=\"slider\">–</output>")
        page.add(
            "<input type=\"range\" class=\"slider\" id=\"slider\" min=\"0\" max=\"\(lines.count - 1)\" value=\"0\"></p>"
        )
        page.add("</div></section>")
    }

    private func chart(_ figure: TrackFigure, _ page: inout HTMLText) {
        guard let byTime = lines.byTime[figure], let least = byTime.least, let greatest = byTime.greatest else {
            return
        }
        let means = byTime.columns.compactMap(\.mean)
        // The range of the drawn line; the caption has the extremes of all samples.
        let (low, high) = (means.min() ?? least, means.max() ?? greatest)
        page.add("<figure class=\"chart\"><figcaption><strong>")
        page.add(escaped: title(figure))
        page.add("</strong><small>")
        page.add(
            escaped: figure == .speed && isByPace
                ? rate.unit
                : language.text("\(text(least, figure)) to \(text(greatest, figure)) \(unit(figure))" as Sentence))
        page.add("</small><output data-figure=\"\(figure.rawValue)\"></output></figcaption><div class=\"plot\">")
        var kinds = [("time", byTime)]
        if hasDistance, let byDistance = lines.byDistance[figure] { kinds.append(("distance", byDistance)) }
        for (kind, means) in kinds {
            page.add(
                "<svg class=\"\(kind)\" viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\""
            )
            let axis = language.text(kind)
            let range = (low: text(low, figure), high: text(high, figure))
            page.add(
                escaped: language.text(
                    "\(title(figure)): from \(range.low) to \(range.high) \(unit(figure)), by \(axis)" as Sentence))
            page.add("\">")
            path(means, low, high, figure, &page)
            page.add("</svg>")
        }
        page.element("b", "aria-hidden=\"true\"", text(high, figure))
        page.element("b", "aria-hidden=\"true\"", text(low, figure))
        page.add("<i class=\"cursor\" hidden></i></div></figure>")
    }

    private func path(
        _ means: ColumnMeans, _ low: Double, _ high: Double, _ figure: TrackFigure, _ page: inout HTMLText
    ) {
        let step = Self.width / Double(means.columns.count)
        let scale = high > low ? Self.height / (high - low) : 0
        var line = ""
        var area = ""
        var last: (x: Int, y: Int)?
        for (index, column) in means.columns.enumerated() {
            guard let mean = column.mean else { continue }
            let x = Int(((Double(index) + 0.5) * step).rounded())
            let y = Int((scale > 0 ? (high - min(max(mean, low), high)) * scale : Self.height / 2).rounded())
            if let last, column.isJoined {
                line += "l\(x - last.x) \(y - last.y)"
                area += "L\(x) \(y)"
            } else {
                if last != nil { area += "V\(Int(Self.height))z" }
                line += "M\(x) \(y)h0"
                area += "M\(x) \(Int(Self.height))V\(y)"
            }
            last = (x, y)
        }
        if figure == .elevation, last != nil {
            page.add("<path class=\"area\" style=\"fill:var(--elevation)\" d=\"\(area)V\(Int(Self.height))z\"/>")
        }
        page.add("<path style=\"stroke:var(--\(figure.rawValue))\" d=\"\(line)\"/>")
    }

    // MARK: Scales

    private func ticks(ofDistance page: inout HTMLText) {
        let unit = metric ? 1000 : RunFormat.metresPerMile
        let step = RoundNumber.above(extent.metres / unit / 4.5)
        page.add("<div class=\"ticks distance\" aria-hidden=\"true\">")
        var value = 0.0
        while value * unit <= extent.metres * 0.96, step > 0 {
            let digits = DecimalFormat.text(value, decimals: step < 0.1 ? 2 : step < 1 ? 1 : 0) ?? ""
            let name = value == 0 ? digits + " " + RunFormat.distanceUnit(metric: metric) : digits
            page.element(
                "span", "style=\"left:\(Self.percent(value * unit / extent.metres))%\"", language.figures(name))
            value += step
        }
        page.add("</div>")
    }

    private func ticks(ofTime page: inout HTMLText) {
        let seconds = Double(extent.end) / 1000
        let steps = [1.0, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400]
        let step = steps.first { seconds / $0 <= 5 } ?? 86_400 * RoundNumber.above(seconds / 86_400 / 5)
        page.add("<div class=\"ticks time\" aria-hidden=\"true\">")
        var value = 0.0
        while value <= seconds * 0.96 {
            page.element("span", "style=\"left:\(Self.percent(value / seconds))%\"", Self.clock(value))
            value += step
        }
        page.add("</div>")
    }

    private static func percent(_ share: Double) -> String {
        DecimalFormat.text(share * 100, decimals: 2) ?? "0"
    }

    /// `0:05`, `12:34` or `1:23:45`.
    private static func clock(_ seconds: Double) -> String {
        let text = RunFormat.elapsed(milliseconds: Int64(min(seconds, 1e12)) * 1000)
        return seconds < 60 ? "0:" + (seconds < 10 ? "0" : "") + text.prefix { $0 != "." } : text
    }

    // MARK: Text

    private func title(_ figure: TrackFigure) -> String {
        language.text(name(of: figure))
    }

    private func name(of figure: TrackFigure) -> String {
        switch figure {
        case .heartRate: "Heart rate"
        case .speed: isByPace ? "Pace" : "Speed"
        case .elevation: "Elevation"
        case .cadence: "Cadence"
        case .power: "Power"
        case .rmssd: "RMSSD"
        case .alpha1: "DFA α1"
        }
    }

    private func unit(_ figure: TrackFigure) -> String {
        switch figure {
        case .heartRate: "bpm"
        case .speed: rate.unit
        case .elevation: RunFormat.heightUnit(metric: metric)
        case .cadence: "/min"
        case .power: "W"
        case .rmssd: "ms"
        case .alpha1: ""
        }
    }

    private func text(_ value: Double, _ figure: TrackFigure) -> String {
        language.text(figures(value, figure))
    }

    private func figures(_ value: Double, _ figure: TrackFigure) -> String {
        switch figure {
        case .speed: rate.figures(value)
        case .elevation: RunFormat.heightFigures(metres: value, metric: metric)
        case .rmssd: DecimalFormat.text(value, decimals: 1) ?? "–"
        case .alpha1: DecimalFormat.text(value, decimals: 2) ?? "–"
        case .heartRate, .cadence, .power: DecimalFormat.text(value, decimals: 0) ?? "–"
        }
    }

    /// The values under the cursor, for page.js, in columns of time.
    func data(_ map: RouteMap?) -> [UInt8] {
        var writer = JSONWriter(capacity: 65_536)
        let seconds = Double(extent.end) / 1000 / Double(lines.count)
        writer.object { json in
            json.member("aspect", map.map { $0.height / RouteMap.width }, decimals: 4)
            json.array("times") {
                for index in 0..<lines.count { $0.value(Self.clock((Double(index) + 0.5) * seconds)) }
            }
            json.array("distances") { list in
                for metres in lines.metres {
                    let text = language.figures(RunFormat.distance(metres: metres ?? 0, metric: metric))
                    list.value(metres == nil ? "" : text + " " + RunFormat.distanceUnit(metric: metric))
                }
            }
            json.array("shares") { list in
                var last = 0.0
                for metres in lines.metres {
                    last = max(last, metres ?? last)
                    list.value(hasDistance ? last / extent.metres : 0, decimals: 4)
                }
            }
            json.array("places") { list in
                for coordinate in lines.places {
                    guard let map, let place = coordinate.map(map.place) else {
                        list.null()
                        continue
                    }
                    list.array {
                        $0.value(place.x / RouteMap.width * 100, decimals: 2)
                        $0.value(place.y / map.height * 100, decimals: 2)
                    }
                }
            }
            json.object("values") { values in
                for figure in lines.figures {
                    values.array(figure.rawValue) { list in
                        for column in lines.byTime[figure]?.columns ?? [] {
                            list.value(column.mean.map { text($0, figure) + " " + unit(figure) } ?? "")
                        }
                    }
                }
            }
        }
        return writer.bytes
    }
}
