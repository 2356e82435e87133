package import Domain

/// The end of a connection through bluetoothd.
extension BlueZConnection {
    /// Records that the peer closed the descriptor.
    package mutating func hungUp(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        guard phase == .subscribing || phase == .subscribed else { return [] }
        phase = .parting(until: now + Self.partingLimit)
        return [.release] + advance(objects, at: now)
    }

    /// Receives bluetoothd's reason for the end of the link.
    ///
    /// Source: BlueZ 5.82, doc/org.bluez.Device.rst.
    package mutating func disconnected(_ reason: String, _ objects: BlueZObjects, at now: Instant) -> [Action] {
        self.reason =
            switch reason {
            case "org.bluez.Reason.Timeout": .supervisionTimeout
            case "org.bluez.Reason.Remote": .remoteTerminated
            case "org.bluez.Reason.Authentication": .pairingNeeded
            default: .ended
            }
        return advance(objects, at: now)
    }

    /// Disconnects the strap, or stops waiting for it, without an ``Action/end(_:)``.
    package mutating func disconnect(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        end(.ended, objects, at: now).filter { if case .end = $0 { false } else { true } }
    }

    /// The presumed cause of the end of a link if bluetoothd does not report it, as before 5.73.
    ///
    /// A strap that is taken off or switched off, or rejects the connection parameters, terminates the link itself. A
    /// worn strap whose stream flowed until ``abruptness`` before the end was cut off by the supervision timeout.
    func presumedLoss(at now: Instant) -> StrapLink.DisconnectCause {
        guard let lastAt else { return .ended }
        return isWorn && now - lastAt <= Self.abruptness ? .supervisionTimeout : .remoteTerminated
    }

    mutating func end(_ loss: StrapLink.DisconnectCause, _ objects: BlueZObjects, at now: Instant) -> [Action] {
        let isConnected = objects.device(at: device)?.isConnected ?? false
        let wasConnecting: Bool
        switch phase {
        case .leaving, .over: return []
        case .connecting: wasConnecting = true
        default: wasConnecting = false
        }
        retry = nil
        let release: [Action] = measurements == nil ? [] : [.release]
        // A Connect without a reply may still succeed.
        guard isConnected || wasConnecting, objects.device(at: device) != nil else {
            phase = .over
            return release + [.end(loss)]
        }
        phase = .leaving(until: now + Self.closingLimit)
        return release + [.call(.disconnect(device: device)), .end(loss)]
    }
}
