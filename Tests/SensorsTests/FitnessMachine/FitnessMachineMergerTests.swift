import Domain
import Sensors
import TestKit
import Testing

struct FitnessMachineMergerTests {
    private static let start = Instant(milliseconds: 1_000_000)

    private static func moment(_ seconds: Double) -> Instant {
        start + .milliseconds(Int64(seconds * 1000))
    }

    private static func rower(_ text: String) throws -> FitnessMachineRecord {
        try FitnessMachineRecord(hex(text).span, of: .rower)
    }

    /// A real rower, which sends a record in three parts and the last part in the middle.
    ///
    /// Capture: zpukr/ArduRower#1 (First Degree Fitness Viking Pro V), 19:41:44.658 to 19:41:46.885.
    @Test func threePartsOfARealRowerMakeOneRecord() throws {
        var merger = FitnessMachineMerger()
        let log: [(Double, String)] = [
            (0, "05 0A 87 00 00 00 3E 00"), (0.607, "F8 00 3A 10 00 95 00 00 00 6A 00 22 00 02 00"),
            (0.608, "01 01 06 00 9A 02 0B"), (1.022, "05 0A 8A 00 00 00 3F 00"), (2.040, "05 0A 8E 00 00 00 40 00"),
            (2.227, "F8 00 4D 11 00 88 00 00 00 8C 00 23 00 02 00"),
        ]
        for (seconds, text) in log {
            merger.received(try Self.rower(text), at: Self.moment(seconds))
        }
        var expected = FitnessMachineRecord()
        expected.totalMetres = 142
        expected.elapsedSeconds = 64
        expected.cadence = 38.5
        expected.strokeCount = 17
        expected.pace = 136
        expected.watts = 140
        expected.resistance = 2
        expected.kilocalories = 6
        #expect(merger.record(at: Self.moment(2.3)) == expected)
        #expect(merger.record(at: Self.moment(2.3))?.speed == 500.0 / 136)
    }

    @Test func partWithoutAFieldDoesNotBlankIt() throws {
        var merger = FitnessMachineMerger()
        for second in 0..<60 {
            let isEven = second % 2 == 0
            // Speed and cadence; power alone, without a speed.
            let text = isEven ? "04 00 CA 0C A0 00" : "41 00 2C 01"
            merger.received(
                try FitnessMachineRecord(hex(text).span, of: .indoorBike), at: Self.moment(Double(second)))
            guard second > 0 else { continue }
            for tenth in 0..<10 {
                let record = merger.record(at: Self.moment(Double(second) + Double(tenth) / 10))
                #expect(record?.rawSpeed == 3274 && record?.cadence == 80 && record?.watts == 300)
            }
        }
    }

    @Test func fieldThatIsNoLongerSentExpires() throws {
        var merger = FitnessMachineMerger()
        let bike = try FitnessMachineRecord(hex("44 00 CA 0C A0 00 2C 01").span, of: .indoorBike)
        let withoutPower = try FitnessMachineRecord(hex("04 00 CA 0C A0 00").span, of: .indoorBike)
        for second in 0...10 { merger.received(bike, at: Self.moment(Double(second))) }
        for second in 11...30 {
            merger.received(withoutPower, at: Self.moment(Double(second)))
            let record = merger.record(at: Self.moment(Double(second)))
            #expect(record?.rawSpeed == 3274)
            if second <= 15 { #expect(record?.watts == 300) }
            if second > 21 { #expect(record?.watts == nil) }
        }
    }

    @Test func recordIsAbsentFiveSecondsAfterTheLastNotification() throws {
        var merger = FitnessMachineMerger()
        #expect(merger.record(at: Self.start) == nil)
        let bike = try FitnessMachineRecord(hex("44 00 CA 0C A0 00 2C 01").span, of: .indoorBike)
        merger.received(bike, at: Self.start)
        #expect(merger.record(at: Self.moment(4.999)) == bike)
        #expect(merger.record(at: Self.moment(5)) == nil)
        // What was received before does not return.
        var speedAlone = FitnessMachineRecord()
        speedAlone.rawSpeed = 100
        merger.received(speedAlone, at: Self.moment(9))
        #expect(merger.record(at: Self.moment(9)) == speedAlone)
    }

    @Test func rowersWithoutDataParse() throws {
        // Capture: zpukr/ArduRower#3.
        let idle = try Self.rower("A8 02 00 00 00 00 00 00 00 01 00 00")
        #expect(idle.cadence == 0 && idle.strokeCount == 0 && idle.watts == 0 && idle.resistance == 1)
        // A pace of 0 and a pace that is not available: nobody rows.
        #expect(idle.pace == 0 && idle.speed == 0)
        #expect(try Self.rower("09 00 FF FF").speed == nil)
        try expectTruncationIsRejected(
            of: hex("FE 0F 3A 10 00 3B 87 00 00 95 00 96 00 6A 00 22 00 02 00 06 00 9A 02 0B 78 50 3E 00")
        ) { bytes throws(ParseError) in
            try FitnessMachineRecord(bytes, of: .rower)
        }
    }
}
