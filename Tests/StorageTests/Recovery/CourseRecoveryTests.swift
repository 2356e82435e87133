import Domain
import JournalCoding
import Linux
import Pipeline
import SQLite
import Storage
import TestKit
import Testing

/// Courses and partners of damaged journals.
struct CourseRecoveryTests {
    private let stage: JournalFixture
    /// On the list and loaded; its data fills many pages.
    private let long: StoredCourse
    /// Deleted from the list; activity 1 names it.
    private let unlisted: StoredCourse
    private let curve: (partner: Partner, bytes: [UInt8])

    init() throws {
        stage = try JournalFixture()
        long = try StoredCourse(
            CourseCodingTests.course(vertices: 20_000, seed: 1), name: SanitizedText("Round the lake"),
            added: SyntheticRun.began)
        unlisted = try StoredCourse(CourseCodingTests.course(seed: 2), name: nil, added: SyntheticRun.began)
        let bytes = try PartnerCurve.encoded(
            course: long.summary.hash, (0..<3000).map { (Int64($0) * 1000, Double($0) * 3) })
        let decoded = try PartnerCurve(decoding: bytes)
        let partner = LoadedPartner(hash: decoded.hash, name: SanitizedText("activity 1"), curve: decoded)
        curve = (.recorded(partner), bytes)
        try record()
    }

    /// Activity 1 on a course that was deleted since, and activity 2, which is open, on the loaded course.
    private func record() throws {
        stage.turn()
        for course in [unlisted, long] { stage.journal.perform(.course(course)) { _ in } }
        stage.turn()
        stage.begin()
        write(.course(LoadedCourse(hash: unlisted.summary.hash, number: 1)))
        stage.record(300)
        stage.end()
        stage.journal.append(.course(.delete(1)), at: stage.clock.now)
        stage.journal.append(.course(.load(long.summary.hash)), at: stage.clock.now)
        stage.journal.append(.course(.partner(curve.partner, bytes: curve.bytes)), at: stage.clock.now)
        stage.turn()
        stage.begin()
        write(.course(LoadedCourse(hash: long.summary.hash, number: 2)))
        write(.partner(curve.partner))
        stage.record(300)
        try stage.restart()
        try stage.checkpoint()
    }

    private func write(_ input: Input) {
        stage.journal.write(InputLogEntry(at: stage.clock.now, .input(input)), at: stage.clock.now)
        stage.turn()
    }

    private func coursesOfEntries(_ activity: Int) throws -> [LoadedCourse] {
        try stage.entries(of: activity).compactMap { entry in
            if case .input(.course(let loaded)) = entry.kind { loaded } else { nil }
        }
    }

    @Test func whatIsLoadedIsRescuedAtTheStartAndTheListIsRecovered() throws {
        try stage.overwrite(page: stage.pages(of: "record")[0])
        let preparation = try stage.restart()
        #expect(preparation.damaged != nil)
        #expect(preparation.guide.course?.hash == long.summary.hash)
        #expect(preparation.guide.course?.name == SanitizedText("Round the lake"))
        #expect(preparation.guide.course?.course?.distances.count == 20_000)
        #expect(preparation.guide.partner == curve.partner)
        #expect(try coursesOfEntries(2).map { $0.course?.hash } == [long.summary.hash], "the open activity has it")
        try stage.recover()
        let list = try stage.reader().courses(limit: 9)
        #expect(list.map(\.hash) == [long.summary.hash] && list.first?.id == 2)
        #expect(try stage.reader().courseData(long.summary.hash) == long.bytes)
        #expect(try stage.reader().courseData(unlisted.summary.hash) == unlisted.bytes)
        #expect(try coursesOfEntries(1).map { $0.course?.hash } == [unlisted.summary.hash])
        // The recovered activity keeps its course until it is deleted.
        stage.journal.delete(1, at: stage.clock.now)
        for _ in 0..<8 { stage.turn() }
        #expect(try stage.reader().courseData(unlisted.summary.hash) == nil)
        #expect(try stage.reader().courseData(long.summary.hash) == long.bytes)
    }

    @Test func damagedCourseIsLostAndItsActivityStays() throws {
        let page = try stage.database().integer(
            "SELECT max(pageno) FROM dbstat WHERE name = 'course' AND pagetype = 'overflow'")
        try stage.overwrite(page: Int(try #require(page)))
        // The start finds a damaged table only where it reads it.
        try stage.overwrite(page: stage.pages(of: "record")[0])
        let preparation = try stage.restart()
        #expect(preparation.damaged != nil)
        #expect(preparation.guide.course == nil && preparation.open != nil)
        try stage.recover()
        #expect(try stage.reader().courses(limit: 9) == [])
        #expect(try stage.reader().courseData(unlisted.summary.hash) == unlisted.bytes)
        let named = try coursesOfEntries(2)
        #expect(named.map(\.hash) == [long.summary.hash] && named.first?.course == nil)
        #expect(try stage.ids().contains(1))
    }
}
