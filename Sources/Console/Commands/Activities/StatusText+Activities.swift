package import Domain
import Linux

/// Text of recorded activities.
extension StatusText {
    /// The header of the list of activities.
    package static let activityColumns: [TextTable.Column] = [
        TextTable.Column(head: "ID", isNumber: true), TextTable.Column(head: "STARTED"),
        TextTable.Column(head: "SPORT"), TextTable.Column(head: "DISTANCE", isNumber: true),
        TextTable.Column(head: "TIME", isNumber: true), TextTable.Column(head: "AVERAGE", isNumber: true),
        TextTable.Column(head: "HEART", isNumber: true), TextTable.Column(head: ""),
    ]

    /// A row of the list.
    ///
    /// - Parameter marks: special properties of the activity.
    package func cells(_ summary: ActivitySummary, marks: [String]) -> [String] {
        let total = summary.total
        return [
            "\(summary.id)", summary.started.map(Self.localTime) ?? "–", summary.sport.rawValue, distance(total),
            Self.duration(total.elapsedMilliseconds), average(total, summary.sport) ?? "–",
            total.averageHeartRate.map(Self.beats) ?? "–", marks.joined(separator: ", "),
        ]
    }

    /// A row of the totals of periods.
    func cells(_ total: PeriodTotals) -> [String] {
        [
            total.period, total.sport.rawValue, "\(total.activities)", distance(total.distanceMetres),
            Self.duration(total.elapsedMilliseconds),
        ]
    }

    /// An activity on one line.
    package func line(_ recording: RecordedActivity) -> String {
        let total = recording.total
        return joined(
            recording.isTimeUncertain ? nil : Self.localTime(recording.started), recording.sport.rawValue,
            distance(total), "in " + Self.duration(total.elapsedMilliseconds), average(total, recording.sport))
    }

    /// A listed activity on one line.
    func line(_ summary: ActivitySummary) -> String {
        joined(
            summary.started.map(Self.localTime), summary.sport.rawValue, distance(summary.total),
            "in " + Self.duration(summary.total.elapsedMilliseconds))
    }

    /// The distance in the file, if it differs from the computed one by more than 1 %; else empty.
    func otherDistance(_ recording: RecordedActivity) -> String {
        let metres = recording.total.distanceMetres
        if let samples = recording.sourceTotals?.sampleMetres {
            return "; the file states \(distance(recording.sourceTotals?.distanceMetres ?? metres)), its samples give "
                + distance(samples)
        }
        guard let stated = recording.sourceTotals?.distanceMetres, abs(stated - metres) > max(stated, metres) / 100
        else {
            return ""
        }
        return "; the file states " + distance(stated)
    }

