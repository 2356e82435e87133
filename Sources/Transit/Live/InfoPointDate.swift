package import Domain
import JSONCoding

/// A date of InfoPoint: a moment, and how far the clocks of the server are ahead of UTC.
struct InfoPointDate {
    /// The end of year 9999, the last of the server. Sums of such numbers do not overflow.
    private static let limit: Int64 = 253_402_300_800_000
    static let millisecondsPerDay: Int64 = 86_400_000

    var milliseconds: Int64
    private var offset: Int64 = 0

    /// Parses `/Date(1520119790000-0500)/` or `/Date(1520119790000)/`. Nil for other text and after year 9999.
    init?(_ text: String) {
        guard text.hasPrefix("/Date("), text.hasSuffix(")/") else { return nil }
        var digits = text.utf8.dropFirst("/Date(".utf8.count).dropLast(")/".utf8.count)
        let isSign = { (byte: UInt8) in byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }
        if let sign = digits.dropFirst().lastIndex(where: isSign) {
            let zone = digits[sign...].dropFirst()
            guard zone.count == 4, !zone.contains(where: isSign), let number = Int64(Substring(zone)), number <= 1400,
                number % 100 < 60
            else { return nil }
            offset = (number / 100 * 60 + number % 100) * (digits[sign] == UInt8(ascii: "-") ? -60_000 : 60_000)
            digits = digits[..<sign]
        }
        guard let milliseconds = Int64(Substring(digits)), milliseconds.magnitude < Self.limit else { return nil }
        self.milliseconds = milliseconds
    }

    /// Milliseconds since midnight, on the clocks of the server.
    var timeOfDay: Int64 {
        let local = milliseconds + offset
        return local - local.flooredDivision(by: Self.millisecondsPerDay) * Self.millisecondsPerDay
    }

    var midnight: Int64 { milliseconds - timeOfDay }
}

extension InfoPoint {
    /// Parses `/Date(1520119790000-0500)/`: milliseconds since 1970 UTC. The offset does not change the moment, and may
    /// be absent. Nil for other text and beyond year 9999.
    package static func date(_ text: String) -> UTC? {
        InfoPointDate(text).map { UTC(milliseconds: $0.milliseconds) }
    }
}

extension LiveAlert {
    /// The period from `FromDate` at `FromTime` to `ToDate` at `ToTime`; nil if both dates are absent.
    ///
    /// The dates are midnights. The times are on any day, such as one of 1900. The last day counts: an end at midnight
    /// is the next one. An end that is not after the start is left out.
    static func period(ofMessage message: JSON) -> (start: UTC?, end: UTC?)? {
        let date = { (name: String) in message[name]?.string.flatMap { InfoPointDate($0) } }
        // The server's empty date is in the year 1.
        let day = { (name: String) in date(name).flatMap { $0.milliseconds >= 0 ? $0 : nil } }
        let start = day("FromDate").map { $0.midnight + (date("FromTime") ?? $0).timeOfDay }
        let end = day("ToDate").map { last in
            let time = (date("ToTime") ?? last).timeOfDay
            return last.midnight + (time == 0 ? InfoPointDate.millisecondsPerDay : time)
        }
        guard start != nil || end != nil else { return nil }
        return (
            start.map { UTC(milliseconds: $0) }, end.flatMap { $0 > start ?? .min ? UTC(milliseconds: $0) : nil }
        )
    }
}
