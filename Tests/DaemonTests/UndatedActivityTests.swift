import Daemon
import Domain
import Formats
import Linux
import Pipeline
import Storage
import TestKit
import Testing
import Wire

/// Runs of a boot in which the time of day is unknown, or known late.
struct UndatedActivityTests {
    private let directory: TemporaryDirectory
    private let start = Instant(milliseconds: 5_000_000)

    init() throws {
        directory = TemporaryDirectory()
    }

    /// A daemon that has recorded a run of 10 s and has stopped it.
    private func recorded(_ time: Input? = nil) throws -> DaemonFixture {
        var stage = try DaemonFixture(in: directory.path, at: start)
        if let time { stage.receive(time, at: start) }
        try stage.perform(.start(.run, indoor: true), at: start + .seconds(1))
        stage.ride(10, from: start + .seconds(1), knowsTime: false)
        try stage.perform(.stop, at: start + .seconds(11))
        return stage
    }

    private func reader() throws -> JournalReader { try JournalReader(in: directory.path) }

    private static func system(at now: Instant) -> Input {
        .systemClock(DaemonFixture.time(at: now), isSynchronised: true)
    }

    @Test func filesOfAnUndatedRunWaitForItsDate() throws {
        var stage = try recorded()
        try stage.end(at: start + .seconds(12))
        #expect(try reader().recording(1)?.isTimeUncertain == true)
        #expect(try reader().orders(bootID: Clock.bootID()).isEmpty)

        // A later daemon of the same boot gets the time.
        stage = try DaemonFixture(in: directory.path, at: start + .seconds(20))
        stage.receive(Self.system(at: start + .seconds(30)), at: start + .seconds(30))
        try stage.end(at: start + .seconds(40))
        let recording = try #require(try reader().recording(1))
        #expect(!recording.isTimeUncertain && !recording.isTimeGuessed)
        #expect(recording.started == DaemonFixture.time(at: start + .seconds(1)))
        #expect(try reader().orders(bootID: Clock.bootID()) == [PendingExport(activity: 1, format: .fit)])
    }

    @Test func filesOfAnUndatedRunAreMadeInTheNextBoot() throws {
        var stage = try recorded()
        try stage.end(at: start + .seconds(12))
        #expect(try reader().orders(bootID: "another") == [PendingExport(activity: 1, format: .fit)])
        let recording = try #require(try reader().recording(1))
        #expect(ExportFormat.fit.name(of: recording) == "undated-1-run.fit")
    }

    @Test func openRunKeepsTheDateThatItGets() throws {
        var stage = try DaemonFixture(in: directory.path, at: start)
        try stage.perform(.start(.run, indoor: true), at: start)
        stage.ride(5, from: start, knowsTime: false)
        stage.receive(Self.system(at: start + .seconds(6)), at: start + .seconds(6))
        // The totals of the list are updated each 10 s.
        stage.ride(30, from: start + .seconds(7), knowsTime: false)
        try stage.end(at: nil)
        let recording = try #require(try reader().recording(1))
        #expect(!recording.isTimeUncertain)
        #expect(recording.started == DaemonFixture.time(at: start))
    }

    @Test func realTimeClockGivesAGuessThatABetterClockReplaces() throws {
        let guess = UTC(milliseconds: Release.date.milliseconds + 86_400_000)
        var stage = try recorded(.rtcClock(guess))
        #expect(stage.state.clock == .rtc)
        try stage.end(at: start + .seconds(12))
        var recording = try #require(try reader().recording(1))
        #expect(!recording.isTimeUncertain && recording.isTimeGuessed)
        #expect(recording.started == UTC(milliseconds: guess.milliseconds + 1000))
        #expect(try reader().summary(of: 1)?.isTimeGuessed == true)
        #expect(try !reader().orders(bootID: Clock.bootID()).isEmpty)

        stage = try DaemonFixture(in: directory.path, at: start + .seconds(20))
        stage.receive(Self.system(at: start + .seconds(30)), at: start + .seconds(30))
        try stage.end(at: start + .seconds(40))
        recording = try #require(try reader().recording(1))
        #expect(!recording.isTimeUncertain && !recording.isTimeGuessed)
        #expect(recording.started == DaemonFixture.time(at: start + .seconds(1)))
    }

