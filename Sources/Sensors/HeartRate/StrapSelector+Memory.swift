package import Domain

extension StrapSelector {
    // MARK: What came of a connection

    /// A strap is being connected because it was heard, or it is connected.
    package mutating func connected(_ address: LEAddress, at now: Instant) {
        current = Current(address: address, thereAt: now)
    }

    /// A measurement came. Its first beat makes a strap one that is remembered, and the one that was used last.
    ///
    /// - Returns: whether ``remembered`` has changed.
    package mutating func received(
        _ measurement: HeartRateMeasurement, from address: LEAddress, at now: Instant
    ) -> Bool {
        connected(address, at: now)
        guard measurement.isBeat else { return false }
        let name = name(of: address)
        guard let index = remembered.firstIndex(where: { $0.matches(address, name: name) }) else {
            // One whose address rotates and that has no name could not be recognised.
            guard address.isStable || name != nil else { return false }
            remembered.insert(KnownStrap(address: address, name: name, isWide: wide == address), at: 0)
            remembered = Array(remembered.prefix(Self.memoryLimit))
            return true
        }
        var strap = remembered[index]
        strap.address = address
        strap.name = name ?? strap.name
        return remember(strap, insteadOf: index)
    }

    /// The connection is no more.
    package mutating func lost(at now: Instant) {
        current?.thereAt = now
    }

    /// What a strap says of itself came.
    package enum Recognition: Equatable, Sendable {
        /// It is ours; whether ``StrapSelector/remembered`` has changed.
        case ours(hasChanged: Bool)
        /// It has the name of ours and another serial number: disconnect it. It is not chosen again.
        case stranger
    }

    /// Takes what a strap says of itself, once its heart rate flows.
    package mutating func described(_ information: DeviceInformation, of address: LEAddress) -> Recognition {
        let name = name(of: address)
        guard let index = remembered.firstIndex(where: { $0.matches(address, name: name) }) else {
            return .ours(hasChanged: false)
        }
        var strap = remembered[index]
        if !address.isStable, let known = strap.serialNumber, let told = information.serialNumber, known != told {
            strangers = strangers.suffix(Self.memoryLimit) + [address]
            current = nil
            return .stranger
        }
        strap.serialNumber = information.serialNumber ?? strap.serialNumber
        strap.name = strap.name ?? information.name
        return .ours(hasChanged: remember(strap, insteadOf: index))
    }

    /// A strap needs wide connection parameters: 30 to 500 ms and a supervision timeout of 6 s.
    ///
    /// - Returns: whether ``remembered`` has changed.
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

    private mutating func remember(_ strap: KnownStrap, insteadOf index: Int) -> Bool {
        if index == 0, remembered[0] == strap { return false }
        remembered.remove(at: index)
        remembered.insert(strap, at: 0)
        return true
    }

    // MARK: What people say

    /// Which straps are ours was said: the setting `straps` has changed. What is remembered stays.
    package mutating func select(_ ours: [StrapMatcher]) {
        self.ours = ours
        turn = 0
        if let current, !mayKeep(current.address) { self.current = nil }
    }

    /// Forgets the straps that a pattern means, or all of them.
    ///
    /// - Returns: whether there was one.
    package mutating func forget(_ pattern: StrapMatcher?) -> Bool {
        let before = remembered.count
        remembered.removeAll { pattern?.matches($0.address, name: $0.name) ?? true }
        if let current, pattern?.matches(current.address, name: name(of: current.address)) ?? true {
            self.current = nil
        }
        turn = 0
        return remembered.count < before
    }

    /// Whether a strap at hand may go on being used after what was said or forgotten.
    package func mayKeep(_ address: LEAddress) -> Bool {
        isOurs(ScanResult(address: address, name: name(of: address)))
            || mayTakeStranger && current?.address == address
    }

