import Daemon
import Domain
import Linux
import Storage
import TestKit
import Testing

/// Which commands give a run the next number of the journal.
struct RunNumberTests {
    @Test func commandTakesANumberOnlyIfItStartsARun() throws {
        let directory = TemporaryDirectory()
        var now = Instant(milliseconds: 5_000_000)
        var stage = try DaemonFixture(in: directory.path, at: now)
        stage.ride(60, from: now)
        now = now + .seconds(60)
        let starts: [RunCommand] = [
            .start(.run, indoor: true), .toggle, .start(.ride, indoor: false, back: .seconds(30)), .toggle,
        ]
        for (index, start) in starts.enumerated() {
            #expect(throws: CommandRejection.self) { try stage.perform(.stop, at: now) }
            try stage.perform(start, at: now)
            #expect(stage.state.activity?.id == index + 1)
            #expect(throws: CommandRejection.self) { try stage.perform(.start(.run, indoor: false), at: now) }
            stage.ride(20, from: now)
            now = now + .seconds(20)
            try stage.perform(.toggle, at: now)
            try stage.perform(.resume, at: now)
            try stage.perform(.stop, at: now)
            #expect(stage.begun.recorder.journal.nextActivity == index + 2)
        }
        try stage.end(at: now)
        #expect(try JournalReader(in: directory.path).list(limit: 9).map(\.id).sorted() == [1, 2, 3, 4])
    }
}
