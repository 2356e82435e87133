package import Domain

extension MgmtAdapterSession {
    /// Whether a strap and the adapter in use have paired, and a key of that is kept.
    package func isPaired(_ device: LEAddress) -> Bool {
        address.map { pairing.isPaired(device, with: $0) } ?? false
    }

    /// Takes the keys that were kept.
    package mutating func setKeys(_ keys: [LongTermKey]) {
        pairing.setKeys(keys)
    }

    /// Forgets the keys of some devices.
    package mutating func forgetKeys(of isMeant: (LEAddress) -> Bool, at now: Instant) -> [Action] {
        let kept = pairing.keys.filter { !isMeant($0.device) }
        guard kept != pairing.keys else { return [] }
        pairing.setKeys(kept)
        return [.keep(kept)] + advance(at: now)
    }

    /// Pairs with a device and nobody else; ``Action/endPairing(_:)`` says how that ended. A search makes way meanwhile.
    package mutating func pair(_ device: LEAddress, until: Instant, at now: Instant) -> [Action] {
        pairing.want(device, until: until)
        if isConnected(device) { pairing.connected(device) }
        discovery.want(false)
        return advance(at: now)
    }

    /// Gives up a pairing that is under way; nothing is told of its end.
    package mutating func stopPairing(at now: Instant) -> [Action] {
        guard let device = pairing.abandon() else { return [] }
        discovery.want(isSearchWanted)
        let cancels = index.map { [Action.send(MgmtCommand.cancelPairing(index: $0, device).bytes)] } ?? []
        return cancels + advance(at: now)
    }

    /// Leaves the adapter alone, as far as that can be done at once: the channel is about to be closed.
    ///
    /// - Parameter strap: whom we are connected to.
    package mutating func parted(from strap: LEAddress?) -> [Action] {
        guard isOpen, isPermitted, let index else { return [] }
        var commands: [MgmtCommand] = []
        if discovery.isOnAir { commands.append(.stopDiscovery(index: index)) }
        if let device = pairing.abandon() {
            commands += [.cancelPairing(index: index, device), .setBondable(index: index, false)]
        }
        if let strap, isConnected(strap) { commands.append(.disconnect(index: index, strap)) }
        return commands.map { .send($0.bytes) }
    }

    // MARK: What happens

    /// The kernel has answered the wish to pair.
    mutating func paired(_ status: MgmtStatus, at now: Instant) -> [Action] {
        address.map { ended(pairing.answered(status, with: $0, at: now)) } ?? []
    }

    mutating func tickPairing(at now: Instant) -> [Action] {
        let device = pairing.device
        guard let outcome = pairing.tick(at: now) else { return [] }
        var actions = ended(outcome)
        if let device, let index { actions.append(.send(MgmtCommand.cancelPairing(index: index, device).bytes)) }
        return actions
    }

    /// Somebody wants to pair, or has. These commands wait for no other: whoever asks waits for the answer.
    mutating func heardOfPairing(_ event: MgmtPacket.Event) -> [Action] {
        guard let index, let address else { return [] }
        switch event {
        case .asked(let question, let device):
            let isYes = question == .confirmation && device == pairing.device?.managementBytes
            return [.send(MgmtCommand.answer(index: index, question, device, isYes: isYes).bytes)]
        case .agreed(let device, let bytes):
            guard let key = LongTermKey(adapter: address, device: device, bytes), !pairing.agreed(key) else {
                return []
            }
            return [.send(MgmtCommand.unpair(index: index, device).bytes)]
        default: return []
        }
    }

    /// A pairing has ended: the search goes on.
    mutating func ended(_ outcome: PairingResult?) -> [Action] {
        guard let outcome else { return [] }
        discovery.want(isSearchWanted)
        return [.endPairing(outcome)]
    }
}
