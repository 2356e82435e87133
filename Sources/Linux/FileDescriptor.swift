import Domain
import Glibc

/// An open file, owned: closed once, when the value ends.
@safe
package struct FileDescriptor: ~Copyable {
    /// The number, valid as long as this value lives.
    package let number: Int32

    /// Takes ownership.
    package init(owning number: Int32) {
        self.number = number
    }

    deinit {
        // Not repeated on EINTR: Linux has closed the number by then, and it may already be somebody else's.
        close(number)
    }

    /// Gives ownership away.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// Reads at most `buffer.count` bytes, 0 at the end of the file; nil when nothing is there yet.
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
}

/// What became of bytes that were handed to the kernel.
package enum SendResult: Equatable, Sendable {
    /// So many bytes were taken, at least one.
    case sent(Int)
    /// The kernel's buffer is full; it says when there is room.
    case full
    /// The peer is gone; nothing will be taken any more.
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

    /// Sends an array as ``send(_:)-(UnsafeRawBufferPointer)`` does.
    package func send(_ bytes: ArraySlice<UInt8>) -> SendResult {
        unsafe bytes.withUnsafeBytes { unsafe send($0) }
    }
}
