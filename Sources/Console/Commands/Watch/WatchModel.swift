package import Domain
package import JSONCoding
import Wire

/// Model of the run screen.
package struct WatchModel: Equatable {
    /// Nil if the daemon is away.
    package var state: ReceivedState?
    package var settings = Settings()
    /// Units from the command line; nil to follow the setting.
    package var metric: Bool?
    /// What has just happened in the run, across the first row for a few seconds.
    package var banner: Banner?
    /// The profile of the loaded course, once it is known.
    package var profile: CourseProfile?
    /// The data of the topic `weather`; nil if there is none.
    package var weather: Weather?
    /// The ended laps of the run in progress.
    package internal(set) var laps: [ReceivedState.Lap] = []
    /// What covers the data fields, or awaits an answer.
    package var overlay = Overlay.none
    /// The page of the present sport, from 0. It may exceed the number of pages (``pageCount``), and then wraps.
    package var page = 0
    /// The outcome of the last command, for a few seconds.
    package var message: Message?
    /// Whether paced-web is there for this user.
    package var hasPage = false
    /// What ends when the user leaves: `demo` or `replay`; nil if the daemon runs on.
    package var endsWhenLeft: String?
    /// Whether this user may command the daemon.
    package var mayCommand = false
    /// When Space was pressed the last time: a held key counts once.
    private(set) var spaceAt: Instant?
    /// How long the daemon has been silent, in seconds; nil if it is not.
    package var silentSeconds: Int?
    /// The runtime directory.
    package var directory = ""
    /// The daemon's message before it closed the connection.
    var error: String?
    /// The offset of local time from UTC.
    package var minutesFromUTC = 0

    package init(state: ReceivedState? = nil, metric: Bool? = nil, directory: String = "") {
        self.state = state
        self.metric = metric
        self.directory = directory
    }

    package enum Overlay: Equatable {
        case none
        /// The keys, until the next one is pressed.
        case help
        /// Keep or discard the run, or cancel. The run continues meanwhile.
        case stopQuestion
        /// The run that has just stopped, until a key is pressed or another run starts.
        case summary(RunSummary)
        /// The address of the page with a code, until a key is pressed; nil while there is no code.
        case page(PageCode?)
    }

    package enum Banner: Equatable {
        /// The lap that has ended.
        case lap(ReceivedState.Lap)
        /// A turn of the course.
        case turn(String)
        /// An alert, a step of the workout, a badge, or another event of the course.
        case text(String)
    }

    package struct Message: Equatable {
        var text: String
        var isError = false

        package init(text: String, isError: Bool = false) {
            self.text = text
            self.isError = isError
        }
    }

    package struct Weather: Equatable {
        var data: TopicWeather
        package var isStale: Bool
        /// Milliseconds from the publication to the receipt.
        var age: Int?
    }

    /// A page that the arrow keys show.
    package enum Page: Equatable {
        /// An index into ``pages``.
        case fields(Int)
        case course, weather
    }

    /// The visible fields of the pages of the present sport that have any now.
    package var pages: [Screens.Page] {
        let sport = state?.sport ?? settings.sport
        return settings.screens[sport].map { page in
            page.filter { field in
                guard let data = field.field.data else { return field.visible }
                let needsZones = data == .zone || data == .timeInZone
                return field.visible && !isAway(data.source) && (settings.useHeartRateZones || !needsZones)
            }
        }.filter { page in
            page.contains {
                hasValue($0.field)
                    || $0.field.data.map { ![.sensor, .course, .partner, .sun, .wind].contains($0.source) } ?? false
            }
        }
    }

    /// The pages of data fields, then those of the course and of the weather while there is one.
    private var allPages: [Page] {
        pages.indices.map(Page.fields) + (state?.course == nil ? [] : [.course]) + (weather == nil ? [] : [.weather])
    }

    package var pageCount: Int { allPages.count }

    /// Nil if there is no page.
    package var shownPage: Page? {
        let pages = allPages
        return pages.isEmpty ? nil : pages[page % pages.count]
    }

    private func hasValue(_ field: ScreenField.Value) -> Bool {
        switch field {
        case .data(let data): data.format == .clock ? state?.times[data] != nil : state?.fields[data] != nil
        case .own(let name): state?.ownFields[name]?.value != nil
        }
    }

    private func isAway(_ source: DataField.Source) -> Bool {
        switch source {
        case .position, .altitude, .sun, .wind: state?.isIndoor == true
        case .distance: state?.hasDistance == false
        case .timer, .clock, .heart, .power, .sensor, .course, .partner: false
        }
    }

    var isMetric: Bool { metric ?? settings.isMetric }
}

// What keys do.
extension WatchModel {
    package enum Action: Equatable {
        case leave, redraw, askForPage
        case perform(RunCommand)
    }

    /// A key that is held repeats within this time.
    private static let repetition = Duration.milliseconds(700)

