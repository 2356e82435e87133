import Domain
import Formats
import Foundation
import Pipeline
import TestKit
import Testing

/// Time, order and content of the FIT and TCX files that users of other programs have reported as wrong.
@Suite struct FieldActivityTests {
    typealias Stored = FieldFileTests.Stored

    /// A run of ten minutes at 3 m/s.
    private static let seconds: Int64 = 600
    private static let run = MadeFit.run(seconds: seconds)

    private static func isRecord(_ message: MadeFit.Message) -> Bool { message.kind == .record }

    private static func expectWhole(_ stored: Stored, _ words: Comment? = nil) {
        #expect(abs(stored.total.elapsedMilliseconds - seconds * 1000) <= 1000, words)
        #expect(abs(stored.total.distanceMetres - Double(seconds) * 3) <= 1.8, words)
        #expect(stored.samples.count == 602, words)
    }

    // MARK: Order

    @Test func messagesOtherThanRecordsMayComeInAnyOrder() throws {
        Self.expectWhole(try Stored(MadeFit(Self.run).bytes))
        var random = SeededRandom(seed: 39)
        let others = Self.run.dropFirst().filter { !Self.isRecord($0) }
        for _ in 0..<20 {
            var messages = Self.run.filter(Self.isRecord)
            for other in others.shuffled(using: &random) {
                messages.insert(other, at: Int.random(in: 0...messages.count, using: &random))
            }
            Self.expectWhole(try Stored(MadeFit([MadeFit.fileID] + messages).bytes))
        }
    }

    @Test(arguments: [true, false])
    func recordsWithoutOrderAreSorted(isReversed: Bool) throws {
        var random = SeededRandom(seed: 40)
        let records = Self.run.filter(Self.isRecord)
        let others = Self.run.dropFirst().filter { !Self.isRecord($0) }
        let moved = isReversed ? records.reversed() : records.shuffled(using: &random)
        let stored = try Stored(MadeFit([MadeFit.fileID] + moved + others).bytes)
        Self.expectWhole(stored)
        #expect(stored.skipped["step of the clock"] == 0)
    }

    // MARK: Distance

    @Test func countersMayBeginAgain() throws {
        var random = SeededRandom(seed: 41)
        for _ in 0..<20 {
            let restarts = (0..<3).map { _ in Int64.random(in: 10..<Self.seconds - 10, using: &random) }.sorted()
            var messages = [MadeFit.fileID]
            for second in 0...Self.seconds {
                let base = restarts.last { $0 <= second } ?? 0
                messages.append(MadeFit.record(second, metres: Double(second - base) * 3))
            }
            messages.append(MadeFit.session(0, seconds: Self.seconds, metres: Double(Self.seconds) * 3))
            let stored = try Stored(MadeFit(messages).bytes)
            // The metres from the last value to the restart are not in the file, but in the session.
            #expect(abs(stored.total.distanceMetres - Double(Self.seconds) * 3) <= 0.02 * 1800, "\(restarts)")
            #expect(stored.samples.count == 601)
        }
    }

    @Test func distanceOfTheSessionCountsBeyondTwoPercent() throws {
        func stored(session: Double?, lap: Double?) throws -> Stored {
            var messages = [MadeFit.fileID] + (0...100).map { MadeFit.record($0, metres: Double($0) * 3) }
            if let lap { messages.append(MadeFit.lap(0, seconds: 100, metres: lap)) }
            messages.append(MadeFit.session(0, seconds: 100, metres: session))
            return try Stored(MadeFit(messages).bytes)
        }
        let near = try stored(session: 305, lap: 305)
        #expect(near.total.distanceMetres == 300 && near.recording.sourceTotals?.sampleMetres == nil)
        let far = try stored(session: 400, lap: 350)
        #expect(far.total.distanceMetres == 400 && far.recording.laps[0].figures.distanceMetres == 400)
        #expect(far.recording.sourceTotals?.sampleMetres == 300 && far.recording.sourceTotals?.distanceMetres == 400)
        let laps = try stored(session: nil, lap: 350)
        #expect(laps.total.distanceMetres == 350)
        // A total that no runner has is none.
        #expect(try stored(session: 90_000, lap: nil).total.distanceMetres == 300)
    }

    @Test func compressedSpeedAndDistanceAreRead() throws {
        let messages = (0...100).map { (second: Int64) in
            let (speed, distance) = (Int64(300), (second * 48) & 0xFFF)
            let bytes: [Int64] = [speed & 0xFF, speed >> 8 | (distance & 0xF) << 4, distance >> 4]
            return MadeFit.record(second, .array(Fit.Record.compressedSpeedDistance, .bytes, bytes))
        }
        let stored = try Stored(MadeFit([MadeFit.fileID] + messages).bytes)
        #expect(stored.total.distanceMetres == 300 && stored.samples[50].speed == 3)
        #expect(stored.samples.last?.distanceMetres == 300)
    }

    // MARK: Activities without records

