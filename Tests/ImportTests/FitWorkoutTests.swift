import Domain
import Formats
import Foundation
import TestKit
import Testing

@Suite struct FitWorkoutTests {
    private typealias Field = Fit.WorkoutStep

    private static func workout(_ steps: [[FitField?]], sport: Int64 = 2) throws -> FitWorkout {
        var writer = FitWriter()
        writer.message(.fileID, as: 0, [.enumeration(Fit.FileID.type, 5)])
        writer.message(.workout, as: 1, [.enumeration(Fit.Workout.sport, sport)])
        for step in steps { writer.message(.workoutStep, as: 2, step) }
        let file = FitWriter.header(dataSize: writer.bytes.count) + writer.bytes
        var checksum = Fit.Checksum()
        for byte in file { checksum.add(byte) }
        return try FitWorkout((file + [UInt8(checksum.value & 0xff), UInt8(checksum.value >> 8)]).span)
    }

    /// A minute with a target; nil leaves a field out.
    private static func minute(
        _ type: Int64?, zone: Int64? = 0, low: Int64? = nil, high: Int64? = nil, second: [FitField?] = []
    ) -> [FitField?] {
        [
            .enumeration(Field.durationType, 0), .uint32(Field.duration, 60_000), .enumeration(Field.targetType, type),
            .uint32(Field.target, zone), .uint32(Field.customLow, low), .uint32(Field.customHigh, high),
        ] + second
    }

    private static func second(
        _ type: Int64, zone: Int64? = 0, low: Int64? = nil, high: Int64? = nil
    ) -> [FitField?] {
        [
            .enumeration(Field.secondTargetType, type), .uint32(Field.secondTarget, zone),
            .uint32(Field.secondCustomLow, low), .uint32(Field.secondCustomHigh, high),
        ]
    }

    @Test(arguments: ["power3s", "power-custom"])
    func averagePowerIsATargetOfPower(name: String) throws {
        let file = Checkout.root.appending(path: "Tests/Data/field/K20-fit-workout-power-3s/\(name).fit")
        let workout = try FitWorkout([UInt8](Data(contentsOf: file)).span)
        #expect(try workout.texts(Settings()) == ["600 s power 200..220"])
        #expect(workout.omissions == [])
    }

    @Test(arguments: [
        (4, 1200, 1220, "power 200..220"), (7, 1200, 1220, "power 200..220"), (8, 1200, 1220, "power 200..220"),
        (9, 1200, 1220, "power 200..220"), (10, 1200, 1220, "power 200..220"), (1, 220, 240, "heart_rate 120..140"),
        (13, 220, 240, "heart_rate 120..140"), (0, 5000, 8500, "speed 5..8.500 m/s"),
        (12, 5000, 8500, "speed 5..8.500 m/s"), (3, 80, 90, "cadence 80..90"),
    ])
    func valuesOfATargetAreThoseOfItsQuantity(type: Int64, low: Int64, high: Int64, target: String) throws {
        let workout = try Self.workout([Self.minute(type, low: low, high: high)])
        #expect(try workout.texts(Settings()) == ["60 s " + target])
        #expect(workout.omissions == [])
    }

    @Test func percentagesAndZonesOfNewerTargetsAreThoseOfTheirQuantity() throws {
        var settings = Settings()
        settings.ftp = 250
        settings.maxHeartRate = 190
        let workout = try Self.workout([
            Self.minute(7, low: 90, high: 105), Self.minute(10, zone: 4), Self.minute(13, low: 70, high: 80),
            Self.minute(13, zone: 2), Self.minute(8, high: 105), Self.minute(9, low: 1200),
        ])
        #expect(workout.omissions == [])
        #expect(
            try workout.texts(settings) == [
                "60 s power 225..263", "60 s power_zone 4", "60 s heart_rate 133..152", "60 s zone 2",
                "60 s power ..263", "60 s power 200..",
            ])
        let failure = #expect(throws: FileError.self) { try workout.texts(Settings()) }
        #expect("\(try #require(failure))".hasPrefix("step 1 has a power in percent"))
    }

    @Test func speedOfTheLapIsAPaceOnFoot() throws {
        let workout = try Self.workout([Self.minute(12, low: 3333, high: 4000), Self.minute(12, low: 4000)], sport: 1)
        #expect(try workout.texts(Settings()) == ["60 s pace 4:10..5:00 /km", "60 s pace ..4:10 /km"])
        #expect(workout.omissions == [])
    }

    @Test(
        arguments: [
            (5, 0, "grade is left out: paced has no such target"),
            (6, 0, "resistance is left out: paced has no such target"),
            (11, 3, "swim_stroke is left out: paced has no such target"),
            (14, 0, "target_type 14 is left out: paced has no such target"),
            (254, 1, "target_type 254 is left out: paced has no such target"),
            (0, 3, "speed zone 3 is left out: paced does not know its zones"),
            (12, 1, "speed_lap zone 1 is left out: paced does not know its zones"),
            (3, 2, "cadence zone 2 is left out: paced does not know its zones"),
            (7, 0, "power_3s is left out: it has no values"), (1, 0, "heart_rate is left out: it has no values"),
        ] as [(Int64, Int64, String)])
    func targetThatNoStepCanHaveIsNamed(type: Int64, zone: Int64, words: String) throws {
        let workout = try Self.workout([Self.minute(2), Self.minute(type, zone: zone)])
        #expect(try workout.texts(Settings()) == ["60 s", "60 s"])
        #expect(workout.omissions == ["step 2: the target \(words)"])
    }

    @Test func secondTargetIsNamedOrTakesThePlaceOfTheFirst() throws {
        let cadence = Self.second(3, low: 85, high: 95)
        let workout = try Self.workout([
            Self.minute(7, low: 1200, high: 1220, second: cadence), Self.minute(2, second: cadence),
            Self.minute(nil, zone: nil, second: Self.second(9, low: 1200, high: 1220)),
            Self.minute(5, low: 1, high: 2, second: Self.second(1, zone: 3)), Self.minute(2, second: Self.second(2)),
        ])
        #expect(
            try workout.texts(Settings()) == [
                "60 s power 200..220", "60 s cadence 85..95", "60 s power 200..220", "60 s zone 3", "60 s",
            ])
        #expect(
            workout.omissions == [
                "step 1: the target cadence is left out: a step has one target",
                "step 4: the target grade is left out: paced has no such target",
            ])
    }

    @Test func repetitionHasNoTarget() throws {
        let workout = try Self.workout([
            Self.minute(7, low: 1200, high: 1220),
            [.enumeration(Field.durationType, 6), .uint32(Field.duration, 0), .uint32(Field.target, 3)],
        ])
        #expect(try workout.texts(Settings()) == Array(repeating: "60 s power 200..220", count: 3))
        #expect(workout.omissions == [])
    }
}
