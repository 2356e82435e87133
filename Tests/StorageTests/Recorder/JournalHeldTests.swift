import Domain
import Foundation
import Linux
import Storage
import TestKit
import Testing

/// A journal whose directory is not ready yet.
struct JournalHeldTests {
    @Test func writingWaitsForTheDirectoryAndTheNumbers() throws {
        let directory = TemporaryDirectory()
        let mailbox = try JournalMailbox()
        let journal = Journal(mailbox: mailbox, nextActivity: Renumbering.firstUnknownActivity)
        mailbox.queue.withLock { $0.isHeld = true }
        mailbox.status.withLock { $0.isPrepared = false }
        let attempts = Locked(0)
        let writer = JournalWriter(in: directory.path, mailbox: mailbox) {
            attempts.withLock { count in
                count += 1
                return count < 3 ? "attempt \(count) fails" : nil
            }
        }
        var clock = ManualClock()
        #expect(journal.status(at: clock.now).state == .stalled)
        var run = SyntheticRun(activity: journal.takeNumber(), start: clock.now)
        journal.begin(run.recording, run.part, at: clock.now)
        journal.write(run.row(0), at: clock.now)
        writer.runOnce(at: clock.now)
        #expect(journal.status(at: clock.now).message == "attempt 1 fails, keeping up to 10 min in memory")
        #expect(journal.status(at: clock.now).state == .failed)
        // Every second, not in every run of the writer.
        writer.runOnce(at: clock.advance(by: .milliseconds(500)))
        #expect(attempts.withLock { $0 } == 1)
        writer.runOnce(at: clock.advance(by: .milliseconds(500)))
        writer.runOnce(at: clock.advance(by: .seconds(1)))
        #expect(attempts.withLock { $0 } == 3)
        writer.runOnce(at: clock.advance(by: .seconds(1)))
        #expect(attempts.withLock { $0 } == 3)
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/journal.sqlite"))
        journal.renumber(
            Renumbering(
                activities: .init(from: Renumbering.firstUnknownActivity, to: 7), events: .init(from: 1, to: 1)))
        journal.startWriting()
        writer.runOnce(at: clock.advance(by: .milliseconds(500)))
        run = SyntheticRun(activity: 7, start: run.start)
        #expect(journal.open?.activity == 7 && journal.nextActivity == 8)
        let reader = try JournalReader(in: directory.path)
        #expect(try reader.list(limit: 10).map(\.id) == [7])
        #expect(journal.status(at: clock.now).state == .writing)
    }
}