    /// An activity in full: totals, the file's own totals, laps, time in zones.
    package func report(
        _ recording: RecordedActivity, _ variability: HeartRateVariability? = nil, _ bests: [BestEffort] = [],
        _ fields: [OwnFieldFigures] = [], isOpen: Bool, gaps: Int, recovered: RecoveryNote? = nil
    ) -> String {
        let total = recording.total
        let state = joined(
            isOpen ? "open" : nil, recording.isDemo ? "demo" : nil, recording.isIndoor ? "indoors" : nil,
            recording.name?.text)
        let pauses = recording.totalMilliseconds - total.elapsedMilliseconds
        var rows: [(String, String)] = [
            (
                "Started",
                recording.isTimeUncertain
                    ? "unknown: no clock was set"
                        + (isOpen ? "" : "; 'pacectl edit \(recording.id ?? 0) --start TIME' sets it")
                    : Self.localTime(recording.started)
                        + (recording.isTimeGuessed ? ", a guess of the real-time clock" : "")
            ),
            (
                "Time",
                joined(
                    Self.duration(total.elapsedMilliseconds), "moving " + Self.duration(total.movingMilliseconds),
                    pauses >= 1000 ? "paused \(Self.duration(pauses))" : nil)
            ), ("Distance", distance(total)),
        ]
        if let average = average(total, recording.sport) {
            let hasPauses = total.autoPausedMilliseconds ?? 0 > 0
            let moving = hasPauses ? total.averageMovingPace.map { rate(secondsPerMetre: $0, recording.sport) } : nil
            rows.append(
                (
                    Self.rateTitle(recording.sport),
                    joined(
                        average + " on average", moving.map { $0 + " moving" },
                        total.gradeAdjustedPace.map { rate(secondsPerMetre: $0, recording.sport) + " grade-adjusted" })
                ))
        }
        let heart = joined(
            total.averageHeartRate.map { Self.beats($0) + " on average" },
            total.maximumHeartRate.map { "\($0) at most" })
        if !heart.isEmpty { rows.append(("Heart", heart)) }
        let energy = joined(
            total.energyKilocalories.map { Self.whole($0) + " kcal" },
            total.trainingImpulse.map { "TRIMP " + Self.whole($0) })
        if !energy.isEmpty { rows.append(("Energy", energy)) }
        if let variability { rows.append(("HRV", self.variability(variability))) }
        rows += Self.effort(total, recording.sport, bests, words: self)
        let times = bests.filter { $0.kind.metres != nil }.map { "\($0.kind.title) \(value($0))" }
        if !times.isEmpty { rows.append(("Best", times.joined(separator: ", "))) }
        if recording.sport.isOnFoot, let badge = Badge.last(at: total.distanceMetres) {
            rows.append(("Badge", badge.name))
        }
        if let weather = recording.weather { rows.append(("Weather", weather.text(metric: metric))) }
        for (field, figures) in zip(recording.fields, fields) { rows.append(Self.row(of: field, figures, words: self)) }
        for (index, mark) in recording.marks.enumerated() { rows.append(row(of: mark, number: index + 1)) }
        for sensor in recording.sensors { rows.append(Self.row(of: sensor, words: self)) }
        if gaps > 0 { rows.append(("Gaps", "\(gaps)")) }
        if let recovered { rows.append(("Recovered", Self.recovered(recovered))) }
        if let source = recording.sourceTotals { rows.append(("From file", totals(source, recording.sport))) }
        if let uuid = recording.uuid { rows.append(("uuid", "\(uuid)")) }
        let table = rows.map { name, text in
            "  " + name + String(repeating: " ", count: max(11 - name.count, 1)) + text + "\n"
        }
        let title = joined("Activity \(recording.id ?? 0), \(recording.sport.rawValue)", state)
        return title + "\n" + table.joined() + laps(recording) + Self.zones(recording)
    }

    private static func row(
        of field: OwnField, _ figures: OwnFieldFigures, words: StatusText
    ) -> (String, String) {
        func text(_ value: Double?, _ words: String) -> String? {
            value.flatMap { DecimalFormat.text($0, decimals: field.decimals) }
                .map { "\($0)" + (field.unit.map { " " + $0.text } ?? "") + words }
        }
        return (
            field.title.text,
            words.joined(
                text(figures.average, " on average"), text(figures.minimum, " at least"),
                text(figures.maximum, " at most"))
        )
    }

    private func row(of mark: RecordedMark, number: Int) -> (String, String) {
        (
            "Mark \(number)",
            joined(
                mark.text?.text, mark.kind == .generic ? nil : mark.kind.rawValue,
                RunFormat.distance(metres: mark.distanceMetres, metric: metric) + " "
                    + RunFormat.distanceUnit(metric: metric), "at " + Self.duration(mark.elapsedMilliseconds))
        )
    }

    /// The losses of a recovered activity.
    static func recovered(_ note: RecoveryNote) -> String {
        "recovered" + (note.formerID.map { ", was \($0)" } ?? "")
            + (note.lostRows > 0 ? ", \(note.lostRows) rows lost" : "")
    }

