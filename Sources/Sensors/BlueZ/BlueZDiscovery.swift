import Domain

/// Our searches with bluetoothd, one after the other as long as one is wanted.
///
/// bluetoothd tells of a device that it hears again only when something about it has changed, and the kernel drops what it hears in the
/// first milliseconds. So a search is ended and begun anew every few seconds. Every second one is for all devices: some straps do not
/// advertise what they give.
package struct BlueZDiscovery: Equatable, Sendable {
    /// Which devices a search is for.
    package enum Pass: Hashable, Sendable {
        case heartRate, all
    }

    /// How long the searches last, the last two repeated.
    static let lengths: [Duration] = [2, 1, 2, 1, 4, 2, 8, 4].map { .seconds($0) }

    /// How long a search goes on once a strap is being connected: bluetoothd forgets some devices when it ends.
    package static let farewell = Duration.milliseconds(500)

    /// The rest after a failure, and after bluetoothd has said that one goes on already and could not end it.
    static let failureRetryDelay = Duration.seconds(2)
    package static let stuckRetryDelay = Duration.seconds(5)

    /// After so many refusals in a row because one goes on already, the adapter needs to be switched off and on.
    static let stuckLimit = 3

    private(set) var isWanted = false
    /// Whether one of ours goes on.
    private(set) var isOn = false
    /// Refusals in a row because one goes on already.
    private(set) var refusals = 0
    private var isStuck = false
    private var count = 0
    private var filter: Pass?
    private var cutAt: Instant?
    private var restUntil: Instant?

    var deadline: Instant? {
        [isOn ? cutAt : nil, restUntil].compactMap { $0 }.min()
    }

    private var pass: Pass {
        count.isMultiple(of: 2) ? .heartRate : .all
    }

    private var length: Duration {
        let last = Self.lengths.count
        return Self.lengths[count < last ? count : last - 2 + count % 2]
    }

    /// What is to be done next.
    func call(adapter: String, at now: Instant) -> BlueZMethodCall? {
        if isStuck || isOn && cutAt.map({ now >= $0 }) ?? false { return .stopDiscovery(adapter: adapter) }
        guard isWanted, !isOn, restUntil == nil else { return nil }
        return filter == pass ? .startDiscovery(adapter: adapter) : .setFilter(adapter: adapter, pass)
    }

    mutating func want(_ isWanted: Bool, at now: Instant) {
        if isWanted, !self.isWanted, !isOn { count = 0 }
        if !isWanted, self.isWanted { cutAt = min(cutAt ?? now, now) }
        self.isWanted = isWanted
    }

    /// Ends within ``farewell``, since a strap is being connected.
    mutating func stopDiscovery(at now: Instant) {
        guard isWanted else { return }
        isWanted = false
        cutAt = min(cutAt ?? now, now + Self.farewell)
    }

    mutating func tick(at now: Instant) {
        if let until = restUntil, now >= until { restUntil = nil }
    }

    /// What came of a call.
    mutating func answered(_ call: BlueZMethodCall, _ error: BlueZError?, at now: Instant) {
        switch (call, error?.meaning) {
        case (.setFilter(_, let pass), nil): filter = pass
        // An old bluetoothd without filters searches for all.
        case (.setFilter(_, let pass), .unsupported): filter = pass
        case (.startDiscovery, nil):
            isOn = true
            refusals = 0
            cutAt = isWanted ? now + length : now
            count += 1
        case (.startDiscovery, .underWay):
            refusals += 1
            isStuck = true
        // It may yet begin.
        case (.startDiscovery, .unanswered): isStuck = true
        case (.stopDiscovery, _):
            if isStuck, error != nil { restUntil = now + Self.stuckRetryDelay }
            isStuck = false
            isOn = false
        default: restUntil = now + Self.failureRetryDelay
        }
    }

    /// Nothing goes on any more, and no filter is set: bluetoothd is gone, or the adapter is off.
    mutating func reset() {
        isOn = false
        isStuck = false
        filter = nil
        restUntil = nil
    }

    /// The adapter was switched off and on, or cannot be.
    mutating func relieved() {
        refusals = 0
    }
}
