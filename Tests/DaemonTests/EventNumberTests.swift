import Daemon
import Domain
import JSONCoding
import Linux
import Pipeline
import Storage
import TestKit
import Testing
import Wire

/// The recorder numbers events, and its lines are those in the journal.
@Suite struct EventNumberTests {
    private let directory: TemporaryDirectory
    private let start = Instant(milliseconds: 5_000_000)

    init() throws {
        directory = TemporaryDirectory()
    }

    private func storedEvents() throws -> [(sequence: Int, line: [UInt8])] {
        try JournalStartup(in: directory.path, at: Clock.systemTime()).events
    }

    @Test func linesEqualTheJournalAndNumbersContinueAfterARestart() throws {
        var first = try DaemonFixture(in: directory.path, at: start)
        try first.perform(.start(.ride, indoor: true), at: start)
        first.ride(5, from: start)
        try first.perform(.stop, at: start + .seconds(6))
        try first.end(at: start + .seconds(7))
        #expect(first.lines.map(\.number) == Array(1...first.lines.count))
        #expect(first.lines.count == first.events.count)

        let later = start + .seconds(10)
        var second = try DaemonFixture(in: directory.path, at: later)
        try second.perform(.start(.ride, indoor: true), at: later)
        try second.perform(.stop, at: later + .seconds(1))
        try second.end(at: nil)
        let lines = first.lines + second.lines
        #expect(second.lines.count >= 2)
        #expect(lines.map(\.number) == Array(1...lines.count))
        let stored = try storedEvents()
        #expect(stored.map(\.sequence) == lines.map(\.number))
        #expect(stored.map(\.line) == lines.map(\.bytes))
    }

    /// Events from before the journal was read shift in the recorder, in the ring of the state server and in the journal.
    @Test func aShiftRenumbersTheRecorderTheRingAndTheJournalAlike() throws {
        let journal = try Journal(in: directory.path) { nil }
        let recorder = RunRecorder(journal, bootID: "", formats: [], RecordingBuilder(), at: start)
        var ring = EventRing()
        func record(_ second: Int64) {
            let event = Event(at: Instant(milliseconds: second * 1000), kind: .fix(.fresh, mode: 3, after: .zero))
            for line in recorder.record(events: [.event(event)]) { ring.append(line) }
        }
        record(1)
        record(2)
        let numbers = Renumbering(activities: .init(from: 1, to: 1), events: .init(from: 1, to: 51))
        recorder.renumber(numbers)
        ring.renumber(numbers.events, after: [(50, JSONWriter.eventLine(ring[1], sequence: 50))])
        record(3)
        #expect(ring.retained == 50..<54)
        journal.startWriting()
        #expect(journal.close())
        let stored = try storedEvents()
        #expect(stored.map(\.sequence) == [51, 52, 53])
        #expect(stored.map(\.line) == (51...53).map { ring[$0] })
    }
}
