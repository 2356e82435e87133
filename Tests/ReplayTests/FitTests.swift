import Domain
import Formats
import Foundation
import TestKit
import Testing

/// Recordings of devices and our own, exported as FIT and imported again, checked by independent readers.
@Suite struct FitTests {
    static let files = ReferenceFile.all(in: "fit", ".fit")
    /// Damaged and unusual files.
    static let oddFiles = ReferenceFile.all(in: "fit/robustness", ".fit")

    private let directory: TemporaryDirectory
    private let check: Checker

    init() throws {
        directory = TemporaryDirectory()
        check = try Checker("check_fit")
    }

    @Test(arguments: files + oddFiles)
    func deviceRecordingIsUnchangedByAnExport(file: ReferenceFile) throws {
        guard let first = try? FitFile(file.bytes(), pieces: 4096) else {
            #expect(Self.refused.keys.contains(file.name))
            return
        }
        let exported = try FitFile.export(first.recording, first.rows)
        let second = try FitFile(exported)
        let third = try FitFile(FitFile.export(second.recording, second.rows))

        #expect(first.rowsWithoutLaps == second.rowsWithoutLaps)
        #expect(second.rows == third.rows)
        #expect(second.recording.laps == third.recording.laps)
        #expect(second.recording.total == third.recording.total)
        #expect(first.recording.isTimeUncertain || first.recording.started == second.recording.started)
        #expect(first.recording.sport == second.recording.sport)
        #expect(first.recording.isIndoor == second.recording.isIndoor)
        let copy = directory("exported.fit")
        try Data(exported).write(to: URL(filePath: copy))
        try expectNothing(of: [file.name.contains("autopause") ? "kept" : "valid", copy])
        // Garmin's reader does not support compressed timestamps.
        if !file.name.contains("compressed") { try expectNothing(of: ["same", file.url.path, copy]) }
    }

    private func expectNothing(of arguments: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let complaints = try check(arguments)
        #expect(complaints == "", sourceLocation: sourceLocation)
    }

    /// Except a file whose owner trimmed its records but not its events.
    @Test(arguments: files.filter { $0.name != "walk-fr55-0.7km.fit" })
    func deviceTotalsMatchTheComputedOnes(file: ReferenceFile) throws {
        let recording = try FitFile(file.bytes()).recording
        let claim = try #require(recording.sourceTotals)
        let elapsed = try #require(claim.elapsedMilliseconds)
        #expect(abs(recording.total.elapsedMilliseconds - elapsed) <= 2000)
        let metres = try #require(claim.distanceMetres)
        #expect(abs(recording.total.distanceMetres - metres) < 1.5)
        if let average = claim.averageHeartRate {
            let ours = try #require(recording.total.averageHeartRate)
            #expect(abs(ours - average) < 1)
        }
    }

    @Test(arguments: oddFiles) func oddFileIsReadOrRejectedWithItsPosition(file: ReferenceFile) throws {
        let bytes = try file.bytes()
        let failure = try Self.failure(of: bytes)
        #expect(failure?.description == Self.refused[file.name])
    }

    private static func failure(of bytes: [UInt8]) throws -> FileError? {
        do {
            _ = try FitFile(bytes)
            return nil
        } catch let failure as FileError {
            return failure
        }
    }

    /// The errors of files that Garmin's reader or fitdecode reject too.
    private static let refused = [
        "activity-activity-filecrc.fit": "byte 1540: the checksum of the file is wrong",
        "activity-filecrc.fit": "byte 769: the checksum of the file is wrong",
        "activity-settings-corruptheader.fit": "byte 779: the signature .FIT is missing",
        "activity-settings-nodata.fit": "byte 786: the file ends before its messages end, at byte 851",
        "activity-unexpected-eof.fit": "byte 768: the file ends before its messages end, at byte 769",
        "lezyne-big-endian-compressed-timestamps.fit": "byte 22227: expected an architecture of 0 or 1",
        "strava-android-app-201.10-b1218918.fit": "byte 7471: the local message 11 has no definition",
    ]

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func exportedRecordingIsReadUnchangedByOtherReaders(seed: UInt64) throws {
        let made = try SyntheticRecording.run(seed: seed)
        let (path, expected) = (directory("made.fit"), directory("made.csv"))
        try Data(FitFile.export(made.recording, made.rows)).write(to: URL(filePath: path))
        try made.lines.joined(separator: "\n").write(toFile: expected, atomically: true, encoding: .utf8)
        try expectNothing(of: ["valid", path])
        try expectNothing(of: ["rows", path, expected])

        let read = try FitFile([UInt8](Data(contentsOf: URL(filePath: path))))
        #expect(read.recording.laps.map(\.trigger) == made.recording.laps.map(\.trigger))
        #expect(read.recording.sensors == made.recording.sensors)
        #expect(read.recording.sourceTotals?.elapsedMilliseconds == made.recording.total.elapsedMilliseconds)
        #expect(read.recording.sourceTotals?.totalMilliseconds == made.recording.totalMilliseconds)
        #expect(read.recording.sourceTotals?.creator?.text == "paced")
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func otherReadersReadTheEffortAndTheSensorsOfARide(seed: UInt64) throws {
        let made = SyntheticRecording.ride(seed: seed)
        let path = directory("ride.fit")
        try Data(FitFile.export(made.recording, made.rows)).write(to: URL(filePath: path))
        try expectNothing(of: ["valid", path])
        let devices = try check(["totals", path])
        #expect(
            devices == """
                1,1,bluetooth_low_energy,,Polar H10 00000001,12345,,80,good;\
                2,3,bluetooth_low_energy,favero_electronics,Assioma 17287L,17287,4.25,64,good;\
                2,2,bluetooth_low_energy,favero_electronics,Assioma 17287L,17287,4.25,64,good;\
                3,7,bluetooth_low_energy,,KICKR,,,,;4,4,local,,bmp280,,,,

                """)

        let read = try FitFile([UInt8](Data(contentsOf: URL(filePath: path))))
        var sensors = made.recording.sensors
        // A file has one text for both.
        sensors[2].name = sensors[2].model
        sensors[2].model = nil
        #expect(read.recording.sensors == sensors)
        #expect(read.samples.map(\.power) == made.samples.map(\.power))
        #expect(read.samples.map(\.cadence) == made.samples.map(\.cadence))
        #expect(read.samples.map(\.leftBalance) == made.samples.map(\.leftBalance))
        #expect(read.samples.map(\.temperature) == made.samples.map(\.temperature))
        let (total, expected) = (read.recording.total, made.recording.total)
        #expect(total.maximumPower == expected.maximumPower && total.maximumCadence == expected.maximumCadence)
        for (one, other) in [
            (total.averagePower, expected.averagePower), (total.normalizedPower, expected.normalizedPower),
            (total.averageCadence, expected.averageCadence),
        ] {
            #expect(abs((one ?? -1) - (other ?? -2)) < 0.5)
        }
        #expect(read.recording.sourceTotals?.maximumPower == expected.maximumPower)
        #expect(abs((read.recording.sourceTotals?.normalizedPower ?? 0) - (expected.normalizedPower ?? -1)) <= 0.5)
    }