    /// Changes the view for a pressed key.
    ///
    /// - Returns: the action that is left to the caller; nil if there is none.
    package mutating func pressed(_ key: Key, at now: Instant) -> Action? {
        message = nil
        if key == .character(UInt8(ascii: "q")) || key == .character(UInt8(ascii: "Q")) { return .leave }
        // Ctrl-L redraws, as in other programs.
        if key == .character(0x0C) { return .redraw }
        switch overlay {
        case .help, .summary, .page:
            // Nobody may pause the next run with the key that closes the summary.
            spaceAt = now
            overlay = .none
            return nil
        case .stopQuestion: return answer(key)
        case .none: break
        }
        guard case .character(let letter) = key else {
            let count = pageCount
            if key != .escape, count > 0 { page = (page % count + (key == .right ? 1 : count - 1)) % count }
            return nil
        }
        switch letter {
        case UInt8(ascii: " "):
            defer { spaceAt = now }
            if let last = spaceAt, now - last < Self.repetition { return nil }
            return command(.toggle)
        case UInt8(ascii: "l"): return command(.lap)
        case UInt8(ascii: "m"): return command(.mark(.generic, nil))
        case UInt8(ascii: "s"):
            guard let run = state?.run, mayCommand else { return nil }
            if run == .idle {
                message = Message(text: "no run is in progress", isError: true)
            } else {
                overlay = .stopQuestion
            }
        case UInt8(ascii: "?"): overlay = .help
        case UInt8(ascii: "a") where hasPage:
            overlay = .page(nil)
            return .askForPage
        default: break
        }
        return nil
    }

    private func command(_ command: RunCommand) -> Action? {
        mayCommand && state != nil ? .perform(command) : nil
    }

    private mutating func answer(_ key: Key) -> Action? {
        switch key {
        case .character(UInt8(ascii: "k")):
            overlay = .none
            return command(.stop)
        case .character(UInt8(ascii: "d")):
            overlay = .none
            return command(.discard)
        case .character(UInt8(ascii: "c")), .escape: overlay = .none
        default: break
        }
        return nil
    }
}

// What the daemon's lines change.
extension WatchModel {
    /// Adopts a STATE line.
    package mutating func received(_ newer: ReceivedState) {
        state = newer
        silentSeconds = nil
        error = nil
        switch overlay {
        case .stopQuestion where newer.run == .idle: overlay = .none
        case .summary(let summary) where newer.run != .idle && newer.activity != summary.activity: overlay = .none
        default: break
        }
    }

    /// Adopts an EVENT line.
    ///
    /// - Parameter isReplayed: the event precedes the connection. It completes ``laps``, and nobody is notified.
    package mutating func received(event line: JSON, isReplayed: Bool) {
        switch line["event"]?.string {
        case "start":
            if line["resumed"]?.bool != true { laps = [] }
        case "lap":
            guard let lap = line["lap"].flatMap({ ReceivedState.Lap($0) }) else { return }
            if laps.count < Self.lapLimit { laps.append(lap) }
            if !isReplayed { banner = .lap(lap) }
        case "mark":
            if !isReplayed, let number = line["mark"]?.integer(in: 1...RecordedMark.limit) {
                banner = .text("Mark \(number)")
            }
        case "alert", "workout", "badge", "course", "cue", "climb", "light", "notice":
            if !isReplayed, let text = AlertText(metric: isMetric, course: state?.course).text(line) {
                show(text, of: line)
            }
        case "stop":
            if !isReplayed, let summary = RunSummary(line, laps: laps, last: state?.lap) { overlay = .summary(summary) }
            laps = []
            banner = nil
        case "discard":
            if !isReplayed { message = Message(text: "Discarded.") }
            laps = []
            banner = nil
        default: break
        }
    }

    /// Adopts a DATA line.
    package mutating func received(data line: JSON) {
        guard line["topic"]?.string == WeatherTopic.name else { return }
        weather = line["data"].flatMap { TopicWeather($0) }.map {
            Weather(
                data: $0, isStale: line["stale"]?.bool ?? false,
                age: line["age_ms"]?.integer(in: 0...1_000_000_000))
        }
    }

    private mutating func show(_ text: String, of event: JSON) {
        guard event["event"]?.string == "cue", let cue = CueAhead(event) else {
            banner = .text(text)
            return
        }
        if CourseWords.isTurn(cue.kind) {
            banner = .turn(text)
        } else if case .turn? = banner {
            // Another point at the place of a turn does not hide the turn.
            return
        } else {
            banner = .text(text)
        }
    }

    private static let lapLimit = 1000

    /// Forgets what belongs to a connection that has ended.
    mutating func disconnected() {
        state = nil
        profile = nil
        weather = nil
        silentSeconds = nil
        banner = nil
        laps = []
        message = nil
        mayCommand = false
        if overlay == .stopQuestion { overlay = .none }
    }
}
