import Domain
import Glibc

/// Queries systemd's timedated whether the system's clock is synchronised; reports each answer until released.
///
/// It serves a process that may not ask the kernel: adjtimex(2) can also set the clock, so `ProtectClock=`
/// forbids it altogether. timedated exits after half a minute without a query, so each query starts it. Once the
/// clock is synchronised the queries are rare: the kernel keeps that state for eight hours without a time server.
///
/// Source: org.freedesktop.timedate1(5), D-Bus Specification, `StartServiceByName`.
package final class TimedatedMonitor {
    /// Time between two queries while the clock is not synchronised, or without an answer.
    package static let eagerPeriod = Duration.seconds(10)
    /// Time between two queries while the clock is synchronised.
    package static let calmPeriod = Duration.seconds(3600)
    /// Maximum time in which timedated must start, or answer.
    package static let callTimeout = Duration.seconds(10)

    private static let service = "org.freedesktop.timedate1"

    private let address: String
    private let loop: EventLoop
    private let report: (Bool) -> Void
    private var timer: TimerSource?
    private var bus: Bus?
    private var call: BusSlot?

    /// Starts to query; the closure receives each answer. It is never called before this returns.
    ///
    /// - Parameter address: Address of the bus, as ``Bus/systemAddress``.
    package init(
        at address: String = Bus.systemAddress, loop: EventLoop, report: @escaping (Bool) -> Void
    ) throws(SystemError) {
        self.address = address
        self.loop = loop
        self.report = report
        timer = try loop.timer { [unowned self] in begin() }
        timer?.arm(at: Clock.now())
    }

    /// Calls of ``Bus`` do not start services, so the bus is asked to start
    /// timedated first. If that fails, timedated may still be running.
    private func begin() {
        do throws(SystemError) {
            let bus = try Bus(at: address, loop: loop) { [unowned self] in if $0 == .ended { end(nil) } }
            self.bus = bus
            let driver = "org.freedesktop.DBus"
            call = bus.call(
                driver, "/org/freedesktop/DBus", driver, "StartServiceByName", [.string(Self.service), .uint32(0)],
                timeout: Self.callTimeout
            ) { [unowned self] _ in query(bus) }
        } catch {
            end(nil)
        }
    }

    private func query(_ bus: Bus) {
        call = bus.call(
            Self.service, "/org/freedesktop/timedate1", "org.freedesktop.DBus.Properties", "Get",
            [.string(Self.service), .string("NTPSynchronized")], timeout: Self.callTimeout
        ) { [unowned self] answer in
            end(try? answer.get().first?.bool)
        }
    }

    /// Disconnects, and queries again later.
    private func end(_ answer: Bool?) {
        call = nil
        bus = nil
        timer?.arm(at: Clock.now() + (answer == true ? Self.calmPeriod : Self.eagerPeriod))
        if let answer { report(answer) }
    }
}
