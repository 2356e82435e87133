/// When a place is open: a part of OpenStreetMap's `opening_hours`.
///
/// Read are `24/7`, `open`, `off` and `closed`; weekdays (`Mo-Fr`, `Sa,Su`, `Fr-Mo`); months and dates of each year
/// (`Apr-Oct`, `Nov 15-Mar 15`, `Dec 24-26,Jan 1`); times (`08:00-12:00,14:00-18:00`, over midnight `22:00-02:00`
/// or `18:00-26:00`, without an end `17:00+`); and public holidays (`PH off`). Case and white space do not matter.
/// Any other text is unknown: years, weeks, sunrise, school holidays, `Su[1]`, comments, `||`, `unknown`.
///
/// - A day belongs to the last rule after `;` that opens on it. Rules after `,` add times, rules with `off` take them
///   away. Times belong to the day on which they begin, also after midnight: `Sa 20:00-02:00; Su off` is open on
///   Sunday at 1 o'clock.
/// - Public holidays are not known. Each day is an ordinary one, and rules for `PH` alone are skipped;
///   ``mentionsHolidays`` says that the text has such rules.
/// - A text of which no rule opens on ordinary days, such as `PH off` or `Mo off`, says nothing of the other days and
///   is unknown. `off` alone is closed.
/// - A place without a closing time is open, with unknown end, until midnight for `17:00+`, and until the time for
///   `10:00-17:00+`. Then it is unknown until 6 o'clock.
///
/// Source: wiki.openstreetmap.org/wiki/Key:opening_hours/specification, version 0.7.3.
package struct OpeningHours: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        /// Until so many minutes from now; nil if it stays open for a week or the end is unknown.
        case open(until: Int?)
        /// Opens so many minutes from now; nil if not within a week.
        case closed(opensIn: Int?)
        case unknown
    }

    /// Bytes; the longest value of a tag has as many characters.
    package static let longestText = 255
    package static let ruleLimit = 32

    /// Minutes since midnight of the day to which they belong.
    struct Times: Equatable, Sendable {
        var start: Int
        /// Up to 2879.
        var end: Int
        /// Whether the place may stay open after `end`.
        var hasOpenEnd = false
    }

    /// Days of each year, as months times 100 plus days; over the end of the year if the last is smaller than the first.
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

    /// Those for ordinary days.
    private let rules: [Rule]
    /// Whether the place may have other hours on public holidays.
    package let mentionsHolidays: Bool

    /// Nil for text that is not supported.
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
        mentionsHolidays = parsed.mentionsHolidays
    }

    /// On an ordinary day. The minutes are those of the clock: one hour wrong over a change to or from summer time.
    package func state(at now: CivilTime) -> State {
        let spans = (-1...Self.horizonDays).flatMap { times(on: now.adding(days: $0), from: $0 * Self.day) }
        let status = Self.status(at: now.minute, spans)
        guard status != .unknown else { return .unknown }
        let end = now.minute + Self.horizonDays * Self.day
        let ends = Set(spans.flatMap { [$0.start, $0.end] }).filter { now.minute < $0 && $0 <= end }.sorted()
        let change = ends.first { Self.status(at: $0, spans) != status }
        let next = change.map { Self.status(at: $0, spans) }
        let minutes = next == .unknown ? nil : change.map { $0 - now.minute }
        return status == .open ? .open(until: minutes) : .closed(opensIn: minutes)
    }

    private static let day = 1440
    private static let horizonDays = 7
    /// When a place that has no closing time has closed: 6 o'clock of the next day.
    private static let openEnd = 1440 + 360

    private enum Status {
        case open, closed, unknown
    }

    /// Minutes from midnight of today.
    private struct Span {
        var start: Int
        var end: Int
        /// Closed takes time away from earlier rules.
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
