import Domain

/// Our discoveries through bluetoothd, one after the other while a search is wanted.
///
/// bluetoothd reports a known device only if something about it has changed, and the kernel drops the advertisements of
/// the first milliseconds. So a discovery is stopped and restarted every few seconds. Every second discovery is for all
/// devices, because some sensors do not advertise their services.
package struct BlueZDiscovery: Equatable, Sendable {
    /// The lengths of the discoveries; the last two repeat.
    static let lengths: [Duration] = [2, 1, 2, 1, 4, 2, 8, 4].map { .seconds($0) }

    /// How long a discovery continues while a device is being connected: bluetoothd forgets some devices when it ends.
    package static let farewell = Duration.milliseconds(500)

    /// The rest after a failure, and after bluetoothd reported a discovery in progress that it could not stop.
    static let failureRetryDelay = Duration.seconds(2)
    package static let stuckRetryDelay = Duration.seconds(5)

    /// The number of consecutive ``refusals`` after which the adapter needs a power cycle.
    static let stuckLimit = 3

    private(set) var isWanted = false
    /// Whether a discovery of ours runs.
    private(set) var isOn = false
    /// Consecutive errors because a discovery is already in progress.
    private(set) var refusals = 0
    private var isStuck = false
    private var count = 0
    /// The filter that bluetoothd has accepted; nil if none, nil inside if it is for all devices.
    private var filter: AttributeUUID??
    /// The service of the devices that every second discovery is for.
    private let service: AttributeUUID
    private var cutAt: Instant?
    private var restUntil: Instant?

    init(for service: AttributeUUID) {
        self.service = service
    }

    var deadline: Instant? {
        [isOn ? cutAt : nil, restUntil].compactMap { $0 }.min()
    }

    private var pass: AttributeUUID? {
        count.isMultiple(of: 2) ? service : nil
    }

    private var length: Duration {
        let last = Self.lengths.count
        return Self.lengths[count < last ? count : last - 2 + count % 2]
    }

    /// Returns the next call to make.
    func call(adapter: String, at now: Instant) -> BlueZMethodCall? {
        if isStuck || isOn && cutAt.map({ now >= $0 }) ?? false { return .stopDiscovery(adapter: adapter) }
        guard isWanted, !isOn, restUntil == nil else { return nil }
        return filter == .some(pass) ? .startDiscovery(adapter: adapter) : .setFilter(adapter: adapter, pass)
    }

    mutating func want(_ isWanted: Bool, at now: Instant) {
        if isWanted, !self.isWanted, !isOn { count = 0 }
        if !isWanted, self.isWanted { cutAt = min(cutAt ?? now, now) }
        self.isWanted = isWanted
    }

    /// Stops the discovery after ``farewell``, because a device is being connected.
    mutating func stopDiscovery(at now: Instant) {
        guard isWanted else { return }
        isWanted = false
        cutAt = min(cutAt ?? now, now + Self.farewell)
    }

    mutating func tick(at now: Instant) {
        if let until = restUntil, now >= until { restUntil = nil }
    }

    /// Receives the reply to a call.
    mutating func answered(_ call: BlueZMethodCall, _ error: BlueZError?, at now: Instant) {
        switch (call, error?.meaning) {
        case (.setFilter(_, let pass), nil): filter = .some(pass)
        // An old bluetoothd without filters discovers all devices.
        case (.setFilter(_, let pass), .unsupported): filter = .some(pass)
        case (.startDiscovery, nil):
            isOn = true
            refusals = 0
            cutAt = isWanted ? now + length : now
            count += 1
        case (.startDiscovery, .underWay):
            refusals += 1
            isStuck = true
        // The discovery may still start.
        case (.startDiscovery, .unanswered): isStuck = true
        case (.stopDiscovery, _):
            if isStuck, error != nil { restUntil = now + Self.stuckRetryDelay }
            isStuck = false
            isOn = false
        default: restUntil = now + Self.failureRetryDelay
        }
    }

    /// Discards the state of the discovery and its filter: bluetoothd is gone, or the adapter is off.
    mutating func reset() {
        isOn = false
        isStuck = false
        filter = nil
        restUntil = nil
    }

    /// Resets ``refusals`` after a power cycle, or after one that is impossible.
    mutating func relieved() {
        refusals = 0
    }
}
