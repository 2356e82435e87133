import Domain
import JSONCoding
import Link
import Linux
import Storage
import TestKit
import Testing

/// What is passed on of a journal that another process writes.
struct JournalFollowerTests {
    private let directory = TemporaryDirectory()
    private let loop: EventLoop
    private let journal: Journal
    private let run: SyntheticRun
    private let record: (Range<Int>) -> Void

    init() throws {
        loop = try EventLoop()
        let mailbox = try JournalMailbox()
        let journal = Journal(mailbox: mailbox, nextActivity: 1)
        let writer = JournalWriter(in: directory.path, mailbox: mailbox)
        var clock = ManualClock()
        let run = SyntheticRun(activity: journal.takeNumber(), start: clock.now, uuid: .new(at: nil))
        journal.begin(run.recording, run.part, at: clock.now)
        record = { steps in
            for step in steps {
                journal.write(run.entry(step), at: clock.now)
                journal.write(run.row(step), at: clock.now)
                writer.runOnce(at: clock.advance(by: .milliseconds(500)))
            }
        }
        (self.journal, self.run) = (journal, run)
        record(0..<10)
    }

    private final class Findings {
        var activities: [UUID: RowDelivery.Activity] = [:]
        var ends: [Int] = []
        var recorded: JournalReader.Recorded?
    }

    private func follower(_ level: LinkLevel = .full, _ findings: Findings) throws -> JournalFollower {
        try JournalFollower(
            directory.path, level: level, hidden: nil, surveys: true, loop: loop, log: { _, _ in },
            found: { finding in
                switch finding {
                case .activities(let activities, _): findings.activities = activities
                case .rows(_, let end): findings.ends.append(end)
                case .recorded(let recorded): findings.recorded = recorded
                }
            })
    }

    /// A power cut takes unsynced rows away, and others are recorded at their places.
    @Test func rowsArePassedOnAfterTheirSync() throws {
        let findings = Findings()
        let follower = try follower(.full, findings)
        let before = Clock.now()
        follower.look(isRunning: true, synced: nil, at: Clock.now())
        follower.look(isRunning: true, synced: before, at: Clock.now())
        #expect(findings.activities.isEmpty, "the last sync was before it was read")
        follower.look(isRunning: true, synced: Clock.now() + .seconds(1), at: Clock.now())
        let uuid = try #require(run.uuid)
        #expect(findings.activities[uuid]?.isOpen == true && findings.activities[uuid]?.end == 10)
        record(10..<14)
        follower.look(isRunning: true, synced: before, at: Clock.now())
        follower.look(isRunning: true, synced: before, at: Clock.now())
        #expect(findings.ends.max() ?? 0 < 14)
        for _ in 0..<2 { follower.look(isRunning: true, synced: Clock.now() + .seconds(1), at: Clock.now()) }
        #expect(findings.ends.last == 14)
    }

    @Test func batchHasTheRowsWithTheirPlaces() throws {
        let follower = try follower(.full, Findings())
        follower.look(isRunning: true, synced: nil, at: Clock.now())
        let batch = try #require(try follower.batch(of: run.activity, from: 3, to: 9, limit: 60_000))
        let rows = try JSON(parsing: [UInt8(ascii: "[")] + batch.rows + [UInt8(ascii: "]")]).array ?? []
        #expect(rows.compactMap { $0["n"]?.integer } == Array(3..<9) && batch.next == 9)
        // A small batch ends early, and says where it goes on.
        let small = try #require(try follower.batch(of: run.activity, from: 3, to: 9, limit: 1))
        #expect(small.next == 4)
    }

    @Test func levelBelowFullHasNoHeart() throws {
        let follower = try follower(.position, Findings())
        follower.look(isRunning: true, synced: nil, at: Clock.now())
        let batch = try #require(try follower.batch(of: run.activity, from: 0, to: 10, limit: 60_000))
        let text = String(decoding: batch.rows, as: UTF8.self)
        #expect(!text.contains("bpm") && !text.contains("rr_1024") && text.contains("latitude"))
        #expect(batch.next == 10)
    }
}
