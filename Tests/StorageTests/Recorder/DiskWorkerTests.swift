import Domain
import Formats
import Foundation
import Linux
import Pipeline
import SQLite
import Storage
import TestKit
import Testing
import Wire

struct DiskWorkerTests {
    private let stage: JournalFixture
    private let loop: EventLoop
    private let diskWorker: DiskWorker

    init() throws {
        stage = try JournalFixture()
        loop = try EventLoop()
        diskWorker = try DiskWorker(in: stage.directory.path, loop: loop)
    }

    /// Submits a request, and runs the loop until the reply arrives.
    private func ask(_ question: DiskRequest) throws -> Result<DiskReply, DiskWorker.Failure> {
        var reports: Result<DiskReply, DiskWorker.Failure>?
        #expect(diskWorker.submit(question) { reports = $0 })
        #expect(reports == nil, "the answer comes later")
        #expect(loop.turn(until: { reports != nil }))
        return try #require(reports)
    }

    private func record(_ steps: Int = 10) {
        stage.begin()
        stage.record(steps)
        stage.end()
    }

    private func file(_ format: ExportFormat, of id: Int, in directory: String) throws -> String? {
        guard
            case .exported(let path, _) = try ask(
                .export(PendingExport(activity: id, format: format), directory: directory)
            ).get()
        else { return nil }
        return path
    }

    @Test func openAndClosedActivitiesAreReadDuringRecording() throws {
        record()
        stage.begin()
        stage.record(7)
        guard case .list(let list) = try ask(.list(limit: 10, before: nil)).get() else { throw Wrong() }
        #expect(list.map(\.id) == [2, 1] && list.map(\.isOpen) == [true, false])
        #expect(try ask(.list(limit: 10, before: 2)).get() == .list([list[1]]))
        guard case .activity(let summary, let recording) = try ask(.activity(1)).get() else { throw Wrong() }
        var expected = stage.run(1).recording(after: 10)
        expected.uuid = summary.uuid
        #expect(summary == list[1] && recording == expected && expected.uuid != nil)
        let request = Track.Request(activity: 2, from: 1000)
        #expect(try ask(.track(request)).get() == .track(Track(request, of: RowList((0..<7).map(stage.run.row)))))
        #expect(try ask(.activity(3)).get() == .nothing && ask(.track(Track.Request(activity: 3))).get() == .nothing)
    }

    @Test func missingJournalIsEmptyAndDamagedOneFails() throws {
        #expect(try ask(.list(limit: 10, before: nil)).get() == .list([]) && ask(.activity(1)).get() == .nothing)
        #expect(try ask(.orders()).get() == .orders([]))
        try Data("no database, whatever its name says".utf8).write(to: URL(fileURLWithPath: stage.path))
        guard case .failure(let trouble) = try ask(.list(limit: 10, before: nil)) else { throw Wrong() }
        #expect(!trouble.description.isEmpty)
    }

    @Test func pendingRequestsAreLimited() {
        var reports = 0
        let taken = (0..<40).count { _ in diskWorker.submit(.orders()) { _ in reports += 1 } }
        #expect(taken == DiskWorker.limit)
        #expect(loop.turn(until: { reports == taken }))
        #expect(diskWorker.submit(.orders()) { _ in })
        diskWorker.close()
    }

    @Test func exportsArePendingOnlyForClosedActivities() throws {
        record()
        stage.begin()
        stage.record(3)
        let order = PendingExport(activity: 1, format: .fit)
        for change: JournalChange in [
            .export(activity: 1, .fit), .export(activity: 1, .fit), .export(activity: 2, .gpx),
        ] {
            stage.journal.append(change, at: stage.clock.now)
        }
        stage.turn()
        #expect(try ask(.orders()).get() == .orders([order]))
        // They survive a restart.
        try stage.restart()
        #expect(try ask(.orders()).get() == .orders([order]))
        stage.journal.append(.exported(activity: 1, .fit), at: stage.clock.now)
        stage.journal.append(.delete(activity: 2), at: stage.clock.now)
        for _ in 0..<20 { stage.turn() }
        #expect(try ask(.orders()).get() == .orders([]))
        #expect(try stage.database().integer("SELECT count(*) FROM export") == 0)
    }

