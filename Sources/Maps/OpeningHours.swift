package import Domain

/// When a place is open: a part of OpenStreetMap's `opening_hours`.
///
/// The type reads `24/7`, `open`, `off` and `closed`; weekdays (`Mo-Fr`, `Sa,Su`, `Fr-Mo`); months and dates of each year
/// (`Apr-Oct`, `Nov 15-Mar 15`, `Dec 24-26,Jan 1`); times (`08:00-12:00,14:00-18:00`, over midnight `22:00-02:00`
/// or `18:00-26:00`, without an end `17:00+`); and public holidays (`PH off`). Case and white space do not matter.
/// It does not read any other text: years, weeks, sunrise, school holidays, `Su[1]`, comments, `||`, `unknown`.
///
/// - Rules are separated by `;`. The last rule that applies to a day replaces the rules before it. A rule after `,` adds
///   its times. A rule with `off` removes its times.
/// - Times belong to the day on which they begin, also after midnight: with `Sa 20:00-02:00; Su off` the place is open on
///   Sunday at 01:00.
/// - The type does not know public holidays. It treats each day as an ordinary day, and skips rules for `PH` alone.
///   ``hasHolidayRules`` is true if the text has such a rule.
/// - A text without a rule that opens the place, such as `PH off` or `Mo off`, is not read: it does not say when the place
///   opens. `off` alone means that the place is closed.
/// - `17:00+` has no closing time: the place is open until midnight, and then its state is unknown until 06:00. With
///   `10:00-17:00+` it is open until 17:00, and then unknown until 06:00.
///
/// Source: wiki.openstreetmap.org/wiki/Key:opening_hours/specification, version 0.7.3.
package struct OpeningHours: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        /// `closesIn` is the number of minutes until the place closes, by a clock that does not change in them. Nil if the closing time is unknown, or more than a
        /// week away.
        case open(closesIn: Int?)
        /// `opensIn` is the number of minutes until the place opens, by the same clock. Nil if the opening time is unknown, or more than a
        /// week away.
        case closed(opensIn: Int?)
        case unknown
    }

    /// In bytes. OpenStreetMap limits the value of a tag to 255 characters.
    package static let longestText = 255
    package static let ruleLimit = 32

    /// An interval in minutes since midnight of the day on which it begins.
    struct Times: Equatable, Sendable {
        var start: Int
        /// At most 2879.
        var end: Int
        /// Whether the place may stay open after `end`.
        var hasOpenEnd = false
    }

    /// A range of dates in every year. A date is the month times 100 plus the day. The range includes the turn of the year if
    /// `last` is less than `first`.
    struct Dates: Equatable, Sendable {
        var first: Int
        var last: Int

        func contains(_ date: Int) -> Bool {
            first <= last ? first <= date && date <= last : first <= date || date <= last
        }
    }

    struct Rule: Equatable, Sendable {
        /// Empty for the whole year.
        var dates: [Dates] = []
        /// Bit 0 for Monday to bit 6 for Sunday.
        var weekdays: UInt8 = Rule.everyDay
        /// Empty for the whole day.
        var times: [Times] = []
        var isOff = false
        /// Whether it adds to the rules before.
        var isAdditional = false
        /// Whether it applies on public holidays only.
        var isForHolidays = false

        static let everyDay: UInt8 = 0x7f

        func applies(on day: CivilTime) -> Bool {
            weekdays & 1 << day.weekday != 0
                && (dates.isEmpty || dates.contains { $0.contains(day.month * 100 + day.day) })
        }
    }

    /// The rules for ordinary days.
    private let rules: [Rule]
    /// Whether the place may have other hours on public holidays.
    package let hasHolidayRules: Bool

    /// Reads a text. Nil for a text that the type does not read.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.longestText, var parser = OpeningHoursParser(text.utf8),
            let parsed = parser.parse(), parsed.rules.count <= Self.ruleLimit
        else { return nil }
        let ordinary = parsed.rules.filter { !$0.isForHolidays }
        let isComplete = ordinary.contains { rule in
            !rule.isOff || rule.times.isEmpty && rule.dates.isEmpty && rule.weekdays == Rule.everyDay
        }
        guard isComplete else { return nil }
        rules = ordinary
        hasHolidayRules = parsed.hasHolidayRules
    }

    /// The state at a moment of an ordinary day, and the moment at which it changes: the first one at which the local clock
    /// shows the time of the change. Nil if that is unknown, or more than a week away.
    ///
    /// - Parameter offset: the seconds by which the local clock is ahead of UTC at a moment.
    package func state(at now: UTC, offset: (UTC) -> Int) -> (state: State, until: UTC?) {
        let local = CivilTime(now, offset: offset(now))
        let state = state(at: local)
        switch state {
        case .open(let minutes?), .closed(let minutes?):
            return (state, local.adding(minutes: minutes).moment(after: now, offset: offset))
        case .open, .closed, .unknown: return (state, nil)
        }
    }

    /// The state at a local time of an ordinary day.
    package func state(at now: CivilTime) -> State {
        let spans = (-1...Self.horizonDays).flatMap { times(on: now.adding(days: $0), from: $0 * Self.day) }
        let status = Self.status(at: now.minute, spans)
        guard status != .unknown else { return .unknown }
        let end = now.minute + Self.horizonDays * Self.day
        let ends = Set(spans.flatMap { [$0.start, $0.end] }).filter { now.minute < $0 && $0 <= end }.sorted()
        let change = ends.first { Self.status(at: $0, spans) != status }
        let next = change.map { Self.status(at: $0, spans) }
        let minutes = next == .unknown ? nil : change.map { $0 - now.minute }
        return status == .open ? .open(closesIn: minutes) : .closed(opensIn: minutes)
    }

    private static let day = 1440
    private static let horizonDays = 7
    /// The minute at which a place without a closing time has certainly closed: 06:00 of the next day.
    private static let openEnd = 1440 + 360

    private enum Status {
        case open, closed, unknown
    }

    /// An interval in minutes since midnight of the current day.
    private struct Span {
        var start: Int
        var end: Int
        /// `closed` removes the interval from the rules before.
        var status: Status
        var rule: Int
    }

    private func times(on day: CivilTime, from midnight: Int) -> [Span] {
        var spans: [Span] = []
        for (index, rule) in rules.enumerated() where rule.applies(on: day) {
            func add(_ start: Int, _ end: Int, _ status: Status) {
                guard start < end else { return }
                spans.append(Span(start: midnight + start, end: midnight + end, status: status, rule: index))
            }
            if rule.isOff ? rule.times.isEmpty : !rule.isAdditional {
                spans.removeAll { $0.status != .closed }
            }
            if rule.times.isEmpty, !rule.isOff { add(0, Self.day, .open) }
            for times in rule.times {
                add(times.start, times.end, rule.isOff ? .closed : .open)
                if times.hasOpenEnd { add(times.end, Self.openEnd, .unknown) }
            }
        }
        return spans
    }

    private static func status(at minute: Int, _ spans: [Span]) -> Status {
        let here = spans.filter { $0.start <= minute && minute < $0.end }
        let closed = here.filter { $0.status == .closed }.map(\.rule).max() ?? -1
        let left = here.filter { $0.rule > closed && $0.status != .closed }
        return left.contains { $0.status == .open } ? .open : left.isEmpty ? .closed : .unknown
    }
}
