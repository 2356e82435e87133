package import Domain
import Linux

/// A time of the command line: with an offset, `2026-03-01T07:30Z`, or what a clock shows, `2026-03-01 07:30` or
/// `2026-03-01 07:30:12 CET`.
package struct WrittenTime: Equatable, Sendable {
    /// What the clock shows, as if it showed UTC.
    let shown: UTC
    /// Nil without an offset.
    private let exact: UTC?
    /// The name of a zone; empty without one.
    private let zone: String

    package init?(_ text: String) {
        let (day, rest) = (text.prefix(10), text.dropFirst(10))
        guard rest.hasPrefix(" ") || rest.hasPrefix("T") else { return nil }
        let clock = rest.dropFirst().prefix { $0.isNumber || $0 == ":" }
        let zone = rest.dropFirst(1 + clock.count).drop { $0 == " " }
        let time = "\(day)T\(clock)" + (clock.utf8.count == 5 ? ":00" : "")
        guard let shown = UTC(iso8601: time + "Z") else { return nil }
        self.shown = shown
        exact = zone.isEmpty ? nil : UTC(iso8601: time + zone)
        self.zone = String(zone)
    }

    /// The moment at which a clock shows the time; the earlier of two. Nil for a time that the clock skips, and for a
    /// zone that it does not have.
    ///
    /// - Parameters:
    ///   - offset: the seconds by which the clock is ahead of UTC at a moment.
    ///   - name: the name of its zone at a moment.
    package func time(offset: (UTC) -> Int, name: (UTC) -> String? = { _ in nil }) -> UTC? {
        if let exact { return exact }
        // The offsets before and after a change of the clock.
        for distance in [-1, 1] {
            let offsetThere = offset(UTC(milliseconds: shown.milliseconds + Int64(distance) * 86_400_000))
            let found = UTC(milliseconds: shown.milliseconds - Int64(offsetThere) * 1000)
            if offset(found) == offsetThere, zone.isEmpty || name(found) == zone { return found }
        }
        return nil
    }

    /// By the clock of the machine.
    package var localTime: UTC? { time(offset: Machine.localOffset, name: Machine.localZone) }
}

/// A day of the calendar in local time.
package struct LocalDay: Equatable {
    var year: Int
    var month: Int
    var day: Int

    /// Parses `2026-03-01`.
    package init?(_ text: String) {
        guard text.utf8.count == 10, let midnight = UTC(iso8601: text + "T00:00:00Z") else { return nil }
        self.init(midnight: midnight)
    }

    /// `2026-03-01`
    var text: String {
        "\(yearAndMonth)-" + Self.digits(day)
    }

    /// The local day of a moment.
    init(of time: UTC) {
        self.init(midnight: UTC(milliseconds: time.milliseconds + Int64(Machine.localOffset(at: time)) * 1000))
    }

    private init(midnight: UTC) {
        let fields = midnight.fields
        (year, month, day) = (fields.year, fields.month, fields.day)
    }

    /// Days since 1970-01-01.
    private var number: Int {
        Int(UTC(year: year, month: month, day: day).milliseconds / 86_400_000)
    }

    private init(number: Int) {
        self.init(midnight: UTC(milliseconds: Int64(number) * 86_400_000))
    }

    var next: LocalDay { LocalDay(number: number + 1) }

    /// Local midnight, at which the day begins.
    var start: UTC {
        let midnight = UTC(year: year, month: month, day: day).milliseconds
        var time = UTC(milliseconds: midnight)
        // The second round is right on days on which the clocks change.
        for _ in 0..<2 { time = UTC(milliseconds: midnight - Int64(Machine.localOffset(at: time)) * 1000) }
        return time
    }

    /// The week by ISO 8601, which begins on Monday: `2026-W09`.
    package var week: String {
        // 1970-01-01 was a Thursday. A week belongs to the year of its Thursday.
        let thursday = LocalDay(number: number - Self.modulo(number + 3, 7) + 3)
        let first = LocalDay(midnight: UTC(year: thursday.year, month: 1, day: 1)).number
        return "\(thursday.year)-W" + Self.digits((thursday.number - first) / 7 + 1)
    }

    /// `2026-03`
    var yearAndMonth: String {
        "\(year)-" + Self.digits(month)
    }

    private static func modulo(_ value: Int, _ divisor: Int) -> Int {
        (value % divisor + divisor) % divisor
    }

    private static func digits(_ value: Int) -> String {
        (value < 10 ? "0" : "") + String(value)
    }
}
