package import Domain
import JSONCoding

/// The subscription of one client of state.sock and its pending output, bounded.
///
/// Bytes are sent in chunks of whole lines. The shell requests the next chunk, reports the bytes sent, and requests
/// another when that is sent. While a client keeps up, STATE lines are sent from the buffer that all clients share, and
/// only an unsent rest is copied. If a client lags:
///
/// - STATE is conflated: the newest accepted state waits, and each state that it replaces is dropped.
/// - SETTINGS are conflated: the newest wait. Nothing is dropped, because each change is an EVENT too.
/// - EVENTs wait in the ``EventRing``, where the client has a place; those that leave the ring before are dropped.
/// - DATA is conflated: a topic that has changed is marked, and its data of the moment of sending is sent.
/// - HEART and FIX lines wait up to ``readingLimit``; beyond it the oldest are dropped.
/// - WATCH and ERROR lines wait; the shell reads no further line from a client that lags.
///
/// A DROPPED line before the next line reports what was dropped.
package struct SubscriberQueue: Sendable {
    /// The largest size of waiting HEART and FIX lines, in bytes.
    package static let readingLimit = 64 * 1024
    /// The size in bytes at which a chunk is closed; it may exceed it by at most one line.
    package static let chunkSize = 4096
    /// The size in bytes up to which the memory of a chunk is kept: most chunks with all blocks of a state are smaller.
    private static let keptSize = 4 * chunkSize
    /// How much too early a periodic state may come: its time is not on the client's grid.
    private static let jitterTolerance = Duration.milliseconds(50)

    /// The present subscription.
    package private(set) var watch = Subscription()

    /// The chunk under way; the bytes before `sent` are sent.
    private var chunk = JSONWriter(capacity: 0)
    private var sent = 0
    private var responses = JSONWriter(capacity: 0)
    private var dropped = DroppedCounts()
    /// The number of the next event; nil while events are not subscribed.
    private var nextEvent: Int?
    private var settingsWait = false
    /// The topics that have changed, the longest waiting first.
    private var waitingTopics: [TopicName] = []
    private var readings = ReadingQueue()
    private var waitingState: [UInt8] = []
    private var waitingMoment: StateKey?
    /// The time of the last accepted state.
    private var lastState: Instant?
    /// The time since which the client has accepted no bytes; nil while it accepts them.
    package private(set) var stuckSince: Instant?

    /// Creates a queue whose events start at the end of the ring.
    package init(ring: EventRing) {
        nextEvent = ring.retained.upperBound
    }

    /// Queues the VERSION line for a new client.
    package mutating func queueVersion(_ version: [UInt8]) {
        responses.append(lines: version)
    }

    // MARK: Requests

    /// Applies a subscription request and queues the WATCH line.
    ///
    /// - Parameter topics: the data of a topic that the client did not watch before waits too.
    package mutating func apply(
        _ request: SubscriptionRequest, ring: EventRing, topics: TopicTable = TopicTable()
    ) {
        let before = watch.classes
        if let classes = request.classes { watch.classes = classes }
        if let period = request.everyMilliseconds { watch.everyMilliseconds = Int64(period) }
        if let blocks = request.blocks { watch.blocks = blocks }
        if let names = request.topics {
            waitingTopics.removeAll { !names.contains($0) }
            waitingTopics += names.filter { !watch.topics.contains($0) && topics.hasData($0) }
            watch.topics = names
        }
        responses.watch(watch)

        if !watch.classes.contains(.event) {
            nextEvent = nil
        } else if let since = request.since {
            // A number from the future belongs to an earlier daemon: all retained events are new to the client.
            let next = since < ring.retained.upperBound ? since + 1 : ring.first(from: 1) ?? ring.retained.upperBound
            nextEvent = request.isOfThisRun ? max(next, ring.runStart ?? ring.retained.upperBound) : next
        } else if nextEvent == nil {
            nextEvent = ring.retained.upperBound
        }
        settingsWait = watch.classes.contains(.settings) && (settingsWait || !before.contains(.settings))
        readings.removeAll { !watch.classes.contains($0) }
        if let moment = waitingMoment, !isWatched(moment) { waitingMoment = nil }
    }

    /// Queues an ERROR line for a client's invalid line.
    package mutating func queueError(_ message: String) {
        responses.error(message)
    }

    // MARK: Events

    /// Whether to send a state to the client; if so, it counts as the last one.
    ///
    /// - Parameter isChange: whether a change, rather than the passing of time, caused the state.
    package mutating func accepts(_ moment: StateKey, isChange: Bool) -> Bool {
        guard isWatched(moment) else { return false }
        if moment.run != .active && !isChange, let lastState,
            moment.at - lastState < .milliseconds(watch.everyMilliseconds) - Self.jitterTolerance
        {
            return false
        }
        lastState = moment.at
        return true
    }

    private func isWatched(_ moment: StateKey) -> Bool {
        watch.classes.contains(.state)
            && (moment.run != .active || moment.elapsedMilliseconds.isMultiple(of: watch.everyMilliseconds))
    }

    /// Queues a state; a state that still waits is dropped.
    package mutating func wait(state line: [UInt8], _ moment: StateKey) {
        if waitingMoment != nil { dropped.states += 1 }
        waitingState.removeAll(keepingCapacity: true)
        waitingState.append(contentsOf: line)
        waitingMoment = moment
    }

    /// Queues the rest of a partly sent line. Nothing else may wait.
    package mutating func wait(rest: ArraySlice<UInt8>) {
        precondition(sent == chunk.bytes.count)
        chunk.clear()
        sent = 0
        chunk.append(lines: rest)
    }

    /// Queues a HEART or FIX line if it is subscribed.
    package mutating func wait(reading line: [UInt8], of lines: MessageClasses) {
        guard watch.classes.contains(lines) else { return }
        readings.append(line, of: lines)
        while readings.byteCount > Self.readingLimit {
            if readings.removeFirst() == .heart { dropped.hearts += 1 } else { dropped.fixes += 1 }
        }
    }

    /// Applies a shift of event numbers (``EventRing/renumber(_:after:)``); the client keeps its place.
    package mutating func renumber(_ numbers: Renumbering.Shift) {
        nextEvent = nextEvent.map { numbers($0) }
    }

    /// Queues the settings if they are subscribed.
    package mutating func settingsChanged() {
        settingsWait = watch.classes.contains(.settings)
    }

    /// Queues the data of a topic if it is subscribed.
    package mutating func changed(_ topic: TopicName) {
        guard watch.topics.contains(topic), !waitingTopics.contains(topic) else { return }
        waitingTopics.append(topic)
    }

    // MARK: Output

    /// Whether nothing waits, so that a line may be sent directly.
    package func isEmpty(_ ring: EventRing) -> Bool {
        sent == chunk.bytes.count && responses.bytes.isEmpty && dropped == DroppedCounts() && !hasEvent(ring)
            && !settingsWait && waitingTopics.isEmpty
            && readings.isEmpty && waitingMoment == nil
    }

    /// Returns the bytes to send now. Nil if nothing waits.
    ///
    /// - Parameters:
    ///   - settings: the present SETTINGS line.
    ///   - topics: the data of the topics.
    ///   - now: the moment of sending, for the age of the data.
    package mutating func next(
        _ ring: EventRing, settings: [UInt8], topics: TopicTable = TopicTable(),
        at now: @autoclosure () -> Instant = Instant(nanoseconds: 0)
    ) -> ArraySlice<UInt8>? {
        if sent == chunk.bytes.count { fill(ring, settings: settings, topics: topics, at: now) }
        return sent < chunk.bytes.count ? chunk.bytes[sent...] : nil
    }

    /// Records that the client has accepted `count` bytes.
    package mutating func sent(_ count: Int) {
        sent += count
        stuckSince = nil
    }

    /// Records that the client accepts nothing for now.
    package mutating func blocked(at now: Instant) {
        if stuckSince == nil { stuckSince = now }
    }

    /// The bytes that end the stream: the rest of the lines under way, then an ERROR line. What waits is left out.
    package func last(_ message: String) -> [UInt8] {
        var line = JSONWriter(capacity: 256)
        line.error(message)
        return Array(chunk.bytes[sent...]) + line.bytes
    }

    private mutating func fill(
        _ ring: EventRing, settings: [UInt8], topics: TopicTable, at now: () -> Instant
    ) {
        // Releases the memory of long data.
        if chunk.bytes.count > Self.keptSize { chunk = JSONWriter(capacity: 0) }
        chunk.clear()
        sent = 0
        // Events lost to a replay are reported after the WATCH line of the request.
        if responses.bytes.isEmpty { skipEventsThatLeft(ring) }
        reportDropped()
        chunk.append(lines: responses.bytes)
        responses.clear()
        skipEventsThatLeft(ring)
        reportDropped()
        while hasSpace, let number = nextEvent, ring.first(from: number) == number {
            chunk.append(lines: ring[number])
            nextEvent = number + 1
            skipEventsThatLeft(ring)
            reportDropped()
        }
        if hasSpace, settingsWait {
            chunk.append(lines: settings)
            settingsWait = false
        }
        while hasSpace, let topic = waitingTopics.first {
            topics.write(topic, at: now(), into: &chunk)
            waitingTopics.removeFirst()
        }
        while hasSpace, let line = readings.first {
            chunk.append(lines: line)
            readings.removeFirst()
        }
        if hasSpace, waitingMoment != nil {
            chunk.append(lines: waitingState)
            waitingMoment = nil
        }
    }

    private var hasSpace: Bool {
        chunk.bytes.count < Self.chunkSize
    }

    private func hasEvent(_ ring: EventRing) -> Bool {
        nextEvent.map { $0 < ring.retained.upperBound } ?? false
    }

    private mutating func skipEventsThatLeft(_ ring: EventRing) {
        guard let number = nextEvent, let next = ring.first(from: number) else { return }
        dropped.events += next - number
        nextEvent = next
    }

    private mutating func reportDropped() {
        guard dropped != DroppedCounts() else { return }
        chunk.dropped(dropped)
        dropped = DroppedCounts()
    }
}

