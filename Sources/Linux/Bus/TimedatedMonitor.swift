import Domain
import Glibc

/// Whether the system's clock is synchronised, as systemd's timedated says: told at each answer, until this is released.
///
/// It is for a service that may not ask the kernel: adjtimex(2) can set the clock too, so `ProtectClock=` refuses it whole. timedated asks for
/// us. It ends when nobody asks for half a minute, and would be started for each question: so it is asked seldom once the answer is yes,
/// which the kernel holds for eight hours without a time server.
///
/// Source: org.freedesktop.timedate1(5), D-Bus Specification, `StartServiceByName`.
package final class TimedatedMonitor {
    /// Between two questions while the clock is not synchronised, or nobody answers.
    package static let eagerPeriod = Duration.seconds(10)
    /// Between two questions once it is.
    package static let calmPeriod = Duration.seconds(3600)
    /// How long timedated may take to start, or to answer.
    package static let callTimeout = Duration.seconds(10)

    private static let service = "org.freedesktop.timedate1"

    private let address: String
    private let loop: EventLoop
    private let told: (Bool) -> Void
    private var timer: TimerSource?
    private var bus: Bus?
    private var call: BusSlot?

    /// - Parameters:
    ///   - address: the bus, as ``Bus/systemAddress``.
    ///   - told: takes each answer; never called before this returns.
    package init(
        at address: String = Bus.systemAddress, loop: EventLoop, told: @escaping (Bool) -> Void
    ) throws(SystemError) {
        self.address = address
        self.loop = loop
        self.told = told
        timer = try loop.timer { [unowned self] in begin() }
        timer?.arm(at: Clock.now())
    }

    /// No other call of ours starts a service, so the bus is asked for this one first. It may run though the bus could not start it.
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

    /// Leaves the bus, and asks again later.
    private func end(_ answer: Bool?) {
        call = nil
        bus = nil
        timer?.arm(at: Clock.now() + (answer == true ? Self.calmPeriod : Self.eagerPeriod))
        if let answer { told(answer) }
    }
}
