import Domain

/// What waits to be written, in order and bounded: when the disk takes nothing for too long the oldest rows go, and it is
/// counted.
///
/// It stands between two threads, in chunks, so that neither keeps the other waiting: the loop appends to the last one, the writer takes
/// all of them and gives back what it could not write.
struct JournalQueue: Sendable {
    /// Changes that were appended one after another.
    struct Chunk: Sendable {
        var changes: [JournalChange] = []
        /// About how much memory they take, in bytes.
        var size = 0
        /// When the first was appended.
        var since = Instant(nanoseconds: 0)

        fileprivate var urgentCount: Int {
            changes.count { $0.isUrgent }
        }

        /// The same in chunks of at most `count` changes.
        func pieces(of count: Int) -> [Chunk] {
            stride(from: 0, to: changes.count, by: count).map { first in
                let piece = Array(changes[first..<min(first + count, changes.count)])
                return Chunk(changes: piece, size: piece.reduce(0) { $0 + $1.size }, since: since)
            }
        }
    }

    /// Rows that are gone.
    struct Loss: Equatable, Sendable {
        var activity: Int?
        var rows: Int
        var first: Instant
        var last: Instant
    }

    static let chunkLimit = 256
    /// Ten minutes of 27 changes a second: ten fixes, a few notifications, the samples.
    static let countLimit = 16_384
    /// In bytes.
    static let sizeLimit = 12 << 20

    private var waiting: [Chunk] = []
    private var last = Chunk()
    /// Storage that was written from, to be used again.
    private var spare: [JournalChange] = []
    /// What the writer has taken and neither written nor given back.
    private var taken = (count: 0, size: 0, since: Instant?.none)
    private var count = 0
    private var size = 0
    private(set) var loss: Loss?
    /// How many urgent changes were appended, and how many of them, the first ones, are written. One that had to go counts as
    /// written.
    private(set) var urgent = (appended: 0, written: 0)
    /// An activity is open: a power cut may cost a second of it.
    var isOpen = false
    /// So often a commit is synced; nil is each second while an activity is open, and each 10 s otherwise.
    var syncSeconds: Int?
    /// Nothing is written yet: what the journal holds is not known (``Journal/startWriting()``).
    var isHeld = false
    /// The writer is to write what there is, and end.
    var isClosing = false

    init() {
        last.changes.reserveCapacity(Self.chunkLimit)
        spare.reserveCapacity(Self.chunkLimit)
    }

    var isEmpty: Bool {
        count == 0
    }

    /// Since when the oldest change waits that is not written; nil when all are.
    var since: Instant? {
        if let since = taken.since { return since }
        if let first = waiting.first { return first.since }
        return last.changes.isEmpty ? nil : last.since
    }

    mutating func append(_ change: JournalChange, at now: Instant) {
        if last.changes.isEmpty { last.since = now }
        last.changes.append(change)
        if change.isUrgent { urgent.appended += 1 }
        let size = change.size
        last.size += size
        self.size += size
        count += 1
        if last.changes.count == Self.chunkLimit { closeChunk() }
        if count + taken.count > Self.countLimit || self.size + taken.size > Self.sizeLimit { shed() }
    }

    /// Everything that waits, oldest first. It counts as not written until ``wrote()`` or ``giveBack(_:)``.
    mutating func popChunks() -> [Chunk] {
        if !last.changes.isEmpty { closeChunk() }
        let chunks = waiting
        waiting = []
        taken = (count, size, chunks.first?.since)
        count = 0
        size = 0
        return chunks
    }

    /// All that was taken is written.
    mutating func wrote() {
        taken = (0, 0, nil)
        countUrgent()
    }

    /// Of what was taken these are not written; they come before what was appended since.
    mutating func giveBack(_ chunks: [Chunk]) {
        waiting.insert(contentsOf: Self.merged(chunks), at: 0)
        for chunk in chunks {
            count += chunk.changes.count
            size += chunk.size
        }
        taken = (0, 0, nil)
        countUrgent()
    }

    /// Moves the numbers of what waits. Nothing is taken.
    mutating func renumber(_ numbers: Renumbering) {
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

    /// The same in as few chunks as it takes: a writer that fails every second would leave one for each.
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

    /// Storage to append to, of a chunk that was written.
    mutating func recycle(_ storage: consuming [JournalChange]) {
        storage.removeAll(keepingCapacity: true)
        if spare.capacity < storage.capacity { spare = storage }
    }

    /// The rows that are gone are written down.
    mutating func toldLoss(_ told: Loss) {
        guard var loss else { return }
        loss.rows -= told.rows
        self.loss = loss.rows > 0 ? loss : nil
    }

    private mutating func closeChunk() {
        waiting.append(last)
        last = Chunk()
        swap(&last.changes, &spare)
        last.changes.reserveCapacity(Self.chunkLimit)
    }

    /// Lets go of the oldest chunk's rows; of the oldest chunk, where only what is vital is left.
    private mutating func shed() {
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
