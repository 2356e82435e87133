/// Reads the text of ``OpeningHours``.
///
///     text      rule { ";" rule | "," rule }
///     rule      [ dates [ ":" ] ] [ weekdays [ ":" ] ] [ "24/7" | times ] [ "open" | "off" | "closed" ]
///     dates     date { "," date },             date: Apr | Apr-Oct | Apr 15 | Apr 15-20 | Apr 15-Oct 15
///     weekdays  weekday { "," weekday },       weekday: Mo | Mo-Fr | PH
///     times     time { "," time },             time: 10:00-18:00 | 10:00-18:00+ | 10:00+
///
/// After dates of one month, a further day needs no month: `Dec 24,26`. A comma separates rules only between times or a
/// word and days; `24/7` has no days.
struct OpeningHoursParser {
    private enum Token: Equatable {
        case number(Int, digits: Int)
        /// In lower case.
        case word(String)
        case sign(UInt8)

        static func sign(_ character: Unicode.Scalar) -> Token { .sign(UInt8(ascii: character)) }
    }

    private var tokens: ArraySlice<Token>

    /// Nil for a character that no supported text has.
    init?(_ text: some Sequence<UInt8>) {
        var tokens: [Token] = []
        var word: [UInt8] = []
        func end() {
            guard let first = word.first else { return }
            let text = String(decoding: word, as: UTF8.self)
            tokens.append(
                Self.isDigit(first) ? .number(Int(text) ?? .max, digits: word.count) : .word(text))
            word = []
        }
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"):
                let lower = Self.isDigit(byte) ? byte : byte | 0x20
                if let first = word.first, Self.isDigit(first) != Self.isDigit(lower) { end() }
                word.append(lower)
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                end()
            case UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "+"),
                UInt8(ascii: "/"):
                end()
                tokens.append(.sign(byte))
            default:
                return nil
            }
        }
        end()
        self.tokens = tokens[...]
    }

    /// Nil for text that is not supported.
    mutating func parse() -> (rules: [OpeningHours.Rule], hasHolidayRules: Bool)? {
        var rules: [OpeningHours.Rule] = []
        var hasHolidayRules = false
        var isAdditional = false
        while true {
            while !isAdditional, skip(.sign(";")) {}
            if tokens.isEmpty { return isAdditional ? nil : (rules, hasHolidayRules) }
            guard let rule = parseRule(isAdditional: isAdditional, &hasHolidayRules) else { return nil }
            rules.append(rule)
            isAdditional = skip(.sign(","))
            guard isAdditional || tokens.isEmpty || tokens.first == .sign(";") else { return nil }
        }
    }

    private mutating func parseRule(isAdditional: Bool, _ hasHolidayRules: inout Bool) -> OpeningHours.Rule? {
        var rule = OpeningHours.Rule()
        rule.isAdditional = isAdditional
        let count = tokens.count
        guard parseDates(&rule) else { return nil }
        if tokens.count < count { _ = skip(.sign(":")) }
        let rest = tokens.count
        guard parseWeekdays(&rule, &hasHolidayRules) else { return nil }
        if tokens.count < rest { _ = skip(.sign(":")) }
        let hasDays = tokens.count < count
        guard hasDays || !isAdditional else { return nil }
        let end = tokens.count
        if skip(.number(24, digits: 2), .sign("/"), .number(7, digits: 1)) {
            if hasDays { return nil }
        } else if isTime {
            guard parseTimes(&rule) else { return nil }
        }
        let isOpen = skip(.word("open"))
        rule.isOff = !isOpen && (skip(.word("off")) || skip(.word("closed")))
        // `Mo-Fr, 10:00-18:00` is no rule for the whole day and another one.
        guard tokens.count < end || hasDays && tokens.first != .sign(",") else { return nil }
        // `08:00-18:00,12:00-13:00 off` is written by people who mean a break, and means the opposite.
        return rule.isOff && (rule.times.contains(where: \.hasOpenEnd) || Self.overlap(rule.times)) ? nil : rule
    }

    // MARK: Dates

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let daysOfMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    private static let weekdays = ["mo", "tu", "we", "th", "fr", "sa", "su"]

    /// False for dates that are not supported.
    private mutating func parseDates(_ rule: inout OpeningHours.Rule) -> Bool {
        guard index(in: Self.months) != nil else { return true }
        var month = 0
        repeat {
            if let next = index(in: Self.months) {
                tokens.removeFirst()
                month = next + 1
                guard isDay else {
                    guard let last = parseEndOfMonths(month) else { return false }
                    rule.dates.append(.init(first: month * 100 + 1, last: last * 100 + 31))
                    month = 0
                    continue
                }
            }
            guard month > 0, let day = parseDay(of: month) else { return false }
            var last = month * 100 + day
            if skip(.sign("-")) {
                if let next = index(in: Self.months) {
                    tokens.removeFirst()
                    guard isDay, let day = parseDay(of: next + 1) else { return false }
                    last = (next + 1) * 100 + day
                } else {
                    guard isDay, let end = parseDay(of: month), end >= day else { return false }
                    last = month * 100 + end
                }
            }
            rule.dates.append(.init(first: month * 100 + day, last: last))
            month = last / 100
        } while skipComma(before: { $0.index(in: Self.months) != nil || $0.isDay })
        return true
    }

    /// The last month of a range; nil if a day follows it.
    private mutating func parseEndOfMonths(_ first: Int) -> Int? {
        guard skip(.sign("-")) else { return first }
        guard let last = index(in: Self.months) else { return nil }
        tokens.removeFirst()
        return isDay ? nil : last + 1
    }

    private mutating func parseDay(of month: Int) -> Int? {
        guard case .number(let day, _)? = tokens.first, (1...Self.daysOfMonths[month - 1]).contains(day) else {
            return nil
        }
        tokens.removeFirst()
        return day
    }

    /// False for weekdays that are not supported. A public holiday may stand beside weekdays, or alone.
    private mutating func parseWeekdays(_ rule: inout OpeningHours.Rule, _ hasHolidayRules: inout Bool) -> Bool {
        var days: UInt8 = 0
        var hasHolidays = false
        let isWeekday: (Self) -> Bool = { $0.index(in: Self.weekdays) != nil || $0.tokens.first == .word("ph") }
        guard isWeekday(self) else { return true }
        repeat {
            if skip(.word("ph")) {
                hasHolidays = true
                continue
            }
            guard var day = index(in: Self.weekdays) else { return false }
            tokens.removeFirst()
            days |= 1 << day
            guard skip(.sign("-")) else { continue }
            guard let last = index(in: Self.weekdays) else { return false }
            tokens.removeFirst()
            while day != last {
                day = (day + 1) % 7
                days |= 1 << day
            }
        } while skipComma(before: isWeekday)
        rule.weekdays = days
        rule.isForHolidays = days == 0
        hasHolidayRules = hasHolidayRules || hasHolidays
        return true
    }

    // MARK: Times

    private mutating func parseTimes(_ rule: inout OpeningHours.Rule) -> Bool {
        repeat {
            guard let start = parseTime(), start < 1440 else { return false }
            if skip(.sign("+")) {
                rule.times.append(.init(start: start, end: 1440, hasOpenEnd: true))
                continue
            }
            guard skip(.sign("-")), isTime, var end = parseTime() else { return false }
            if end <= start { end += 1440 }
            guard end - start <= 1440 else { return false }
            rule.times.append(.init(start: start, end: end, hasOpenEnd: skip(.sign("+"))))
        } while skipComma(before: { $0.isTime })
        return true
    }

    private static func overlap(_ times: [OpeningHours.Times]) -> Bool {
        let ordered = times.sorted { $0.start < $1.start }
        return zip(ordered, ordered.dropFirst()).contains { $1.start < $0.end }
    }

    /// Minutes; 48:00 is the latest time.
    private mutating func parseTime() -> Int? {
        guard isTime, case .number(let hour, _)? = tokens.popFirst(), tokens.popFirst() != nil,
            case .number(let minute, _)? = tokens.popFirst(), minute < 60, hour * 60 + minute <= 2880
        else { return nil }
        return hour * 60 + minute
    }

    // MARK: Tokens

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Whether the next tokens are a time: a colon after a day is none of a time.
    private var isTime: Bool {
        let next = Array(tokens.prefix(4))
        guard next.count >= 3, case .number(_, digits: 1...2) = next[0], next[1] == .sign(":"),
            case .number(_, digits: 2) = next[2]
        else { return false }
        return next.count < 4 || next[3] != .sign(":")
    }

    private var isDay: Bool {
        guard case .number(_, digits: 1...2)? = tokens.first else { return false }
        return !isTime
    }

    private func index(in words: [String]) -> Int? {
        guard case .word(let word)? = tokens.first else { return nil }
        return words.firstIndex(of: word)
    }

    private mutating func skip(_ expected: Token...) -> Bool {
        guard tokens.starts(with: expected) else { return false }
        tokens.removeFirst(expected.count)
        return true
    }

    /// A comma that does not continue the list separates two rules.
    private mutating func skipComma(before isNext: (Self) -> Bool) -> Bool {
        var rest = self
        guard rest.skip(.sign(",")), isNext(rest) else { return false }
        self = rest
        return true
    }
}
