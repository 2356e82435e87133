import CSystemd
import Domain
import Glibc

/// Listening sockets that systemd made and handed over, each by its name.
@safe
package enum HandedSockets {
    /// The descriptors that were handed over under a name, made non-blocking. They are the caller's from now on.
    ///
    /// The corresponding C function is `sd_listen_fds_with_names`.
    package static func take(named name: String) -> [Int32] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = unsafe sd_listen_fds_with_names(0, &names)
        guard count > 0, let names = unsafe names else { return [] }
        defer {
            for index in 0..<Int(count) { unsafe free(names[index]) }
            unsafe free(names)
        }
        return (0..<count).filter { index in
            guard let text = unsafe names[Int(index)] else { return false }
            return unsafe String(cString: text) == name
        }.map { index in
            let number = SD_LISTEN_FDS_START + index
            _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
            return number
        }
    }
}
