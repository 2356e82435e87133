package import Domain

/// Selects our strap from advertisements, the setting `straps`, and the remembered straps.
///
///     setting       our strap
///     straps        the first one heard that matches; another replaces it only after 30 s without it
///     empty         the same among the remembered straps
///     empty, and none is remembered:
///                   the only one heard for 15 s, or one at -55 dBm or more that is 10 dB above the next;
///                   else a person must choose: ``Decision/choose``
///
/// A strap is remembered after its first beat, never before. While straps are remembered, strangers are not connected.
///
/// The shell passes every ``ScanResult``, calls ``decision(at:asleep:)`` after it and no later than ``deadline(at:)``,
/// and reports the connection by ``received(_:from:at:)``, ``lost(at:)`` and ``described(_:of:)``. It stores
/// ``remembered`` in a file whenever one of these returns that it has changed.
///
/// Source: docs/decisions/sensors.md.
package struct StrapSelector: Sendable {
    package enum Decision: Equatable, Sendable {
        /// No strap that may be connected was heard yet.
        case wait
        case connect(LEAddress)
        /// Several strangers were heard; a person must choose.
        case choose
    }

    /// The largest number of devices that are kept. A new device replaces the one that was not heard for longest.
    package static let scanResultLimit = 64

    /// The largest number of remembered straps. A new strap replaces the one that was not used for longest.
    package static let memoryLimit = 16

    /// How long a device counts as present after a scan result; discovery reports each device about every 10 s.
    package static let advertisementTTL = Duration.seconds(15)

    /// How long a scan result is kept.
    package static let retention = Duration.seconds(60)

    /// How long a stranger must have been the only one.
    package static let soleCandidateTime = Duration.seconds(15)

    /// The lowest signal of a strap that a person holds close to the board, in dBm, and its lead over the next, in dB.
    package static let minimumRSSI = -55
    package static let rssiMargin = 10

    /// How long a stranger must have been heard for that: others advertise every 1 to 2.5 s and must have had time to.
    package static let decisionTime = Duration.seconds(3)

    /// How long the previous strap is awaited while another of ours is present.
    package static let holdTime = Duration.seconds(30)

    private struct Candidate: Sendable {
        var result: ScanResult
        /// Judged once a change, not once a question: a crowd may send a thousand reports a second.
        var isOurs: Bool
        let first: Instant
        var last: Instant
    }

    private struct Current: Sendable {
        var address: LEAddress
        /// When the strap was chosen or was last connected.
        var thereAt: Instant
    }

    /// The setting `straps`; if empty, the choice depends on scan results and ``remembered``.
    package private(set) var ours: [SensorMatcher] {
        didSet { updateMatches() }
    }

    /// The straps that have sent a beat, the last used first.
    package private(set) var remembered: [KnownSensor] {
        didSet { updateMatches() }
    }

    private var candidates: [Candidate] = []
    /// The strap in use, or the last one.
    private var current: Current?
    /// The last straps with our strap's name and another serial number.
    private var strangers: [LEAddress] = [] {
        didSet { updateMatches() }
    }
    /// The strap that needed wide parameters before its first beat.
    private var wide: LEAddress?
    /// The index of the known address to try next.
    private var turn = 0

    package init(ours: [SensorMatcher] = [], remembered: [KnownSensor] = []) {
        self.ours = ours
        self.remembered = Array(remembered.prefix(Self.memoryLimit))
    }

    // MARK: Present devices

    /// Receives a scan result. Devices that neither advertise heart rate nor may be ours are ignored.
    package mutating func received(_ result: ScanResult, at now: Instant) {
        candidates.removeAll { now - $0.last > Self.retention }
        if let index = candidates.firstIndex(where: { $0.result.address == result.address }) {
            let completed = result.completed(by: candidates[index].result)
            if completed.name != candidates[index].result.name { candidates[index].isOurs = isOurs(completed) }
            candidates[index].result = completed
            candidates[index].last = now
            return
        }
        let isOurs = isOurs(result)
        guard result.advertisesHeartRate || isOurs else { return }
        if candidates.count >= Self.scanResultLimit { forgetOne() }
        candidates.append(Candidate(result: result, isOurs: isOurs, first: now, last: now))
    }

    /// Makes room in `candidates`. Strangers go first, so that a crowd cannot displace our strap.
    private mutating func forgetOne() {
        let others = candidates.indices.filter { !candidates[$0].isOurs }
        let replaceable = others.isEmpty ? Array(candidates.indices) : others
        if let oldest = replaceable.min(by: { candidates[$0].last < candidates[$1].last }) {
            candidates.remove(at: oldest)
        }
    }

    /// The present devices in the order in which they were first heard, for people to choose from.
    package func scanResults(at now: Instant) -> [ScanResult] {
        present(at: now).map(\.result)
    }

    private var candidateAddresses: [LEAddress] {
        candidates.map(\.result.address)
    }

    private func present(at now: Instant) -> [Candidate] {
        candidates.filter { now - $0.last < Self.advertisementTTL }
    }

    /// The names of the present devices, for ``Decision/choose``; the address of a device without a name.
    package func names(at now: Instant) -> SanitizedText? {
        SanitizedText(
            scanResults(at: now).map { $0.name?.text ?? $0.address.address.description }.joined(separator: ", "))
    }

    /// The name of a strap from its scan results or from ``remembered``.
    package func name(of address: LEAddress) -> SanitizedText? {
        candidates.first { $0.result.address == address }?.result.name
            ?? remembered.first { $0.address == address }?.name
    }

    /// The kinds that a strap advertises or had at its last use.
    package func kinds(of address: LEAddress) -> Set<SensorKind> {
        let advertised = candidates.first { $0.result.address == address }?.result.kinds ?? []
        return advertised.union(remembered.first { $0.address == address }?.kinds ?? [])
    }

    // MARK: Selection

    /// Whether strangers may be used: the setting is empty and no strap has sent a beat yet.
    private var mayTakeStranger: Bool {
        ours.isEmpty && remembered.isEmpty
    }

    private func isOurs(_ result: ScanResult) -> Bool {
        if strangers.contains(result.address) { return false }
        if ours.isEmpty { return remembered.contains { $0.matches(result.address, name: result.name) } }
        return ours.contains { $0.matches(result.address, name: result.name) }
    }

    private mutating func updateMatches() {
        for index in candidates.indices { candidates[index].isOurs = isOurs(candidates[index].result) }
    }

    /// Returns the strap to connect now.
    ///
    /// - Parameter asleep: the strap that is left alone because it was taken off; another of ours may be used.
    package func decision(at now: Instant, asleep: LEAddress? = nil) -> Decision {
        let present = present(at: now)
        let known = present.filter { $0.isOurs || $0.result.address == current?.address }
        if let current, now < heldUntil(current, asleep: asleep) {
            let it = known.last { isSame($0.result, as: current.address) && $0.result.address != asleep }
            return it.map { .connect($0.result.address) } ?? .wait
        }
        if mayTakeStranger { return stranger(among: present, at: now, asleep: asleep) }
        let first = known.filter { $0.isOurs && $0.result.address != asleep }.min { $0.first < $1.first }
        return first.map { .connect($0.result.address) } ?? .wait
    }

    private func stranger(among present: [Candidate], at now: Instant, asleep: LEAddress?) -> Decision {
        let levels = present.compactMap(\.result.rssi).sorted(by: >)
        let nearest = present.first { $0.result.rssi == levels.first }
        if let level = levels.first, level >= Self.minimumRSSI, let nearest, nearest.result.address != asleep,
            levels.count == 1 || level - levels[1] >= Self.rssiMargin, now - nearest.first >= Self.decisionTime
        {
            return .connect(nearest.result.address)
        }
        guard present.count == 1 else { return present.isEmpty ? .wait : .choose }
        let only = present[0]
        return now - only.first >= Self.soleCandidateTime && only.result.address != asleep
            ? .connect(only.result.address) : .wait
    }

    /// Whether a device is the strap that was known by an address; the address may have changed since.
    private func isSame(_ result: ScanResult, as address: LEAddress) -> Bool {
        result.address == address
            || remembered.contains { $0.address == address && $0.matches(result.address, name: result.name) }
    }

    /// The time until which the previous strap is awaited.
    private func heldUntil(_ current: Current, asleep: LEAddress?) -> Instant {
        let lastAt = candidates.first { $0.result.address == current.address && current.address != asleep }?.last
        return max(current.thereAt, lastAt ?? current.thereAt) + Self.holdTime
    }

    /// The time at which the decision may change if nothing is heard before.
    package func deadline(at now: Instant) -> Instant? {
        var moments = candidates.flatMap {
            [$0.first + Self.decisionTime, $0.first + Self.soleCandidateTime, $0.last + Self.advertisementTTL]
        }
        if let current { moments.append(heldUntil(current, asleep: nil)) }
        return moments.filter { $0 > now }.min()
    }

    // MARK: Results of a connection

    /// Records the strap that is being connected because it was heard, or that is connected.
    package mutating func connected(_ address: LEAddress, at now: Instant) {
        current = Current(address: address, thereAt: now)
    }

    /// Receives a measurement. Its first beat makes the strap a remembered one, and the one that was used last.
    ///
    /// - Returns: Whether ``remembered`` has changed.
    package mutating func received(
        _ measurement: HeartRateMeasurement, from address: LEAddress, at now: Instant
    ) -> Bool {
        connected(address, at: now)
        guard measurement.isBeat else { return false }
        let name = name(of: address)
        guard let index = remembered.firstIndex(where: { $0.matches(address, name: name) }) else {
            // A strap with a rotating address and no name could not be recognised.
            guard address.isStable || name != nil else { return false }
            remembered.insert(KnownSensor(address: address, name: name, isWide: wide == address), at: 0)
            remembered = Array(remembered.prefix(Self.memoryLimit))
            return true
        }
        var strap = remembered[index]
        strap.address = address
        strap.name = name ?? strap.name
        return remember(strap, insteadOf: index)
    }

    /// Records that the connection ended.
    package mutating func lost(at now: Instant) {
        current?.thereAt = now
    }

    /// The result of a comparison of serial numbers.
    package enum Recognition: Equatable, Sendable {
        /// The strap is ours; `hasChanged` if ``StrapSelector/remembered`` has changed.
        case ours(hasChanged: Bool)
        /// The strap has our strap's name and another serial number: disconnect it. It is not chosen again.
        case stranger
    }

    /// Receives a strap's device information, which is read after its first measurement.
    package mutating func described(_ information: DeviceInformation, of address: LEAddress) -> Recognition {
        let name = name(of: address)
        guard let index = remembered.firstIndex(where: { $0.matches(address, name: name) }) else {
            return .ours(hasChanged: false)
        }
        var strap = remembered[index]
        if !address.isStable, let known = strap.serialNumber, let received = information.serialNumber, known != received
        {
            strangers = strangers.suffix(Self.memoryLimit) + [address]
            current = nil
            return .stranger
        }
        strap.serialNumber = information.serialNumber ?? strap.serialNumber
        strap.name = strap.name ?? information.name
        return .ours(hasChanged: remember(strap, insteadOf: index))
    }

    /// Records that a strap needs wide connection parameters: 30 to 500 ms and a supervision timeout of 6 s.
    ///
    /// - Returns: Whether ``remembered`` has changed.
    package mutating func widened(_ address: LEAddress) -> Bool {
        wide = address
        guard let index = remembered.firstIndex(where: { $0.address == address }), !remembered[index].isWide else {
            return false
        }
        remembered[index].isWide = true
        return true
    }

    /// Whether a strap gets wide connection parameters.
    package func isWide(_ address: LEAddress) -> Bool {
        wide == address || remembered.contains { $0.address == address && $0.isWide }
    }

    private mutating func remember(_ strap: KnownSensor, insteadOf index: Int) -> Bool {
        if index == 0, remembered[0] == strap { return false }
        remembered.remove(at: index)
        remembered.insert(strap, at: 0)
        return true
    }

    // MARK: Requests

    /// Applies the setting `straps`. ``remembered`` stays.
    package mutating func select(_ ours: [SensorMatcher]) {
        self.ours = ours
        turn = 0
        if let current, !mayKeep(current.address) { self.current = nil }
    }

    /// Forgets the straps that a pattern matches, or all if it is nil.
    ///
    /// - Returns: Whether a remembered strap was forgotten.
    package mutating func forget(_ pattern: SensorMatcher?) -> Bool {
        let before = remembered.count
        remembered.removeAll { pattern?.matches($0.address, name: $0.name) ?? true }
        if let current, pattern?.matches(current.address, name: name(of: current.address)) ?? true {
            self.current = nil
        }
        turn = 0
        return remembered.count < before
    }

    /// Whether the current strap may stay in use after a change of the setting or of ``remembered``.
    package func mayKeep(_ address: LEAddress) -> Bool {
        isOurs(ScanResult(address: address, name: name(of: address)))
            || mayTakeStranger && current?.address == address
    }

    /// Returns the known strap that a pattern means: the present one with the strongest signal, the current one, the
    /// one used last, or the address of the pattern if it has a type.
    package func meant(by pattern: SensorMatcher, at now: Instant) -> LEAddress? {
        let there = scanResults(at: now).filter { pattern.matches($0.address, name: $0.name) }
        if let nearest = there.max(by: { $0.rssi ?? .min < $1.rssi ?? .min }) { return nearest.address }
        if let current, pattern.matches(current.address, name: name(of: current.address)) { return current.address }
        let kept = remembered.first { $0.address.isStable && pattern.matches($0.address, name: $0.name) }
        if let kept { return kept.address }
        if case .address(let address, let type?) = pattern { return LEAddress(address, type) }
        return nil
    }

    // MARK: How to search

    /// A method to search for our strap.
    package enum Search: Equatable, Sendable {
        /// Scan for all advertisers.
        case listen
        /// Wait for this strap alone with a pending connection, at most for the duration.
        case connect(LEAddress, within: Duration)
    }

    /// How long each of several addresses is tried if scanning is impossible.
    package static let trial = Duration.seconds(10)

    /// Returns the method to search for our strap now. Nil if only a scan could help and scanning is impossible.
    ///
    /// If only one address is possible, a pending connection waits for it, which is the fastest. If scanning is
    /// impossible, every possible address is tried in turn; an address without a known type is tried as both.
    package mutating func search(mayListen: Bool, at now: Instant) -> Search? {
        if let only = onlyAddress { return .connect(only, within: SensorLink.connectionLimit) }
        if mayListen { return .listen }
        let addresses = possibleAddresses
        if addresses.isEmpty { return nil }
        if let current, addresses.contains(current.address), now - current.thereAt < Self.holdTime {
            return .connect(current.address, within: current.thereAt + Self.holdTime - now)
        }
        defer { turn += 1 }
        return .connect(addresses[turn % addresses.count], within: Self.trial)
    }

    /// The only possible address of our strap; nil if several are possible.
    private var onlyAddress: LEAddress? {
        switch ours.first {
        case nil: remembered.count == 1 && remembered[0].address.isStable ? remembered[0].address : nil
        case .address where ours.count == 1: possibleAddresses.count == 1 ? possibleAddresses[0] : nil
        default: nil
        }
    }

    /// All possible stable addresses of our strap: those of the setting with their type (set, remembered or heard), and
    /// the remembered addresses of straps whose names are set.
    private var possibleAddresses: [LEAddress] {
        let kept = remembered.filter(\.address.isStable)
        if ours.isEmpty { return kept.map(\.address) }
        var addresses: [LEAddress] = []
        for pattern in ours {
            var meant: [LEAddress] = kept.filter { pattern.matches($0.address, name: $0.name) }.map(\.address)
            if case .address(let address, let type) = pattern, meant.isEmpty {
                meant = candidateAddresses.filter { pattern.matches($0, name: nil) }
                if meant.isEmpty { meant = type.map { [LEAddress(address, $0)] } ?? Self.bothTypes(of: address) }
            }
            addresses += meant.filter { !addresses.contains($0) }
        }
        return addresses
    }

    /// Both types of an address, the more likely first: random if its bits are those of a static random address.
    private static func bothTypes(of address: BluetoothAddress) -> [LEAddress] {
        let random = LEAddress(address, .random)
        let given = LEAddress(address, .public)
        return random.isStable ? [random, given] : [given, random]
    }
}

extension HeartRateMeasurement {
    /// Whether the measurement shows a heartbeat: a plausible rate that the strap's contact flag does not deny.
    var isBeat: Bool {
        (1...240).contains(beatsPerMinute) && (contact != false || !rrIntervals.isEmpty)
    }

    /// Whether the strap may be worn: it reports contact or RR intervals, or a heart rate without contact detection.
    package var isSignOfWearing: Bool {
        contact == true || !rrIntervals.isEmpty || contact == nil && beatsPerMinute > 0
    }
}
