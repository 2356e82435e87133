import Domain
import Foundation
import Linux
import Pipeline
import SQLite
import Storage
import TestKit
import Testing

/// Recovery of damaged journals.
struct RecoveryTests {
    private let stage: JournalFixture

    init() throws {
        stage = try JournalFixture()
    }

    @Test func damagedPageLosesOnlyItsRows() throws {
        let runs = (0..<4).map { _ in stage.recordActivity(400) }
        try stage.restart()
        try stage.checkpoint()
        let pages = try stage.pages(of: "record")
        try stage.overwrite(page: pages[pages.count / 2 + 1])
        let preparation = try stage.restart()
        #expect(preparation.damaged != nil && preparation.nextActivity == 5)
        #expect(try stage.ids() == [])
        let lines = try stage.recover()
        #expect(try stage.ids() == [4, 3, 2, 1])
        let summaries = try stage.reader().list(limit: 9)
        #expect(summaries.allSatisfy { $0.recovered != nil && !$0.isOpen })
        let lost = summaries.filter { $0.recovered?.lostRows ?? 0 > 0 }
        #expect(lost.count <= 2 && lost.count >= 1)
        for summary in summaries {
            let run = runs[summary.id - 1]
            #expect(try stage.entries(of: summary.id) == (0..<400).map(run.entry))
            let rows = try stage.rows(of: summary.id)
            #expect(rows.count + (summary.recovered?.lostRows ?? 0) == 400)
            #expect(rows.allSatisfy { row in (0..<400).contains { run.row($0) == row } })
            #expect(try !stage.export(summary.id).isEmpty)
            #expect(summary.total == run.recording(after: 400).total && summary.started == SyntheticRun.began)
        }
        let count = try #require(lost[0].recovered).lostRows
        #expect(lines.contains { $0.contains("activity \(lost[0].id) is recovered; \(count) rows") })
        #expect(lines.last?.contains("4 activities are copied, 0 were there already, 0 cannot be read") == true)
        #expect(stage.journal.nextActivity == 5)
    }

    @Test func sensorsPowerAndCadenceAreRecovered() throws {
        let made = SyntheticRecording.ride(seed: 3)
        stage.begin()
        for row in made.rows { stage.journal.write(row, at: stage.clock.now) }
        var recording = made.recording
        recording.id = 1
        recording.started = SyntheticRun.began
        recording.total.powerZones = ZoneTimes(milliseconds: [0, 700_000, 20_000])
        recording.total.bestPowers[0] = 291.5
        stage.journal.end(recording, gaps: 0, at: stage.clock.now)
        stage.turn()
        recording = try #require(try stage.reader().recording(1))
        #expect(recording.sensors == made.recording.sensors)
        try stage.restart()
        try stage.checkpoint()
        // Only the header is lost.
        try stage.overwrite(page: 1)
        #expect(try stage.restart().damaged != nil)
        try stage.recover()
        let id = try #require(try stage.ids().first)
        var recovered = try #require(try stage.reader().recording(id))
        recovered.id = 1
        #expect(recovered == recording)
        #expect(try stage.rows(of: id) == made.rows)
    }

