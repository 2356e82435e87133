package import Domain

extension MgmtAdapterSession {
    /// Whether a key for the strap and the adapter in use is stored.
    package func isPaired(_ device: LEAddress) -> Bool {
        address.map { pairing.isPaired(device, with: $0) } ?? false
    }

    /// Sets the stored keys.
    package mutating func setKeys(_ keys: [LongTermKey]) {
        pairing.setKeys(keys)
    }

    /// Forgets the keys of the matching devices.
    package mutating func forgetKeys(of isMeant: (LEAddress) -> Bool, at now: Instant) -> [Action] {
        let kept = pairing.keys.filter { !isMeant($0.device) }
        guard kept != pairing.keys else { return [] }
        pairing.setKeys(kept)
        return [.keep(kept)] + advance(at: now)
    }

    /// Pairs with this device only. ``Action/endPairing(_:)`` reports the result. A search is suspended until then.
    package mutating func pair(_ device: LEAddress, until: Instant, at now: Instant) -> [Action] {
        pairing.want(device, until: until)
        if isConnected(device) { pairing.connected(device) }
        discovery.want(false)
        return advance(at: now)
    }

    /// Cancels the pairing without reporting a result.
    package mutating func stopPairing(at now: Instant) -> [Action] {
        guard let device = pairing.abandon() else { return [] }
        discovery.want(isSearchWanted)
        let cancels = index.map { [Action.send(MgmtCommand.cancelPairing(index: $0, device).bytes)] } ?? []
        return cancels + advance(at: now)
    }

    /// Returns the commands that release the adapter before the channel is closed.
    ///
    /// - Parameter strap: the connected strap.
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

    // MARK: Events

    /// Receives the status of Pair Device.
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

    /// Handles a pairing question or a new key. Its commands are sent at once, because the peer waits for the answer.
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

    /// Resumes the search and reports the result of a pairing.
    mutating func ended(_ outcome: PairingResult?) -> [Action] {
        guard let outcome else { return [] }
        discovery.want(isSearchWanted)
        return [.endPairing(outcome)]
    }
}
