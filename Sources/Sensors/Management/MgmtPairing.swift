import Domain

/// Controls pairing, which is open to one device for some seconds only, and keeps the keys of paired devices.
///
///             want            open           unpaired           kernel asked
///     closed ────────▶ opening ────▶ unpairing ──────▶ resting ─────────────▶ pairing
///        ▲                                                ▲     not reached      │ paired, refused, too late
///        └────────────────────────────────────────────────┴──────────────────────┘
///
/// The kernel's default IO capability, NoInputNoOutput, accepts every pairing without a question. So the host claims
/// DisplayYesNo, and answers every question with no, except those about the one device. Storing keys needs the adapter's
/// setting Bondable, which is on only while a pairing is under way.
struct MgmtPairing: Equatable, Sendable {
    /// The rest before a device that was not reached is tried again.
    static let retryDelay = Duration.seconds(1)

    private struct Request: Equatable {
        var device: LEAddress
        var until: Instant
        /// Its old keys are forgotten.
        var isForgotten = false
        /// Pair Device is under way.
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
    private var request: Request?
    /// The device of a pairing that the kernel continues although its channel broke.
    private var leftover: LEAddress?
    /// The keys loaded into the kernel.
    private var loaded: [LongTermKey] = []
    private var canAskUser = false
    /// The value of Bondable that could not be set, and when to retry it.
    private var stuck: Stuck?

    /// The device that may pair now.
    var device: LEAddress? {
        request?.device
    }

    var isUnderWay: Bool {
        request != nil
    }

    var deadline: Instant? {
        [request?.until, request?.restUntil, stuck?.until].compactMap { $0 }.min()
    }

    func isPaired(_ device: LEAddress, with adapter: BluetoothAddress) -> Bool {
        keys.contains { $0.device == device && $0.adapter == adapter }
    }

    /// Returns the command that corrects the first deviation from the wanted state.
    ///
    /// - Parameter isAirFree: whether a connection may start.
    func next(for adapter: Adapter, isAirFree: Bool) -> MgmtCommand? {
        let index = adapter.index
        if let leftover { return .cancelPairing(index: index, leftover) }
        if !canAskUser { return .setCapability(index: index) }
        let own = keys.filter { $0.adapter == adapter.address }
        if loaded != own { return .loadKeys(index: index, own) }
        let isOpen = adapter.settings.contains(.bondable)
        if isOpen != isUnderWay, stuck?.isOn != isUnderWay { return .setBondable(index: index, isUnderWay) }
        guard let request, isAirFree, request.restUntil == nil, !request.isAsked else { return nil }
        return request.isForgotten ? .pair(index: index, request.device) : .unpair(index: index, request.device)
    }

    // MARK: Requests

    mutating func want(_ device: LEAddress, until: Instant) {
        request = Request(device: device, until: until)
        stuck = nil
    }

    /// Sets the stored keys; all others are forgotten.
    mutating func setKeys(_ keys: [LongTermKey]) {
        self.keys = Array(keys.suffix(LongTermKey.limit))
    }

    // MARK: Events

    /// Records that Pair Device was sent.
    mutating func asked() {
        request?.isAsked = true
    }

    /// Records that a device is connected, for any reason.
    mutating func connected(_ device: LEAddress) {
        if device == request?.device { request?.isReached = true }
    }

    /// Records the end of a command, successful or not.
    mutating func finished(_ command: MgmtCommand, _ status: MgmtStatus, at now: Instant) {
        switch command {
        case .setCapability: canAskUser = true
        case .cancelPairing: leftover = nil
        // A load that the kernel rejects once would be rejected again.
        case .loadKeys(_, let keys): loaded = keys
        case .setBondable(_, let isOn):
            stuck = status == .success ? nil : Stuck(isOn: isOn, until: now + MgmtAdapterSession.failureRetryDelay)
        case .unpair(_, let device) where device == request?.device:
            keys.removeAll { $0.device == device }
            loaded.removeAll { $0.device == device }
            request?.isForgotten = true
        default: break
        }
    }

    /// Receives the status of Pair Device. Returns the result of the pairing; nil if it continues.
    mutating func answered(_ status: MgmtStatus, with adapter: BluetoothAddress, at now: Instant) -> PairingResult? {
        guard let request, request.isAsked else { return nil }
        switch status {
        case .success:
            self.request = nil
            // Without a key the pairing ends with the connection.
            return isPaired(request.device, with: adapter) ? .paired : .refused
        case .connectFailed, .timeout, .disconnected, .busy:
            self.request?.isAsked = false
            self.request?.restUntil = now + Self.retryDelay
            return nil
        default:
            self.request = nil
            return .refused
        }
    }

    /// Receives a new key. False if it belongs to a stranger, who must be unpaired.
    mutating func agreed(_ key: LongTermKey) -> Bool {
        guard key.device == request?.device else { return false }
        let isKnown = { (keys: [LongTermKey]) in keys.filter { !key.replaces($0) } + [key] }
        setKeys(isKnown(keys))
        // The kernel has the key already.
        loaded = isKnown(loaded)
        return true
    }

    /// Advances timers to `now`. Returns the result of a pairing whose time is over.
    mutating func tick(at now: Instant) -> PairingResult? {
        if let stuck, now >= stuck.until { self.stuck = nil }
        guard let request else { return nil }
        if let rest = request.restUntil, now >= rest { self.request?.restUntil = nil }
        if now < request.until { return nil }
        self.request = nil
        return request.isReached ? .refused : .absent
    }

    /// Cancels the pairing and returns its device.
    mutating func abandon() -> LEAddress? {
        defer {
            request = nil
            leftover = nil
        }
        return request?.device ?? leftover
    }

    /// Records that the channel is closed. The kernel continues a pairing.
    mutating func closed() {
        leftover = request?.device ?? leftover
        request = nil
        reset()
    }

    /// Returns the result of a pairing that was under way when the channel broke.
    func opened() -> PairingResult? {
        leftover == nil ? nil : .refused
    }

    /// Records that the adapter is gone, and returns the result of its pairing.
    mutating func removed() -> PairingResult? {
        reset()
        let wasUnderWay = isUnderWay
        request = nil
        return wasUnderWay ? .refused : nil
    }

    /// Discards what is known of the adapter in use.
    private mutating func reset() {
        loaded = []
        canAskUser = false
        stuck = nil
    }
}
