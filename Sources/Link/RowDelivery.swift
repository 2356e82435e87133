package import Domain

/// Which rows and heads each collector has acknowledged, and which message it needs next. The journal is the queue: only places
/// are kept here.
///
/// A message that is lost, or that a collector loses, is sent again after a time-out. So a collector may receive a row twice,
/// and absorbs it by its key.
///
/// Source: docs/link.md, docs/decisions/link.md.
package struct RowDelivery {
    /// An activity as the journal had it when it was surveyed last.
    package struct Activity: Equatable, Sendable {
        /// Its number in the journal.
        package var id: Int
        /// What the rows are made of: number, level and hidden radius. Other rows have the same places, so all are sent anew.
        package var source: String
        /// The place after the last row that is synced; nil while it is unknown, for rows that are selected when they are read.
        package var end: Int?
        package var isOpen: Bool
        package var isDeleted: Bool
        /// A hash of the head.
        package var content: Int64
        /// Rises with each change of the head.
        package var revision = 1
        /// The revision of the last tombstone; 0 for none. Rows of earlier revisions are of no use.
        package var floor = 0
        /// The file of the journal that it was seen in.
        package var journal: String

        package init(
            id: Int, source: String, end: Int?, isOpen: Bool, isDeleted: Bool, content: Int64, revision: Int = 1,
            floor: Int = 0, journal: String
        ) {
            self.id = id
            self.source = source
            self.end = end
            self.isOpen = isOpen
            self.isDeleted = isDeleted
            self.content = content
            self.revision = revision
            self.floor = floor
            self.journal = journal
        }
    }

    package struct Position: Equatable, Sendable {
        /// The collector has all rows before this place.
        package var next = 0
        /// The revision of the head that the collector has; 0 for none.
        package var revision = 0

        package init(next: Int = 0, revision: Int = 0) {
            self.next = next
            self.revision = revision
        }
    }

    package enum Order: Equatable, Sendable {
        case tombstone(UUID, revision: Int)
        case head(UUID, revision: Int)
        case rows(UUID, from: Int)

        var activity: UUID {
            switch self {
            case .tombstone(let uuid, _), .head(let uuid, _), .rows(let uuid, _): uuid
            }
        }
    }

    /// A message that is not acknowledged.
    fileprivate struct Flight {
        var order: Order
        /// The place after the last row of the batch.
        var next = 0
        var message: Int32
        var sent: Instant
    }

    package struct Sink {
        package let name: String
        package var epoch: UUID?
        package fileprivate(set) var positions: [UUID: Position] = [:]
        fileprivate var flights: [Flight] = []
        /// The activities that need something, in the order of their numbers.
        fileprivate var work: [UUID] = []
        fileprivate var pausedUntil: Instant?
        /// The time of the last acknowledgement, and since when one is awaited.
        package fileprivate(set) var acknowledgedAt: Instant?
        /// Whether messages were sent again after a time-out, and nothing has come since.
        package fileprivate(set) var isSilent = false
        /// Whether nobody receives the messages.
        package fileprivate(set) var isAbsent = false

        init(_ name: String) { self.name = name }
    }

    package static let windowLimit = 4
    /// Rows of a running activity that are sent before 30 s have passed: about half a minute with beats.
    private static let liveRows = 100
    private static let liveInterval = Duration.seconds(30)
    /// Acknowledgements beyond this place are wrong.
    private static let placeLimit = Int(UInt32.max)
    private static let revisionLimit = 1 << 30

    package private(set) var activities: [UUID: Activity] = [:]
    package private(set) var sinks: [Sink]
    private let timeout: Duration
    private var batches: [UUID: Instant] = [:]
    /// What is to be stored: activities before their heads are sent, positions within a second.
    package var changedActivities: Set<UUID> = []
    package var changedPositions: [(sink: Int, activity: UUID?)] = []

    package init(sinks: [String], timeout: Duration) {
        self.sinks = sinks.map { Sink($0) }
        self.timeout = timeout
    }

    // MARK: What was stored

    package mutating func load(_ activity: Activity, of uuid: UUID) { activities[uuid] = activity }

    package mutating func load(_ position: Position, of uuid: UUID, sink name: String) {
        guard let index = sinks.firstIndex(where: { $0.name == name }) else { return }
        sinks[index].positions[uuid] = position
    }

    package mutating func load(epoch: UUID, sink name: String) {
        guard let index = sinks.firstIndex(where: { $0.name == name }) else { return }
        sinks[index].epoch = epoch
    }

    // MARK: The journal

    /// Takes what the journal has, with a revision 1 and without a tombstone.
    ///
    /// An activity that is missing was erased, unless the journal is another file: one that was set aside, or restored.
    package mutating func survey(_ found: [UUID: Activity], journal: String) {
        for (uuid, new) in found { update(uuid, new) }
        for (uuid, known) in activities where found[uuid] == nil && known.journal == journal {
            if !known.isDeleted {
                delete(uuid)
            } else if sinks.allSatisfy({ $0.positions[uuid]?.revision ?? 0 >= known.revision }) {
                activities[uuid] = nil
                changedActivities.insert(uuid)
                for index in sinks.indices { sinks[index].positions[uuid] = nil }
            }
        }
        for index in sinks.indices { plan(index) }
    }

    /// Takes the rows that a running activity has by now.
    package mutating func grow(_ uuid: UUID, to end: Int) {
        guard let known = activities[uuid]?.end, known < end else { return }
        activities[uuid]?.end = end
        for index in sinks.indices { plan(index, uuid) }
    }

    /// The place after the last row, of rows that are selected when they are read.
    package mutating func finish(_ uuid: UUID, at end: Int) {
        guard activities[uuid]?.end != end else { return }
        activities[uuid]?.end = end
        // The head was sent without it.
        activities[uuid]?.revision += 1
        changedActivities.insert(uuid)
        for index in sinks.indices { plan(index, uuid) }
    }

    private mutating func update(_ uuid: UUID, _ new: Activity) {
        guard var known = activities[uuid] else {
            // One that was deleted before it was seen is nobody's.
            if new.isDeleted { return }
            activities[uuid] = new
            changedActivities.insert(uuid)
            return
        }
        let before = known
        known.id = new.id
        known.journal = new.journal
        if new.isDeleted {
            guard !known.isDeleted else {
                activities[uuid] = known
                return
            }
            activities[uuid] = known
            return delete(uuid)
        }
        if known.source != new.source {
            // A tombstone, and the head after it.
            if !known.isDeleted { known.floor = known.revision + 1 }
            known.revision = max(known.revision, known.floor) + 1
            known.end = new.end
            begin(uuid)
        } else if known.isDeleted || known.content != new.content {
            known.revision += 1
        }
        known.source = new.source
        known.content = new.content
        known.isDeleted = false
        // The rows of one that has ended are selected now.
        known.end = new.end ?? (known.isOpen ? nil : known.end)
        known.isOpen = new.isOpen
        activities[uuid] = known
        if known != before { changedActivities.insert(uuid) }
    }

    private mutating func delete(_ uuid: UUID) {
        guard var activity = activities[uuid] else { return }
        activity.isDeleted = true
        activity.isOpen = false
        activity.revision += 1
        activity.floor = activity.revision
        activities[uuid] = activity
        changedActivities.insert(uuid)
        begin(uuid)
    }

    /// No collector has rows of the activity that count.
    private mutating func begin(_ uuid: UUID) {
        for index in sinks.indices {
            sinks[index].positions[uuid]?.next = 0
            sinks[index].flights.removeAll { $0.order.activity == uuid }
            changedPositions.append((index, uuid))
        }
    }

    // MARK: Messages

    /// The next message, and the sinks that need it; nil if nothing is due.
    package func next(at now: Instant) -> (order: Order, sinks: [Int])? {
        for index in sinks.indices {
            guard let order = order(for: index, at: now) else { continue }
            let others = sinks.indices.filter { $0 != index && self.order(for: $0, at: now) == order }
            return (order, [index] + others)
        }
        return nil
    }

    private func order(for index: Int, at now: Instant) -> Order? {
        let sink = sinks[index]
        // One message a pause tells whether somebody receives again.
        if let end = sink.pausedUntil, now < end { return nil }
        let window = sink.isAbsent ? 1 : Self.windowLimit
        guard sink.flights.count < window else { return nil }
        for uuid in sink.work {
            if let order = order(of: uuid, for: sink, at: now) { return order }
        }
        return nil
    }

    private func order(of uuid: UUID, for sink: Sink, at now: Instant) -> Order? {
        guard let activity = activities[uuid] else { return nil }
        let position = sink.positions[uuid] ?? Position()
        let flights = sink.flights.filter { $0.order.activity == uuid }
        func isSent(_ order: Order) -> Bool { flights.contains { $0.order == order } }
        if position.revision < activity.floor {
            let tombstone = Order.tombstone(uuid, revision: activity.floor)
            return isSent(tombstone) ? nil : tombstone
        }
        if position.revision < activity.revision {
            let head = Order.head(uuid, revision: activity.revision)
            if !isSent(head) { return head }
        }
        if activity.isDeleted { return nil }
        let from = flights.reduce(position.next) { max($0, $1.next) }
        guard from < activity.end ?? .max else { return nil }
        if activity.isOpen, let end = activity.end, end - from < Self.liveRows,
            let last = batches[uuid], now - last < Self.liveInterval
        {
            return nil
        }
        return .rows(uuid, from: from)
    }

    /// Notes that a message was sent.
    ///
    /// - Parameter next: the place after the last row of the batch.
    package mutating func sent(_ order: Order, next: Int, to indices: [Int], as message: Int32, at now: Instant) {
        for index in indices {
            sinks[index].flights.append(Flight(order: order, next: next, message: message, sent: now))
        }
        if case .rows(let uuid, _) = order { batches[uuid] = now }
    }

    /// When ``next(at:)`` may have something without an event.
    package func nextCheck(after now: Instant) -> Instant? {
        var times: [Instant] = []
        for sink in sinks {
            times += sink.flights.map { $0.sent + timeout }
            if let end = sink.pausedUntil, !sink.work.isEmpty { times.append(end) }
            times += sink.work.compactMap { uuid in
                activities[uuid]?.isOpen == true ? batches[uuid].map { $0 + Self.liveInterval } : nil
            }
        }
        return times.filter { $0 > now }.min()
    }

    /// Forgets messages without an acknowledgement, which are sent again.
    package mutating func expire(at now: Instant) {
        for index in sinks.indices {
            if let end = sinks[index].pausedUntil, now >= end { sinks[index].pausedUntil = nil }
            guard let first = sinks[index].flights.first, now - first.sent >= timeout else { continue }
            // What could not be read was not sent either.
            if sinks[index].flights.contains(where: { $0.message >= 0 }) { sinks[index].isSilent = true }
            sinks[index].flights = []
        }
    }

    /// The connection has ended.
    package mutating func disconnect() {
        for index in sinks.indices {
            sinks[index].flights = []
            sinks[index].pausedUntil = nil
        }
    }

    /// Whether the message of this number has rows or a head.
    package func hasFlight(_ message: Int32) -> Bool {
        sinks.contains { $0.flights.contains { $0.message == message } }
    }

    /// The broker has not taken a message that is sent again in another form.
    package mutating func retry(_ message: Int32) {
        for index in sinks.indices { sinks[index].flights.removeAll { $0.message == message } }
    }

    /// The broker has not delivered a message: nobody receives it, or it refuses it. A pause follows.
    package mutating func refuse(_ message: Int32, isAbsent: Bool, at now: Instant) {
        for index in sinks.indices where sinks[index].flights.contains(where: { $0.message == message }) {
            sinks[index].flights = []
            sinks[index].isAbsent = isAbsent
            sinks[index].pausedUntil = now + timeout * 4
        }
    }

    /// The acknowledgement of a collector.
    package mutating func acknowledge(_ acknowledgement: RowAcknowledgement, sink name: String, at now: Instant) {
        guard let index = sinks.firstIndex(where: { $0.name == name }) else { return }
        if sinks[index].epoch != acknowledgement.epoch {
            // Another database, or an older state of the same one.
            if sinks[index].epoch != nil {
                sinks[index].positions = [:]
                sinks[index].flights = []
            }
            sinks[index].epoch = acknowledgement.epoch
            changedPositions.append((index, nil))
            plan(index)
        }
        // Whatever it says, the collector is there.
        sinks[index].acknowledgedAt = now
        (sinks[index].isSilent, sinks[index].isAbsent, sinks[index].pausedUntil) = (false, false, nil)
        let uuid = acknowledgement.activity
        guard var activity = activities[uuid] else { return }
        // A revision beyond all that are given would leave none for the next edit.
        guard acknowledgement.revision <= max(activity.revision, Self.revisionLimit) else { return }
        if acknowledgement.revision > activity.revision {
            // The collector knows revisions that were lost here: the head gets a new one.
            activity.revision = acknowledgement.revision + 1
            if activity.isDeleted { activity.floor = activity.revision }
            activities[uuid] = activity
            changedActivities.insert(uuid)
        }
        // One from before the last tombstone.
        guard acknowledgement.revision >= activity.floor else { return plan(index, uuid) }
        var position = sinks[index].positions[uuid] ?? Position()
        position.revision = max(position.revision, acknowledgement.revision)
        if !activity.isDeleted {
            position.next = max(position.next, min(acknowledgement.next, activity.end ?? Self.placeLimit))
        }
        sinks[index].positions[uuid] = position
        sinks[index].flights.removeAll { flight in
            switch flight.order {
            case .tombstone(uuid, let revision), .head(uuid, let revision): revision <= position.revision
            case .rows(uuid, _): flight.next <= position.next
            default: false
            }
        }
        changedPositions.append((index, uuid))
        plan(index, uuid)
    }

    /// Finds out which activities need something.
    private mutating func plan(_ index: Int) {
        sinks[index].work = activities.filter { needs($0.key, index) }
            .sorted { ($0.value.id, $0.key.description) < ($1.value.id, $1.key.description) }.map(\.key)
    }

    /// Finds out whether one activity needs something.
    private mutating func plan(_ index: Int, _ uuid: UUID) {
        let isPlanned = sinks[index].work.contains(uuid)
        guard needs(uuid, index) != isPlanned else { return }
        if isPlanned { sinks[index].work.removeAll { $0 == uuid } } else { plan(index) }
    }

    private func needs(_ uuid: UUID, _ index: Int) -> Bool {
        guard let activity = activities[uuid] else { return false }
        let position = sinks[index].positions[uuid] ?? Position()
        if position.revision < activity.revision { return true }
        return !activity.isDeleted && position.next < activity.end ?? .max
    }

    /// Whether no sink needs anything.
    package var isComplete: Bool { sinks.allSatisfy { $0.work.isEmpty } }

    /// The rows that a sink has not acknowledged, of activities whose end is known.
    package func backlog(of index: Int) -> Int {
        sinks[index].work.reduce(0) { sum, uuid in
            guard let activity = activities[uuid], !activity.isDeleted, let end = activity.end else { return sum }
            return sum + max(end - (sinks[index].positions[uuid]?.next ?? 0), 0)
        }
    }

    package func isPaused(_ index: Int, at now: Instant) -> Bool {
        sinks[index].pausedUntil.map { now < $0 } ?? false
    }
}

/// What a collector says it has.
package struct RowAcknowledgement: Equatable, Sendable {
    /// The collector's database, in the state that it is in.
    package var epoch: UUID
    package var activity: UUID
    package var revision: Int
    package var next: Int

    package init(epoch: UUID, activity: UUID, revision: Int, next: Int) {
        self.epoch = epoch
        self.activity = activity
        self.revision = revision
        self.next = next
    }
}
