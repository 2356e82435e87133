import Domain
import Foundation
import Linux
import Pipeline
import Storage
import TestKit
import Testing

/// A process that is not there by then hangs. On a busy machine a step can take half a minute.
private let hangLimit = Duration.seconds(120)

/// A process that records in real time is killed while it writes. `PACED_KILLS` is the number of kills.
@Suite(.serialized) struct KilledProcessTests {
    private static let kills = Int(ProcessInfo.processInfo.environment["PACED_KILLS"] ?? "") ?? 4

    @Test(arguments: 0..<UInt64(kills))
    func killLosesAtMostTheLastSecond(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let process = try RecordingProcess(steps: 100_000, stepMilliseconds: 5)
        #expect(process.listen(hangLimit, until: "step "))
        // Every other kill comes so late that something must be safe.
        let isLate = seed.isMultiple(of: 2)
        process.listen(.milliseconds(Int.random(in: isLate ? 1100...2500 : 0...1100, using: &random)))
        let killed = process.kill()
        if isLate { try #require(process.steps.contains { $0 < killed - .seconds(1) }) }
        try expectAPrefix(of: process, lostSince: killed - .seconds(1))
    }

    private func expectAPrefix(of process: RecordingProcess, lostSince: Instant) throws {
        let steps = process.steps
        let preparation = try JournalStartup(in: process.directory.path, at: SyntheticRun.began)
        #expect(preparation.damaged == nil)
        let safe = steps.prefix { $0 < lostSince }.count
        if preparation.open == nil {
            #expect(safe == 0)
            #expect(try JournalReader(in: process.directory.path).list(limit: 10) == [])
            return
        }
        let open = try #require(preparation.open)
        let run = SyntheticRun(activity: 1, start: open.parts[0].at, step: .milliseconds(5))
        var entries: [InputLogEntry] = []
        let reader = try JournalReader(in: process.directory.path)
        try reader.entries(of: 1) { entries.append($0) }
        var rows: [RecordingRow] = []
        try reader.rows(of: 1).each { rows.append($0) }
        #expect(entries.count >= safe && entries.count <= steps.count + 1)
        #expect(entries == (0..<entries.count).map(run.entry))
        #expect(rows == (0..<rows.count).map(run.row))
        #expect(abs(rows.count - entries.count) <= 1)
        #expect(open.entries == entries.count && open.rows == rows.count)
        #expect(open.last == entries.last?.at || entries.isEmpty)
    }
}

/// An hour of a run, as fast as the disk allows.
struct WrittenBytesTests {
    /// Counts the bytes that the process writes, fewer than those that the disk writes. For a file system in
    /// memory the kernel counts none, so the files are in /var/tmp, which is on a disk (FHS 3.0, 5.15).
    @Test(arguments: [(1, 50.0), (5, 25.0)])
    func hourOfRecordingWritesLessThanItsLimit(syncSeconds: Int, limit: Double) throws {
        let directory = TemporaryDirectory(in: "/var/tmp")
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try String.programs() + "/JournalProcess")
        process.arguments = ["minutes", directory.path, "\(syncSeconds)", "6"]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        print(text)
        let kilobytes = try #require(text.split(separator: " ").first.flatMap { Double($0) })
        try #require(kilobytes > 0, "the kernel counts no writes to /var/tmp, which must be on a disk")
        #expect(kilobytes * 10 / 1000 < limit)
    }
}

/// A process records in real time while its disk fails.
@Suite(.serialized) struct FailingDiskTests {
    private let directory = TemporaryDirectory()
    private let disk: String

    init() throws {
        disk = try Faults.build(in: directory.path)
    }

    @Test(arguments: [
        ("ENOSPC", "the disk is full"), ("EROFS", "the file system is read-only"), ("EIO", "the disk reports an error"),
    ])
    func journalIsCompleteAfterADiskFault(fault: String, words: String) throws {
        let process = try RecordingProcess(steps: 100_000, stepMilliseconds: 5, disk: disk)
        #expect(process.listen(hangLimit, until: "step 100 "))
        try process.setFault(fault)
        #expect(process.listen(hangLimit, until: "state failed \(words)"))
        process.listen(.seconds(3))
        try process.setFault("fine")
        #expect(process.listen(hangLimit, until: "state writing"))
        try expectAll(of: process)
    }

    @Test func slowDiskIsReportedAndBlocksNoStep() throws {
        let process = try RecordingProcess(steps: 100_000, stepMilliseconds: 5, disk: disk)
        #expect(process.listen(hangLimit, until: "step 100 "))
        try process.setFault("slow 5000")
        #expect(process.listen(hangLimit, until: "state stalled"))
        process.listen(.seconds(3))
        try process.setFault("fine")
        try expectAll(of: process)
    }

    @Test func runCanBeClosedOnAFullDisk() throws {
        let process = try RecordingProcess(steps: 100_000, stepMilliseconds: 5, disk: disk)
        #expect(process.listen(hangLimit, until: "step 300 "))
        #expect(FileManager.default.fileExists(atPath: process.directory.path + "/journal.reserve"))
        try process.setFault("FULL")
        #expect(process.listen(hangLimit, until: "state failed the disk is full"))
        process.listen(.seconds(1))
        try expectAll(of: process)
        #expect(!FileManager.default.fileExists(atPath: process.directory.path + "/journal.reserve"))
    }

    /// Nothing is lost, and no step waited for the disk.
    private func expectAll(of process: RecordingProcess) throws {
        let end = try #require(process.end())
        print("longest enqueue \(end[1]) ns, closed in \(end[3]) ms")
        #expect(end[2] == "true")
        // A busy machine may suspend the process for a while; the disk was slow for seconds.
        #expect(try #require(Int(end[1])) < 500_000_000)
        let steps = process.steps.count
        let reader = try JournalReader(in: process.directory.path)
        let start = try #require(try reader.parts(of: 1).first?.at)
        let run = SyntheticRun(start: start, step: .milliseconds(5))
        var entries: [InputLogEntry] = []
        try reader.entries(of: 1) { entries.append($0) }
        #expect(entries == (0..<steps).map(run.entry))
        #expect(try reader.summary(of: 1)?.isOpen == false)
    }
}
