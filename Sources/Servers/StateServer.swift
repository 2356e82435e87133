package import Domain
import JSONCoding
package import Linux
package import Wire

/// The server of state.sock. It publishes to any number of clients and never waits for one of them.
///
/// A client that keeps up has no queue: each line is sent to all from one buffer. A slow client is watched
/// until its socket accepts more; until then its ``SubscriberQueue`` holds its pending lines.
///
/// Source: docs/decisions/sockets.md.
package final class StateServer {
    /// A client that reads nothing of its pending bytes for this long is closed.
    package static let stallLimit = Duration.seconds(30)

    package static let limits = ClientLimits(total: 256, perUser: 128)

    /// The most bytes, give or take a chunk, sent to one client per iteration of the loop: a replay must
    /// not delay ticks.
    private static let turnLimit = 64 * 1024

    /// The most topics that all clients watch together: publishers get a DEMAND line for each.
    package static let demandLimit = 128

    /// The number of the last published STATE line; 0 before the first.
    package private(set) var stateSequence = 0

    /// Limits for new clients. Connected clients are never closed by a change.
    package var limits: ClientLimits

    private let loop: EventLoop
    private let stallLimit: Duration
    private let bootID: String
    private let instance: String
    private let gpsd: String?
    /// Of the VERSION line for new clients.
    package var device: Device?

    private var listener: Listener?
    private var stallTimer: StallTimer?
    private var subscribers: [Subscriber] = []

    private var ring = EventRing()
    private var stateLines: StateLines
    private var stateMoment: StateKey?
    private var settingsLine = JSONWriter()
    private var readingLine = JSONWriter(capacity: 512)
    private var topics = TopicTable()
    /// How many clients watch each topic.
    package private(set) var demand: [TopicName: Int] = [:]
    /// Called when ``demand`` has changed.
    package var demandChanged: () -> Void = {}
    private var heartSequence = 0
    private var fixSequence = 0

    /// - Parameters:
    ///   - socket: a listening socket.
    ///   - bootID: the kernel's random id of the boot. Empty if unknown.
    ///   - instance: a name that is unique for each start of the daemon.
    ///   - gpsd: the address of gpsd in use, as paced.conf has it.
    package init(
        socket: consuming FileDescriptor, loop: EventLoop, limits: ClientLimits = StateServer.limits, bootID: String,
        instance: String, gpsd: String? = nil, settings: Settings, stallLimit: Duration = StateServer.stallLimit
    ) throws(SystemError) {
        self.loop = loop
        self.stallLimit = stallLimit
        self.limits = limits
        self.bootID = bootID
        self.instance = instance
        self.gpsd = gpsd
        stateLines = StateLines(settings: settings)
        settingsLine.settingsLine(settings)
        stallTimer = try StallTimer(limit: stallLimit, loop: loop) { [unowned self] in closeStuck(since: $0) }
        listener = try Listener(
            socket, loop: loop, accepted: { [unowned self] in accept($0) },
            refused: { Self.refuse($0, ClientLimits.noDescriptor) })
    }

    // MARK: Publishing

    /// Publishes heart-rate samples and fixes, and the lines of the events among the outputs.
    package func publish(_ outputs: [Output], events: [EventLine]) {
        if outputs.isEmpty, events.isEmpty { return }
        for event in events { ring.append(event) }
        for output in outputs {
            switch output {
            case .event: break
            case .heart(let reading):
                heartSequence += 1
                readingLine.clear()
                readingLine.heart(reading, sequence: heartSequence)
                wait(reading: Array(readingLine.bytes), of: .heart)
            case .fix(let fix):
                fixSequence += 1
                readingLine.clear()
                readingLine.fix(fix, sequence: fixSequence)
                wait(reading: Array(readingLine.bytes), of: .fix)
            }
        }
        flushAll()
    }

    /// Publishes the state.
    ///
    /// - Parameter isChange: whether the state is published because of a change, not because its period has passed.
    package func publish(_ state: State, isChange: Bool) {
        stateSequence += 1
        stateLines.encode(state, sequence: stateSequence)
        let moment = StateKey(state)
        stateMoment = moment
        for subscriber in subscribers where subscriber.queue.accepts(moment, isChange: isChange) {
            send(moment, to: subscriber)
        }
        sweep()
    }

    /// Inserts the events of an earlier start before the published ones, whose numbers shift. Clients keep
    /// their positions.
    package func renumberEvents(_ numbers: Renumbering.Shift, after kept: [(sequence: Int, line: [UInt8])]) {
        ring.renumber(numbers, after: kept)
        for subscriber in subscribers { subscriber.queue.renumber(numbers) }
    }

    /// Publishes the settings to the clients that subscribe to them.
    package func settingsChanged(_ settings: Settings) {
        stateLines.settingsChanged(settings)
        settingsLine.clear()
        settingsLine.settingsLine(settings)
        for subscriber in subscribers { subscriber.queue.settingsChanged() }
        flushAll()
    }

    /// Publishes the data of a topic.
    ///
    /// - Parameter time: the time of day; nil while no clock is set.
    package func publish(_ publication: TopicPublication, time: UTC?, at now: Instant) throws(RPCError) {
        try topics.publish(publication, time: time, at: now)
        changed([publication.topic])
    }

    /// The observation of the topic `weather`; nil while it has none.
    package var weather: WeatherObservation? { topics.weather }

    /// Removes the data of a topic.
    package func retract(_ topic: TopicName) throws(RPCError) {
        try topics.retract(topic)
        changed([topic])
    }

    /// Admits a notice of a user, whose EVENT is the caller's.
    package func admit(_ notice: TopicNotice, of user: UInt32, at now: Instant) throws(RPCError) {
        try topics.admit(notice, of: user, at: now)
    }

    /// Makes data stale and drops it. Called once a second.
    package func advanceTopics(to now: Instant) {
        changed(topics.advance(to: now))
    }

    private func changed(_ names: [TopicName]) {
        if names.isEmpty { return }
        for subscriber in subscribers { for name in names { subscriber.queue.changed(name) } }
        flushAll()
    }

    /// Closes all clients, after sending what the kernel still accepts of their pending lines.
    package func close() {
        listener = nil
        for subscriber in subscribers {
            flush(subscriber)
            subscriber.close()
        }
        sweep()
    }

    package var clientCount: Int {
        subscribers.count
    }

    // MARK: Sending

    /// Sends the state from the shared buffer, or queues it if the client is behind.
    private func send(_ moment: StateKey, to subscriber: Subscriber) {
        let state = stateLines.line(with: subscriber.queue.watch.blocks)
        if subscriber.isBehind { return subscriber.queue.wait(state: state, moment) }
        let line = state[...]
        switch subscriber.socket.send(line) {
        case .sent(let count):
            if count == line.count { return }
            subscriber.queue.wait(rest: line[count...])
            fellBehind(subscriber)
        case .full:
            subscriber.queue.wait(state: state, moment)
            fellBehind(subscriber)
        case .gone: subscriber.close()
        }
    }

    private func wait(reading line: [UInt8], of lines: MessageClasses) {
        for subscriber in subscribers { subscriber.queue.wait(reading: line, of: lines) }
    }

    private func flushAll() {
        for subscriber in subscribers where !subscriber.isBehind { flush(subscriber) }
        sweep()
    }

    /// Sends pending lines until the socket is full.
    private func flush(_ subscriber: Subscriber) {
        var left = Self.turnLimit
        while let bytes = subscriber.queue.next(
            ring, settings: settingsLine.bytes, topics: topics, at: Clock.now())
        {
            if left <= 0 { return fellBehind(subscriber) }
            switch subscriber.socket.send(bytes) {
            case .sent(let count):
                subscriber.queue.sent(count)
                left -= count
            case .full:
                fellBehind(subscriber)
                return
            case .gone:
                subscriber.close()
                return
            }
        }
        subscriber.isBehind = false
    }

    private func fellBehind(_ subscriber: Subscriber) {
        let now = Clock.now()
        subscriber.queue.blocked(at: now)
        subscriber.isBehind = true
        stallTimer?.watch(since: now)
    }

    private func closeStuck(since limit: Instant) -> Instant? {
        for subscriber in subscribers {
            if let since = subscriber.queue.stuckSince, since <= limit { closeWithReason(subscriber) }
        }
        sweep()
        return subscribers.compactMap(\.queue.stuckSince).min()
    }

    /// Closes a client that reads nothing. A last ERROR line follows what it has not read: its socket's buffer gets room
    /// for the line, as far as the kernel permits.
    private func closeWithReason(_ subscriber: Subscriber) {
        let seconds = Int(stallLimit.inSeconds.rounded(.up))
        let bytes = subscriber.queue.last("closed: the client has read nothing for \(seconds) s")
        UnixSocket.growSendBuffer(of: subscriber.socket)
        _ = subscriber.socket.send(bytes[...])
        subscriber.close()
    }

    // MARK: Clients

    private func accept(_ socket: consuming FileDescriptor) {
        // The client has already disconnected.
        guard let peer = try? UnixSocket.peer(of: socket) else { return }
        let others = subscribers.map { (user: $0.peer.user, number: $0.socket.number) }
        let spare = ClientLimits.spareDescriptors + ClientLimits.controlDescriptors
        if let refusal = limits.rejection(of: socket, from: peer.user, among: others, keeping: spare) {
            return Self.refuse(socket, refusal)
        }
        var line = JSONWriter(capacity: 256)
        line.version(
            release: Release.version, protocol: Release.protocolNumber, bootID: bootID, instance: instance,
            gpsd: gpsd, device: device, events: ring.retained)
        let subscriber = Subscriber(socket, peer: peer, queue: SubscriberQueue(ring: ring))
        do throws(SystemError) {
            try subscriber.watch(in: loop) { [unowned self, unowned subscriber] in ready(subscriber, $0) }
        } catch {
            return
        }
        subscriber.queue.queueVersion(line.bytes)
        if let stateMoment, subscriber.queue.accepts(stateMoment, isChange: true) {
            subscriber.queue.wait(state: stateLines.plain.bytes, stateMoment)
        }
        subscribers.append(subscriber)
        flush(subscriber)
        sweep()
    }

    /// Sends one ERROR line and closes.
    private static func refuse(_ socket: consuming FileDescriptor, _ refusal: String) {
        var line = JSONWriter(capacity: 256)
        line.error(refusal)
        _ = socket.send(line.bytes[...])
    }

    private func ready(_ subscriber: Subscriber, _ readiness: Readiness) {
        if readiness.contains(.hungUp) || readiness.contains(.failed) {
            subscriber.close()
        } else {
            if readiness.contains(.writing) { flush(subscriber) }
            if readiness.contains(.reading) { subscriber.receive() }
            answerLines(of: subscriber)
        }
        sweep()
    }

    /// Handles the client's lines one by one. None is read while a response is pending, so responses do not pile up.
    private func answerLines(of subscriber: Subscriber) {
        while subscriber.isOpen, !subscriber.isBehind, let line = subscriber.nextLine() {
            do throws(BadLine) {
                guard case .line(let bytes) = line else {
                    throw BadLine(message: "a line is at most \(SubscriptionRequest.lineLimit) bytes")
                }
                try apply(try SubscriptionRequest(line: bytes), of: subscriber)
            } catch {
                subscriber.queue.queueError(error.message)
            }
            flush(subscriber)
        }
    }

    private func apply(_ request: SubscriptionRequest, of subscriber: Subscriber) throws(BadLine) {
        let before = subscriber.queue.watch.topics
        if let names = request.topics {
            let new = names.count { demand[$0] == nil }
            if new > 0, demand.count + new > Self.demandLimit {
                throw BadLine(message: "too many topics: all clients together may watch \(Self.demandLimit)")
            }
        }
        subscriber.queue.apply(request, ring: ring, topics: topics)
        count(subscriber.queue.watch.topics, instead: before)
    }

    /// Counts the topics that a client watches now, and no longer those that it watched before.
    private func count(_ topics: [TopicName], instead before: [TopicName]) {
        if topics == before { return }
        for name in topics { demand[name, default: 0] += 1 }
        for name in before {
            let left = (demand[name] ?? 1) - 1
            demand[name] = left > 0 ? left : nil
        }
        demandChanged()
    }

    /// Removes closed clients. Never called while the list is iterated.
    private func sweep() {
        guard subscribers.contains(where: { !$0.isOpen }) else { return }
        for subscriber in subscribers where !subscriber.isOpen { count([], instead: subscriber.queue.watch.topics) }
        subscribers.removeAll { !$0.isOpen }
    }
}
