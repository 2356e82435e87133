import Domain
import Glibc

/// Queries systemd once for the state of the system: whether it runs or shuts down.
///
/// Source: org.freedesktop.systemd1(5), property `SystemState` of the manager object.
package final class SystemState {
    /// systemd's state of a system that shuts down.
    package static let stopping = "stopping"

    private let bus: Bus?
    private var call: BusSlot?
    private var failure: TimerSource?

    /// - Parameters:
    ///   - address: Address of the bus, as ``Bus/systemAddress``.
    ///   - limit: Timeout of the query, connecting included.
    ///   - answered: Receives the state, nil if it does not come in
    ///     time; called once, in the loop, unless this is released.
    package init(
        at address: String = Bus.systemAddress, loop: EventLoop, waiting limit: Duration,
        answered: @escaping (String?) -> Void
    ) throws(SystemError) {
        bus = try? Bus(at: address, loop: loop) { _ in }
        call = bus?.call(
            "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.DBus.Properties", "Get",
            [.string("org.freedesktop.systemd1.Manager"), .string("SystemState")], timeout: limit
        ) { answer in
            // An error gives nil.
            answered((try? answer.get())?.first?.text)
        }
        if call != nil { return }
        failure = try loop.timer { answered(nil) }
        failure?.arm(at: Clock.now())
    }
}