    /// The strap that a pattern means, as far as one is known: the nearest that is there, the one at hand, the one used last, or the
    /// address that it says with its type.
    package func meant(by pattern: StrapMatcher, at now: Instant) -> LEAddress? {
        let there = sightings(at: now).filter { pattern.matches($0.address, name: $0.name) }
        if let nearest = there.max(by: { $0.rssi ?? .min < $1.rssi ?? .min }) { return nearest.address }
        if let current, pattern.matches(current.address, name: name(of: current.address)) { return current.address }
        let kept = remembered.first { $0.address.isStable && pattern.matches($0.address, name: $0.name) }
        if let kept { return kept.address }
        if case .address(let address, let type?) = pattern { return LEAddress(address, type) }
        return nil
    }

    // MARK: How to look for it

    /// How ours is to be looked for.
    package enum Search: Equatable, Sendable {
        /// Hear who is there: a discovery.
        case listen
        /// Wait for this one alone with a pending connection, no longer than that.
        case connect(LEAddress, within: Duration)
    }

    /// How long each of several addresses is tried where nobody may listen.
    package static let trial = Duration.seconds(10)

    /// How to look for ours now.
    ///
    /// The one strap that it can only be is waited for by a pending connection, which is the quickest. Where nobody may
    /// listen, every address that ours may have is tried in turn; one without a known type as both. Nil: without
    /// listening there is nothing to be done.
    package mutating func search(mayListen: Bool, at now: Instant) -> Search? {
        if let only = onlyAddress { return .connect(only, within: StrapLink.connectionLimit) }
        if mayListen { return .listen }
        let addresses = possibleAddresses
        if addresses.isEmpty { return nil }
        if let current, addresses.contains(current.address), now - current.thereAt < Self.holdTime {
            return .connect(current.address, within: current.thereAt + Self.holdTime - now)
        }
        defer { turn += 1 }
        return .connect(addresses[turn % addresses.count], within: Self.trial)
    }

    /// The address that ours must have, if there is only one.
    private var onlyAddress: LEAddress? {
        switch ours.first {
        case nil: remembered.count == 1 && remembered[0].address.isStable ? remembered[0].address : nil
        case .address where ours.count == 1: possibleAddresses.count == 1 ? possibleAddresses[0] : nil
        default: nil
        }
    }

    /// Every address that ours may have, as far as it does not change: those said, with the type that is said,
    /// remembered or heard, and those remembered of straps whose names are said.
    private var possibleAddresses: [LEAddress] {
        let kept = remembered.filter(\.address.isStable)
        if ours.isEmpty { return kept.map(\.address) }
        var addresses: [LEAddress] = []
        for pattern in ours {
            var meant: [LEAddress] = kept.filter { pattern.matches($0.address, name: $0.name) }.map(\.address)
            if case .address(let address, let type) = pattern, meant.isEmpty {
                meant = heardAddresses.filter { pattern.matches($0, name: nil) }
                if meant.isEmpty { meant = type.map { [LEAddress(address, $0)] } ?? Self.bothTypes(of: address) }
            }
            addresses += meant.filter { !addresses.contains($0) }
        }
        return addresses
    }

    /// A device whose address has the bits of a static one is more likely to have chosen it.
    private static func bothTypes(of address: BluetoothAddress) -> [LEAddress] {
        let random = LEAddress(address, .random)
        let given = LEAddress(address, .public)
        return random.isStable ? [random, given] : [given, random]
    }
}

extension HeartRateMeasurement {
    /// Whether it tells of a heart: a value that one can have, not denied by the strap itself.
    var isBeat: Bool {
        (1...240).contains(beatsPerMinute) && (contact != false || !rrIntervals.isEmpty)
    }

    /// Whether the strap may be worn: it says that it touches skin, or, where it cannot tell, has a beat.
    var isSignOfWearing: Bool {
        contact == true || !rrIntervals.isEmpty || contact == nil && beatsPerMinute > 0
    }
}
