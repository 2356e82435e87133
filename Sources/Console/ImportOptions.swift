package import Domain
import Formats
import Pipeline
import Storage

/// How files are imported.
package struct ImportOptions: Equatable {
    /// Nil for that of the file.
    var sport: Sport?
    /// Imports an activity that is in the journal already.
    var again = false
    /// Counts everything that is not imported.
    var isVerbose = false

    package init(sport: Sport? = nil, again: Bool = false, isVerbose: Bool = false) {
        self.sport = sport
        self.again = again
        self.isVerbose = isVerbose
    }
}

extension Invocation {
    /// Two recordings of one activity may begin one second apart, and their devices may measure differently.
    private static let sameStartMilliseconds: Int64 = 2000
    private static let sameLength = 0.01

    /// Reads the file once more if an activity has the same start.
    ///
    /// - Returns: a failure that names the activity of the journal with the same start and the same length; nil if none has.
    func sameActivity(
        _ recording: RecordedActivity, _ survey: FileSurvey, _ file: RecordingFile, in state: StateDirectory
    ) throws -> Failure? {
        guard !recording.isTimeUncertain, let journal = try? state.journal() else { return nil }
        let known = try ActivityFilter().activities(of: journal, atMost: .max).filter { summary in
            summary.started.map {
                abs($0.milliseconds - recording.started.milliseconds) <= Self.sameStartMilliseconds
            } ?? false
        }
        if known.isEmpty { return nil }
        var figures = FileFigures(recording, survey)
        var whole = try file.read { _ = figures.ingest($0) }.recording
        figures.finish(&whole)
        guard let same = known.first(where: { Self.isSame($0.total, whole.total) }) else { return nil }
        let words = StatusText(metric: metric ?? journal.isMetric)
        return .failed(
            "\(file.name) is activity \(same.id) already: \(words.line(same)); 'import --again' imports it once more")
    }

    /// Whether the distances are the same; the times of activities without a distance.
    private static func isSame(_ one: Totals, _ other: Totals) -> Bool {
        func isNear(_ one: Double, _ other: Double) -> Bool {
            abs(one - other) <= max(one, other) * sameLength
        }
        if one.distanceMetres > 0 || other.distanceMetres > 0 {
            return isNear(one.distanceMetres, other.distanceMetres)
        }
        return isNear(Double(one.elapsedMilliseconds), Double(other.elapsedMilliseconds))
    }
}

extension SkippedElements {
    /// The skipped elements with their counts; empty if nothing was skipped.
    package var counts: [String] {
        entries.map { "\($0.count) × \($0.name.text)" } + (others > 0 ? ["\(others) other elements"] : [])
    }

    /// What a person would miss of the file, in words; empty if that is nothing.
    package var missed: [String] {
        var words: [String] = []
        for entry in entries {
            if let word = Self.word(of: entry.name.text), !words.contains(word) { words.append(word) }
        }
        return words
    }

    /// Elements that describe the device, or that follow from others, are missed by nobody.
    private static func word(of element: String) -> String? {
        switch element {
        case "record vertical_oscillation", "record stance_time_percent", "record stance_time", "record vertical_ratio",
            "record step_length":
            "running dynamics"
        case "record left_right_balance": "power balance"
        case "record calories": "calories"
        case "developer field": "data of apps on the device"
        case "lap without times": "laps without times"
        case "record without time", "points without time": "points without time"
        case "times without position", "points without a valid position": "points without a valid position"
        case "record with an earlier time", "points with an earlier time": "points out of order"
        case "record too far ahead in time", "points too far ahead in time": "points far ahead in time"
        case "RR interval", "RR interval over 64 s": "RR intervals"
        case "wpt", "Placemark": "waypoints"
        case "rte", "rtept": "routes"
        case "another activity": "another activity in the file"
        case "a workout": "a workout"
        case "a course": "a course"
        default: element.hasPrefix("unreadable ") ? "values that cannot be read" : nil
        }
    }
}
