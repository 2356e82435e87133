import Domain

extension ReportPage {
    // MARK: The totals

    func figures(_ page: inout HTMLText, isUncertain: Bool) {
        let total = recording.total
        let doubt = isUncertain ? "≈ " : ""
        var items: [(name: String, value: String, unit: String)] = []
        func add(_ name: String, _ value: Double?, _ unit: String) {
            guard let text = value.flatMap({ DecimalFormat.text($0, decimals: 0) }) else { return }
            items.append((name, text, unit))
        }
        if total.distanceMetres > 0 {
            let text = RunFormat.distance(metres: total.distanceMetres, metric: metric)
            items.append(("Distance", doubt + text, RunFormat.distanceUnit(metric: metric)))
        }
        items.append(("Time", Self.time(total.elapsedMilliseconds), total.elapsedMilliseconds < 60_000 ? "s" : ""))
        if total.movingMilliseconds > 0, total.elapsedMilliseconds - total.movingMilliseconds >= 1000 {
            items.append(("Moving", Self.time(total.movingMilliseconds), total.movingMilliseconds < 60_000 ? "s" : ""))
        }
        let pauses = recording.totalMilliseconds - total.elapsedMilliseconds
        if pauses >= 1000 { items.append(("Paused", Self.time(pauses), pauses < 60_000 ? "s" : "")) }
        let rate = Rate(isByPace: recording.sport.isByPace, metric: metric)
        if let speed = total.averageSpeed, speed > 0 {
            items.append((rate.isByPace ? "Average pace" : "Average speed", doubt + rate.figures(speed), rate.unit))
        }
        if total.autoPausedMilliseconds ?? 0 > 0, let speed = total.averageMovingSpeed, speed > 0 {
            items.append((rate.isByPace ? "Moving pace" : "Moving speed", doubt + rate.figures(speed), rate.unit))
        }
        if let pace = total.gradeAdjustedPace, pace > 0, rate.isByPace {
            items.append(("Grade-adjusted pace", doubt + rate.figures(1 / pace), rate.unit))
        }
        if let speed = total.maximumSpeed, !rate.isByPace {
            items.append(("Highest speed", rate.figures(speed), rate.unit))
        }
        for (name, metres) in [("Ascent", total.ascent), ("Descent", total.descent)] {
            guard let metres else { continue }
            let figures = RunFormat.heightFigures(metres: metres, metric: metric)
            items.append((name, figures, RunFormat.heightUnit(metric: metric)))
        }
        add("Average heart rate", total.averageHeartRate, "bpm")
        add("Highest heart rate", total.maximumHeartRate.map(Double.init), "bpm")
        add("Energy", total.energyKilocalories, "kcal")
        add("TRIMP", total.trainingImpulse, "")
        add("Average power", total.averagePower, "W")
        add("Normalized power", total.normalizedPower, "W")
        add("Highest power", total.maximumPower.map(Double.init), "W")
        add("Work", total.workJoules.map { $0 / 1000 }, "kJ")
        add("Average cadence", total.averageCadence, recording.sport.isOnFoot ? "steps/min" : "rpm")
        page.totals(items)
    }

    static func time(_ milliseconds: Int64) -> String {
        RunFormat.elapsed(milliseconds: milliseconds)
    }

    // MARK: Tables

    /// The largest number of laps in the table.
    private static let mostLaps = 200

    func tables(_ page: inout HTMLText, _ splits: Splits, _ badges: EarnedBadges, unit: Double) {
        zones(&page)
        powerZones(&page)
        variability(&page)
        bestTimes(&page)
        bestPowers(&page)
        if splits.splits.count > 1 {
            let rows = splits.splits.enumerated().map { index, split in
                let whole = abs(split.metres - splits.length) < 0.5
                let speed = split.milliseconds > 0 ? split.metres / split.milliseconds * 1000 : nil
                let end = DecimalFormat.text((Double(index + 1) * splits.length / unit).rounded(), decimals: 0) ?? ""
                return [
                    whole ? end : "+ " + distance(split.metres), Self.clock(Int64(split.milliseconds)), rate(speed),
                    Self.beats(split.heartRate),
                ]
            }
            var length = distance(splits.length)
            if let dot = length.firstIndex(of: "."), length[dot...].hasPrefix(".00") {
                length.removeSubrange(dot..<length.index(dot, offsetBy: 3))
            }
            page.table(
                language.text("Splits of \(length)"),
                [RunFormat.distanceUnit(metric: metric), "Time", rateTitle, "Heart"], rows
            )
        }
        laps(&page)
        marks(&page)
        otherValues(&page)
        self.badges(&page, badges)
    }

    private func marks(_ page: inout HTMLText) {
        let rows = recording.marks.enumerated().map { index, mark in
            [
                "\(index + 1)", mark.kind == .generic ? "" : language.text(mark.kind.rawValue), mark.text?.text ?? "",
                distance(mark.distanceMetres), Self.clock(mark.elapsedMilliseconds),
            ]
        }
        if !rows.isEmpty { page.table("Marks", ["Mark", "Place", "Note", "Distance", "Time"], rows) }
    }

