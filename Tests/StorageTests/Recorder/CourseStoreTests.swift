import Domain
import JournalCoding
import Linux
import Pipeline
import SQLite
import Storage
import TestKit
import Testing

/// Courses in the journal.
struct CourseStoreTests {
    private let stage: JournalFixture

    init() throws {
        stage = try JournalFixture()
        stage.turn()
    }

    private static func stored(_ seed: UInt64, name: String? = nil) throws -> StoredCourse {
        try StoredCourse(
            CourseCodingTests.course(seed: seed), name: name.flatMap { SanitizedText($0) }, added: SyntheticRun.began)
    }

    /// Stores a course as the daemon does.
    private func store(_ course: StoredCourse) throws -> JournalImportOutcome {
        var outcome: Result<JournalImportOutcome, JournalImportFailure>?
        let loop = try EventLoop()
        let source = try stage.journal.watch(in: loop) {}
        stage.journal.perform(.course(course)) { outcome = $0 }
        stage.turn()
        try loop.runOnce(waiting: .seconds(5))
        withExtendedLifetime(source) {}
        return try #require(outcome).get()
    }

    private func change(_ change: CourseChange) {
        stage.journal.append(.course(change), at: stage.clock.now)
        stage.turn()
    }

    private func write(_ input: Input) {
        stage.journal.write(InputLogEntry(at: stage.clock.now, .input(input)), at: stage.clock.now)
        stage.turn()
    }

    @Test func courseIsStoredOnce() throws {
        let course = try Self.stored(1, name: "Round the lake")
        #expect(try store(course).activity == 1)
        let again = try store(try Self.stored(1, name: "Another name"))
        #expect(again.activity == 1 && again.isPresent)
        #expect(try store(try Self.stored(2)).activity == 2)
        let list = try stage.reader().courses(limit: 10)
        #expect(list.map(\.id) == [2, 1] && list.last?.name == SanitizedText("Round the lake"))
        #expect(try stage.reader().courses(limit: 10, before: 2).map(\.id) == [1])
        #expect(try stage.reader().courseData(course.summary.hash) == course.bytes)
        #expect(list.last?.vertices == 200 && list.last?.points == 3 && list.last?.sport == .ride)
    }

    @Test func courseInTheTrashIsInNoListAndIsRestoredOrErased() throws {
        for seed in 1...2 { _ = try store(try Self.stored(UInt64(seed), name: "\(seed)")) }
        for id in 1...2 { write(.trash(.put(.course, id, at: SyntheticRun.began))) }
        #expect(try stage.reader().courses(limit: 10).isEmpty && stage.reader().course(1) == nil)
        let trash = try stage.reader().courses(limit: 10, in: .trash)
        #expect(trash.map(\.id) == [2, 1] && trash.first?.trashed?.at == SyntheticRun.began)
        write(.trash(.restore(.course, 1)))
        #expect(try stage.reader().courses(limit: 10).map(\.name) == [SanitizedText("1")])
        // The same course once more takes it out, too.
        #expect(try store(try Self.stored(2)).activity == 2)
        #expect(try stage.reader().courses(limit: 10).count == 2)
        write(.trash(.put(.course, 1, at: SyntheticRun.began)))
        write(.trash(.empty))
        #expect(try stage.reader().courses(limit: 10).map(\.id) == [2])
        #expect(try stage.database().integer("SELECT count(*) FROM course") == 1)
    }

    private func write(_ change: JournalChange) {
        stage.journal.append(change, at: stage.clock.now)
        stage.turn()
    }

    @Test func courseIsRenamedAndDeleted() throws {
        let course = try Self.stored(1)
        _ = try store(course)
        change(.rename(1, SanitizedText("Home")!))
        #expect(try stage.reader().course(1)?.name == SanitizedText("Home"))
        change(.delete(1))
        #expect(try stage.reader().course(1) == nil)
        #expect(try stage.reader().courseData(course.summary.hash) == nil)
        #expect(try store(course).activity == 2, "numbers are not reused")
    }

