import Domain
import Glibc

/// Asks systemd once what the whole machine is about: whether it runs, or is going down.
///
/// Source: org.freedesktop.systemd1(5), property `SystemState` of the manager object.
package final class SystemState {
    /// What systemd calls a machine that is going down.
    package static let stopping = "stopping"

    private let bus: Bus?
    private var call: BusSlot?
    private var failure: TimerSource?

    /// - Parameters:
    ///   - address: the bus, as ``Bus/systemAddress``.
    ///   - limit: how long the answer may take, connecting included.
    ///   - answered: takes the state, or nil where nobody tells it in time; called once, in the loop, if this still lives.
    package init(
        at address: String = Bus.systemAddress, loop: EventLoop, waiting limit: Duration,
        answered: @escaping (String?) -> Void
    ) throws(SystemError) {
        bus = try? Bus(at: address, loop: loop) { _ in }
        call = bus?.call(
            "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.DBus.Properties", "Get",
            [.string("org.freedesktop.systemd1.Manager"), .string("SystemState")], timeout: limit
        ) { answer in
            // An error has no arguments.
            answered((try? answer.get())?.first?.text)
        }
        if call != nil { return }
        failure = try loop.timer { answered(nil) }
        failure?.arm(at: Clock.now())
    }
}
