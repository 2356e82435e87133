import CSystemd
import Domain
import Glibc

/// Listening sockets that systemd made and handed over, each by its name.
///
/// Source: sd_listen_fds(3).
@safe
package struct ActivationSockets: Sendable {
    /// The descriptors that go by the names that were asked for, made non-blocking. They are the caller's from now on.
    package let numbers: [String: Int32]
    /// The names of what was handed over beside them, or under a name for the second time. It is closed.
    package let others: [String]

    /// Why nothing can be made of what was handed over.
    package enum Failure: Error, Equatable, Sendable {
        /// The variables that should tell what it is say something that cannot be.
        case unreadable(SystemError)
        /// What goes by this name is no Unix stream socket that listens.
        case wrongKind(name: String)
    }

    /// Takes what was handed to this process. The variables that told it are unset: what this process starts is not meant.
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
