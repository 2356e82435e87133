import Daemon
import Domain
import Formats
import Foundation
import JSONCoding
import Linux
import Pipeline
import Storage
import TestKit
import Testing
import Wire

/// A state directory that is not writable or not readable at the start, and what is recorded until it is ready.
@Suite struct StateDirectoryOpenerTests {
    private let directory: TemporaryDirectory
    private let now = Clock.now()

    init() throws {
        directory = TemporaryDirectory()
    }

    private func preparation() -> StateDirectoryOpener {
        StateDirectoryOpener(in: directory.path, sensorFile: nil, isDemo: false, limit: .seconds(900))
    }

    /// A run whose daemon is killed.
    private func interruptedRun() throws {
        var stage = try DaemonFixture(in: directory.path, at: now - .seconds(60))
        try stage.perform(.start(.ride, indoor: true), at: now - .seconds(60))
        stage.ride(20, from: now - .seconds(60))
        #expect(stage.begun.recorder.journal.close(waiting: .seconds(60)))
    }

    /// The content of a journal that is readable but not writable.
    private func copy() throws -> StateDirectoryStatus {
        let journal = try JournalStartup(reading: directory.path)
        var status = StateDirectoryStatus(journal: journal)
        status.interrupted = InterruptedActivity(
            journal, from: try JournalReader(in: directory.path), isDemo: false, bootID: Clock.bootID(), at: now,
            time: nil, limit: .seconds(900))
        return status
    }

    private func summaries() throws -> [ActivitySummary] {
        try JournalReader(in: directory.path).list(limit: 10)
    }

    @Test func worldWritableDirectoryIsNotReadUntilItIsFixed() throws {
        try interruptedRun()
        chmod(directory.path, 0o777)
        let preparation = preparation()
        let trouble = try #require(preparation.attempt())
        #expect(trouble.contains("chmod o-w"))
        var status = try #require(preparation.popStatus())
        #expect(status.journal == nil && status.interrupted == nil && !status.isReady && status.reason == trouble)
        #expect(preparation.attempt() == trouble && preparation.popStatus() == nil)
        chmod(directory.path, 0o750)
        #expect(preparation.attempt() == nil)
        status = try #require(preparation.popStatus())
        #expect(status.isReady && status.journal?.nextActivity == 2 && status.interrupted?.id == 1)
    }

    @Test func directoryUsedByAnotherDaemonIsReported() throws {
        let first = preparation()
        #expect(first.attempt() == nil)
        let second = preparation()
        #expect(second.attempt() == "\(directory.path) is in use by paced, process \(getpid())")
        let status = try #require(second.popStatus())
        #expect(status.isInUse && !status.isReady && status.journal == nil)
        withExtendedLifetime(first) {}
    }

    @Test func directoryThatCannotBeCreatedIsNotReady() throws {
        let path = directory.path + "/file/state"
        try Data().write(to: URL(fileURLWithPath: directory.path + "/file"))
        let preparation = StateDirectoryOpener(in: path, sensorFile: nil, isDemo: false, limit: .zero)
        #expect(try #require(preparation.attempt()).contains(path))
        try FileManager.default.removeItem(atPath: directory.path + "/file")
        #expect(preparation.attempt() == nil)
    }

    @Test func runWithoutANumberGetsTheNextAndTheOldOneIsClosed() throws {
        try interruptedRun()
        var stage = try LateFixture(in: directory.path, at: now)
        try stage.daemon.perform(.start(.hike, indoor: true), at: now)
        stage.daemon.ride(3, from: now)
        #expect(try #require(stage.daemon.state.activity).id < 1)
        let line = JSONWriter.stateText(stage.daemon.state)
        #expect(!line.contains("\"activity\""))
        let numbers = try #require(stage.adopt(try stage.find(), at: now + .seconds(3)))
        #expect(numbers.activities.first == Renumbering.firstUnknownActivity)
        #expect(stage.daemon.state.activity?.id == 2)
        stage.daemon.ride(2, from: now + .seconds(3))
        try stage.daemon.perform(.stop, at: now + .seconds(5))
        #expect(stage.daemon.begun.recorder.journal.close(waiting: .seconds(60)))
        let summaries = try summaries()
        #expect(summaries.map(\.id) == [2, 1] && summaries.map(\.isOpen) == [false, false])
        #expect(summaries[0].sport == .hike && summaries[0].total.elapsedMilliseconds == 5000)
        #expect((19_000...19_300).contains(summaries[1].total.elapsedMilliseconds))
        // A replay gives it the same number.
        var first: InputLogEntry?
        try JournalReader(in: directory.path).entries(of: 2) { first = first ?? $0 }
        guard case .snapshot(let beginning)? = first?.kind else { throw NothingFound() }
        #expect(beginning.lastActivity == 1)
    }

    @Test func twoRunsWithoutNumbersGetTheNextTwo() throws {
        try interruptedRun()
        var stage = try LateFixture(in: directory.path, at: now)
        for second in [0, 10] {
            try stage.daemon.perform(.start(.walk, indoor: true), at: now + .seconds(second))
            stage.daemon.ride(3, from: now + .seconds(second))
            try stage.daemon.perform(.stop, at: now + .seconds(second + 3))
        }
        _ = stage.adopt(try stage.find(), at: now + .seconds(20))
        #expect(stage.daemon.begun.recorder.journal.close(waiting: .seconds(60)))
        #expect(try summaries().map(\.id) == [3, 2, 1])
        #expect(try JournalStartup(reading: directory.path).nextActivity == 4)
    }