    @Test func demoIsExportedOnlyByADemoThatHasTheJournalForItself() throws {
        record()
        stage.journal.append(.export(activity: 1, .fit), at: stage.clock.now)
        stage.turn()
        let order = DiskReply.orders([PendingExport(activity: 1, format: .fit)])
        #expect(try ask(.orders(ofDemo: true)).get() == order)
        try stage.database().execute("UPDATE activity SET demo = 1")
        #expect(try ask(.orders()).get() == .orders([]))
        #expect(try ask(.orders(ofDemo: true)).get() == order)
        #expect(try JournalReader(in: stage.directory.path).totals().isEmpty)
        record()
        #expect(try ask(.orders(ofDemo: true)).get() == .orders([]))
    }

    @Test func exportDoesNotOverwriteExistingFiles() throws {
        record()
        let directory = stage.directory.path + "/to/exports"
        let first = try #require(try file(.csv, of: 1, in: directory))
        #expect(first == directory + "/2026-03-01-0730-run.csv")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: first))
        #expect(try file(.csv, of: 1, in: directory) == directory + "/2026-03-01-0730-run-2.csv")
        #expect(try file(.csv, of: 1, in: directory) == directory + "/2026-03-01-0730-run-3.csv")
        #expect(try String(contentsOfFile: first, encoding: .utf8) == "mine")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 3)
        #expect(try file(.csv, of: 9, in: directory) == nil)
    }

    @Test func failedExportChangesNoFile() throws {
        record()
        let taken = stage.directory.path + "/file"
        try Data().write(to: URL(fileURLWithPath: taken))
        guard case .failure = try ask(.export(PendingExport(activity: 1, format: .fit), directory: taken)) else {
            throw Wrong()
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: taken)).isEmpty)
    }

    @Test func changesCompleteWhenTheyAreOnTheDisk() throws {
        var (done, heard) = ([Int](), 0)
        let source = try stage.journal.watch(in: loop) { heard += 1 }
        record()
        loop.settle()
        #expect(stage.journal.append(.edit(activity: 1, .walk, nil), at: stage.clock.now) { done.append(1) })
        #expect(stage.journal.append(.delete(activity: 1), at: stage.clock.now) { done.append(2) })
        loop.settle()
        #expect(done.isEmpty && heard > 0)
        stage.turn()
        loop.settle()
        #expect(done == [1, 2])
        #expect(try stage.reader().summary(of: 1) == nil)
        // Written changes are not waited for.
        #expect(stage.journal.whenWritten { done.append(3) })
        loop.settle()
        #expect(done == [1, 2, 3])
        withExtendedLifetime(source) {}
    }

    @Test(
        arguments: [
            .outage(Outage(duration: .seconds(10), isSameBoot: true, settings: Settings())), .shutdown,
        ] as [InputLogEntry.Kind])
    func outageOfAResumedPartAndShutdownAreAwaited(kind: InputLogEntry.Kind) throws {
        var isWritten = false
        let source = try stage.journal.watch(in: loop) {}
        record()
        let part = BootSegment(number: 1, bootID: "boot", at: stage.clock.now, beginsAt: 60_000, place: 10)
        stage.journal.resume(stage.run.recording, part, rows: 10, at: stage.clock.now)
        // The writer may pop the part before its outage is appended.
        stage.turn()
        stage.journal.write(InputLogEntry(at: stage.clock.now, kind), at: stage.clock.now)
        #expect(stage.journal.whenWritten { isWritten = true })
        loop.settle()
        #expect(!isWritten)
        stage.turn()
        loop.settle()
        #expect(isWritten)
        withExtendedLifetime(source) {}
    }

    @Test func journalOfTheFirstSchemaIsMigrated() throws {
        do {
            let database = try stage.database()
            try database.execute("PRAGMA journal_mode = WAL")
            try JournalSchema.migrate(database, steps: Array(JournalSchema.steps.prefix(1)))
        }
        record()
        stage.journal.append(.export(activity: 1, .fit), at: stage.clock.now)
        stage.turn()
        #expect(try ask(.orders()).get() == .orders([PendingExport(activity: 1, format: .fit)]))
        #expect(stage.journal.refusals == 0)
    }

    private struct Wrong: Error {}
}

extension JournalFixture {
    /// The run of an activity in this fixture.
    fileprivate func run(_ activity: Int) -> SyntheticRun {
        SyntheticRun(activity: activity)
    }
}
