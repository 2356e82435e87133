import CSystemd
import Domain
import Glibc

/// The listening sockets that systemd passed to this process (socket activation), by name.
///
/// Source: sd_listen_fds(3).
@safe
package struct ActivationSockets: Sendable {
    /// Descriptors by name, for the requested names; non-blocking. The caller owns them.
    package let numbers: [String: Int32]
    /// Descriptors of listening TCP sockets; non-blocking. The caller owns them.
    package let internet: [Int32]
    /// Names of descriptors that were not requested, or that had a name for the second time. They are closed.
    package let others: [String]

    /// Why the sockets cannot be used.
    package enum Failure: Error, Equatable, Sendable {
        /// The environment variables of the protocol have invalid values.
        case unreadable(SystemError)
        /// The descriptor of this name is not a listening stream socket, of Unix or of TCP as requested.
        case wrongKind(name: String)
    }

    /// Takes the passed sockets, and unsets the environment variables so that child processes do not inherit them.
    ///
    /// The corresponding C function is `sd_listen_fds_with_names`.
    ///
    /// - Parameter internet: the name of TCP sockets, of which there may be several; nil for none.
    package init(named wanted: [String], internet internetName: String? = nil) throws(Failure) {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count: Int32
        do throws(SystemError) {
            count = try checkSystemd("sd_listen_fds_with_names", unsafe sd_listen_fds_with_names(1, &names))
        } catch {
            throw .unreadable(error)
        }
        var numbers: [String: Int32] = [:]
        var internet: [Int32] = []
        var others: [String] = []
        for index in 0..<Int(count) {
            let text = unsafe names?[index]
            let name = unsafe text.map { unsafe String(cString: $0) } ?? ""
            unsafe free(text)
            let number = SD_LISTEN_FDS_START + Int32(index)
            if wanted.contains(name), numbers[name] == nil {
                numbers[name] = number
            } else if name == internetName {
                internet.append(number)
            } else {
                others.append(name)
                close(number)
            }
        }
        unsafe free(names)
        for name in wanted {
            guard let number = numbers[name] else { continue }
            try Self.prepare(number, name, families: [AF_UNIX])
        }
        for number in internet { try Self.prepare(number, internetName ?? "", families: [AF_INET, AF_INET6]) }
        self.numbers = numbers
        self.internet = internet
        self.others = others
    }

    private static func prepare(_ number: Int32, _ name: String, families: [Int32]) throws(Failure) {
        guard families.contains(where: { UnixSocket.isListening(number, family: $0) }) else {
            throw .wrongKind(name: name)
        }
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    }
}