    @Test(arguments: [
        ("swim-norectime", 120, 100.0, 4), ("swim-norecords", 120, 100, 0), ("strength-norecords", 1800, 0, 0),
        ("swim-full", 120, 100, 4),
    ])
    func activityWithoutTimedRecordsHasItsTotals(name: String, seconds: Int64, metres: Double, samples: Int) throws {
        let stored = try Stored("K06-fit-no-timed-records/\(name).fit")
        #expect(stored.total.elapsedMilliseconds == seconds * 1000 && stored.total.distanceMetres == metres)
        #expect(stored.recording.laps.count == 1 && stored.recording.laps[0].figures.distanceMetres == metres)
        if samples == 0 { #expect(stored.samples.isEmpty && stored.total.averageHeartRate != nil) }
    }

    @Test func lengthsOfAPoolAreSamples() throws {
        let lengths = (0..<4).map { number in
            (
                Fit.Message.length,
                [
                    .uint32(Fit.timestamp, MadeFit.start + number * 30 + 30),
                    .uint32(Fit.Length.start, MadeFit.start + number * 30), .uint32(Fit.Length.elapsed, 30_000),
                    .enumeration(Fit.Length.type, number == 2 ? 0 : 1),
                ]
            ) as MadeFit.Message
        }
        let session = MadeFit.session(0, seconds: 120, sport: 5, .uint16(Fit.Session.poolLength, 2500))
        let stored = try Stored(MadeFit([MadeFit.fileID] + lengths + [session]).bytes)
        #expect(stored.total.distanceMetres == 75 && stored.total.elapsedMilliseconds == 120_000)
        #expect(stored.samples.map(\.at) == [30_000, 60_000, 120_000])
    }

    @Test func fileWithoutAnyTotalIsRejected() {
        let only = MadeFit([MadeFit.fileID]).bytes
        #expect(throws: FileError.self) { try Stored(only) }
        let empty = MadeFit([MadeFit.fileID, MadeFit.session(0, seconds: 0)]).bytes
        #expect(throws: FileError.self) { try Stored(empty) }
    }

    // MARK: Heart rates of a strap

    @Test func heartRatesOfAnAppendedFileAreMerged() throws {
        let stored = try Stored("K07-fit-chained-strap-heart-rate/swim-hrm-chained.fit")
        #expect(Set(stored.samples.compactMap(\.heartRate)) == Set(120...134))
        #expect(stored.total.distanceMetres == 100 && stored.total.elapsedMilliseconds == 120_000)
        #expect(stored.skipped["another activity"] == 0 && stored.activities == 1)
    }

    @Test func packedMomentsOfHeartRatesAreRead() throws {
        // 1/1024 s: 0.5 s apart.
        let moments: [Int64] = (1...8).map { (1000 + $0 * 512) & 0xFFF }
        var packed: [Int64] = []
        for place in stride(from: 0, to: 8, by: 2) {
            let (low, high) = (moments[place], moments[place + 1])
            packed += [low & 0xFF, low >> 8 | (high & 0xF) << 4, high >> 4]
        }
        let messages: [MadeFit.Message] = [
            (
                .heartRate,
                [
                    .uint32(Fit.timestamp, MadeFit.start), .uint16(Fit.HeartRate.fraction, 0),
                    .array(Fit.HeartRate.rates, .uint8, [100]), .array(Fit.HeartRate.moments, .uint32, [1000]),
                ]
            ),
            (
                .heartRate,
                [
                    .array(Fit.HeartRate.rates, .uint8, (1...8).map { 100 + $0 }),
                    .array(Fit.HeartRate.packedMoments, .bytes, packed),
                ]
            ),
        ]
        let records = (0...4).map { MadeFit.record($0, metres: Double($0) * 3) }
        let stored = try Stored(MadeFit([MadeFit.fileID] + messages + records).bytes)
        // Of two values of a second, the mean.
        #expect(stored.samples.map(\.heartRate) == [101, 103, 105, 107, 108])
    }

    // MARK: Clocks

    @Test(arguments: ["clock-20d", "clock-1h", "clock-8min"])
    func stepOfTheClockIsNoTime(_ name: String) throws {
        let stored = try Stored("K08-fit-clock-jump-forward/\(name).fit")
        #expect(stored.total.elapsedMilliseconds == 600_000 && stored.recording.totalMilliseconds == 600_000)
        #expect(stored.samples.count == 121 && stored.total.distanceMetres == 1800)
        #expect(stored.skipped["step of the clock"] == 1)
    }

    @Test(arguments: [20 * 86_400, 3600, -3600, -480, 480, -20 * 86_400] as [Int64])
    func stepsOfTheClockLoseNoSamples(_ step: Int64) throws {
        for at in [30, 200, 560] as [Int64] {
            let records = (0...Self.seconds).map { MadeFit.record($0 + ($0 > at ? step : 0), metres: Double($0) * 3) }
            let end = Self.seconds + step
            let messages =
                [MadeFit.fileID, MadeFit.event(Fit.Event.start, at: 0)] + records
                + [
                    MadeFit.event(Fit.Event.stopAll, at: end),
                    MadeFit.session(0, seconds: Self.seconds, metres: 1800, end: end),
                ]
            let stored = try Stored(MadeFit(messages).bytes)
            #expect(abs(stored.total.elapsedMilliseconds - 600_000) <= 1000, "\(step) s at \(at)")
            #expect(abs(stored.recording.totalMilliseconds - 600_000) <= 1000, "\(step) s at \(at)")
            #expect(stored.samples.count == 601 && stored.total.distanceMetres == 1800, "\(step) s at \(at)")
            #expect(stored.recording.started.milliseconds == (MadeFit.start + Fit.epoch) * 1000)
        }
    }

    @Test func timesSincePowerOnAreCorrected() throws {
        func message(_ time: Int64, _ metres: Double) -> MadeFit.Message {
            (.record, [.uint32(Fit.timestamp, time), .uint32(Fit.Record.distance, Int64(metres * 100))])
        }
        let undated = (0..<60).map { message(1000 + $0, Double($0) * 3) }
        let dated = (60...120).map { MadeFit.record($0, metres: Double($0) * 3) }
        let stored = try Stored(MadeFit([MadeFit.fileID] + undated + dated).bytes)
        #expect(stored.samples.count == 121 && stored.total.elapsedMilliseconds == 120_000)
        #expect(stored.recording.started.milliseconds == (MadeFit.start + Fit.epoch) * 1000)
        // Only the session knows the date.
        let session = MadeFit.session(0, seconds: 59)
        let alone = try Stored(MadeFit([MadeFit.fileID] + undated + [session]).bytes)
        #expect(alone.samples.count == 60 && alone.total.elapsedMilliseconds == 59_000)
        #expect(alone.recording.started.milliseconds == (MadeFit.start + Fit.epoch) * 1000)
    }

    @Test func firstRecordFarBeforeTheRestIsLeftOut() throws {
        let records = (0...100).map { MadeFit.record($0, metres: Double($0) * 3) }
        let stored = try Stored(MadeFit([MadeFit.fileID, MadeFit.record(-49 * 86_400)] + records).bytes)
        #expect(stored.samples.count == 101 && stored.total.elapsedMilliseconds == 100_000)
        #expect(stored.skipped["record far from the others in time"] == 1)
    }

    // MARK: Pauses

    @Test(arguments: ["recinpause-k1-t0", "recinpause-k4-t1", "q-startonly"])
    func recordsOfAManualPauseAreNoTime(_ name: String) throws {
        let stored = try Stored("K10-fit-records-in-a-pause/\(name).fit")
        #expect(stored.total.elapsedMilliseconds == 120_000 && stored.total.distanceMetres == 360)
        #expect(stored.samples.count == (name == "q-startonly" ? 121 : 181))
    }

    @Test func distanceOfAPauseIsHeldToTheLimit() throws {
        let before = (0...60).map { MadeFit.record($0, metres: Double($0) * 3) }
        let nonsense = MadeFit.record(90, metres: 14_000_000)
        let after = (120...180).map { MadeFit.record($0, metres: Double($0 - 60) * 3) }
        let events = [MadeFit.event(Fit.Event.stopAll, at: 60), nonsense, MadeFit.event(Fit.Event.start, at: 120)]
        let stored = try Stored(
            MadeFit([MadeFit.fileID, MadeFit.event(Fit.Event.start, at: 0)] + before + events + after).bytes)
        #expect(stored.total.elapsedMilliseconds == 120_000 && stored.samples.count == 123)
        #expect((350...370).contains(stored.total.distanceMetres), "\(stored.total.distanceMetres) m")
    }

    @Test func recordsOfAManualPauseSurviveAnExport() throws {
        let path = "Tests/Data/field/K10-fit-records-in-a-pause/recinpause-k4-t1.fit"
        let file = try ReadFile([UInt8](Data(contentsOf: Checkout.root.appending(path: path))))
        let written = try WrittenFile(.fit, file.recording, file.rows)
        let again = try ReadFile(written.bytes)
        #expect(again.samples.count == file.samples.count)
        #expect(again.recording.total.elapsedMilliseconds == 120_000)
    }

    @Test func unmarkedPauseIsThatOfTheSession() throws {
        let before = (0...60).map { MadeFit.record($0, metres: Double($0) * 3) }
        let after = (61...120).map { MadeFit.record($0 + 300, metres: Double($0) * 3) }
        let session = MadeFit.session(0, seconds: 120, elapsed: 420, metres: 360)
        let stored = try Stored(MadeFit([MadeFit.fileID] + before + after + [session]).bytes)
        #expect(stored.total.elapsedMilliseconds == 120_000 && stored.recording.totalMilliseconds == 420_000)
        #expect(stored.samples.count == 121)
    }

    @Test func pauseOfTCXIsThatOfTheTotalTime() throws {
        let stored = try Stored("K14-tcx-pause-by-total-time/tcx-pause.tcx")
        #expect(stored.total.elapsedMilliseconds == 120_000 && stored.total.distanceMetres == 360)
        #expect(stored.recording.totalMilliseconds == 720_000)
    }
}
