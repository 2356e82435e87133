import Domain
import Glibc

/// Watches the owner of a name on the system bus: reports it once it is known, then each change, until released.
///
/// The bus may start later, or stop. Without a bus the name has no owner, and the watcher reconnects
/// every ``retryDelay``. While a bus does not answer, nothing is reported until ``callTimeout``.
package final class BusNameWatcher {
    /// Delay before a reconnection.
    package static let retryDelay = Duration.seconds(2)
    /// Maximum time of the query of the owner.
    package static let callTimeout = Duration.seconds(10)

    private let name: String
    private let address: String
    private let loop: EventLoop
    private let changed: (String?) -> Void
    private var timer: TimerSource?
    private var bus: Bus?
    private var slots: [BusSlot] = []
    /// Last reported owner; nil before the first report.
    private var reportedOwner: String??

    /// - Parameters:
    ///   - address: Address of the bus, as ``Bus/systemAddress``.
    ///   - changed: Receives the unique name of the owner, nil if there is none; never called before this returns.
    package init(
        of name: String, at address: String = Bus.systemAddress, loop: EventLoop, changed: @escaping (String?) -> Void
    ) throws(SystemError) {
        self.name = name
        self.address = address
        self.loop = loop
        self.changed = changed
        timer = try loop.timer { [unowned self] in onTimer() }
        timer?.arm(at: Clock.now())
    }

    private func onTimer() {
        // The bus is connected, but did not answer in time.
        if bus != nil { return end() }
        do throws(SystemError) {
            let bus = try Bus(at: address, loop: loop) { [unowned self] in if $0 == .ended { end() } }
            self.bus = bus
            timer?.arm(at: Clock.now() + Self.callTimeout)
            try queryOwner(bus)
        } catch {
            end()
        }
    }

    /// Subscribes before it queries, so that no change is missed between the two.
    private func queryOwner(_ bus: Bus) throws(SystemError) {
        let driver = "org.freedesktop.DBus"
        slots = [
            try bus.match(
                "type='signal',sender='\(driver)',interface='\(driver)',member='NameOwnerChanged',arg0='\(name)'",
                installed: { [unowned self] error in if error != nil { end() } },
                received: { [unowned self] in received($0) }),
            bus.call(
                driver, "/org/freedesktop/DBus", driver, "GetNameOwner", [.string(name)], timeout: Self.callTimeout
            ) { [unowned self] in receiveOwner($0) },
        ]
    }

    private func received(_ signal: BusMessage) {
        // Any peer can send a signal of this name.
        guard signal.sender == "org.freedesktop.DBus", signal.arguments.count == 3,
            signal.arguments[0].text == name, let owner = signal.arguments[2].text
        else { return }
        report(owner.isEmpty ? nil : owner)
    }

    private func receiveOwner(_ answer: Result<[BusValue], BusError>) {
        switch answer {
        case .success(let arguments):
            guard let owner = arguments.first?.text else { return end() }
            timer?.arm(at: nil)
            report(owner)
        case .failure(let error):
            guard error.name == BusError.nameHasNoOwner else { return end() }
            timer?.arm(at: nil)
            report(nil)
        }
    }

    /// Disconnects, and reconnects later.
    private func end() {
        slots = []
        bus = nil
        timer?.arm(at: Clock.now() + Self.retryDelay)
        report(nil)
    }

    /// Must be the last statement of its callers: the callback may release this.
    private func report(_ owner: String?) {
        guard reportedOwner != .some(owner) else { return }
        reportedOwner = .some(owner)
        changed(owner)
    }
}