    @Test func idleDaemonResumesTheOpenActivity() throws {
        try interruptedRun()
        var stage = try LateFixture(in: directory.path, at: now)
        _ = stage.adopt(try stage.find(), at: now + .seconds(5))
        stage.daemon.say(at: now + .seconds(5))
        #expect(stage.daemon.state.run == .active && stage.daemon.state.activity?.id == 1)
        #expect(stage.daemon.events.map(\.kind).contains(.start(.ride, resumed: true)))
    }

    @Test func openActivityStaysOpenWhenTheDaemonEnds() throws {
        try interruptedRun()
        var stage = try LateFixture(in: directory.path, at: now)
        _ = stage.adopt(try stage.find(), isClosing: true, at: now)
        #expect(stage.daemon.state.run == .idle)
        #expect(stage.daemon.begun.recorder.journal.close(waiting: .seconds(60)))
        #expect(try summaries().map(\.isOpen) == [true])
    }

    @Test func directoryReadyDuringTheShutdownReceivesTheRun() throws {
        var stage = try LateFixture(in: directory.path, at: now)
        try stage.daemon.perform(.start(.walk, indoor: true), at: now)
        stage.daemon.ride(3, from: now)
        stage.gate.withLock { $0 = true }
        let journal = stage.daemon.begun.recorder.journal
        var found: StateDirectoryStatus?
        let isClosed = journal.close(waiting: .seconds(60)) {
            found = stage.preparation.popStatus()
            if let found { _ = stage.adopt(found, isClosing: true, at: now + .seconds(3)) }
        }
        #expect(found?.isReady == true && found?.reason == nil)
        #expect(isClosed, "\(journal.status(at: Clock.now()))")
        #expect(try summaries().map(\.id) == [1])
    }

    @Test func runReadBeforeTheJournalIsWritableIsResumedOnce() throws {
        try interruptedRun()
        var stage = try LateFixture(in: directory.path, at: now)
        #expect(stage.adopt(try copy(), isServing: false, at: now)?.activities.distance ?? 0 > 0)
        stage.daemon.ride(5, from: now)
        let elapsed = try #require(stage.daemon.state.activity?.total.elapsedMilliseconds)
        #expect(stage.daemon.state.activity?.id == 1 && elapsed >= 23_000)
        let numbers = try #require(stage.adopt(try stage.find(), at: now + .seconds(5)))
        #expect(numbers.isEmpty)
        stage.daemon.ride(5, from: now + .seconds(5))
        #expect(stage.daemon.events.count { $0.kind == .start(.ride, resumed: true) } == 1)
        try stage.daemon.perform(.stop, at: now + .seconds(10))
        #expect(stage.daemon.begun.recorder.journal.close(waiting: .seconds(60)))
        let summary = try #require(try summaries().first)
        #expect(summary.id == 1 && !summary.isOpen && summary.total.elapsedMilliseconds >= elapsed + 4000)
    }

    @Test func activityNumberTakenByAnImportIsNotReused() throws {
        try interruptedRun()
        var stage = try LateFixture(in: directory.path, at: now)
        var copy = try copy()
        copy.interrupted = nil
        _ = stage.adopt(copy, isServing: false, at: now)
        try stage.daemon.perform(.start(.walk, indoor: true), at: now)
        #expect(stage.daemon.state.activity?.id == 2)
        var found = try stage.find()
        found.journal?.nextActivity = 3
        _ = stage.adopt(found, at: now + .seconds(1))
        #expect(stage.daemon.state.activity?.id == 3)
    }
}

/// A daemon whose state directory is not ready before the gate opens.
private struct LateFixture {
    var daemon: DaemonFixture
    let preparation: StateDirectoryOpener
    let gate = Locked(false)

    init(in directory: String, at now: Instant) throws {
        let preparation = StateDirectoryOpener(in: directory, sensorFile: nil, isDemo: false, limit: .seconds(900))
        self.preparation = preparation
        let journal = try Journal(in: directory) { [gate] in
            gate.withLock { $0 } ? preparation.attempt() : "the gate is closed"
        }
        daemon = DaemonFixture(
            begun: RecordingState(Pipeline(settings: Settings(), isDemo: false, at: now), journal, [.fit], at: now)
        )
    }

    /// Opens the gate, and waits for the result of the journal's thread.
    func find() throws -> StateDirectoryStatus {
        gate.withLock { $0 = true }
        for _ in 0..<2000 {
            if let status = preparation.popStatus() { return status }
            usleep(10_000)
        }
        throw NothingFound()
    }

    mutating func adopt(
        _ status: StateDirectoryStatus, isServing: Bool = true, isClosing: Bool = false, at now: Instant
    ) -> Renumbering? {
        daemon.begun.engine.step(.time, at: now, into: &daemon.begun.effects)
        daemon.say(at: now)
        let numbers = daemon.begun.adopt(status, isServing: isServing, isClosing: isClosing, at: now)
        if status.isReady { daemon.begun.recorder.journal.startWriting() }
        return numbers
    }
}

extension JSONWriter {
    fileprivate static func stateText(_ state: State) -> String {
        var line = JSONWriter()
        line.stateLine(state, sequence: 1)
        return String(decoding: line.bytes, as: UTF8.self)
    }
}

private struct NothingFound: Error {}
