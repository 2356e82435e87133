import Domain
import JSONCoding

/// A run that has just stopped, from its EVENT and the laps before.
package struct RunSummary: Equatable {
    var activity: Int?
    var sport: Sport?
    var total: ReceivedState.Figures
    /// Time from start to end, pauses included.
    var totalMilliseconds: Int64?
    /// Empty if they are not all known.
    package internal(set) var laps: [ReceivedState.Lap]

    /// - Parameters:
    ///   - line: an EVENT line `stop`.
    ///   - laps: the laps that were closed during the run.
    ///   - last: the lap that was in progress.
    init?(_ line: JSON, laps: [ReceivedState.Lap], last: ReceivedState.Lap?) {
        guard let summary = line["summary"] else { return nil }
        activity = summary["id"]?.integer(in: 1...Int(Int32.max))
        sport = summary["sport"]?.string.flatMap(Sport.init)
        total = ReceivedState.Figures(summary)
        totalMilliseconds = summary["total_ms"]?.integer(in: 0...1_000_000_000_000).map(Int64.init)
        let isComplete = laps.enumerated().allSatisfy { $0.element.number == $0.offset + 1 }
        self.laps = isComplete ? laps : []
        guard isComplete, !laps.isEmpty else { return }
        // The rest is the last lap. An automatic stop is earlier than the last STATE, so that lap does not have the figures.
        let time = (total.elapsedMilliseconds ?? 0) - laps.reduce(0) { $0 + ($1.figures.elapsedMilliseconds ?? 0) }
        let metres = (total.distanceMetres ?? 0) - laps.reduce(0) { $0 + ($1.figures.distanceMetres ?? 0) }
        guard time > 0 else { return }
        var figures = ReceivedState.Figures()
        figures.elapsedMilliseconds = time
        figures.distanceMetres = max(metres, 0)
        if let last, last.number == laps.count + 1 { figures.averageBPM = last.figures.averageBPM }
        self.laps.append(ReceivedState.Lap(number: laps.count + 1, figures: figures))
    }

    /// The text of the summary, line by line.
    func lines(_ words: StatusText) -> [String] {
        var rows = [
            ("Time", words.joined(words.duration(total), pause)),
            ("Distance", words.distance(total)),
        ]
        if let pace = total.averagePace {
            rows.append((StatusText.rateTitle(sport), words.rate(secondsPerMetre: pace, sport) + " average"))
        }
        let heart = words.joined(
            total.averageBPM.map { "\($0) bpm average" }, total.maximumBPM.map { "\($0) highest" })
        if !heart.isEmpty { rows.append(("Heart", heart)) }
        let width = (rows.map(\.0.count).max() ?? 0) + 2
        return rows.map { $0.0 + String(repeating: " ", count: width - $0.0.count) + $0.1 }
    }

    private var pause: String? {
        let pauses = (totalMilliseconds ?? 0) - (total.elapsedMilliseconds ?? 0)
        return pauses >= 1000 ? "paused " + StatusText.duration(pauses) : nil
    }

    /// The table of the laps with its header, in at most `limit` lines; empty if there is one lap, or no room.
    func lapLines(_ words: StatusText, limit: Int) -> [String] {
        guard laps.count > 1, limit >= 3 else { return [] }
        var table = TextTable([
            TextTable.Column(head: "LAP", isNumber: true), TextTable.Column(head: "TIME", isNumber: true),
            TextTable.Column(head: "DISTANCE", isNumber: true), TextTable.Column(head: "AVERAGE", isNumber: true),
            TextTable.Column(head: "HEART", isNumber: true),
        ])
        for lap in laps {
            table.append([
                "\(lap.number)", words.duration(lap.figures), words.distance(lap.figures),
                lap.figures.averagePace.map { words.rate(secondsPerMetre: $0, sport) } ?? "–",
                lap.figures.averageBPM.map(String.init) ?? "",
            ])
        }
        let lines = table.lines
        guard lines.count > limit else { return lines }
        let left = lines.count - limit + 1
        return lines.prefix(limit - 1) + ["\(left) more: pacectl show" + (activity.map { " \($0)" } ?? "")]
    }
}
