import Domain
import Maps
import TestKit
import Testing

/// A rule as it was made, beside its text.
private struct MadeRule {
    var text = ""
    var months: Set<Int> = Set(1...12)
    /// Month and day; empty for each day of the months.
    var dates: Set<[Int]> = []
    var weekdays: Set<Int> = Set(0...6)
    var times: [(start: Int, length: Int)] = []
    var isOff = false
    var isAdditional = false
    var isForHolidays = false

    init(_ random: inout SeededRandom, isFirst: Bool) {
        func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        isAdditional = !isFirst && pick(4) == 0
        isOff = !isFirst && pick(4) == 0
        var parts: [String] = []
        switch pick(6) {
        case 0:
            let (first, last) = (1 + pick(12), 1 + pick(12))
            months = Set((0...((last - first + 12) % 12)).map { (first - 1 + $0) % 12 + 1 })
            parts.append(first == last ? Self.months[first - 1] : "\(Self.months[first - 1])-\(Self.months[last - 1])")
        case 1:
            let (month, day, length) = (1 + pick(12), 1 + pick(20), pick(9))
            dates = Set((day...day + length).map { [month, $0] })
            parts.append(Self.months[month - 1] + " \(day)" + (length > 0 ? "-\(day + length)" : ""))
        default: break
        }
        // An additional rule needs days: a time after a comma would belong to the rule before.
        switch isAdditional && parts.isEmpty ? pick(2) : pick(4) {
        case 0:
            let (first, length) = (pick(7), 1 + pick(6))
            weekdays = Set((0...length).map { (first + $0) % 7 })
            parts.append("\(Self.days[first])-\(Self.days[(first + length) % 7])" + (pick(4) == 0 ? ",PH" : ""))
        case 1:
            weekdays = Set((0...pick(3)).map { _ in pick(7) })
            parts.append(weekdays.map { Self.days[$0] }.joined(separator: ","))
        case 2 where pick(3) == 0 && parts.isEmpty && !isFirst:
            isForHolidays = true
            parts.append("PH")
        default: break
        }
        let count = parts.isEmpty || pick(5) > 0 ? 1 + pick(3) : 0
        var start = pick(600)
        for _ in 0..<count {
            let length = 1 + pick(count == 1 ? 1440 : 500)
            guard start < 1440 else { break }
            times.append((start, length))
            start += length + pick(300)
        }
        if count > 0 {
            let list = times.map { start, length in
                let end = start + length
                return "\(Self.clock(start))-\(Self.clock(end >= 1440 && pick(2) == 0 ? end - 1440 : end))"
            }
            parts.append(list.joined(separator: ","))
        }
        if isOff { parts.append("off") } else if count == 0 || pick(5) == 0 { parts.append("open") }
        text = parts.joined(separator: " ")
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let days = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]

    private static func clock(_ minutes: Int) -> String {
        let (hour, minute) = (minutes / 60, minutes % 60)
        return (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
    }

    func applies(to day: CivilTime) -> Bool {
        !isForHolidays && months.contains(day.month) && weekdays.contains(day.weekday)
            && (dates.isEmpty || dates.contains([day.month, day.day]))
    }
}

/// The minutes of some days, painted by one rule after the other: bit n is set while times of the n-th day are open.
private func paint(_ rules: [MadeRule], _ days: [CivilTime]) -> [UInt16] {
    var opened = [UInt16](repeating: 0, count: (days.count + 2) * 1440)
    for rule in rules {
        var cleared: UInt16 = 0
        var painted = opened.map { _ in UInt16(0) }
        for (index, day) in days.enumerated() where rule.applies(to: day) {
            if rule.isOff ? rule.times.isEmpty : !rule.isAdditional { cleared |= 1 << index }
            guard !rule.times.isEmpty || !rule.isOff else { continue }
            for (start, length) in rule.times.isEmpty ? [(start: 0, length: 1440)] : rule.times {
                for minute in index * 1440 + start..<index * 1440 + start + length { painted[minute] |= 1 << index }
            }
        }
        for minute in opened.indices {
            opened[minute] &= ~cleared
            if rule.isOff {
                if painted[minute] != 0 { opened[minute] = 0 }
            } else {
                opened[minute] |= painted[minute]
            }
        }
    }
    return opened
}

@Suite struct OpeningHoursProperties {
    /// Painting is slow, so that each text is asked at several times of one week.
    @Test func stateAgreesWithAPaintedCalendar() throws {
        var random = SeededRandom(seed: 7)
        var (open, closed, asked) = (0, 0, 0)
        while asked < 600 {
            let rules = (0..<Int.random(in: 1...4, using: &random)).map { MadeRule(&random, isFirst: $0 == 0) }
            let text = rules.reduce("") { text, rule in
                text + (text.isEmpty ? "" : rule.isAdditional ? ", " : "; ") + rule.text
            }
            let hours = try #require(OpeningHours(text), "\(text)")
            let first =
                UTC(year: 2027, month: 1, day: 1).milliseconds + Int64.random(in: 0..<800, using: &random) * 86_400_000
            let days = (0..<10).map { CivilTime(UTC(milliseconds: first + Int64($0) * 86_400_000), offset: 0) }
            let painted = paint(rules, days)
            for _ in 0..<5 {
                let minute = Int.random(in: 0..<1440, using: &random)
                var now = days[1]
                now.minute = minute
                let isOpen = painted[1440 + minute] != 0
                let change = (1...7 * 1440).first { (painted[1440 + minute + $0] != 0) != isOpen }
                let expected: OpeningHours.State = isOpen ? .open(closesIn: change) : .closed(opensIn: change)
                #expect(hours.state(at: now) == expected, "\(text) at \(now)")
                open += isOpen ? 1 : 0
                closed += isOpen ? 0 : 1
            }
            asked += 1
        }
        #expect(open > 500 && closed > 500)
    }

    @Test func noTextCrashesTheParser() {
        var random = SeededRandom(seed: 11)
        let parts = [
            "Mo", "fr", "PH", "Jan", "Dec", " ", "-", ",", ";", ":", "+", "/", "24/7", "24", "10", "00", "08:00-18:00",
            "off",
            "open", "closed", "31", "[1]", "||", "\"", "99", "2026", "x",
        ]
        var read = 0
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                parts.randomElement(using: &random) ?? ""
            }.joined()
            guard let hours = OpeningHours(text) else { continue }
            read += 1
            _ = hours.state(at: CivilTime(year: 2028, month: 2, day: 29, minute: 1439))
        }
        #expect(read > 100)
    }
}
