import Domain
import Glibc

/// Who owns one name on the system bus: told once when that is known, and at each change from then on, until this is released.
///
/// The bus may come later, and go: without one nobody owns the name, and it is looked for every ``retryDelay``. While a bus answers nothing,
/// nothing is told until ``patience`` is over.
package final class BusNameWatcher {
    /// Between a bus that is gone, or not there, and the next look for it.
    package static let retryDelay = Duration.seconds(2)
    /// How long a bus may take to tell the owner.
    package static let callTimeout = Duration.seconds(10)

    private let name: String
    private let address: String
    private let loop: EventLoop
    private let changed: (String?) -> Void
    private var timer: TimerSource?
    private var bus: Bus?
    private var slots: [BusSlot] = []
    /// What was told last; nil while nothing was.
    private var told: String??

    /// - Parameters:
    ///   - address: the bus, as ``Bus/systemAddress``.
    ///   - changed: takes the unique name of the owner, or nil while there is none; never called before this returns.
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
        // The bus was there, and has not told in time.
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

    /// Listens first, so that no change is missed between the answer and the next.
    private func queryOwner(_ bus: Bus) throws(SystemError) {
        let driver = "org.freedesktop.DBus"
        slots = [
            try bus.match(
                "type='signal',sender='\(driver)',interface='\(driver)',member='NameOwnerChanged',arg0='\(name)'",
                installed: { [unowned self] error in if error != nil { end() } },
                heard: { [unowned self] in received($0) }),
            bus.call(
                driver, "/org/freedesktop/DBus", driver, "GetNameOwner", [.string(name)], timeout: Self.callTimeout
            ) { [unowned self] in answered($0) },
        ]
    }

    private func received(_ signal: BusMessage) {
        // Any peer can send us a signal of this name.
        guard signal.sender == "org.freedesktop.DBus", signal.arguments.count == 3,
            signal.arguments[0].text == name, let owner = signal.arguments[2].text
        else { return }
        report(owner.isEmpty ? nil : owner)
    }

    private func answered(_ answer: Result<[BusValue], BusError>) {
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

    /// Leaves the bus, and looks for it again later.
    private func end() {
        slots = []
        bus = nil
        timer?.arm(at: Clock.now() + Self.retryDelay)
        report(nil)
    }

    /// Comes last wherever it is called: who is told may release this.
    private func report(_ owner: String?) {
        guard told != .some(owner) else { return }
        told = .some(owner)
        changed(owner)
    }
}
