import Domain

/// Who may pair with the adapter: nobody, but for one strap for some seconds; and the keys of those that are paired.
///
///             wanted          open           forgotten          kernel asked
///     closed ────────▶ opening ────▶ unpairing ──────▶ resting ─────────────▶ pairing
///        ▲                                                ▲     not reached      │ paired, refused, too late
///        └────────────────────────────────────────────────┴──────────────────────┘
///
/// The kernel accepts whoever wants to pair without asking where the host can neither show nor ask anything, which is its own default;
/// so the host says that it can, and every question is then answered with no but those about the one strap. What is kept on
/// the host by a pairing needs the adapter's setting Bondable, which is on while a pairing is under way, and only then.
struct MgmtPairing: Equatable, Sendable {
    /// The rest before a strap that was not reached is tried again.
    static let retryDelay = Duration.seconds(1)

    private struct Wish: Equatable {
        var device: LEAddress
        var until: Instant
        /// Its old keys, if there were any, are forgotten.
        var isForgotten = false
        /// The kernel was asked, and has not answered yet.
        var isAsked = false
        var restUntil: Instant?
        var isReached = false
    }

    private struct Stuck: Equatable {
        var isOn: Bool
        var until: Instant
    }

    /// The keys of all adapters, the oldest first.
    private(set) var keys: [LongTermKey] = []
    private var wish: Wish?
    /// A pairing that goes on in the kernel over a channel that broke.
    private var leftover: LEAddress?
    /// The keys that the kernel has.
    private var loaded: [LongTermKey] = []
    private var saysItCanAsk = false
    /// Bondable could not be made so; until then it is not tried again.
    private var stuck: Stuck?

    /// The strap that may pair now.
    var device: LEAddress? {
        wish?.device
    }

    var isUnderWay: Bool {
        wish != nil
    }

    var deadline: Instant? {
        [wish?.until, wish?.restUntil, stuck?.until].compactMap { $0 }.min()
    }

    func isPaired(_ device: LEAddress, with adapter: BluetoothAddress) -> Bool {
        keys.contains { $0.device == device && $0.adapter == adapter }
    }

    /// The first thing that is not as it is wanted.
    ///
    /// - Parameter isAirFree: whether a connection may be begun.
    func next(for adapter: Adapter, isAirFree: Bool) -> MgmtCommand? {
        let index = adapter.index
        if let leftover { return .cancelPairing(index: index, leftover) }
        if !saysItCanAsk { return .setCapability(index: index) }
        let own = keys.filter { $0.adapter == adapter.address }
        if loaded != own { return .loadKeys(index: index, own) }
        let isOpen = adapter.settings.contains(.bondable)
        if isOpen != isUnderWay, stuck?.isOn != isUnderWay { return .setBondable(index: index, isUnderWay) }
        guard let wish, isAirFree, wish.restUntil == nil, !wish.isAsked else { return nil }
        return wish.isForgotten ? .pair(index: index, wish.device) : .unpair(index: index, wish.device)
    }

    // MARK: What is wanted

    mutating func want(_ device: LEAddress, until: Instant) {
        wish = Wish(device: device, until: until)
        stuck = nil
    }

    /// Takes the keys that are to be had; the others are forgotten.
    mutating func setKeys(_ keys: [LongTermKey]) {
        self.keys = Array(keys.suffix(LongTermKey.limit))
    }

    // MARK: What happens

    /// The kernel is asked to pair.
    mutating func asked() {
        wish?.isAsked = true
    }

    /// The strap is connected, for whatever reason.
    mutating func connected(_ device: LEAddress) {
        if device == wish?.device { wish?.isReached = true }
    }

    /// A command is done, whichever way.
    mutating func finished(_ command: MgmtCommand, _ status: MgmtStatus, at now: Instant) {
        switch command {
        case .setCapability: saysItCanAsk = true
        case .cancelPairing: leftover = nil
        // What it does not take once it would not take again.
        case .loadKeys(_, let keys): loaded = keys
        case .setBondable(_, let isOn):
            stuck = status == .success ? nil : Stuck(isOn: isOn, until: now + MgmtAdapterSession.failureRetryDelay)
        case .unpair(_, let device) where device == wish?.device:
            keys.removeAll { $0.device == device }
            loaded.removeAll { $0.device == device }
            wish?.isForgotten = true
        default: break
        }
    }

    /// The kernel has answered the wish to pair; says how it ended, if it has.
    mutating func answered(_ status: MgmtStatus, with adapter: BluetoothAddress, at now: Instant) -> PairingResult? {
        guard let wish, wish.isAsked else { return nil }
        switch status {
        case .success:
            self.wish = nil
            // Without a key the pairing ends with the connection.
            return isPaired(wish.device, with: adapter) ? .paired : .refused
        case .connectFailed, .timeout, .disconnected, .busy:
            self.wish?.isAsked = false
            self.wish?.restUntil = now + Self.retryDelay
            return nil
        default:
            self.wish = nil
            return .refused
        }
    }

    /// Takes a key that was agreed on; false for one of a stranger, who is to be unpaired.
    mutating func agreed(_ key: LongTermKey) -> Bool {
        guard key.device == wish?.device else { return false }
        let isKnown = { (keys: [LongTermKey]) in keys.filter { !key.replaces($0) } + [key] }
        setKeys(isKnown(keys))
        // The kernel has it already.
        loaded = isKnown(loaded)
        return true
    }

    /// The time is over, or a rest; says how it ended, if it has.
    mutating func tick(at now: Instant) -> PairingResult? {
        if let stuck, now >= stuck.until { self.stuck = nil }
        guard let wish else { return nil }
        if let rest = wish.restUntil, now >= rest { self.wish?.restUntil = nil }
        if now < wish.until { return nil }
        self.wish = nil
        return wish.isReached ? .refused : .absent
    }

    /// Gives up what is under way; returns whose pairing is to be called off.
    mutating func abandon() -> LEAddress? {
        defer {
            wish = nil
            leftover = nil
        }
        return wish?.device ?? leftover
    }

    /// The channel is gone. A pairing that was under way goes on in the kernel.
    mutating func closed() {
        leftover = wish?.device ?? leftover
        wish = nil
        reset()
    }

    /// The channel stands again; says how a pairing ended that was under way when it broke.
    func opened() -> PairingResult? {
        leftover == nil ? nil : .refused
    }

    /// The adapter is gone; says how a pairing ended.
    mutating func removed() -> PairingResult? {
        reset()
        let wasUnderWay = isUnderWay
        wish = nil
        return wasUnderWay ? .refused : nil
    }

    /// Forgets what was known of the adapter in use.
    private mutating func reset() {
        loaded = []
        saysItCanAsk = false
        stuck = nil
    }
}