    @Test func loadedCourseIsKeptOverARestart() throws {
        let course = try Self.stored(1, name: "Home")
        _ = try store(course)
        change(.load(course.summary.hash))
        change(.delete(1))
        let guide = try stage.restart().guide
        #expect(guide.course?.hash == course.summary.hash && guide.course?.name == SanitizedText("Home"))
        #expect(guide.course?.course?.distances.count == 200)
        change(.load(nil))
        #expect(try stage.reader().courseData(course.summary.hash) == nil)
        #expect(try stage.restart().guide == LoadedGuide())
    }

    @Test func courseOfAnActivityGoesWithTheLastOne() throws {
        let course = try Self.stored(1)
        let hash = course.summary.hash
        _ = try store(course)
        for _ in 1...2 {
            stage.begin()
            stage.record(2)
            write(.course(LoadedCourse(hash: hash, number: 1)))
            stage.end()
        }
        change(.delete(1))
        #expect(try stage.reader().courseData(hash) == course.bytes)
        for entry in try stage.entries(of: 2) {
            if case .input(.course(let loaded)) = entry.kind { #expect(loaded?.course?.hash == hash) }
        }
        stage.journal.delete(1, at: stage.clock.now)
        for _ in 0..<8 { stage.turn() }
        #expect(try stage.reader().courseData(hash) == course.bytes)
        stage.journal.delete(2, at: stage.clock.now)
        for _ in 0..<8 { stage.turn() }
        #expect(try stage.reader().courseData(hash) == nil)
        #expect(try stage.database().integer("SELECT count(*) FROM activity_course") == 0)
    }

    @Test func partnerIsKeptForTheActivityThatNamesIt() throws {
        let bytes = try PartnerCurve.encoded(course: nil, [(0, 0), (1000, 3), (2000, 6)])
        let curve = try PartnerCurve(decoding: bytes)
        let partner = Partner.recorded(LoadedPartner(hash: curve.hash, name: SanitizedText("Activity 4"), curve: curve))
        change(.partner(partner, bytes: bytes))
        #expect(try stage.restart().guide.partner == partner)
        stage.turn()
        stage.begin()
        stage.record(1)
        write(.partner(partner))
        stage.end()
        change(.partner(.pace(0.3), bytes: nil))
        #expect(try stage.reader().partnerData(curve.hash) == bytes)
        #expect(try stage.restart().guide.partner == .pace(0.3))
        stage.turn()
        #expect(try stage.entries(of: 1).contains { $0.kind == .input(.partner(partner)) })
        stage.journal.delete(1, at: stage.clock.now)
        for _ in 0..<8 { stage.turn() }
        #expect(try stage.reader().partnerData(curve.hash) == nil)
    }

    @Test func anotherCourseOfTheSameHashIsRejected() throws {
        let course = try Self.stored(1)
        _ = try store(course)
        var forged = try Self.stored(2)
        forged.summary.hash = course.summary.hash
        #expect(throws: JournalImportFailure.self) { try store(forged) }
        #expect(try stage.reader().courseData(course.summary.hash) == course.bytes)
    }

    @Test func journalOfVersion9HasNoCourses() throws {
        let stage = try JournalFixture()
        let database = try SQLiteDatabase(stage.path, .writing)
        try JournalSchema.migrate(database, steps: Array(JournalSchema.steps.prefix(9)))
        try database.execute(
            """
            INSERT INTO activity (id, sport, indoor, demo, imported, open, started_ms, time_uncertain, total_ms,
            elapsed_ms, moving_ms, distance_m, gaps) VALUES (1, 'ride', 0, 0, 1, 0, 7, 0, 2000, 2000, 1000, 9.5, 0)
            """)
        #expect(try stage.reader().courses(limit: 9).isEmpty && stage.reader().course(1) == nil)
        #expect(try stage.reader().loadedGuide() == LoadedGuide())
        #expect(try database.integer("PRAGMA user_version") == 9)
        try stage.restart()
        #expect(try database.integer("PRAGMA user_version") == JournalSchema.version)
        #expect(
            try stage.reader().courses(limit: 9).isEmpty && stage.reader().summary(of: 1)?.total.distanceMetres == 9.5)
    }
}
