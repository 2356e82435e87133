import Domain
import Gzip
import HTTP
import JSONCoding
import Linux
import MQTT
import Pipeline
import Report
import SQLite

/// Keeps the connection to the broker, and sends what the board has: live values as they come, rows as the collectors acknowledge
/// them. Nothing is queued but the messages that libmosquitto has in flight.
final class LinkService {
    /// What a user sees of the connection.
    enum Connection {
        case off
        case waiting(reason: String, until: Instant)
        case connecting(MQTTConnection)
        case connected(MQTTConnection)
    }

    private static let delays = Duration.seconds(2)...Duration.seconds(900)
    private static let busyDelay = Duration.seconds(60)
    /// A connection that ends this soon after its acceptance, several times, is taken over by a client of the same ID.
    private static let shortLife = Duration.seconds(10)
    private static let shortLives = 3
    private static let batchLimits = 2048...61_440
    private static let eventWindow = 256
    private static let jsonType = "application/json"

    let configuration: LinkConfiguration
    let messages: LinkMessages
    let device: Device
    private let options: MQTTConnection.Options?
    private let loop: EventLoop
    private let log: (LogLevel, String) -> Void
    private let notify: (_ key: String, _ text: String) -> Void
    private let hidden: HiddenCircles?
    private let members: [LiveMember]
    private let store: LinkStore
    private var feed: PacedFeed?
    private var follower: JournalFollower?
    private var timer: TimerSource?
    private(set) var connection = Connection.off
    private(set) var delivery: RowDelivery
    let parts: Parts
    private var position: LivePosition
    private var hiddenPlaces: (activity: Int, places: HiddenPlaces)?
    private var delay = delays.lowerBound
    private var shortLives = 0
    private var acceptedAt: Instant?
    private var notified: Set<String> = []
    private var state: JSON?
    private var liveAt: Instant?
    private var batchLimit = batchLimits.upperBound
    private var isFlushing = false
    private(set) var isMetered = false
    /// Events in flight, by the numbers of their messages.
    private var events: [Int32: Int] = [:]
    private var lastEvent: Int?
    private var storedEvent: Int?
    private var missedEvents = false
    private var savedAt: Instant?
    private(set) var storeFailure: String?
    /// Counted for `link.status`.
    private(set) var refusals = 0
    private(set) var refusal: String?
    private(set) var lastSuccess: Instant?
    private(set) var sentBytes = 0
    /// After a backlog of this size its memory is given back.
    private static let returnedBytes = 1 << 20
    private var unreturnedBytes = 0
    private(set) var sentRows = 0

    init(
        _ configuration: LinkConfiguration, _ options: MQTTConnection.Options?, device: Device,
        journal: String, paced: String, store: LinkStore, hidden: HiddenCircles?, parts: Parts, loop: EventLoop,
        log: @escaping (LogLevel, String) -> Void,
        notify: @escaping (_ key: String, _ text: String) -> Void
    ) throws {
        self.configuration = configuration
        self.options = options
        self.device = device
        self.loop = loop
        self.log = log
        self.notify = notify
        self.hidden = hidden
        self.store = store
        self.parts = parts
        messages = LinkMessages(device: device.uuid)
        members = (configuration.members ?? LiveMember.all).filter { $0.level <= configuration.level }
        position = LivePosition(configuration.level)
        delivery = RowDelivery(sinks: configuration.sinks, timeout: configuration.timeout)
        try store.load(into: &delivery)
        lastEvent = try store.event()
        storedEvent = lastEvent
        timer = try loop.timer { [unowned self] in onTimer() }
        feed = try PacedFeed(paced, loop: loop, log: log) { [unowned self] in receive($0) }
        follower = try JournalFollower(
            journal, level: configuration.level, hidden: hidden,
            surveys: !configuration.sinks.isEmpty || parts.uploads != nil, loop: loop, log: log
        ) { [unowned self] in find($0) }
        parts.uploads?.follower = follower
        parts.uploads?.isClockUnset = { [unowned self] in isClockUnset }
        parts.planner.isClockUnset = { [unowned self] in isClockUnset }
        if options != nil {
            connection = .waiting(reason: "starting", until: Clock.now())
            timer?.arm(at: Clock.now())
        }
    }

    /// Ends the connection in order, and stores what was delivered.
    func close() {
        if case .connected(let client) = connection { client.disconnect() }
        save(at: Clock.now(), isLast: true)
    }

    /// Sends rows now, also where they wait.
    func flush() {
        isFlushing = true
        parts.uploads?.flush()
        pump()
    }

    // MARK: paced

    private func receive(_ event: PacedFeed.Event) {
        switch event {
        case .lost: state = nil
        case .state(let state): receive(state: state)
        case .event(let event): send(event)
        }
    }

