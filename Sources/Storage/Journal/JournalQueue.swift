package import Domain

/// A bounded queue of changes. If the disk accepts nothing for too long, the oldest rows are dropped and counted.
///
/// It is shared by two threads. Changes are grouped in chunks, so that neither thread delays the other: the
/// loop appends to the last chunk, the writer removes all chunks and returns those that it could not write.
package struct JournalQueue: Sendable {
    /// Consecutive changes.
    package struct Chunk: Sendable {
        package internal(set) var changes: [JournalChange] = []
        /// The approximate memory use in bytes.
        var size = 0
        /// When the first change was appended.
        var since = Instant(nanoseconds: 0)

        fileprivate var urgentCount: Int {
            changes.count { $0.isUrgent }
        }

        /// Splits the chunk into chunks of at most `count` changes.
        func pieces(of count: Int) -> [Chunk] {
            stride(from: 0, to: changes.count, by: count).map { first in
                let piece = Array(changes[first..<min(first + count, changes.count)])
                return Chunk(changes: piece, size: piece.reduce(0) { $0 + $1.size }, since: since)
            }
        }
    }

    /// Rows that were dropped.
    package struct Loss: Equatable, Sendable {
        package internal(set) var activity: Int?
        package internal(set) var rows: Int
        var first: Instant
        var last: Instant
    }

    package static let chunkLimit = 256
    /// Ten minutes of 27 changes per second: ten fixes, some notifications, the samples.
    package static let countLimit = 16_384
    /// In bytes.
    package static let sizeLimit = 12 << 20

    private var waiting: [Chunk] = []
    private var last = Chunk()
    /// The storage of a written chunk, kept for reuse.
    private var spare: [JournalChange] = []
    /// The changes that the writer has removed and neither written nor returned.
    private var taken = (count: 0, size: 0, since: Instant?.none)
    private var count = 0
    private var size = 0
    package private(set) var loss: Loss?
    /// The number of urgent changes that were appended, and that were written. A dropped one counts as written.
    package private(set) var urgent = (appended: 0, written: 0)
    /// Whether an activity is open, so that a power cut may cost at most a second.
    var isOpen = false
    /// The seconds between syncs. Nil for 1 while an activity is open, and 10 otherwise.
    var syncSeconds: Int?
    /// Whether writing is held back, because the journal's numbers are not known yet (``Journal/startWriting()``).
    package var isHeld = false
    /// Whether the writer must write everything and end.
    var isClosing = false

    package init() {
        last.changes.reserveCapacity(Self.chunkLimit)
        spare.reserveCapacity(Self.chunkLimit)
    }

    package var isEmpty: Bool {
        count == 0
    }

    /// When the oldest unwritten change was appended. Nil if all are written.
    package var since: Instant? {
        if let since = taken.since { return since }
        if let first = waiting.first { return first.since }
        return last.changes.isEmpty ? nil : last.since
    }

    package mutating func append(_ change: JournalChange, at now: Instant) {
        if last.changes.isEmpty { last.since = now }
        last.changes.append(change)
        if change.isUrgent { urgent.appended += 1 }
        let size = change.size
        last.size += size
        self.size += size
        count += 1
        if last.changes.count == Self.chunkLimit { closeChunk() }
        if count + taken.count > Self.countLimit || self.size + taken.size > Self.sizeLimit { dropOverflow() }
    }

    /// Removes and returns all changes, oldest first. They count as unwritten until ``wrote()`` or ``requeue(_:)``.
    package mutating func popChunks() -> [Chunk] {
        if !last.changes.isEmpty { closeChunk() }
        let chunks = waiting
        waiting = []
        taken = (count, size, chunks.first?.since)
        count = 0
        size = 0
        return chunks
    }

    /// Reports that all removed changes are written.
    package mutating func wrote() {
        taken = (0, 0, nil)
        countUrgent()
    }

    /// Returns the unwritten ones of the removed changes. They precede those appended since.
    package mutating func requeue(_ chunks: [Chunk]) {
        waiting.insert(contentsOf: Self.merged(chunks), at: 0)
        for chunk in chunks {
            count += chunk.changes.count
            size += chunk.size
        }
        taken = (0, 0, nil)
        countUrgent()
    }

    /// Renumbers the queued changes. None may be removed at the time.
    package mutating func renumber(_ numbers: Renumbering) {
        for chunk in waiting.indices {
            for index in waiting[chunk].changes.indices { waiting[chunk].changes[index].renumber(numbers) }
        }
        for index in last.changes.indices { last.changes[index].renumber(numbers) }
        if let activity = loss?.activity { loss?.activity = numbers.activities(activity) }
    }

    private mutating func countUrgent() {
        let left = waiting.reduce(last.urgentCount) { $0 + $1.urgentCount }
        urgent.written = urgent.appended - left
    }

    /// Merges small chunks: a writer that fails every second would leave one chunk for each attempt.
    private static func merged(_ chunks: [Chunk]) -> [Chunk] {
        chunks.reduce(into: []) { merged, chunk in
            if let last = merged.indices.last, merged[last].changes.count + chunk.changes.count <= chunkLimit {
                merged[last].changes += chunk.changes
                merged[last].size += chunk.size
            } else {
                merged.append(chunk)
            }
        }
    }

    /// Keeps the storage of a written chunk for reuse.
    mutating func recycle(_ storage: consuming [JournalChange]) {
        storage.removeAll(keepingCapacity: true)
        if spare.capacity < storage.capacity { spare = storage }
    }

    /// Reports that a loss is recorded in the journal.
    mutating func reportedLoss(_ reported: Loss) {
        guard var loss else { return }
        loss.rows -= reported.rows
        self.loss = loss.rows > 0 ? loss : nil
    }

    private mutating func closeChunk() {
        waiting.append(last)
        last = Chunk()
        swap(&last.changes, &spare)
        last.changes.reserveCapacity(Self.chunkLimit)
    }

    /// Drops the rows of the oldest chunk; the whole chunk if only vital changes are left.
    private mutating func dropOverflow() {
        if waiting.isEmpty { closeChunk() }
        let index = waiting.firstIndex { $0.changes.contains { !$0.isVital } } ?? 0
        let chunk = waiting[index]
        let kept = waiting.allSatisfy { $0.changes.allSatisfy(\.isVital) } ? [] : chunk.changes.filter(\.isVital)
        let gone = chunk.changes.count - kept.count
        let after =
            index + 1 < waiting.count ? waiting[index + 1].since : last.changes.isEmpty ? chunk.since : last.since
        var rest = Chunk(changes: kept, size: kept.reduce(0) { $0 + $1.size }, since: chunk.since)
        if kept.isEmpty {
            waiting.remove(at: index)
        } else {
            swap(&waiting[index], &rest)
        }
        count -= gone
        size -= chunk.size - kept.reduce(0) { $0 + $1.size }
        let activity = chunk.changes.lazy.compactMap(\.activity).first
        loss = Loss(
            activity: loss?.activity ?? activity, rows: (loss?.rows ?? 0) + gone, first: loss?.first ?? chunk.since,
            last: after)
    }
}
