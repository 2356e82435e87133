package import Domain
package import Storage
package import Wire

/// Which activity goes to which service next, and how far each is. Pure: it sends and stores nothing.
///
/// The state of an activity at a service is stored before a request that could make a second copy of it.
package struct UploadQueue {
    /// An activity at a service.
    package struct Entry: Equatable, Sendable {
        /// Its number in the journal.
        package var id: Int
        package var state: LinkRequest.UploadState
        /// The attempts with an unclear end, and the questions how far the service is.
        package var tries = 0
        /// What the service calls the upload that it works on, or the activity.
        package var remote: String?
        package var reason: String?
        package var retryAt: Instant?

        package init(id: Int, state: LinkRequest.UploadState) {
            self.id = id
            self.state = state
        }
    }

    package struct Service {
        package let settings: UploadSettings
        package var entries: [UUID: Entry] = [:]
        /// The last activity that is older than the service; nil until the first survey.
        package var enabled: Int?
        package var retryAt: Instant?
        /// The moment of `retryAt` by the clock, if the service has asked for the pause: it outlasts a restart.
        package var asksFor: UTC?
        package var reason: String?
        /// Whether nothing is sent until somebody acts.
        package var isPaused = false
        package var lastSuccess: Instant?
        var failures = 0
        package var active: UUID?

        init(_ settings: UploadSettings) { self.settings = settings }

        var isRepeatable: Bool { settings.service?.isRepeatable ?? false }
        package var waiting: Int { entries.values.count { $0.state == .waiting || $0.state == .sending } }
    }

    package struct Order: Equatable {
        package let service: Int
        package let activity: UUID
        package let id: Int
        package let step: UploadService.Step
    }

    private static let delays = Duration.seconds(60)...Duration.seconds(6 * 3600)
    /// Others go on so long after an activity with an unclear end.
    private static let pause = Duration.seconds(60)
    private static let tryLimit = 16
    /// About a day of questions.
    private static let pollLimit = 36
    static let longestPause = Duration.seconds(86_400)

    package var services: [Service]
    /// What is not stored yet. An activity of nil is the service itself.
    package var changes: Set<Change> = []

    package struct Change: Hashable {
        package let service: Int
        package let activity: UUID?
    }

    package init(_ settings: [UploadSettings]) {
        services = settings.map { Service($0) }
    }

    // MARK: What is to be done

    /// Takes an entry of the store. One that was being sent may be at the service.
    package mutating func load(_ entry: Entry, of activity: UUID, to service: Int) {
        var entry = entry
        let isUnclear = entry.state == .sending
        if isUnclear {
            entry.state = services[service].isRepeatable ? .waiting : .unknown
            entry.reason = "the program ended while the file was being sent"
        }
        services[service].entries[activity] = entry
        if isUnclear { changes.insert(Change(service: service, activity: activity)) }
    }

    /// Takes what has ended until now as older than a new service.
    package mutating func enable(_ recorded: JournalReader.Recorded) {
        for index in services.indices where services[index].enabled == nil {
            services[index].enabled = recorded.lastEnded
            changes.insert(Change(service: index, activity: nil))
        }
    }

    /// Finds the activities that have ended since a service was enabled.
    package mutating func survey(_ recorded: JournalReader.Recorded) {
        enable(recorded)
        for index in services.indices {
            if services[index].enabled ?? 0 > recorded.last {
                // Another journal.
                services[index].enabled = recorded.lastEnded
                changes.insert(Change(service: index, activity: nil))
            }
            let enabled = services[index].enabled ?? 0
            for activity in recorded.activities
            where activity.id > enabled && services[index].entries[activity.uuid] == nil {
                set(Entry(id: activity.id, state: .waiting), activity.uuid, index)
            }
        }
    }

    /// A user asks for an upload: at once, unless the service has asked for a pause.
    package mutating func ask(_ activity: UUID, _ id: Int, to service: Int) {
        var entry = services[service].entries[activity] ?? Entry(id: id, state: .none)
        switch entry.state {
        case .unknown where entry.remote != nil:
            // The service has taken the file: it is asked once more, and not sent to again.
            (entry.state, entry.tries, entry.reason, entry.retryAt) = (.processing, 0, nil, nil)
        case .none, .refused, .unknown:
            (entry.state, entry.tries, entry.reason, entry.retryAt) = (.waiting, 0, nil, nil)
        case .waiting: entry.retryAt = nil
        case .sending, .processing, .done: break
        }
        entry.id = id
        set(entry, activity, service)
        resume(service)
    }

    /// Tries again what waits, unless the service has asked for a pause.
    package mutating func resume(_ service: Int) {
        services[service].isPaused = false
        if services[service].asksFor == nil { services[service].retryAt = nil }
    }

    /// What may start now, one order for each service.
    package func next(at now: Instant) -> [Order] {
        services.indices.compactMap { index in
            let service = services[index]
            guard service.active == nil, !service.isPaused, (service.retryAt ?? now) <= now,
                let first = service.settings.service?.first
            else { return nil }
            let due = service.entries.filter { _, entry in
                (entry.state == .waiting || entry.state == .processing) && (entry.retryAt ?? now) <= now
            }
            // What has failed waits behind what was not tried.
            guard
                let (activity, entry) = due.min(by: { ($0.value.tries, $0.value.id) < ($1.value.tries, $1.value.id) })
            else { return nil }
            let step: UploadService.Step =
                entry.state == .processing ? .poll(entry.remote ?? "") : first
            return Order(service: index, activity: activity, id: entry.id, step: step)
        }
    }

    /// The moment at which something more may start; nil for none.
    package func nextTime(after now: Instant) -> Instant? {
        services.compactMap { service -> Instant? in
            guard service.active == nil, !service.isPaused else { return nil }
            let times = service.entries.values.filter { $0.state == .waiting || $0.state == .processing }
                .map { max($0.retryAt ?? now, service.retryAt ?? now) }
            return times.min()
        }.min()
    }

    // MARK: What happens

    package mutating func begin(_ order: Order) {
        services[order.service].active = order.activity
    }

    /// The file is sent now: after a kill nobody knows whether the service has it.
    package mutating func send(_ order: Order) {
        guard var entry = services[order.service].entries[order.activity] else { return }
        entry.state = .sending
        entry.tries += 1
        set(entry, order.activity, order.service)
    }

    /// The activity is not in the lists any more.
    package mutating func drop(_ order: Order) {
        services[order.service].active = nil
        services[order.service].entries[order.activity] = nil
        changes.insert(Change(service: order.service, activity: order.activity))
    }

    /// - Parameters:
    ///   - jitter: 0 to 1, random.
    ///   - time: the clock.
    package mutating func finish(
        _ order: Order, _ outcome: UploadService.Outcome, at now: Instant, time: UTC, jitter: Double
    ) {
        let index = order.service
        services[index].active = nil
        guard var entry = services[index].entries[order.activity] else { return }
        let isPoll = if case .poll = order.step { true } else { false }
        let before = entry.state
        if before == .sending { entry.state = .waiting }
        switch outcome {
        case .next: break
        case .done(let remote):
            (entry.state, entry.reason, entry.retryAt) = (.done, nil, nil)
            entry.remote = remote.flatMap { $0.isEmpty ? nil : $0 }
            succeed(index, at: now)
        case .processing(let upload):
            entry.tries = isPoll ? entry.tries + 1 : 1
            (entry.state, entry.remote, entry.reason) = (.processing, upload, nil)
            entry.retryAt = now + .seconds(min(1 << min(entry.tries - 1, 12), 3600))
            if entry.tries > Self.pollLimit {
                (entry.state, entry.reason) = (.unknown, "the service has not said for a day what became of it")
            }
            succeed(index, at: now)
        case .refused(let reason):
            (entry.state, entry.reason, entry.retryAt) = (.refused, reason, nil)
            succeed(index, at: now)
        case .failed(let reason), .unclear(let reason):
            let isUnclear = if case .unclear = outcome { true } else { false }
            if before != .sending || isPoll { entry.tries += 1 }
            entry.reason = reason
            entry.retryAt = now + Self.delay(entry.tries, jitter)
            if isPoll { entry.state = .processing }
            if entry.tries >= (isPoll ? Self.pollLimit : Self.tryLimit)
                || isUnclear && !isPoll && !services[index].isRepeatable
            {
                entry.state = isUnclear ? .unknown : .refused
            }
            pause(index, until: now + Self.pause, reason)
        case .unreachable(let reason):
            // Nothing was sent after all.
            if before == .sending { entry.tries -= 1 }
            entry.reason = reason
            services[index].failures += 1
            pause(index, until: now + Self.delay(services[index].failures, jitter), reason)
        case .later(let reason, let duration):
            if before == .sending { entry.tries -= 1 }
            entry.reason = reason
            let duration = min(max(duration, .seconds(1)), Self.longestPause)
            pause(index, until: now + duration, reason)
            services[index].asksFor = UTC(milliseconds: time.milliseconds + duration.wholeMilliseconds)
            changes.insert(Change(service: index, activity: nil))
        case .unauthorised(let reason):
            if before == .sending { entry.tries -= 1 }
            entry.reason = reason
            pause(index, reason)
        }
        set(entry, order.activity, index)
    }

    /// Sends nothing until somebody acts.
    package mutating func pause(_ index: Int, _ reason: String) {
        services[index].isPaused = true
        services[index].reason = reason
    }

    private mutating func pause(_ index: Int, until: Instant, _ reason: String) {
        services[index].retryAt = until
        services[index].reason = reason
    }

    private mutating func succeed(_ index: Int, at now: Instant) {
        services[index].failures = 0
        (services[index].reason, services[index].retryAt) = (nil, nil)
        services[index].lastSuccess = now
        guard services[index].asksFor != nil else { return }
        services[index].asksFor = nil
        changes.insert(Change(service: index, activity: nil))
    }

    private mutating func set(_ entry: Entry, _ activity: UUID, _ service: Int) {
        services[service].entries[activity] = entry
        changes.insert(Change(service: service, activity: activity))
    }

    /// Doubles with each failure.
    private static func delay(_ failures: Int, _ jitter: Double) -> Duration {
        let doubled = delays.lowerBound * (1 << min(max(failures, 1) - 1, 12))
        return min(doubled, delays.upperBound) * (1 + jitter / 5)
    }
}