    /// The own fields.
    private func otherValues(_ page: inout HTMLText) {
        let rows: [[String]] = zip(recording.fields, fieldFigures).compactMap { field, figures in
            func text(_ value: Double?) -> String? {
                value.flatMap { DecimalFormat.text($0, decimals: field.decimals) }
                    .map { $0 + (field.unit.map { " " + $0.text } ?? "") }
            }
            guard let average = text(figures.average) else { return nil }
            return [field.title.text, average, text(figures.minimum) ?? "", text(figures.maximum) ?? ""]
        }
        if !rows.isEmpty { page.table("Other values", ["Value", "Average", "Lowest", "Highest"], rows) }
    }

    private func laps(_ page: inout HTMLText) {
        guard recording.laps.count > 1 else { return }
        let rows = recording.laps.prefix(Self.mostLaps).enumerated().map { index, lap in
            [
                "\(index + 1)", distance(lap.figures.distanceMetres), Self.clock(lap.figures.elapsedMilliseconds),
                rate(lap.figures.averageSpeed), Self.beats(lap.figures.averageHeartRate),
            ]
        }
        page.table(
            "Laps", ["Lap", "Distance", "Time", rateTitle, "Heart"], rows,
            note: recording.laps.count > rows.count ? "The first \(rows.count) of \(recording.laps.count) laps." : nil)
    }

    private var rateTitle: String { recording.sport.isByPace ? "Pace" : "Speed" }

    private static func beats(_ rate: Double?) -> String {
        rate.flatMap { DecimalFormat.text($0, decimals: 0) }.map { $0 + " bpm" } ?? ""
    }

    /// A time in seconds at least.
    private static func clock(_ milliseconds: Int64) -> String {
        time(milliseconds) + (milliseconds < 60_000 ? " s" : "")
    }

    private func zones(_ page: inout HTMLText) {
        let times = recording.zoneMilliseconds
        guard let zones = recording.zones, times.count == 6, times.contains(where: { $0 > 0 }) else { return }
        let names = (0..<6).map { zone in
            let from: Sentence = zone == 0 ? "below \(zones.bottoms[0]) bpm" : "from \(zones.bottoms[zone - 1]) bpm"
            return (Zones.name(of: zone), language.text(from))
        }
        bars(&page, "Heart-rate zones", "", names, times)
    }

    private func powerZones(_ page: inout HTMLText) {
        let times = Array(recording.total.powerZones.milliseconds.dropFirst())
        guard times.contains(where: { $0 > 0 }) else { return }
        bars(&page, "Power zones", "class=\"power\"", times.indices.map { ("Zone \($0 + 1)", "") }, times)
    }

    private func bars(
        _ page: inout HTMLText, _ title: String, _ attributes: String, _ names: [(String, String)], _ times: [Int64]
    ) {
        let sum = max(times.reduce(0, +), 1)
        let shares = times.map { Double(max($0, 0)) / Double(sum) }
        let rows = zip(names, zip(times, shares)).map { name, time in
            [name.0, name.1, Self.clock(time.0), "\(Int((time.1 * 100).rounded())) %"]
        }
        page.table(title, ["Zone", "Range", "Time", "Share"], rows, attributes, bars: shares)
    }

    private func variability(_ page: inout HTMLText) {
        guard let variability else { return }
        func row(_ name: String, _ value: Double?, _ unit: String, decimals: Int = 1) -> [String]? {
            value.flatMap { DecimalFormat.text($0, decimals: decimals) }.map { [name, $0 + unit] }
        }
        let rows = [
            row("RMSSD", variability.rmssd, " ms"), row("SDNN", variability.sdnn, " ms"),
            row("pNN50", variability.pnn50, " %"), row("Mean RR interval", variability.meanInterval, " ms"),
            row("DFA α1", variability.alpha1, "", decimals: 2), row("Artefacts", variability.artifactPercent, " %"),
        ].compactMap(\.self)
        page.table("Heart rate variability", ["Figure", "Value"], rows)
    }

    private func bestTimes(_ page: inout HTMLText) {
        let rows: [[String]] = bests.compactMap { best in
            guard let metres = best.kind.metres else { return nil }
            return [
                best.kind.title, Self.clock(Int64(best.value.rounded())), rate(metres / best.value * 1000),
                best.elapsedMilliseconds.map(Self.clock) ?? "",
            ]
        }
        if !rows.isEmpty { page.table("Best times", ["Over", "Time", rateTitle, "From"], rows) }
    }

    private func bestPowers(_ page: inout HTMLText) {
        let rows = recording.total.bestPowers(orOf: bests).map { best in
            [
                best.seconds < 60 ? "\(best.seconds) s" : "\(best.seconds / 60) min",
                (DecimalFormat.text(best.watts, decimals: 0) ?? "") + " W",
            ]
        }
        if !rows.isEmpty { page.table("Best power", ["Over", "Average"], rows) }
    }

    /// The badges that the distance earns.
    private func badges(_ page: inout HTMLText, _ badges: EarnedBadges) {
        guard recording.sport.isOnFoot else { return }
        let rows = Badge.all.dropFirst().filter { recording.total.distanceMetres > $0.distanceMetres }.map { badge in
            let time = badges.earned.first { $0.badge == badge }?.milliseconds
            return [badge.name, distance(badge.distanceMetres), time.map(Self.clock) ?? ""]
        }
        if !rows.isEmpty { page.table("Badges", ["Badge", "Over", "Time"], rows) }
    }
}
