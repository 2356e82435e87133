package import Domain

/// What one client of state.sock has chosen and what waits for it, bounded.
///
/// Bytes go out in chunks of whole lines. The shell takes the next chunk, says how much of it was sent, and takes the next
/// when it is through. While a client keeps up, a STATE line goes to it from the buffer that all share and is copied only as
/// far as it was not taken. When a client is behind:
///
/// - STATE is conflated: the newest that the client is to have waits, each that it replaces was missed;
/// - SETTINGS are conflated: the newest wait, and nothing was missed, since each change is an EVENT too;
/// - EVENTs wait in the ``EventRing``, where the client has a place; those that leave it before were missed;
/// - HEART and FIX lines wait up to ``readingLimit``; beyond it the oldest were missed;
/// - WATCH and ERROR lines wait; the shell takes no further line from a client that is behind.
///
/// What was missed is told by a DROPPED line before the next line.
package struct SubscriberQueue: Sendable {
    /// The most bytes of HEART and FIX lines that wait.
    package static let readingLimit = 64 * 1024
    /// A chunk is closed when it has so many bytes; it is longer by at most one line.
    package static let chunkSize = 4096
    /// Periodic states that come so much too early are in time: their moments are not on a grid of the client's.
    private static let jitterTolerance = Duration.milliseconds(50)

    /// What is in force.
    package private(set) var watch = Subscription()

    /// The chunk that is being sent, from `sent` on.
    private var chunk = JSONWriter(capacity: 0)
    private var sent = 0
    private var answers = JSONWriter(capacity: 0)
    private var missed = DroppedCounts()
    /// The event that comes next; nil while events are not watched.
    private var place: Int?
    private var settingsWait = false
    private var readings = ReadingQueue()
    private var waitingState: [UInt8] = []
    private var waitingMoment: StateKey?
    /// The state that went out, or began to wait, last.
    private var lastState: Instant?
    /// Since when nothing was taken of what waits; nil while nothing waits.
    package private(set) var stuckSince: Instant?

    /// - Parameter ring: the events from its end on are to come.
    package init(ring: EventRing) {
        place = ring.retained.upperBound
    }

    /// Lets the first line wait for a new client.
    package mutating func greet(_ version: [UInt8]) {
        answers.append(lines: version)
    }

    // MARK: What the client says

    /// Puts a request in force and answers it.
    package mutating func apply(_ request: SubscriptionRequest, ring: EventRing) {
        let before = watch.classes
        if let classes = request.classes { watch.classes = classes }
        if let period = request.everyMilliseconds { watch.everyMilliseconds = Int64(period) }
        answers.watch(watch)

        if !watch.classes.contains(.event) {
            place = nil
        } else if let since = request.since {
            // A number from the future is one of a daemon that is no more: all that is retained is news.
            place = since < ring.retained.upperBound ? since + 1 : ring.first(from: 1) ?? ring.retained.upperBound
        } else if place == nil {
            place = ring.retained.upperBound
        }
        settingsWait = watch.classes.contains(.settings) && (settingsWait || !before.contains(.settings))
        readings.removeAll { !watch.classes.contains($0) }
        if let moment = waitingMoment, !isWatched(moment) { waitingMoment = nil }
    }

    /// Tells the client what is wrong with its line.
    package mutating func refuse(_ message: String) {
        answers.error(message)
    }

    // MARK: What happens

    /// Whether the client is to have a state, which then counts as its last one.
    ///
    /// - Parameter isChange: the state is published because something changed, not because time passed.
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

    /// Lets a state wait; one that still waited was missed.
    package mutating func wait(state line: [UInt8], _ moment: StateKey) {
        if waitingMoment != nil { missed.states += 1 }
        waitingState.removeAll(keepingCapacity: true)
        waitingState.append(contentsOf: line)
        waitingMoment = moment
    }

    /// Lets the rest of a line wait of which a part was sent already. Nothing else may be waiting.
    package mutating func wait(rest: ArraySlice<UInt8>) {
        precondition(sent == chunk.bytes.count)
        chunk.clear()
        sent = 0
        chunk.append(lines: rest)
    }

    /// Lets a HEART or FIX line wait, if it is watched.
    package mutating func wait(reading line: [UInt8], of lines: MessageClasses) {
        guard watch.classes.contains(lines) else { return }
        readings.append(line, of: lines)
        while readings.byteCount > Self.readingLimit {
            if readings.removeFirst() == .heart { missed.hearts += 1 } else { missed.fixes += 1 }
        }
    }

    /// The events of the ring have other numbers from now on (``EventRing/renumber(_:after:)``); the client has the same place.
    package mutating func renumber(_ numbers: Renumbering.Shift) {
        place = place.map { numbers($0) }
    }

    /// Lets the settings wait, if they are watched.
    package mutating func settingsChanged() {
        settingsWait = watch.classes.contains(.settings)
    }

    // MARK: What goes out

    /// Nothing waits: a line may be sent directly.
    package func isEmpty(_ ring: EventRing) -> Bool {
        sent == chunk.bytes.count && answers.bytes.isEmpty && missed == DroppedCounts() && !hasEvent(ring)
            && !settingsWait
            && readings.isEmpty && waitingMoment == nil
    }

    /// The bytes to send now; nil when nothing waits.
    ///
    /// - Parameter settings: the present SETTINGS line.
    package mutating func next(_ ring: EventRing, settings: [UInt8]) -> ArraySlice<UInt8>? {
        if sent == chunk.bytes.count { fill(ring, settings: settings) }
        return sent < chunk.bytes.count ? chunk.bytes[sent...] : nil
    }

    /// So many of those bytes were taken.
    package mutating func sent(_ count: Int) {
        sent += count
        stuckSince = nil
    }

    /// Nothing more is taken for now.
    package mutating func blocked(at now: Instant) {
        if stuckSince == nil { stuckSince = now }
    }

    private mutating func fill(_ ring: EventRing, settings: [UInt8]) {
        chunk.clear()
        sent = 0
        // A replay's hole comes after the answer to the line that asked for it.
        if answers.bytes.isEmpty { skipEventsThatLeft(ring) }
        reportDropped()
        chunk.append(lines: answers.bytes)
        answers.clear()
        skipEventsThatLeft(ring)
        reportDropped()
        while hasRoom, let number = place, ring.first(from: number) == number {
            chunk.append(lines: ring[number])
            place = number + 1
            skipEventsThatLeft(ring)
            reportDropped()
        }
        if hasRoom, settingsWait {
            chunk.append(lines: settings)
            settingsWait = false
        }
        while hasRoom, let line = readings.first {
            chunk.append(lines: line)
            readings.removeFirst()
        }
        if hasRoom, waitingMoment != nil {
            chunk.append(lines: waitingState)
            waitingMoment = nil
        }
    }

    private var hasRoom: Bool {
        chunk.bytes.count < Self.chunkSize
    }

    private func hasEvent(_ ring: EventRing) -> Bool {
        place.map { $0 < ring.retained.upperBound } ?? false
    }

    private mutating func skipEventsThatLeft(_ ring: EventRing) {
        guard let number = place, let next = ring.first(from: number) else { return }
        missed.events += next - number
        place = next
    }

    private mutating func reportDropped() {
        guard missed != DroppedCounts() else { return }
        chunk.dropped(missed)
        missed = DroppedCounts()
    }
}

/// What thinning needs to know of a state.
package struct StateKey: Equatable, Sendable {
    package var at: Instant
    package var run: RunState
    /// 0 while idle.
    package var elapsedMilliseconds: Int64

    package init(_ state: State) {
        at = state.at
        run = state.run
        elapsedMilliseconds = state.activity?.total.elapsedMilliseconds ?? 0
    }
}

/// HEART and FIX lines in their order. The lines are shared between clients, not copied.
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

    /// The class of what was removed.
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
