package import Domain
import Glibc
package import Linux
package import Sensors

/// A heart-rate strap on a Unix SEQPACKET socket, with one ATT PDU per datagram. For tests and simulators.
///
/// Its ``SensorLink`` runs from the first iteration of the loop until release. Reports are immediate and in
/// order. There is no scan: the strap is present when its socket accepts a connection.
@safe
package final class UnixSensor {
    private let path: String
    private let loop: EventLoop
    private let report: (Input) -> Void
    private let describe: (DeviceInformation) -> Void

    private var timer: TimerSource?
    private var link: SensorLink
    private var connection: SensorConnection?
    /// The last name that the strap reported.
    private var name: SanitizedText?
    /// The battery level reported on this connection.
    private var battery: BatteryLevel?
    private var reported: LinkStatus?
    private var faults: Set<SensorFault> = []

    /// - Parameters:
    ///   - report: receives measurements, battery levels and each change of the link.
    ///   - describe: receives the strap's device information, once per connection.
    /// - Throws: `ENAMETOOLONG` if the path is too long for a socket.
    package init(
        path: String, loop: EventLoop, report: @escaping (Input) -> Void,
        describe: @escaping (DeviceInformation) -> Void
    ) throws(SystemError) {
        guard path.utf8.count <= UnixSocket.pathLimit else { throw SystemError("connect", code: ENAMETOOLONG) }
        self.path = path
        self.loop = loop
        self.report = report
        self.describe = describe
        link = SensorLink(at: Clock.now())
        timer = try loop.timer { [unowned self] in onTimer() }
        arm()
    }

    /// Receives the start or end of a run. During a run the strap is searched for more often.
    package func runChanged(isActive: Bool) {
        link.runChanged(isActive: isActive, at: Clock.now())
        arm()
    }

    private func onTimer() {
        let now = Clock.now()
        connection?.tick(at: now)
        perform(link.tick(at: now), at: now)
        // A connection attempt costs no radio time here, so each scan becomes one.
        if link.isScanning { perform(link.found(nil, at: now), at: now) }
        reconcile()
    }

    private func perform(_ actions: [SensorLink.Action], at now: Instant) {
        for action in actions {
            switch action {
            case .connect: connect(at: now)
            case .subscribe: connection?.subscribe(at: now)
            case .resubscribe: connection?.resubscribe(at: now)
            case .disconnect: connection = nil
            case .search, .listen, .stopScan, .widen: break
            }
        }
    }

    private func connect(at now: Instant) {
        do {
            connection = try SensorConnection(over: UnixSocket.connect(to: path, kind: .sequencedPacket), loop: loop) {
                // The callback may release the owner.
                [weak self] in self?.happened($0, at: $1)
            }
        } catch {
            link.lost(.unreachable, at: now)
            return
        }
        battery = nil
        perform(link.connected(at: now), at: now)
    }

    private func happened(_ event: SensorConnection.Event, at now: Instant) {
        switch event {
        case .reported(.subscribed): link.subscribed(at: now)
        case .reported(.measured(.heartRate(let measurement))):
            link.received(isInUse: measurement.isSignOfWearing, at: now)
            reconcile()
            report(.heart(measurement))
            return
        case .reported(.battery(let level)):
            battery = level
            report(.battery(percent: level.percent))
        case .reported(.described(let information)): described(information)
        case .rescheduled, .reported(.measured), .reported(.found), .reported(.compensated): break
        case .ended(let cause):
            connection = nil
            link.lost(cause, at: now)
        }
        reconcile()
    }

    private func described(_ information: DeviceInformation) {
        let before = name
        name = information.name
        reconcile()
        // The pipeline drops the battery level when the name changes, and this level arrived before the new name.
        if let before, before != name, let battery { report(.battery(percent: battery.percent)) }
        describe(information)
    }

    /// Reports what has changed, then arms the timer.
    private func reconcile() {
        var status = link.status
        status.name = name
        if status != reported {
            reported = status
            report(.heartLink(status))
        }
        let before = faults
        faults = link.faults
        for fault in SensorFault.allCases where faults.contains(fault) != before.contains(fault) {
            // No kernel is involved in this backend.
            report(faults.contains(fault) ? fault.raised(kernel: "") : fault.cleared)
        }
        arm()
    }

    private func arm() {
        let deadline = [link.deadline, connection?.deadline].compactMap { $0 }.min()
        timer?.arm(at: deadline)
    }
}