    private func receive(state: JSON) {
        let now = Clock.now()
        self.state = state
        let id = state["activity"]?.integer
        let sendable: JSON? =
            if let hidden {
                // Where the user is without a run, or before its start is known, may be a hidden place.
                hiddenPlaces(hidden, id).flatMap { position.ingest(state, hidden: $0, at: now) }
            } else {
                position.ingest(state, hidden: nil, at: now)
            }
        if case .connected(let client) = connection { sendLive(client, state, id, sendable, at: now) }
        if let fix = fix(of: state, sendable) { parts.tracks?.ingest(fix, connectedClient, at: now) }
        var synced: Instant?
        if let boot = state["boot_ms"]?.integer, let age = state["recorder"]?["sync_age_ms"]?.integer {
            synced = Instant(nanoseconds: Int64(boot - age) * 1_000_000)
        }
        let isRunning = state["run"]?.string != "idle"
        follower?.look(isRunning: isRunning, synced: synced, at: now)
        parts.planner.look(isRunning: isRunning, at: now)
        pump()
    }

    private var connectedClient: MQTTConnection? {
        if case .connected(let client) = connection { client } else { nil }
    }

    private func sendLive(_ client: MQTTConnection, _ state: JSON, _ id: Int?, _ position: JSON?, at now: Instant) {
        // The lines come each second, and a little earlier or later.
        if let liveAt, now - liveAt < configuration.interval - .milliseconds(200) { return }
        guard !members.isEmpty, configuration.level > .none else { return }
        liveAt = now
        let activity = id.flatMap { follower?.uuid(of: $0) }
        let payload = LinkMessages.state(state, members, activity: activity, position: position)
        _ = try? client.publish(.init(messages.state, payload, qos: 0, contentType: Self.jsonType))
    }

    /// A fix for OwnTracks: the position that may be sent.
    private func fix(of state: JSON, _ position: JSON?) -> OwnTracks.Fix? {
        guard parts.tracks != nil, let position, case .object(var members) = state else { return nil }
        members["position"] = position
        return OwnTracks.Fix(.object(members))
    }

    /// The hidden places of a run: around its start, and around the starts and ends of earlier ones, where it may end. Nil until
    /// they are known.
    private func hiddenPlaces(_ hidden: HiddenCircles, _ id: Int?) -> HiddenPlaces? {
        guard let id, let follower else { return nil }
        if let known = hiddenPlaces, known.activity == id { return known.places }
        do {
            guard let start = try follower.start(of: id), let ends = try follower.ends() else { return nil }
            let places = try hidden.places(around: ends + [start])
            hiddenPlaces = (id, places)
            return places
        } catch {
            log(.error, "cannot find hidden places: \(error)")
            return nil
        }
    }

    private func send(_ event: JSON) {
        guard let number = event["seq"]?.integer, let client = connectedClient else { return }
        guard let payload = LinkMessages.event(event, configuration.level, hidesPlaces: hidden != nil) else {
            if events.isEmpty { lastEvent = number }
            return
        }
        guard events.count < Self.eventWindow,
            let message = try? client.publish(.init(messages.event, payload, qos: 1, contentType: Self.jsonType))
        else {
            missedEvents = true
            return
        }
        events[message] = number
    }

    // MARK: Rows

    private func find(_ finding: JournalFollower.Finding) {
        switch finding {
        case .activities(let activities, let journal):
            if !configuration.sinks.isEmpty { delivery.survey(activities, journal: journal) }
        case .recorded(let recorded): parts.uploads?.survey(recorded)
        case .rows(let uuid, let end): delivery.grow(uuid, to: end)
        }
    }

    /// Sends the rows and heads that are due.
    private func pump() {
        let now = Clock.now()
        delivery.expire(at: now)
        if let client = connectedClient, !isMetered || isFlushing, storeRevisions() {
            while let (order, sinks) = delivery.next(at: now) {
                guard send(order, to: sinks, client, at: now) else { break }
            }
        }
        save(at: now, isLast: false)
        arm(at: now)
        if unreturnedBytes > Self.returnedBytes, delivery.isComplete {
            unreturnedBytes = 0
            Machine.returnFreeMemory()
        }
    }

    /// A revision is stored before it is sent.
    private func storeRevisions() -> Bool {
        guard !delivery.changedActivities.isEmpty else { return true }
        save(at: Clock.now(), isLast: true)
        return delivery.changedActivities.isEmpty
    }