    @Test func settingsNumbersEventsAndOpenRunAreRescuedAtTheStart() throws {
        stage.journal.append(.setting(JournalSetting(name: "metric", value: "true")), at: stage.clock.now)
        stage.recordActivity(100)
        stage.begin()
        let line = Array(#"{"class":"EVENT","seq":41,"boot_ms":1,"event":"start"}"#.utf8)
        stage.journal.append(.event(sequence: 41, activity: 2, at: stage.clock.now, line: line), at: stage.clock.now)
        stage.record(300)
        let time = UTC(milliseconds: SyntheticRun.began.milliseconds + 1)
        stage.journal.append(.clock(bootID: "boot", at: stage.clock.now, time, .receiver), at: stage.clock.now)
        stage.turn()
        let before = try #require(try stage.restart().open)
        let run = stage.run
        try stage.checkpoint()
        // The earlier run loses a page.
        try stage.overwrite(page: stage.pages(of: "record")[0])
        let preparation = try stage.restart()
        #expect(preparation.damaged?.rescued == "1 settings, open activity 2")
        #expect(preparation.settings == [JournalSetting(name: "metric", value: "true")])
        #expect(preparation.events.map(\.sequence) == [41] && preparation.events.map(\.line) == [line])
        #expect(preparation.nextActivity == 3)
        #expect(preparation.open == before)
        #expect(try stage.entries(of: 2) == (0..<300).map(run.entry))
        // It continues while the other one is copied, and is not copied again.
        let part = BootSegment(number: 1, bootID: "boot", at: stage.clock.now, beginsAt: before.lastAt, place: 300)
        stage.journal.resume(before.recording, part, rows: before.rows, at: stage.clock.now)
        stage.record(10)
        try stage.recover()
        #expect(try stage.ids() == [2, 1])
        #expect(try stage.entries(of: 2).count == 310 && stage.rows(of: 2).count == 310)
        #expect(try stage.reader().summary(of: 1)?.recovered?.lostRows ?? 0 > 0)
    }

    @Test(arguments: 0..<12)
    func interruptedRecoveryRepeatsAndLosesNothing(turns: Int) throws {
        let runs = (0..<3).map { _ in stage.recordActivity(900) }
        try stage.restart()
        try stage.checkpoint()
        try stage.overwrite(page: stage.pages(of: "clock").first ?? stage.pages(of: "event")[0])
        #expect(try stage.restart().damaged != nil)
        for _ in 0..<turns { stage.turn() }
        let known = try stage.ids()
        // An unfinished copy is in no list.
        #expect(try known.allSatisfy { id in try stage.rows(of: id).count == 900 })
        try stage.restart()
        try stage.recover()
        #expect(try stage.ids() == [3, 2, 1])
        for (index, run) in runs.enumerated() {
            #expect(try stage.rows(of: index + 1) == (0..<900).map(run.row))
            #expect(try stage.entries(of: index + 1) == (0..<900).map(run.entry))
        }
        #expect(try stage.database().integer("SELECT count(*) FROM record") == 2700)
    }

    @Test func takenNumberBecomesAnotherAndBothAreReported() throws {
        stage.recordActivity(100)
        let second = stage.recordActivity(150)
        try stage.restart()
        try stage.checkpoint()
        // Without its first page and its numbers, the new journal starts with 1.
        let old = stage.directory.path + "/old.sqlite"
        try FileManager.default.moveItem(atPath: stage.path, toPath: old)
        for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: stage.path + ending) }
        try stage.restart()
        stage.recordActivity(20)
        stage.recordActivity(30)
        stage.journal.append(.recover(file: "old.sqlite"), at: stage.clock.now)
        let lines = try stage.recover()
        let ids = try stage.ids()
        #expect(ids == [4, 3, 2, 1] && stage.journal.nextActivity == 5)
        #expect(try stage.reader().summary(of: 3)?.recovered == RecoveryNote(formerID: 2, lostRows: 0))
        #expect(try stage.rows(of: 3) == (0..<150).map(second.row))
        #expect(lines.contains { $0.contains("activity 2 is recovered as activity 3: number 2 is in use") })
        // A second recovery finds everything present.
        stage.journal.append(.recover(file: "old.sqlite"), at: stage.clock.now)
        try stage.recover()
        #expect(try stage.ids() == ids)
    }

    @Test func sameActivityIsNotCopiedTwice() throws {
        stage.recordActivity(100)
        try stage.restart()
        try stage.checkpoint()
        try FileManager.default.copyItem(atPath: stage.path, toPath: stage.directory.path + "/copy.sqlite")
        stage.journal.append(.edit(activity: 1, .hike, SanitizedText("The hill")), at: stage.clock.now)
        stage.journal.append(.recover(file: "copy.sqlite"), at: stage.clock.now)
        let lines = try stage.recover()
        #expect(try stage.ids() == [1])
        #expect(lines.contains("copy.sqlite: activity 1 is not copied: the journal has it as activity 1"))
    }

    @Test func deletedActivityIsNotRecovered() throws {
        for _ in 0..<3 { stage.recordActivity(200) }
        stage.journal.delete(2, at: stage.clock.now)
        // The first run of the writer condemns it, and has not erased all of its rows.
        let writer = try stage.database()
        stage.turn()
        try stage.checkpoint()
        let left = try #require(try writer.integer("SELECT count(*) FROM input WHERE key >> 32 = 2"))
        #expect(try writer.integer("SELECT count(*) FROM condemned") == 1 && left >= 0)
        // Only the list of deleted activities distinguishes a deleted one from one whose row is lost.
        let page = try #require(try stage.pages(of: "activity").first)
        try stage.restart()
        try stage.overwrite(page: page)
        _ = try stage.restart()
        try stage.recover()
        #expect(try stage.ids() == [3, 1])
        #expect(try stage.database().integer("SELECT count(*) FROM record WHERE key >> 32 = 2") == 0)
    }

    @Test func activityWithoutItsRowIsRebuiltFromItsEntries() throws {
        let run = stage.recordActivity(300)
        stage.journal.append(
            .clock(bootID: "boot", at: run.start, SyntheticRun.began, .receiver), at: stage.clock.now)
        stage.turn()
        try stage.restart()
        try stage.checkpoint()
        try stage.overwrite(page: stage.pages(of: "activity")[0])
        _ = try stage.restart()
        try stage.recover()
        let summary = try #require(try stage.reader().summary(of: 1))
        #expect(summary.started == SyntheticRun.began && summary.total.elapsedMilliseconds == 149_000)
        #expect(summary.total.distanceMetres == 447 && summary.laps == 1 && summary.recovered?.lostRows == 0)
        #expect(try stage.rows(of: 1).dropLast() == (0..<300).map(run.row)[...])
        #expect(try stage.rows(of: 1).last == .end(at: 149_500, .outage))
    }

    @Test func activityWithoutItsRowKeepsItsSportAndThatItWasADemo() throws {
        stage.begin()
        var settings = Settings()
        settings.sport = .ride
        let snapshot = Pipeline(settings: settings, isDemo: true, at: stage.clock.now).snapshot
        stage.journal.write(InputLogEntry(at: stage.clock.now, .snapshot(snapshot)), at: stage.clock.now)
        stage.record(100)
        stage.end()
        try stage.restart()
        try stage.checkpoint()
        try stage.overwrite(page: stage.pages(of: "activity")[0])
        _ = try stage.restart()
        try stage.recover()
        let recording = try #require(try stage.reader().recording(1))
        #expect(recording.sport == .ride && recording.isDemo)
    }

    @Test func recoveryWaitsUntilTheDiskHasSpace() throws {
        stage.recordActivity(100)
        try stage.restart()
        try stage.checkpoint()
        try FileManager.default.copyItem(atPath: stage.path, toPath: stage.directory.path + "/copy.sqlite")
        let directory = TemporaryDirectory()
        let file = try JournalFile(in: directory.path)
        let name = stage.directory.path + "/copy.sqlite"
        try JournalRecovery.enter(name, in: file)
        final class Disk { var free: Int64 = 64 << 20 - 1 }
        let disk = Disk()
        let recovery = JournalRecovery(name, in: directory.path) { _ in disk.free }
        var steps: [JournalRecovery.Step] = []
        for _ in 0..<20 { steps.append(try recovery.step(in: file)) }
        #expect(steps.suffix(10).allSatisfy { $0 == .waits })
        #expect(recovery.drainReports() == ["\(name): recovery waits until 64 MiB are free"])
        #expect(try JournalReader(in: directory.path).list(limit: 9) == [])
        disk.free = 64 << 20
        while try recovery.step(in: file) != .done {}
        #expect(try JournalReader(in: directory.path).list(limit: 9).map(\.id) == [1])
    }

    @Test func activeRunIsWrittenBeforeEachRecoveryBatch() throws {
        for _ in 0..<3 { stage.recordActivity(1500) }
        try stage.restart()
        try stage.checkpoint()
        try FileManager.default.copyItem(atPath: stage.path, toPath: stage.directory.path + "/copy.sqlite")
        for ending in JournalFixture.files { try? FileManager.default.removeItem(atPath: stage.path + ending) }
        try stage.restart()
        stage.begin()
        stage.journal.append(.recover(file: "copy.sqlite"), at: stage.clock.now)
        var longest = Duration.zero
        for count in 1...120 {
            stage.append()
            let begun = Clock.now()
            stage.turn()
            longest = max(longest, Clock.now() - begun)
            // Each run of the writer wrote all of the run before it copied a batch.
            #expect(try stage.entries(of: 1).count == count)
        }
        print("longest turn with a slice of the recovery: \(longest)")
        try stage.recover()
        #expect(try stage.ids().count == 4)
    }
}
