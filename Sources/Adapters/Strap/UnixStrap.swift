package import Domain
import Glibc
package import Linux
package import Sensors

/// A heart-rate strap on a Unix SEQPACKET socket, where one datagram is one PDU of the Attribute Protocol: for tests and simulators.
///
/// It is always somewhere in the life of its ``StrapLink``, from the first turn of the loop on until it is released, and reports what
/// comes at once and in order. There is no air to search: the strap is there when its socket takes a connection.
@safe
package final class UnixStrap {
    private let path: String
    private let loop: EventLoop
    private let report: (Input) -> Void
    private let describe: (DeviceInformation) -> Void

    private var timer: TimerSource?
    private var link: StrapLink
    private var connection: StrapConnection?
    /// What the strap last called itself.
    private var name: SanitizedText?
    /// The battery as this connection told it.
    private var battery: BatteryLevel?
    private var reported: LinkStatus?
    private var faults: Set<StrapFault> = []

    /// - Parameters:
    ///   - report: takes measurements, battery levels and each change of the link.
    ///   - describe: takes what the strap says of itself, once a connection.
    /// - Throws: `ENAMETOOLONG` for a path that no socket can have.
    package init(
        path: String, loop: EventLoop, report: @escaping (Input) -> Void,
        describe: @escaping (DeviceInformation) -> Void
    ) throws(SystemError) {
        guard path.utf8.count <= UnixSocket.pathLimit else { throw SystemError("connect", code: ENAMETOOLONG) }
        self.path = path
        self.loop = loop
        self.report = report
        self.describe = describe
        link = StrapLink(at: Clock.now())
        timer = try loop.timer { [unowned self] in onTimer() }
        arm()
    }

    /// A run has begun, or ended: during one the strap is looked for more often.
    package func runChanged(isActive: Bool) {
        link.runChanged(isActive: isActive, at: Clock.now())
        arm()
    }

    private func onTimer() {
        let now = Clock.now()
        connection?.tick(at: now)
        perform(link.tick(at: now), at: now)
        // There is no air to spare: whenever the strap is looked for, it is tried.
        if link.isScanning { perform(link.found(nil, at: now), at: now) }
        reconcile()
    }

    private func perform(_ action: StrapLink.Action?, at now: Instant) {
        switch action {
        case .connect: connect(at: now)
        case .subscribe: connection?.subscribe(at: now)
        case .resubscribe: connection?.resubscribe(at: now)
        case .disconnect: connection = nil
        case .search, .listen, .stopScan, .widen, nil: break
        }
    }

    private func connect(at now: Instant) {
        do {
            connection = try StrapConnection(over: UnixSocket.connect(to: path, kind: .sequencedPacket), loop: loop) {
                // Its owner may be released while it reports.
                [weak self] in self?.happened($0, at: $1)
            }
        } catch {
            link.lost(.unreachable, at: now)
            return
        }
        battery = nil
        perform(link.connected(at: now), at: now)
    }

    private func happened(_ event: StrapConnection.Event, at now: Instant) {
        switch event {
        case .reported(.subscribed): link.subscribed(at: now)
        case .reported(.measured(let measurement)):
            link.received(measurement, at: now)
            reconcile()
            report(.heart(measurement))
            return
        case .reported(.battery(let level)):
            battery = level
            report(.battery(percent: level.percent))
        case .reported(.described(let information)): described(information)
        case .rescheduled: break
        case .ended(let loss):
            connection = nil
            link.lost(loss, at: now)
        }
        reconcile()
    }

    private func described(_ information: DeviceInformation) {
        let before = name
        name = information.name
        reconcile()
        // Another strap begins without a battery, but this one's was read before its name told that it is another.
        if let before, before != name, let battery { report(.battery(percent: battery.percent)) }
        describe(information)
    }

    /// Tells of the link what has changed, and waits for the next deadline.
    private func reconcile() {
        var status = link.status
        status.name = name
        if status != reported {
            reported = status
            report(.heartLink(status))
        }
        let before = faults
        faults = link.faults
        for fault in StrapFault.allCases where faults.contains(fault) != before.contains(fault) {
            // No kernel has a part in this way.
            report(faults.contains(fault) ? fault.raised(kernel: "") : fault.cleared)
        }
        arm()
    }

    private func arm() {
        let deadline = [link.deadline, connection?.deadline].compactMap { $0 }.min()
        timer?.arm(at: deadline)
    }
}
