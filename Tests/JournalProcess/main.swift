import Domain
import Foundation
import Linux
import Storage
import TestKit

// Records a synthetic run and says what it does on standard output, a line each:
//
//     step K BOOT_NS      entry and row K were handed to the journal at that moment
//     state WORD MESSAGE  the journal's state changed
//     end WORST_NS CLOSED CLOSE_MS   the longest that the loop's side took, whether all was written, how long closing took
//
//     JournalProcess live DIR STEPS STEP_MS SYNC_SECONDS   in real time; also ended by the end of its input
//     JournalProcess minutes DIR SYNC_SECONDS COUNT         as fast as the disk goes; says how many kB were written

func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}

func live(_ directory: String, steps: Int, step: Duration, syncSeconds: Int) throws {
    let preparation = try JournalStartup(in: directory, at: Clock.systemTime())
    let journal = try Journal(in: directory, syncSeconds: syncSeconds) { nil }
    let first = Renumbering.firstUnknownActivity
    journal.renumber(
        Renumbering(activities: .init(from: first, to: preparation.nextActivity), events: .init(from: 1, to: 1)))
    journal.startWriting()
    let run = SyntheticRun(activity: journal.takeNumber(), start: Clock.now(), step: step)
    journal.begin(run.recording, run.part, at: run.start)
    var worst = Duration.zero
    var state = ""
    for place in 0..<steps {
        var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        let rest = (run.moment(place) - Clock.now()).wholeMilliseconds
        if poll(&input, 1, Int32(max(rest, 0))) > 0 { break }
        let now = Clock.now()
        journal.write(run.entry(place), at: now)
        journal.write(run.row(place), at: now)
        let status = journal.status(at: now)
        worst = max(worst, Clock.now() - now)
        say("step \(place) \(now.nanoseconds)")
        let words = "\(status.state.rawValue) \(status.message ?? "")"
        if words != state { say("state \(words)") }
        state = words
    }
    let now = Clock.now()
    journal.end(run.recording(after: steps), gaps: 0, at: now)
    let isClosed = journal.close()
    say("end \(worst.wholeNanoseconds) \(isClosed) \((Clock.now() - now).wholeMilliseconds)")
}

/// Bytes that this process had written to the disk.
func writtenBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("write_bytes:") }
    return line.flatMap { Int($0.dropFirst(13)) } ?? 0
}

/// The commits and syncs of a number of minutes: fixes, notifications and samples at 1 Hz, the figures each 10 s, the clock each minute.
func measure(_ directory: String, syncSeconds: Int, minutes: Int) throws {
    let mailbox = try JournalMailbox()
    let journal = Journal(mailbox: mailbox, nextActivity: 1)
    let writer = JournalWriter(in: directory, mailbox: mailbox, syncSeconds: syncSeconds)
    let run = SyntheticRun(start: Instant(milliseconds: 1_000_000))
    journal.begin(run.recording, run.part, at: run.start)
    writer.runOnce(at: run.start)
    let before = writtenBytes()
    for place in 0..<120 * minutes {
        let now = run.moment(place)
        journal.write(run.entry(place), at: now)
        journal.write(run.row(place), at: now)
        if place % 20 == 0 { journal.update(run.recording(after: place), gaps: 0, at: now) }
        if place % 120 == 0 {
            journal.append(.clock(bootID: "boot", at: now, SyntheticRun.began, .system), at: now)
        }
        writer.runOnce(at: now + .milliseconds(400))
    }
    print("\((writtenBytes() - before) / 1000) kB in \(minutes) min with SyncIntervalSec \(syncSeconds)")
}

let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "live" where arguments.count == 6:
    try live(
        arguments[2], steps: Int(arguments[3]) ?? 0, step: .milliseconds(Int(arguments[4]) ?? 500),
        syncSeconds: Int(arguments[5]) ?? 1)
case "minutes" where arguments.count == 5:
    try measure(arguments[2], syncSeconds: Int(arguments[3]) ?? 1, minutes: Int(arguments[4]) ?? 60)
default: exit(2)
}
