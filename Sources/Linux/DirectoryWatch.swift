import CSystemd
import Domain
import Glibc

/// Watches a directory for changes of its entries' names and permissions.
///
/// Source: inotify(7).
@safe
package final class DirectoryWatch {
    private let descriptor: FileDescriptor
    private var source: DescriptorSource?
    private var buffer = [UInt8](repeating: 0, count: 4096)

    /// Events that can change which files can be opened.
    private static let changes =
        UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_ATTRIB) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF)

    /// Calls `body` after changes. If `isThere` is false, the directory was removed, and the watch ends.
    ///
    /// - Throws: `ENOENT` if the directory does not exist.
    package init(
        _ directory: String, loop: EventLoop, _ body: @escaping (_ isThere: Bool) -> Void
    ) throws(SystemError) {
        let descriptor = FileDescriptor(
            owning: try check("inotify_init1") { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) })
        let number = descriptor.number
        _ = try check("inotify_add_watch") { unsafe inotify_add_watch(number, directory, Self.changes) }
        self.descriptor = descriptor
        source = try loop.watch(self.descriptor, for: .reading) { [unowned self] _ in
            body(drainChanges())
        }
    }

    /// Reads all events and returns whether the directory still exists; the callback finds out what has changed.
    private func drainChanges() -> Bool {
        var isThere = true
        while let count = try? unsafe buffer.withUnsafeMutableBytes({ unsafe try descriptor.read(into: $0) }), count > 0
        {
            var start = 0
            while start + MemoryLayout<inotify_event>.size <= count {
                let event = unsafe buffer.withUnsafeBytes {
                    unsafe $0.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
                }
                if event.mask & UInt32(IN_IGNORED) != 0 { isThere = false }
                start += MemoryLayout<inotify_event>.size + Int(event.len)
            }
        }
        return isThere
    }
}

extension FileDescriptor {
    /// Writes a short text to a file that accepts it at once.
    ///
    /// The corresponding C function is `write`.
    package borrowing func write(_ text: String) throws(SystemError) {
        try write(Array(text.utf8)[...])
    }

    /// Writes all bytes to a file that accepts them at once.
    ///
    /// The corresponding C function is `write`.
    package borrowing func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) {
        let number = number
        var rest = bytes
        while !rest.isEmpty {
            let count = try check("write") {
                unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
            }
            rest = rest.dropFirst(count)
        }
    }
}