    /// - Returns: whether the next message may follow.
    private func send(_ order: RowDelivery.Order, to sinks: [Int], _ client: MQTTConnection, at now: Instant) -> Bool {
        let uuid = order.activity
        guard let activity = delivery.activities[uuid], let follower else { return false }
        do {
            var next = 0
            let payload: [UInt8]
            switch order {
            case .tombstone(_, let revision): payload = messages.tombstone(uuid, revision: revision)
            case .head(_, let revision) where activity.isDeleted:
                payload = messages.tombstone(uuid, revision: revision)
            case .head(_, let revision):
                guard let summary = try follower.summary(of: activity.id) else { return hold(order, sinks, now) }
                payload = messages.head(
                    uuid, revision: revision, isOpen: activity.isOpen, end: activity.end, summary: summary)
            case .rows(_, let from):
                guard let batch = try follower.batch(of: activity.id, from: from, to: activity.end, limit: batchLimit)
                else { return hold(order, sinks, now) }
                next = batch.next
                if batch.isLast { delivery.finish(uuid, at: next) }
                if batch.isLast, next == from { return storeRevisions() }
                payload = messages.batch(uuid, revision: activity.revision, from: from, next: next, rows: batch.rows)
                sentRows += next - from
            }
            guard let packed = Gzip.pack(payload) else { return false }
            let number = try client.publish(
                .init(messages.rows, packed, qos: 1, contentType: Self.jsonType, isGzip: true))
            sentBytes += packed.count
            unreturnedBytes += payload.count
            delivery.sent(order, next: next, to: sinks, as: number, at: now)
            return storeRevisions()
        } catch MQTTConnection.Refusal.tooLarge {
            if halveBatches() { return true }
            refuse(0x95)
            _ = hold(order, sinks, now)
            delivery.refuse(Self.unsent, isAbsent: false, at: now)
            return false
        } catch is MQTTConnection.Refusal {
            return false
        } catch {
            log(.warning, "cannot read rows: \(error)")
            return hold(order, sinks, now)
        }
    }

    /// The journal has changed meanwhile: the next survey says how.
    private func hold(_ order: RowDelivery.Order, _ sinks: [Int], _ now: Instant) -> Bool {
        delivery.sent(order, next: 0, to: sinks, as: Self.unsent, at: now)
        return true
    }

    /// The number of a message that waits as if it was sent.
    private static let unsent: Int32 = -1

    /// Stores what was delivered, once a second at most.
    private func save(at now: Instant, isLast: Bool) {
        if !isLast, let savedAt, now - savedAt < .seconds(1) { return }
        do throws(SQLiteError) {
            try store.save(&delivery)
            if let lastEvent, lastEvent != storedEvent {
                try store.save(event: lastEvent)
                storedEvent = lastEvent
            }
            storeFailure = nil
            notified.remove(BrokerRefusal.storage)
        } catch {
            report(BrokerRefusal.storage, "cannot store what was delivered: \(error)")
            storeFailure = "\(error)"
        }
        savedAt = now
    }

    // MARK: The broker

    private func arm(at now: Instant) {
        var times: [Instant] = []
        if case .waiting(_, let until) = connection { times.append(until) }
        if connectedClient != nil, let next = delivery.nextCheck(after: now) { times.append(next) }
        if !delivery.changedPositions.isEmpty { times.append(now + .seconds(1)) }
        timer?.arm(at: times.min())
    }

    private func onTimer() {
        if case .waiting(_, let until) = connection, Clock.now() >= until { connect() }
        pump()
    }

    private func connect() {
        guard let options else { return }
        let now = Clock.now()
        if options.authorities != nil, isClockUnset {
            connection = .waiting(reason: Uploader.clockObstacle, until: now + .seconds(2))
            return
        }
        do throws(MQTTFailure) {
            connection = .connecting(
                try MQTTConnection(options, loop: loop) { [unowned self] in happen($0) })
        } catch {
            fail(error)
        }
    }

    private var isClockUnset: Bool {
        if let clock = state?["clock"]?.string { return clock == "unset" }
        return Clock.systemTime() < Self.earliest
    }

    /// A clock before it is not set: 2026-01-01.
    private static let earliest = UTC(milliseconds: 1_767_225_600_000)

    private func happen(_ event: MQTTConnection.Event) {
        switch event {
        case .connected: onConnected()
        case .ended(let failure): fail(failure)
        case .received(messages.commands, let payload, let isRetained):
            // A retained message would be carried out at each connection.
            if !isRetained { receive(command: payload) }
        case .received(let topic, let payload, _):
            guard let sink = messages.sink(of: topic), let acknowledgement = LinkMessages.acknowledgement(payload)
            else { return }
            lastSuccess = Clock.now()
            delivery.acknowledge(acknowledgement, sink: sink, at: Clock.now())
            // Sent from the timer, outside of the library's callback.
            timer?.arm(at: Clock.now())
        case .acknowledged(let message, let reason): onAcknowledged(message, reason)
        }
    }

    private func receive(command payload: [UInt8]) {
        parts.commands?.receive(payload) { [unowned self] answer in
            _ = try? connectedClient?.publish(.init(messages.reply, answer, qos: 1, contentType: Self.jsonType))
        }
    }

