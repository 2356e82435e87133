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
    /// Names of descriptors that were not requested, or that had a name for the second time. They are closed.
    package let others: [String]

    /// Why the sockets cannot be used.
    package enum Failure: Error, Equatable, Sendable {
        /// The environment variables of the protocol have invalid values.
        case unreadable(SystemError)
        /// The descriptor of this name is not a listening Unix stream socket.
        case wrongKind(name: String)
    }

    /// Takes the passed sockets, and unsets the environment variables so that child processes do not inherit them.
    ///
    /// The corresponding C function is `sd_listen_fds_with_names`.
    package init(named wanted: [String]) throws(Failure) {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count: Int32
        do throws(SystemError) {
            count = try checkSystemd("sd_listen_fds_with_names", unsafe sd_listen_fds_with_names(1, &names))
        } catch {
            throw .unreadable(error)
        }
        var numbers: [String: Int32] = [:]
        var others: [String] = []
        for index in 0..<Int(count) {
            let text = unsafe names?[index]
            let name = unsafe text.map { unsafe String(cString: $0) } ?? ""
            unsafe free(text)
            let number = SD_LISTEN_FDS_START + Int32(index)
            if wanted.contains(name), numbers[name] == nil {
                numbers[name] = number
            } else {
                others.append(name)
                close(number)
            }
        }
        unsafe free(names)
        for name in wanted {
            guard let number = numbers[name] else { continue }
            guard UnixSocket.isListening(number) else {
                throw .wrongKind(name: name)
            }
            _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        }
        self.numbers = numbers
        self.others = others
    }
}
