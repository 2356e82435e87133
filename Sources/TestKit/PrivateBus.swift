import Foundation
import Glibc
import Linux

/// A bus of its own, by the real dbus-daemon, on which everybody may do everything. It ends when this is let go of.
package final class PrivateBus {
    private let directory: TemporaryDirectory
    private var process: ChildProcess?

    /// Starts it, and waits until it takes connections; or leaves the bus absent until ``start()``.
    package init(isThere: Bool = true) throws {
        directory = try TemporaryDirectory()
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

    /// Where it is, as `DBUS_SYSTEM_BUS_ADDRESS` would have it.
    package var address: String { "unix:path=" + directory("bus") }

    /// Starts it, again after ``stop()``, and waits until it takes connections.
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

    /// Ends it with all its connections.
    package func stop() {
        process = nil
    }

    /// It answers nothing, and takes no more than fits into its sockets, until ``resume()``.
    package func pause() {
        if let process { kill(process.pid, SIGSTOP) }
    }

    package func resume() {
        if let process { kill(process.pid, SIGCONT) }
    }
}
