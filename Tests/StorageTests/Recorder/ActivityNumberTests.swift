import Domain
import SQLite
import Storage
import TestKit
import Testing

/// Which number an activity gets, and that none is given twice.
struct ActivityNumberTests {
    private let stage: JournalFixture

    init() throws {
        stage = try JournalFixture()
    }

    @Test func numbersFollowTheOrderInWhichActivitiesBegin() throws {
        func perform(_ step: JournalImportStep) {
            stage.journal.perform(step) { _ in }
            stage.turn()
        }
        let first = stage.journal.takeNumber()
        perform(.begin(activity: first, at: SyntheticRun.began))
        // A run begins and is killed while the import is under way.
        stage.begin()
        stage.record(3)
        let second = stage.journal.takeNumber()
        perform(.begin(activity: second, at: SyntheticRun.began))
        perform(.abandon(activity: second))
        perform(.rows(activity: first, place: 0, [.begin(at: 0, .command)], at: SyntheticRun.began))
        var recording = stage.run.recording
        recording.id = first
        recording.uuid = nil
        perform(.finish(recording, gaps: 0))
        #expect(first == 1 && stage.run.activity == 2 && second == 3)
        #expect(stage.journal.nextActivity == 4)
        #expect(try stage.reader().list(limit: 9).map(\.id).sorted() == [1, 2])
        for _ in 0..<5 { stage.turn() }
        #expect(try stage.restart().nextActivity == 3, "the failed import was never an activity")
    }

    @Test func recoveredActivityTakesNoNumberThatIsGivenAndNotWritten() {
        var numbers = ActivityNumbers(next: 5)
        let run = numbers.take()
        #expect(run == 5 && numbers.next == 6)
        var isFree = [numbers.take(3), numbers.take(5)]
        #expect(isFree == [true, false] && numbers.next == 6)
        // The journal was replaced after the run was written.
        numbers.wrote(run)
        isFree = [numbers.take(5), numbers.take(8)]
        #expect(isFree == [true, true] && numbers.next == 9)
        // No other activity has begun since, and then another has.
        let rejected = numbers.take()
        numbers.giveBack(rejected)
        #expect(rejected == 9 && numbers.next == 9)
        numbers.giveBack(run)
        numbers.skip(to: 4)
        #expect(numbers.next == 9)
    }

    @Test func journalWithAReservedNumberIsMigrated() throws {
        let database = try SQLiteDatabase(stage.path, .writing)
        try JournalSchema.migrate(database, steps: Array(JournalSchema.steps.prefix(5)))
        // Reserved for the next run, while an import took the next one.
        try database.execute(
            """
            INSERT INTO reserved VALUES (4);
            INSERT INTO activity (id, sport, indoor, demo, imported, open, started_ms, time_uncertain, total_ms,
            elapsed_ms, moving_ms, distance_m, gaps) VALUES (5, 'run', 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)
            """)
        #expect(try JournalStartup(reading: stage.directory.path).nextActivity == 6)
        #expect(try stage.restart().nextActivity == 6)
        #expect(try stage.database().integer("SELECT count(*) FROM sqlite_schema WHERE name = 'reserved'") == 0)
        stage.begin()
        stage.turn()
        #expect(try stage.reader().list(limit: 9).map(\.id).sorted() == [5, 6])
    }

    @Test(arguments: 1...JournalSchema.steps.count)
    func nextNumberOfAnOlderJournalIsReadWithoutMigration(version: Int) throws {
        let database = try SQLiteDatabase(stage.path, .writing)
        try JournalSchema.migrate(database, steps: Array(JournalSchema.steps.prefix(version)))
        try database.execute("INSERT INTO condemned VALUES (7)")
        #expect(try JournalStartup(reading: stage.directory.path).nextActivity == 8)
        #expect(try stage.restart().nextActivity == 8)
    }
}