    @Test func guessedStartOfAnOpenRunIsReplacedBeforeItsEnd() throws {
        let guess = UTC(milliseconds: Release.date.milliseconds + 86_400_000)
        var stage = try DaemonFixture(in: directory.path, at: start)
        stage.receive(.rtcClock(guess), at: start)
        try stage.perform(.start(.run, indoor: true), at: start)
        stage.receive(Self.system(at: start + .seconds(2)), at: start + .seconds(2))
        // The totals of the list are updated each 10 s.
        stage.ride(30, from: start + .seconds(3), knowsTime: false)
        try stage.end(at: nil)
        let recording = try #require(try reader().recording(1))
        #expect(!recording.isTimeUncertain && !recording.isTimeGuessed)
        #expect(recording.started == DaemonFixture.time(at: start))
    }

    @Test func stopReportsThatItsTimesAreGuessed() throws {
        for (clock, isGuess) in [
            (Input.rtcClock(Release.date), true), (Self.system(at: start), false),
        ] {
            var stage = try recorded(clock)
            try stage.end(at: start + .seconds(12))
            let summary = stage.events.compactMap { if case .stop(let summary) = $0.kind { summary } else { nil } }
            #expect(summary.map(\.isTimeGuessed) == [isGuess])
            let lines = stage.lines.map { String(decoding: $0.bytes, as: UTF8.self) }
            #expect(lines.contains { $0.contains(#""time_guessed":true"#) } == isGuess)
        }
    }

    @Test func dateIsOnTheDiskWhenTheFilesAreLookedFor() throws {
        var stage = try recorded()
        let loop = try EventLoop()
        let journal = stage.begun.recorder.journal
        let source = try journal.watch(in: loop) {}
        func isDatedOnceWritten() throws -> Bool {
            var isDated: Bool?
            _ = journal.whenWritten { isDated = try? reader().recording(1).map { !$0.isTimeUncertain } }
            while isDated == nil { try loop.runOnce(waiting: .seconds(1)) }
            return isDated == true
        }
        #expect(try !isDatedOnceWritten())
        stage.receive(Self.system(at: start + .seconds(30)), at: start + .seconds(30))
        #expect(try isDatedOnceWritten())
        withExtendedLifetime(source) {}
        try stage.end(at: start + .seconds(31))
    }

    @Test(arguments: [
        (0, 0), (1_500, 0), (-1_900, 0), (3_600_000, 0), (-7_201_000, 0), (19_800_500, 0), (3000, 3000),
        (-86_400_000, -86_400_000), (1_790_000_000_000, 1_790_000_000_000),
    ])
    func realTimeClockIsComparedWithTheSystemsClock(difference: Int64, offset: Int64) {
        let system = UTC(year: 2026, month: 12, day: 1)
        let clock = UTC(milliseconds: system.milliseconds + difference)
        #expect(UTC.offset(ofRealTimeClock: clock, from: system) == offset)
    }

    @Test func editedStartIsKept() throws {
        var stage = try recorded()
        let started = UTC(year: 2026, month: 3, day: 1)
        stage.begun.recorder.journal.append(
            .edit(activity: 1, nil, nil, started: started), at: start + .seconds(12))
        stage.receive(Self.system(at: start + .seconds(30)), at: start + .seconds(30))
        try stage.end(at: start + .seconds(31))
        let recording = try #require(try reader().recording(1))
        #expect(!recording.isTimeUncertain)
        #expect(recording.started == started)
        #expect(try reader().orders(bootID: Clock.bootID()) == [PendingExport(activity: 1, format: .fit)])
    }

    @Test(arguments: ExportFormat.allCases)
    func filesOfAnUndatedRunHaveNoTimeWhereTheFormatAllowsIt(format: ExportFormat) throws {
        let file = try SyntheticRecording.run(seed: 1)
        var recording = file.recording
        recording.started = UTC(milliseconds: 0)
        recording.isTimeUncertain = true
        var bytes: [UInt8] = []
        _ = try format.write(recording, rows: RowList(file.rows), origin: ExportMetadata(serialNumber: 1)) { piece in
            for index in piece.indices { bytes.append(piece[index]) }
        }
        if format == .fit {
            let read = try FitFile(bytes).recording
            #expect(read.isTimeUncertain && read.started == format.startOfUndated)
        } else {
            #expect(String(decoding: bytes, as: UTF8.self).contains("1970") == (format.startOfUndated != nil))
        }
    }
}
