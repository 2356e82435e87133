import Foundation
import Glibc
import Linux

/// A private bus of a real dbus-daemon with a policy that allows everything. Its deinitialiser ends it.
package final class PrivateBus {
    private let directory: TemporaryDirectory
    private var process: ChildProcess?

    /// Starts the bus and waits until it accepts connections; without `isThere` the bus is absent until ``start()``.
    package init(isThere: Bool = true) throws {
        directory = TemporaryDirectory()
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
              "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <listen>\(address)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
              </policy>
              <limit name="max_message_unix_fds">64</limit>
              <limit name="max_incoming_unix_fds">64</limit>
            </busconfig>
            """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: directory("bus.conf")))
        if isThere { try start() }
    }

    /// The address, in the format of `DBUS_SYSTEM_BUS_ADDRESS`.
    package var address: String { "unix:path=" + directory("bus") }

    /// Starts the bus, also after ``stop()``, and waits until it accepts connections.
    package func start() throws {
        process = try ChildProcess([
            "dbus-daemon", "--nofork", "--nopidfile", "--nosyslog", "--config-file", directory("bus.conf"),
        ])
        let deadline = ContinuousClock.now + .seconds(10)
        while (try? UnixSocket.connect(to: directory("bus"))) == nil {
            guard ContinuousClock.now < deadline else { throw CocoaError(.executableLoad) }
            usleep(2000)
        }
    }

    /// Ends the bus with all its connections.
    package func stop() {
        process = nil
    }

    /// Stops the process: it answers nothing, and reads nothing from its sockets, until ``resume()``.
    package func pause() {
        if let process { kill(process.pid, SIGSTOP) }
    }

    package func resume() {
        if let process { kill(process.pid, SIGCONT) }
    }
}
