import Domain
import Linux
import Sensors

/// The link to the strap, and what is told of it.
extension BusStraps {
    /// Begins the connection that is wanted, once the one before is over.
    private func connect(at now: Instant) {
        guard let strap = wanted, connection == nil, scan == nil, pairing == nil, session.isReady, let owner,
            !mishaps.isCautious || session.isQuiet
        else { return }
        guard let device = session.device(strap) else { return lost(.unreachable, at: now) }
        do throws(SystemError) {
            let channel = try BlueZChannel(to: owner, at: address, loop: loop) { [weak self] _, now in
                self?.giveUp(at: now)
                self?.settle(at: now)
            }
            let connection = BusConnection(
                to: device.path, over: channel, loop: loop, tellsReasons: tellsReasons,
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

    private func happened(_ event: BusConnection.Event, at now: Instant) {
        switch event {
        case .linked(let isLinked):
            if let connection { session.linked(connection.device, isLinked) }
            return
        case .connected:
            wanted = nil
            mishaps.connected()
            if let strap { choice.taken(strap, at: now) }
            look(false, at: now)
            carryOut(link.connected(at: now), at: now)
        case .reported(.subscribed): link.subscribed(at: now)
        case .reported(.measured(let measurement)):
            link.received(measurement, at: now)
            if let strap, choice.received(measurement, from: strap, at: now) { save() }
            settle(at: now)
            report(.heart(measurement))
            return
        case .reported(.battery(let level)): report(.battery(percent: level.percent))
        case .reported(.described(let information)): described(information, at: now)
        case .ended(let loss):
            if connection?.isConnected ?? false { choice.lost(at: now) }
            lost(loss, at: now)
        case .unanswered: giveUp(at: now)
        case .advanced: break
        }
        settle(at: now)
    }

    private func lost(_ loss: StrapLink.Loss, at now: Instant) {
        wanted = nil
        let remedy = mishaps.lost(loss, of: strap, wasConnected: connection?.isConnected ?? false, at: now)
        switch remedy {
        case .removeDevice:
            if let device = strap.flatMap(session.device) { carryOut(session.remove(device, at: now), at: now) }
        case .powerCycle: carryOut(session.powerCycle(at: now), at: now)
        case nil: break
        }
        carryOut(link.lost(loss, at: now), at: now)
    }

    private func described(_ information: DeviceInformation, at now: Instant) {
        if let strap {
            switch choice.described(information, of: strap) {
            case .ours(let hasChanged): if hasChanged { save() }
            case .stranger: return carryOut(link.wanted(keepsStrap: false, at: now), at: now)
            }
        }
        // A name that it advertised stays: another one would be another strap's.
        name = name ?? information.name
        settle(at: now)
        describe(information)
    }

    // MARK: What is told

    /// Does what has become possible, tells what has changed, and waits for the next deadline.
    func settle(at now: Instant) {
        link.canListen = session.isReady
        if connection?.isOver ?? false { connection = nil }
        connect(at: now)
        pairOn(at: now)
        carryOut(link.hindered(by: hindrance, at: now), at: now)
        var faults = link.faults
        if mishaps.isFading(at: now), !(defaults?.areSet ?? false) { faults.insert(.supervisionTimeout) }
        for input in news.take(adapter: session.adapter?.address, faults, status(at: now)) { report(input) }
        let deadlines = [
            link.deadline, session.deadline, connection?.deadline, scan?.endsAt, pairing?.endsAt,
            mishaps.deadline(at: now), link.isScanning || link.asleep != nil ? choice.deadline(at: now) : nil,
        ]
        timer?.arm(at: deadlines.compactMap { $0 }.min())
    }

    /// What of the host keeps the strap away.
    var hindrance: LinkReason? {
        isOff ? .off : session.hindrance
    }

    private func status(at now: Instant) -> LinkStatus {
        var status = link.status
        if status.reason == .choose {
            status.name = choice.names(at: now)
        } else if status.address != nil {
            name = name ?? strap.flatMap(choice.name)
            status.name = name
        }
        return status
    }
}
