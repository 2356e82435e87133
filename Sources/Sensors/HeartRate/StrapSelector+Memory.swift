package import Domain

extension StrapSelector {
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
            remembered.insert(KnownStrap(address: address, name: name, isWide: wide == address), at: 0)
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

    private mutating func remember(_ strap: KnownStrap, insteadOf index: Int) -> Bool {
        if index == 0, remembered[0] == strap { return false }
        remembered.remove(at: index)
        remembered.insert(strap, at: 0)
        return true
    }

    // MARK: Requests

    /// Applies the setting `straps`. ``remembered`` stays.
    package mutating func select(_ ours: [StrapMatcher]) {
        self.ours = ours
        turn = 0
        if let current, !mayKeep(current.address) { self.current = nil }
    }

    /// Forgets the straps that a pattern matches, or all if it is nil.
    ///
    /// - Returns: Whether a remembered strap was forgotten.
    package mutating func forget(_ pattern: StrapMatcher?) -> Bool {
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
    package func meant(by pattern: StrapMatcher, at now: Instant) -> LEAddress? {
        let there = sightings(at: now).filter { pattern.matches($0.address, name: $0.name) }
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
                meant = heardAddresses.filter { pattern.matches($0, name: nil) }
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
    var isSignOfWearing: Bool {
        contact == true || !rrIntervals.isEmpty || contact == nil && beatsPerMinute > 0
    }
}
