import Domain
import Glibc
import Linux
import Pipeline
import Storage

/// Measures handing one entry to the journal's thread, which drains its queue meanwhile.
func measureJournal() throws -> Measurement {
    var run = try ScriptedRun()
    let directory = try ScratchDirectory()
    let mailbox = try JournalMailbox()
    let journal = Journal(mailbox: mailbox, nextActivity: 1)
    let writer = JournalWriter(in: directory.path, mailbox: mailbox, syncSeconds: 10)
    var recording = RecordedActivity(sport: .run, started: ScriptedRun.start)
    recording.id = 1
    journal.begin(recording, BootSegment(bootID: "", at: run.now), at: run.now)
    var entry = InputLogEntry(at: run.now, .input(.fix(run.nextFix())))
    let measurement = Measurement("an entry for the journal", rounds: 600, passes: 10) {
        writer.runOnce(at: run.nextTick())
        entry = InputLogEntry(at: run.now, .input(.fix(run.nextFix())))
    } pass: {
        journal.write(entry, at: entry.at)
    }
    for name in ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "journal.reserve"] {
        unlink(directory.path + "/" + name)
    }
    return measurement
}
