package import Domain
import Formats
import Pipeline
import Storage

/// How files are imported.
package struct ImportOptions: Equatable {
    /// Nil for that of the file.
    var sport: Sport?
    /// Replaces an activity that is in the journal already.
    var again = false
    /// Imports a file with several activities as one.
    var one = false
    /// Counts everything that is not imported.
    var isVerbose = false

    package init(sport: Sport? = nil, again: Bool = false, one: Bool = false, isVerbose: Bool = false) {
        self.sport = sport
        self.again = again
        self.one = one
        self.isVerbose = isVerbose
    }
}

extension Invocation {
    /// Two recordings of one activity may begin one second apart, and their devices may measure differently.
    private static let sameStartMilliseconds: Int64 = 2000
    private static let sameLength = 0.01
    private static let replacing = "'import --again' reads it once more and replaces it"

    /// An activity of the journal that a file has too.
    struct KnownActivity {
        /// What `--again` does.
        enum Again {
            /// It replaces the activity by the file.
            case replaces
            /// It imports the file beside the activity.
            case adds
            /// Nothing: the file has less than the activity.
            case refused
        }

        var id: Int
        var again: Again
        var failure: Failure
    }

    /// Finds the activity with the uuid of the file, or the same start and length.
    ///
    /// Reads the file once more if there is one.
    ///
    /// - Parameters:
    ///   - number: the number of the activity in the file, from 0.
    ///   - count: the number of activities in the file.
    /// - Returns: the activity of the journal with the same start and the same length, or the same totals as the file states.
    ///   Earlier releases read a file with several activities as one: the first of them may be that. Nil if there is none.
    func knownActivity(
        _ recording: RecordedActivity, _ survey: FileSurvey, _ file: RecordingFile, _ number: Int, _ count: Int,
        in state: StateDirectory
    ) throws -> KnownActivity? {
        guard let journal = try? state.journal() else { return nil }
        if let known = try knownActivity(recording.uuid, file, number, of: journal) { return known }
        if recording.isTimeUncertain { return nil }
        let all = try [RecordPlace.lists, .trash].flatMap { place in
            try ActivityFilter(place: place).activities(of: journal, atMost: .max)
        }
        let started = all.filter { summary in
            summary.started.map {
                abs($0.milliseconds - recording.started.milliseconds) <= Self.sameStartMilliseconds
            } ?? false
        }
        if started.isEmpty { return nil }
        func known(as whole: RecordedActivity) throws -> ActivitySummary? {
            try started.first { summary in
                // Two boards that start together have recordings of their own.
                if recording.uuid != nil, try !hasSameSamples(file, number, as: summary.id, of: journal) {
                    return false
                }
                if Self.isSame(summary.total, whole.total) { return true }
                // The same file, which an earlier release read by other rules.
                guard let stated = whole.sourceTotals, stated.hasLength, try journal.isImported(summary.id) else {
                    return false
                }
                return try journal.recording(summary.id)?.sourceTotals.map { $0.isSame(as: stated) } ?? false
            }
        }
        let words = StatusText(metric: metric ?? journal.isMetric)
        func found(_ summary: ActivitySummary, _ advice: String) throws -> KnownActivity {
            if summary.trashed != nil { return Self.inTrash(summary, file, words) }
            return KnownActivity(
                id: summary.id, again: try journal.isImported(summary.id) ? .replaces : .adds,
                failure: .failed("\(file.name) is activity \(summary.id) already: \(words.line(summary)); \(advice)"))
        }
        if let summary = try known(as: file.measured(number, recording, survey)) {
            return try found(summary, Self.replacing)
        }
        guard number == 0, count > 1 else { return nil }
        let one = try RecordingFile(path: file.path, salvages: true)
        var whole = FileSurvey()
        let header = try one.read { whole.ingest($0) }.recording
        guard let summary = try known(as: one.measured(0, header, whole)) else { return nil }
        return try found(
            summary, "it has \(count) activities: 'import --again' replaces it by the first and adds the others")
    }

    /// The activity with the uuid of an activity in a file.
    private func knownActivity(
        _ uuid: UUID?, _ file: RecordingFile, _ number: Int, of journal: JournalReader
    ) throws -> KnownActivity? {
        guard let uuid, let id = try journal.activity(uuid) else { return nil }
        let words = StatusText(metric: metric ?? journal.isMetric)
        if let summary = try journal.summary(of: id, in: .trash) { return Self.inTrash(summary, file, words) }
        guard let summary = try journal.summary(of: id) else { return nil }
        let line = words.line(summary)
        func known(_ again: KnownActivity.Again, _ sentence: Sentence) -> KnownActivity {
            KnownActivity(id: id, again: again, failure: .failed(sentence))
        }
        if summary.isOpen { return known(.refused, "\(file.name) is activity \(id): \(line); it is in progress") }
        guard try hasSameSamples(file, number, as: id, of: journal) else {
            return known(
                .replaces,
                "\(file.name) has the uuid of activity \(id), but other samples: \(line); "
                    + "'import --again' replaces that activity by the file")
        }
        return try journal.isImported(id)
            ? known(.replaces, "\(file.name) is activity \(id) already: \(line); \(Self.replacing)")
            : known(
                .refused,
                "\(file.name) is activity \(id) already: \(line); it was recorded here, with more than a file holds")
    }

    private static func inTrash(
        _ summary: ActivitySummary, _ file: RecordingFile, _ words: StatusText
    ) -> KnownActivity {
        KnownActivity(
            id: summary.id, again: .refused,
            failure: .failed(
                "\(file.name) is activity \(summary.id): \(words.line(summary)); "
                    + "it is in the trash: 'pacectl restore \(summary.id)' takes it out"))
    }

    private func hasSameSamples(
        _ file: RecordingFile, _ number: Int, as id: Int, of journal: JournalReader
    ) throws -> Bool {
        var (ofFile, ofActivity) = (SampleComparison(), SampleComparison())
        _ = try file.read(activity: number) { ofFile.ingest($0) }
        try journal.rows(of: id).each { ofActivity.ingest($0) }
        return ofFile.isSame(as: ofActivity)
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

extension RecordingFile {
    /// Reads an activity with its figures.
    ///
    /// - Parameter header: from the first pass.
    fileprivate func measured(_ number: Int, _ header: RecordedActivity, _ survey: FileSurvey) throws
        -> RecordedActivity
    {
        var figures = FileFigures(header, survey)
        var recording = try read(activity: number) { _ = figures.ingest($0) }.recording
        figures.finish(&recording)
        return recording
    }
}

extension SourceTotals {
    /// Whether two files state the same. A journal keeps three decimals.
    fileprivate func isSame(as other: SourceTotals) -> Bool {
        func isNear(_ one: Double?, _ other: Double?) -> Bool {
            guard let one, let other else { return one == nil && other == nil }
            return abs(one - other) < 0.01
        }
        return creator == other.creator && elapsedMilliseconds == other.elapsedMilliseconds
            && totalMilliseconds == other.totalMilliseconds && isNear(distanceMetres, other.distanceMetres)
            && maximumHeartRate == other.maximumHeartRate && isNear(energyKilocalories, other.energyKilocalories)
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
        case "step of the clock": "steps of the device's clock"
        case "record far from the others in time": "points far from the others in time"
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
