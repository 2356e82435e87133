import Domain
import Storage
import TestKit
import Testing

struct JournalQueueTests {
    private var queue = JournalQueue()
    private let run = SyntheticRun()

    private func row(_ place: Int) -> JournalChange {
        .row(activity: 1, place: place, run.row(place))
    }

    private func changes(_ chunks: [JournalQueue.Chunk]) -> [JournalChange] {
        chunks.flatMap(\.changes)
    }

    @Test mutating func returnedChunksPrecedeLaterChanges() {
        for place in 0..<600 { queue.append(row(place), at: run.moment(place)) }
        let taken = queue.popChunks()
        #expect(changes(taken) == (0..<600).map(row) && queue.isEmpty && queue.since == run.moment(0))
        for place in 600..<1200 { queue.append(row(place), at: run.moment(place)) }
        queue.requeue(taken)
        #expect(changes(queue.popChunks()) == (0..<1200).map(row))
        queue.wrote()
        #expect(queue.since == nil && queue.loss == nil)
    }

    @Test mutating func urgentChangeCountsAsWrittenAfterAllEarlierOnes() {
        queue.append(.delete(activity: 5), at: run.moment(0))
        queue.append(row(0), at: run.moment(0))
        let taken = queue.popChunks()
        queue.append(.edit(activity: 6, .walk, nil), at: run.moment(1))
        #expect(queue.urgent == (2, 0))
        queue.requeue(taken)
        #expect(queue.urgent == (2, 0))
        _ = queue.popChunks()
        queue.append(.delete(activity: 7), at: run.moment(2))
        queue.wrote()
        #expect(queue.urgent == (3, 2))
        _ = queue.popChunks()
        queue.wrote()
        #expect(queue.urgent == (3, 3))
    }

    @Test mutating func tenMinutesAreKeptThenTheOldestRowsAreDropped() {
        let part = BootSegment(bootID: "boot", at: run.start)
        queue.append(.begin(run.recording, part), at: run.start)
        // 26 rows a second for ten minutes; the writer tries and fails every second.
        for place in 1...15_600 {
            queue.append(row(place * 2), at: run.moment(place))
            if place % 26 == 0 { queue.requeue(queue.popChunks()) }
        }
        #expect(queue.loss == nil)
        for place in 15_601...40_000 {
            queue.append(row(place * 2), at: run.moment(place))
            if place % 26 == 0 { queue.requeue(queue.popChunks()) }
        }
        let left = changes(queue.popChunks())
        #expect(
            left.count <= JournalQueue.countLimit && left.count > JournalQueue.countLimit - 2 * JournalQueue.chunkLimit)
        #expect(left.first == .begin(run.recording, part))
        let lost = 40_001 - left.count
        #expect(queue.loss?.rows == lost && queue.loss?.activity == 1)
        #expect(left.dropFirst() == ((lost + 1)...40_000).map { row($0 * 2) }[...])
    }

    @Test mutating func vitalChangesAreLimited() {
        for place in 0..<100_000 { queue.append(.delete(activity: place), at: run.moment(place)) }
        #expect(changes(queue.popChunks()).count <= JournalQueue.countLimit)
    }

    @Test mutating func queueIsLimitedInBytes() {
        let line = [UInt8](repeating: 0x61, count: 60_000)
        for sequence in 0..<1000 {
            queue.append(.event(sequence: sequence, activity: nil, at: run.start, line: line), at: run.start)
        }
        let bytes = changes(queue.popChunks()).reduce(0) { $0 + $1.size }
        #expect(bytes <= JournalQueue.sizeLimit && bytes > 0)
    }

    @Test func changeFitsIn256Bytes() {
        #expect(MemoryLayout<JournalChange>.stride <= 256)
    }

    @Test mutating func queuedChangesAreRenumbered() {
        let first = Renumbering.firstUnknownActivity
        var recording = run.recording
        recording.id = first
        var moved = recording
        moved.id = 17
        let part = BootSegment(bootID: "boot", at: run.start)
        let line = Array(#"{"class":"EVENT","seq":3,"boot_ms":1}"#.utf8)
        queue.append(.begin(recording, part), at: run.start)
        // An activity of an earlier start keeps its number.
        for activity in [first, 5] { queue.append(.row(activity: activity, place: 0, run.row(0)), at: run.start) }
        for place in 1...600 { queue.append(.row(activity: first, place: place, run.row(place)), at: run.start) }
        queue.append(.event(sequence: 3, activity: first, at: run.start, line: line), at: run.start)
        queue.append(.end(recording, gaps: 2), at: run.start)
        queue.renumber(
            Renumbering(activities: .init(from: first, to: 17), events: .init(from: 1, to: 101)))
        let changes = changes(queue.popChunks())
        #expect(changes.count == 605 && changes.first == .begin(moved, part) && changes.last == .end(moved, gaps: 2))
        #expect(changes[2] == .row(activity: 5, place: 0, run.row(0)))
        #expect(changes[602] == .row(activity: 17, place: 600, run.row(600)))
        let text = Array(#"{"class":"EVENT","seq":103,"boot_ms":1}"#.utf8)
        #expect(changes[603] == .event(sequence: 103, activity: 17, at: run.start, line: text))
    }

    @Test func renumberingNeverDecreasesANumber() {
        let shift = Renumbering.Shift(from: 18, to: 3)
        #expect(shift(17) == 17 && shift(18) == 18 && shift(19) == 19)
    }
}
