import Domain
import TestKit
import Testing

@Suite struct ISO8601Tests {
    private static let moment: Int64 = 1_772_350_212_000

    @Test(
        arguments: [
            ("2026-03-01T07:30:12Z", 0), ("2026-03-01T07:30:12", 0), ("2026-03-01t07:30:12z", 0),
            ("2026-03-01 07:30:12.3Z", 300), ("2026-03-01T07:30:12,25Z", 250), ("2026-03-01T07:30:12.2073437Z", 207),
            ("2026-03-01T08:30:12.001+01:00", 1), ("2026-03-01T02:00:12-0530", 0), ("2026-02-28T19:30:12-12", 0),
            ("2026-03-01T07:29:72Z", nil), ("2026-03-01T07:30:60Z", 48_000), ("2026-03-01", nil),
            ("2026-02-29T07:30:12Z", nil),
            ("2026-13-01T07:30:12Z", nil), ("2026-03-01T24:00:00Z", nil), ("2026-03-01T07:30:12.Z", nil),
            ("2026-03-01T07:30:12Zx", nil), ("26-03-01T07:30:12Z", nil), ("", nil), ("2026-03-01T07:30:12+1", nil),
            ("２026-03-01T07:30:12Z", nil), ("2026-03-01T07:30", nil), ("2026-03-01T07:30:12+25:00", nil),
        ] as [(String, Int64?)])
    func iso8601TextParsesAndOtherTextIsRejected(text: String, after: Int64?) {
        #expect(UTC(iso8601: text)?.milliseconds == after.map { Self.moment + $0 })
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func formattedTimeParsesBack(seed: UInt64) {
        var numbers = SeededRandom(seed: seed)
        for _ in 0..<1000 {
            let time = UTC(milliseconds: .random(in: -62_167_219_200_000...253_402_300_799_999, using: &numbers))
            let fields = time.fields
            func pad(_ value: Int, _ count: Int) -> String {
                String(repeating: "0", count: count - String(value).count) + String(value)
            }
            let text =
                "\(pad(fields.year, 4))-\(pad(fields.month, 2))-\(pad(fields.day, 2))T\(pad(fields.hour, 2)):"
                + "\(pad(fields.minute, 2)):\(pad(fields.second, 2)).\(pad(fields.millisecond, 3))Z"
            #expect(UTC(iso8601: text) == time, "\(text)")
        }
    }
}