    /// The totals that the file contains.
    private func totals(_ source: SourceTotals, _ sport: Sport) -> String {
        let text = joined(
            source.creator?.text, source.distanceMetres.map(distance), source.elapsedMilliseconds.map(Self.duration),
            source.totalMilliseconds.map { Self.duration($0) + " including pauses" },
            source.ascentMetres.map { RunFormat.height(metres: $0, metric: metric) + " up" },
            source.averageHeartRate.map { Self.beats($0) + " on average" },
            source.maximumHeartRate.map { "\($0) at most" },
            source.averagePower.map { Self.whole($0) + " W on average" }, source.maximumPower.map { "\($0) W at most" },
            source.normalizedPower.map { Self.whole($0) + " W normalized" },
            source.energyKilocalories.map { Self.whole($0) + " kcal" })
        return text.isEmpty ? "no totals" : text
    }

    private func laps(_ recording: RecordedActivity) -> String {
        guard recording.laps.count > 1 else { return "" }
        var table = TextTable([
            TextTable.Column(head: "LAP", isNumber: true), TextTable.Column(head: "DISTANCE", isNumber: true),
            TextTable.Column(head: "TIME", isNumber: true), TextTable.Column(head: "AVERAGE", isNumber: true),
            TextTable.Column(head: "HEART", isNumber: true),
        ])
        for (index, lap) in recording.laps.enumerated() {
            table.append([
                "\(index + 1)", distance(lap.figures), Self.duration(lap.figures.elapsedMilliseconds),
                average(lap.figures, recording.sport) ?? "–", lap.figures.averageHeartRate.map(Self.beats) ?? "",
            ])
        }
        return "\n" + table.lines.map { "  " + $0 + "\n" }.joined()
    }

    private static func zones(_ recording: RecordedActivity) -> String {
        guard let zones = recording.zones, recording.zoneMilliseconds.contains(where: { $0 > 0 }) else { return "" }
        var table = TextTable([
            TextTable.Column(head: "ZONE"), TextTable.Column(head: "FROM", isNumber: true),
            TextTable.Column(head: "TIME", isNumber: true),
        ])
        for (zone, time) in recording.zoneMilliseconds.prefix(6).enumerated() {
            table.append([
                Zones.name(of: zone), zone == 0 ? "" : "\(zones.bottoms[zone - 1]) bpm", Self.duration(time),
            ])
        }
        return "\n" + table.lines.map { "  " + $0 + "\n" }.joined()
    }

    private func variability(_ figures: HeartRateVariability) -> String {
        func text(_ value: Double?, decimals: Int = 1) -> String? {
            value.flatMap { DecimalFormat.text($0, decimals: decimals) }
        }
        return joined(
            text(figures.rmssd).map { "RMSSD \($0) ms" }, text(figures.sdnn).map { "SDNN \($0) ms" },
            text(figures.pnn50).map { "pNN50 \($0) %" }, text(figures.alpha1, decimals: 2).map { "DFA α1 \($0)" },
            text(figures.artifactPercent).map { $0 + " % artefacts" })
    }

    // MARK: Numbers

    private func distance(_ figures: Totals) -> String {
        distance(figures.distanceMetres)
    }

    func distance(_ metres: Double) -> String {
        RunFormat.distance(metres: metres, metric: metric) + " " + RunFormat.distanceUnit(metric: metric)
    }

    /// The average pace, or the average speed for rides.
    private func average(_ figures: Totals, _ sport: Sport) -> String? {
        figures.averagePace.map { rate(secondsPerMetre: $0, sport) }
    }

    private static func beats(_ rate: Double) -> String {
        (DecimalFormat.text(rate, decimals: 0) ?? "--") + " bpm"
    }

    /// The day in local time, `2026-03-01`; a dash without a date.
    static func day(_ time: UTC?) -> String {
        time.map { String(localTime($0).prefix(10)) } ?? "–"
    }

    /// Local time with its zone, `2026-03-01 07:30 CET`.
    static func localTime(_ time: UTC) -> String {
        let local = UTC(milliseconds: time.milliseconds + Int64(Machine.localOffset(at: time)) * 1000).fields
        func digits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        return
            "\(local.year)-\(digits(local.month))-\(digits(local.day)) \(digits(local.hour)):\(digits(local.minute)) "
            + Machine.localZone(at: time)
    }
}
