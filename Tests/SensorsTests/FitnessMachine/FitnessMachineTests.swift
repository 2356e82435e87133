import Domain
import Sensors
import TestKit
import Testing

/// Test values of other projects and captures of real machines.
struct FitnessMachineTests {
    private func decode(_ text: String, _ machine: FitnessMachine) throws -> FitnessMachineRecord {
        try FitnessMachineRecord(hex(text).span, of: machine)
    }

    private func record(_ set: (inout FitnessMachineRecord) -> Void) -> FitnessMachineRecord {
        var record = FitnessMachineRecord()
        set(&record)
        return record
    }

    @Test func indoorBikesOfOtherProjectsParse() throws {
        // Source: dvmarinoff/Auuki, indoor-bike-data.test.js.
        let full = record {
            $0.rawSpeed = 3274
            $0.cadence = 80
            $0.totalMetres = 42195
            $0.watts = 300
            $0.heartRate = 143
        }
        #expect(try decode("54 02 CA 0C A0 00 D3 A4 00 2C 01 8F", .indoorBike) == full)
        let short = try decode("44 00 CA 0C A0 00 2C 01", .indoorBike)
        #expect(short.rawSpeed == 3274 && short.cadence == 80 && short.watts == 300 && short.heartRate == nil)
        // Source: ptx2/gymnasticon, ic4.js (Schwinn IC4).
        let schwinn = try decode("44 02 DA 02 02 01 22 01 00", .indoorBike)
        #expect(schwinn.rawSpeed == 730 && schwinn.cadence == 129 && schwinn.watts == 290)
        // No belt is worn.
        #expect(schwinn.heartRate == nil)
        // Captures: cagnulein/qdomyos-zwift#2786 and #815; Berg0162/simcline#4.
        let bridge = try decode("64 02 70 17 00 00 00 00 5D 00 6A 00", .indoorBike)
        #expect(bridge.rawSpeed == 6000 && bridge.cadence == 0 && bridge.resistance == 0)
        #expect(bridge.watts == 93 && bridge.heartRate == 106)
        #expect(bridge.speed == 6000.0 / 360)
        let elite = try decode("54 08 00 00 00 00 00 00 00 00 00 31 00", .indoorBike)
        #expect(elite.totalMetres == 0 && elite.watts == 0 && elite.elapsedSeconds == 49)
    }

    @Test func bitZeroSetMeansThatTheSpeedIsAbsent() throws {
        let rest = try decode("45 00 A0 00 2C 01", .indoorBike)
        #expect(rest.rawSpeed == nil && rest.cadence == 80 && rest.watts == 300)
        #expect(try decode("00 00 CA 0C", .treadmill).rawSpeed == 3274)
        #expect(try decode("01 00", .treadmill) == FitnessMachineRecord())
    }

    @Test func treadmillParses() throws {
        // Capture: cagnulein/qdomyos-zwift#2786.
        let expected = record {
            $0.rawSpeed = 6600
            $0.totalMetres = 472
            $0.inclination = 0
            $0.heartRate = 106
        }
        #expect(try decode("0C 01 C8 19 D8 01 00 00 00 00 00 6A", .treadmill) == expected)
        let everything =
            "FE 1F E8 03 10 27 40 9C 00 0F 00 E2 FF 05 00 06 00 07 08 64 00 2C 01 05 78 50 58 02 3C 00 32 00 FA 00"
        let full = record {
            $0.rawSpeed = 1000
            $0.totalMetres = 40000
            $0.inclination = 15
            $0.kilocalories = 100
            $0.heartRate = 120
            $0.elapsedSeconds = 600
            $0.watts = 250
        }
        #expect(try decode(everything, .treadmill) == full)
        try expectTruncationIsRejected(of: hex(everything)) { bytes throws(ParseError) in
            try FitnessMachineRecord(bytes, of: .treadmill)
        }
    }

    @Test func crossTrainerHasThreeBytesOfFlags() throws {
        let everything =
            "FE FF 00 E8 03 10 27 40 9C 00 78 00 79 00 2C 01 05 00 06 00 0F 00 E2 FF 32 00 C8 00 C9 00 64 00 2C 01 05 8C 50 58 02 3C 00"
        let full = record {
            $0.rawSpeed = 1000
            $0.totalMetres = 40000
            $0.cadence = 120
            $0.strokeCount = 300
            $0.inclination = 15
            $0.resistance = 50
            $0.watts = 200
            $0.kilocalories = 100
            $0.heartRate = 140
            $0.elapsedSeconds = 600
        }
        #expect(try decode(everything, .crossTrainer) == full)
        // The remaining time is not read.
        try expectTruncationIsRejected(of: hex(everything).dropLast(2)) { bytes throws(ParseError) in
            try FitnessMachineRecord(bytes, of: .crossTrainer)
        }
    }

    @Test func indoorBikeWithEveryFieldParses() throws {
        let everything =
            "FE 0F E8 03 10 27 B4 00 AA 00 40 9C 00 0A 00 FF FF C9 00 64 00 2C 01 05 8C 50 58 02"
        let full = record {
            $0.rawSpeed = 1000
            $0.cadence = 90
            $0.totalMetres = 40000
            $0.resistance = 10
            $0.watts = -1
            $0.kilocalories = 100
            $0.heartRate = 140
            $0.elapsedSeconds = 600
        }
        #expect(try decode(everything, .indoorBike) == full)
        try expectTruncationIsRejected(of: hex(everything)) { bytes throws(ParseError) in
            try FitnessMachineRecord(bytes, of: .indoorBike)
        }
    }

    @Test func fieldsWithoutDataAreNil() throws {
        #expect(
            try decode("7C 0B FF FF FF FF FF FF FF FF FF FF 7F FF 7F FF FF FF FF FF FF FF FF", .indoorBike)
                == FitnessMachineRecord())
        #expect(try decode("08 11 FF FF FF 7F FF 7F FF FF 7F FF 7F", .treadmill) == FitnessMachineRecord())
    }

    @Test(arguments: 0..<3 as Range<UInt64>)
    func randomBytesAreAcceptedIfTheirFlagsAllowIt(seed: UInt64) {
        let sizes: [(FitnessMachine, flags: Int, [Int])] = [
            (.treadmill, 2, [2, 2, 3, 4, 4, 1, 1, 5, 1, 1, 2, 2, 4]),
            (.crossTrainer, 3, [2, 2, 3, 4, 2, 4, 4, 2, 2, 2, 5, 1, 1, 2]),
            (.rower, 2, [3, 1, 3, 2, 2, 2, 2, 2, 5, 1, 1, 2]),
            (.indoorBike, 2, [2, 2, 2, 2, 3, 2, 2, 2, 5, 1, 1, 2]),
        ]
        for (machine, flags, sizes) in sizes {
            expectRandomBytesAreMeasured(
                seed: seed, flagBytes: flags, fixed: 0, sizes: sizes, isFirstInverted: true
            ) { bytes throws(ParseError) in
                _ = try FitnessMachineRecord(bytes, of: machine)
            }
        }
    }
}