/// The properties of a state that decide whether a client receives it.
package struct StateKey: Equatable, Sendable {
    package var at: Instant
    package var run: RunState
    /// Zero while idle.
    package var elapsedMilliseconds: Int64

    package init(_ state: State) {
        at = state.at
        run = state.run
        elapsedMilliseconds = state.activity?.total.elapsedMilliseconds ?? 0
    }
}

/// HEART and FIX lines in order. Clients share the lines without copies.
private struct ReadingQueue: Sendable {
    private var lines: [(line: [UInt8], of: MessageClasses)] = []
    private var head = 0
    private(set) var byteCount = 0

    var isEmpty: Bool { head == lines.count }

    var first: [UInt8]? { isEmpty ? nil : lines[head].line }

    mutating func append(_ line: [UInt8], of kind: MessageClasses) {
        lines.append((line, kind))
        byteCount += line.count
    }

    /// Removes the first line and returns its class.
    @discardableResult
    mutating func removeFirst() -> MessageClasses {
        let (line, kind) = lines[head]
        lines[head].line = []
        byteCount -= line.count
        head += 1
        if head == lines.count || head == 256 {
            lines.removeFirst(head)
            head = 0
        }
        return kind
    }

    mutating func removeAll(where isUnwanted: (MessageClasses) -> Bool) {
        lines.removeFirst(head)
        head = 0
        lines.removeAll { isUnwanted($0.of) }
        byteCount = lines.reduce(0) { $0 + $1.line.count }
    }
}
