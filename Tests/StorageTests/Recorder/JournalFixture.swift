import Domain
import Foundation
import Linux
import Pipeline
import SQLite
import Storage
import TestKit

/// A journal in a temporary directory, with a writer that the test calls.
final class JournalFixture {
    let directory: TemporaryDirectory
    var clock = ManualClock()
    private(set) var journal: Journal
    private var writer: JournalWriter
    private(set) var run = SyntheticRun()
    private(set) var steps = 0

    /// - Parameter freeBytes: the free space of the disk; nil for the real one.
    init(freeBytes: Int64? = nil) throws {
        directory = TemporaryDirectory()
        let mailbox = try JournalMailbox()
        journal = Journal(mailbox: mailbox, nextActivity: 1)
        let path = directory.path
        writer =
            freeBytes.map { free in JournalWriter(in: path, mailbox: mailbox, freeBytes: { _ in free }) }
            ?? JournalWriter(in: path, mailbox: mailbox)
    }

    var path: String { directory.path + "/journal.sqlite" }

    /// The writer runs twice a second.
    func turn(after pause: Duration = .milliseconds(500)) {
        writer.runOnce(at: clock.advance(by: pause))
    }

    func begin() {
        run = SyntheticRun(activity: journal.takeNumber(), start: clock.now, uuid: .new(at: nil))
        steps = 0
        journal.begin(run.recording, run.part, at: clock.now)
    }

    /// Records a number of steps of the run. The writer runs after each.
    func record(_ count: Int) {
        for _ in 0..<count {
            append()
            turn()
        }
    }

    func append() {
        journal.write(run.entry(steps), at: clock.now)
        journal.write(run.row(steps), at: clock.now)
        steps += 1
    }

    func end() {
        journal.end(run.recording(after: steps), gaps: 0, at: clock.now)
        turn()
    }

    /// Closes the file as an exiting program does, and starts again. The check and the rescue of a damaged
    /// journal have a minute: the sanitizers on a busy machine are too slow for the daemon's second.
    @discardableResult
    func restart() throws -> JournalStartup {
        writer = JournalWriter(in: directory.path, mailbox: try JournalMailbox())
        let preparation = try JournalStartup(
            in: directory.path, at: SyntheticRun.began, timeout: .seconds(60))
        let mailbox = try JournalMailbox()
        journal = Journal(mailbox: mailbox, nextActivity: preparation.nextActivity)
        writer = JournalWriter(in: directory.path, mailbox: mailbox)
        return preparation
    }

    func reader() throws -> JournalReader {
        try JournalReader(in: directory.path)
    }

    func entries(of id: Int) throws -> [InputLogEntry] {
        var entries: [InputLogEntry] = []
        try reader().entries(of: id) { entries.append($0) }
        return entries
    }

    func rows(of id: Int, in moments: ClosedRange<Int64> = 0...Int64.max) throws -> [RecordingRow] {
        var rows: [RecordingRow] = []
        try reader().rows(of: id).each(in: moments) { rows.append($0) }
        return rows
    }

    func database() throws -> SQLiteDatabase {
        try SQLiteDatabase(path, .writing)
    }
}
