import Domain
import Linux
import Sensors

/// The link to the strap, and its status reports.
extension BluetoothdStrapBackend {
    /// Starts the wanted connection once the previous one is over.
    private func connect(at now: Instant) {
        guard let strap = wanted, connection == nil, scan == nil, pairing == nil, session.isReady, let owner,
            !failurePolicy.isCautious || session.isQuiet
        else { return }
        guard let device = session.device(strap) else { return lost(.unreachable, at: now) }
        do throws(SystemError) {
            let channel = try BlueZClient(to: owner, at: address, loop: loop) { [weak self] _, now in
                self?.giveUp(at: now)
                self?.reconcile(at: now)
            }
            let connection = BlueZStrapConnection(
                to: device.path, over: channel, loop: loop, reportsReasons: reportsReasons,
                isFresh: device.path == justPaired,
                objects: { [unowned self] in session.objects }, happened: { [weak self] in self?.happened($0, at: $1) },
                at: now)
            self.connection = connection
            justPaired = nil
            connection.begin(at: now)
        } catch {
            giveUp(at: now)
        }
    }

    private func happened(_ event: BlueZStrapConnection.Event, at now: Instant) {
        switch event {
        case .linked(let isLinked):
            if let connection { session.linked(connection.device, isLinked) }
            return
        case .connected:
            wanted = nil
            failurePolicy.connected()
            if let strap = currentStrap.address { choice.connected(strap, at: now) }
            setScanning(false, at: now)
            if isPairing {
                leaveUnsubscribed(at: now)
            } else {
                perform(link.connected(at: now), at: now)
            }
        case .reported(let said): return received(said, at: now)
        case .ended(let loss):
            if connection?.isConnected ?? false { choice.lost(at: now) }
            lost(loss, at: now)
        case .unanswered: giveUp(at: now)
        case .advanced: break
        }
        reconcile(at: now)
    }

    func lost(_ loss: StrapLink.DisconnectCause, at now: Instant) {
        wanted = nil
        let remedy = failurePolicy.lost(
            loss, of: currentStrap.address, wasConnected: connection?.isConnected ?? false, at: now)
        switch remedy {
        case .removeDevice:
            if let device = currentStrap.address.flatMap(session.device) {
                perform(session.remove(device, at: now), at: now)
            }
        case .powerCycle: perform(session.powerCycle(at: now), at: now)
        case nil: break
        }
        perform(link.lost(loss, at: now), at: now)
    }

    // MARK: Status

    func reconcile(at now: Instant) {
        link.canListen = session.isReady
        if connection?.isOver ?? false { connection = nil }
        connect(at: now)
        pairOn(at: now)
        perform(link.hindered(by: obstacle, at: now), at: now)
        var faults = link.faults
        if failurePolicy.isFading(at: now), !(defaults?.areSet ?? false) { faults.insert(.supervisionTimeout) }
        for input in news.update(
            adapter: session.adapter?.address, faults, currentStrap.status(of: link, choice, at: now))
        {
            report(input)
        }
        let deadlines = [
            link.deadline, session.deadline, connection?.deadline, scan?.endsAt, pairing?.endsAt,
            failurePolicy.deadline(at: now), link.isScanning || link.asleep != nil ? choice.deadline(at: now) : nil,
        ]
        timer?.arm(at: deadlines.compactMap { $0 }.min())
    }

    /// The condition of this host that prevents a connection to the strap.
    var obstacle: LinkReason? {
        isOff ? .off : session.hindrance
    }
}
