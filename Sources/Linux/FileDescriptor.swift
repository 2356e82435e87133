import Domain
import Glibc

/// A file descriptor, closed when the value ends.
@safe
package struct FileDescriptor: ~Copyable {
    /// The number, valid for the lifetime of this value.
    package let number: Int32

    /// Takes ownership.
    package init(owning number: Int32) {
        self.number = number
    }

    deinit {
        // Not repeated on EINTR: Linux has closed the number, and another thread may already use it.
        close(number)
    }

    /// Gives up ownership.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// Reads at most `buffer.count` bytes; 0 at the end of the file, nil if no data is available yet.
    ///
    /// The corresponding C function is `read`.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
        do {
            return try check("read") { unsafe Glibc.read(number, buffer.baseAddress, buffer.count) }
        } catch {
            if error.code == EAGAIN { return nil }
            throw error
        }
    }

    /// Whether a path names the open file itself, and not a link to it.
    package func isNamed(_ path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        return unsafe fstat(number, &opened) == 0 && lstat(path, &named) == 0 && opened.st_dev == named.st_dev
            && opened.st_ino == named.st_ino
    }
}

/// Result of a send.
package enum SendResult: Equatable, Sendable {
    /// Number of bytes that the kernel accepted, at least one.
    case sent(Int)
    /// The kernel's buffer is full; the descriptor becomes writable when there is room.
    case full
    /// The connection is closed.
    case gone
}

extension FileDescriptor {
    /// Sends bytes to a socket without blocking and without SIGPIPE.
    ///
    /// The corresponding C function is `send`.
    package func send(_ bytes: UnsafeRawBufferPointer) -> SendResult {
        let number = number
        do {
            return .sent(
                try check("send") {
                    unsafe Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
                })
        } catch {
            return error.code == EAGAIN || error.code == ENOBUFS ? .full : .gone
        }
    }

    /// Sends an array; see ``send(_:)-(UnsafeRawBufferPointer)``.
    package func send(_ bytes: ArraySlice<UInt8>) -> SendResult {
        unsafe bytes.withUnsafeBytes { unsafe send($0) }
    }
}
