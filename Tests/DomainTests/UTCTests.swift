import Domain
import Foundation
import TestKit
import Testing

@Suite struct UTCTests {
    /// Foundation's calendar is Julian before 1582-10-15, ours is always Gregorian, so the comparison starts there.
    private static let gregorianFrom: Int64 = -12_219_292_800_000

    private static var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func fieldsMatchFoundationsCalendar(seed: UInt64) {
        var numbers = SeededRandom(seed: seed)
        let calendar = Self.calendar
        for _ in 0..<500 {
            let milliseconds = Int64.random(in: Self.gregorianFrom..<253_402_300_800_000, using: &numbers)
            let fields = UTC(milliseconds: milliseconds).fields
            // Whole seconds: a Date is a Double and cannot represent every millisecond of two thousand years.
            let seconds = milliseconds.flooredDivision(by: 1000)
            let expected = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(seconds)))
            #expect(fields.year == expected.year)
            #expect(fields.month == expected.month)
            #expect(fields.day == expected.day)
            #expect(fields.hour == expected.hour)
            #expect(fields.minute == expected.minute)
            #expect(fields.second == expected.second)
            #expect(Int64(fields.millisecond) == milliseconds - seconds * 1000)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func fieldsConvertBackToTheTime(seed: UInt64) {
        var numbers = SeededRandom(seed: seed)
        for _ in 0..<2_000 {
            let moment = UTC(milliseconds: .random(in: -100_000_000_000_000...1_000_000_000_000_000, using: &numbers))
            let fields = moment.fields
            let rest = ((fields.hour * 60 + fields.minute) * 60 + fields.second) * 1000 + fields.millisecond
            let midnight = UTC(year: fields.year, month: fields.month, day: fields.day)
            #expect(midnight.milliseconds + Int64(rest) == moment.milliseconds)
        }
    }

    @Test(arguments: [1600, 1700, 1900, 1970, 2000, 2024, 2026, 2100, 2400])
    func yearLengthFollowsTheLeapYearRule(year: Int) {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let first = UTC(year: year, month: 1, day: 1)
        let next = UTC(year: year + 1, month: 1, day: 1)
        #expect(next.milliseconds - first.milliseconds == (isLeap ? 366 : 365) * 86_400_000)
        let february = UTC(milliseconds: UTC(year: year, month: 3, day: 1).milliseconds - 1).fields
        #expect(february.month == 2)
        #expect(february.day == (isLeap ? 29 : 28))
        #expect(february.hour == 23 && february.minute == 59 && february.second == 59 && february.millisecond == 999)
    }

    @Test func epochAndTheMillisecondBeforeItConvert() {
        let epoch = UTC(year: 1970, month: 1, day: 1)
        #expect(epoch.milliseconds == 0)
        let before = UTC(milliseconds: -1).fields
        #expect(before.year == 1969 && before.month == 12 && before.day == 31 && before.millisecond == 999)
        #expect(UTC(milliseconds: -1) < epoch)
    }

    @Test func exampleOfTheProtocolConverts() {
        let fields = UTC(milliseconds: 1_772_350_212_300).fields
        #expect(fields.year == 2026 && fields.month == 3 && fields.day == 1)
        #expect(fields.hour == 7 && fields.minute == 30 && fields.second == 12 && fields.millisecond == 300)
    }
}