    @Test func sumsAreCorrectWithManyPauses() throws {
        var random = SeededRandom(seed: 5)
        var made = SyntheticRecording(seed: 5)
        made.begin(.command)
        for _ in 0..<100 {
            made.run(seconds: Int(random.uniform() * 20), part: Int64(random.uniform() * 10) * 100)
            made.pause(milliseconds: Int64(random.uniform() * 90_000), .command, .auto)
            if random.uniform() < 0.3 { made.lap(.command) }
        }
        made.run(seconds: 10)
        made.end(.command)
        let path = directory("pauses.fit")
        try Data(FitFile.export(made.recording, made.rows)).write(to: URL(filePath: path))
        try expectNothing(of: ["valid", path])
    }

    @Test func recordingWithoutASecondIsAValidActivity() throws {
        var empty = Domain.RecordedActivity(sport: .other, started: UTC(year: 2026, month: 3, day: 1))
        empty.totalMilliseconds = 700
        let (path, other) = (directory("empty.fit"), directory("timer.fit"))
        try Data(FitFile.export(empty, [])).write(to: URL(filePath: path))
        let rows: [RecordingRow] = [.begin(at: 0, .command), .end(at: 700, .command)]
        try Data(FitFile.export(empty, rows)).write(to: URL(filePath: other))
        try expectNothing(of: ["valid", path, other])
    }

    /// Tests the checker: it must report broken files.
    @Test func checkerReportsBrokenFiles() throws {
        let made = try SyntheticRecording.run(seed: 1)
        let whole = try FitFile.export(made.recording, made.rows)
        var flipped = whole
        flipped[whole.count / 2] ^= 4
        var shorter = made.recording
        shorter.total.distanceMetres -= 1
        var lapless = made.recording
        lapless.total.averageHeartRate = 100
        var twice = made.rows
        twice.insert(.begin(at: 1000, .command), at: 2)
        let broken: [(String, [UInt8])] = [
            ("flipped", flipped), ("truncated", whole.dropLast(10)),
            ("shorter", try FitFile.export(shorter, made.rows)),
            ("heart", try FitFile.export(lapless, made.rows)), ("twice", try FitFile.export(made.recording, twice)),
        ]
        for (name, bytes) in broken {
            let path = directory(name + ".fit")
            try Data(bytes).write(to: URL(filePath: path))
            #expect(try check(["valid", path]) != "", "\(name)")
        }
        let (path, other) = (directory("whole.fit"), directory("other.fit"))
        try Data(whole).write(to: URL(filePath: path))
        try Data(FitFile.export(made.recording, Array(made.rows.dropLast(3)))).write(to: URL(filePath: other))
        try expectNothing(of: ["same", path, path])
        #expect(try check(["same", path, other]) != "")
    }
}

extension SyntheticRecording {
    /// A line each second in the checker's format, then the beats.
    fileprivate var lines: [String] {
        let start = Int64((Double(recording.started.milliseconds) / 1000).rounded())
        let seconds = rows.compactMap { row -> String? in
            guard case .sample(let sample) = row else { return nil }
            let elapsed = sample.elapsedMilliseconds
            let paused = Int64((Double(sample.at - elapsed) / 1000).rounded())
            let words: [Any?] = [
                start + elapsed / 1000 + paused, sample.coordinate?.latitude, sample.coordinate?.longitude,
                sample.distanceMetres, sample.heartRate,
            ]
            return words.map { $0.map { "\($0)" } ?? "" }.joined(separator: ",")
        }
        let beats = rows.flatMap { if case .beats(_, let rr, _) = $0 { rr } else { [UInt16]() } }
        let milliseconds = beats.map { String(Int((Double($0) * 1000 / 1024).rounded())) }
        return seconds + ["rr," + milliseconds.joined(separator: ",")]
    }
}

extension FitFile {
    /// A file may contain its laps too late for rows.
    fileprivate var rowsWithoutLaps: [RecordingRow] {
        rows.filter { if case .lap = $0 { false } else { true } }
    }
}