    private func onConnected() {
        guard case .connecting(let client) = connection else { return }
        let now = Clock.now()
        connection = .connected(client)
        (acceptedAt, lastSuccess) = (now, now)
        delay = Self.delays.lowerBound
        notified.formIntersection([MQTTFailure.Fault.clientID.rawValue, BrokerRefusal.storage])
        log(.notice, "connected to \(configuration.host ?? "")")
        isMetered = client.interface.map { configuration.metered.contains($0) } ?? false
        _ = try? client.publish(.init(messages.status, Array("online".utf8), qos: 1, isRetained: true))
        updateRetained(client)
        if configuration.discoveryPrefix != nil {
            let payload = HomeAssistant.discovery(
                of: device.uuid, name: device.name?.text ?? "paced", members: members, interval: configuration.interval,
                tracker: parts.tracks?.topic)
            _ = try? client.publish(.init(discoveryTopic, payload, qos: 1, isRetained: true))
        }
        if !configuration.sinks.isEmpty { client.subscribe(messages.acknowledgements) }
        if parts.commands != nil { client.subscribe(messages.commands) }
        parts.tracks?.begin()
        liveAt = nil
        if configuration.level > .none { feed?.watchEvents(since: lastEvent) }
        timer?.arm(at: now)
    }

    /// Empties the topics of an earlier configuration, whose last position or device the broker keeps.
    private func updateRetained(_ client: MQTTConnection) {
        var topics: Set<String> = []
        if let topic = parts.tracks?.topic { topics.insert(topic) }
        if configuration.discoveryPrefix != nil { topics.insert(discoveryTopic) }
        do throws(SQLiteError) {
            for topic in try store.retained() where !topics.contains(topic) {
                _ = try? client.publish(.init(topic, [], qos: 0, isRetained: true))
            }
            try store.save(retained: topics)
        } catch {
            log(.warning, "cannot store what the broker keeps: \(error)")
        }
    }

    private var discoveryTopic: String { "\(configuration.discoveryPrefix ?? "")/device/\(device.uuid)/config" }

    private func onAcknowledged(_ message: Int32, _ reason: Int32) {
        let now = Clock.now()
        lastSuccess = now
        if let number = events.removeValue(forKey: message) {
            lastEvent = max(lastEvent ?? 0, min(number, (events.values.min() ?? .max) - 1))
            if events.isEmpty, missedEvents {
                missedEvents = false
                feed?.watchEvents(since: lastEvent)
            }
        }
        guard reason >= 0x80 || reason == 0x10 else { return }
        if reason >= 0x80 { refuse(reason) }
        guard delivery.hasFlight(message) else { return }
        if reason == 0x95, halveBatches() {
            delivery.retry(message)
        } else {
            delivery.refuse(message, isAbsent: reason == 0x10, at: now)
        }
        timer?.arm(at: now)
    }

    /// Makes batches smaller, for a broker that takes no larger messages.
    ///
    /// - Returns: whether they were not the smallest.
    private func halveBatches() -> Bool {
        guard batchLimit > Self.batchLimits.lowerBound else { return false }
        batchLimit = max(batchLimit / 2, Self.batchLimits.lowerBound)
        return true
    }

    private func refuse(_ reason: Int32) {
        refusals += 1
        let text = BrokerRefusal.text(reason)
        refusal = text
        if reason != 0x95 || batchLimit == Self.batchLimits.lowerBound { report(BrokerRefusal.key, text) }
    }

    /// Tells the user once.
    private func report(_ key: String, _ text: String) {
        guard notified.insert(key).inserted else { return }
        log(.error, text)
        notify(key, BrokerRefusal.notices[key] ?? "")
    }

    private func fail(_ failure: MQTTFailure) {
        let now = Clock.now()
        var failure = failure
        if let accepted = acceptedAt, now - accepted < Self.shortLife { shortLives += 1 } else { shortLives = 0 }
        if shortLives >= Self.shortLives {
            failure = .clientID
            shortLives = 0
        }
        acceptedAt = nil
        isFlushing = false
        delivery.disconnect()
        events = [:]
        missedEvents = false
        feed?.ignoreEvents()
        let pause: Duration
        switch failure.reaction {
        case .retried:
            pause = delay
            delay = min(delay * 2, Self.delays.upperBound)
        case .retriedLater:
            pause = max(delay, Self.busyDelay)
            delay = min(delay * 2, Self.delays.upperBound)
        case .fault(let fault):
            pause = Self.delays.upperBound
            report(fault.rawValue, failure.text)
        }
        // Boards that lost one broker do not come back at one moment.
        let until = now + pause + pause * Double.random(in: 0...0.2)
        log(.warning, "\(failure.text); next try in \(Int((until - now).components.seconds)) s")
        connection = .waiting(reason: failure.text, until: until)
        arm(at: now)
    }
}
