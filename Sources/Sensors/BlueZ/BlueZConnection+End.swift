package import Domain

/// How a connection through bluetoothd ends.
extension BlueZConnection {
    /// The descriptor's other end was closed.
    package mutating func hungUp(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        guard phase == .subscribing || phase == .subscribed else { return [] }
        phase = .parting(until: now + Self.partingLimit)
        return [.release] + advance(objects, at: now)
    }

    /// bluetoothd has said why the link has ended.
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

    /// Leaves the strap, or stops waiting for it. It is not told that it has ended.
    package mutating func disconnect(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        end(.ended, objects, at: now).filter { if case .end = $0 { false } else { true } }
    }

    /// Why a link has ended, where bluetoothd does not say: before 5.73 it has no word for it.
    ///
    /// A strap that is taken off, is switched off or finds its host too fast says good-bye, mostly after some seconds without a sign of
    /// being worn. One that flowed until within ``abruptness``, and was worn, was cut in the middle: by the supervision timeout.
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
        // A Connect that has not been answered yet may still succeed.
        guard isConnected || wasConnecting, objects.device(at: device) != nil else {
            phase = .over
            return release + [.end(loss)]
        }
        phase = .leaving(until: now + Self.closingLimit)
        return release + [.call(.disconnect(device: device)), .end(loss)]
    }
}
