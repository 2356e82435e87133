import CSystemd
import Domain
import Glibc

/// Tells that the names in a directory, or who may open them, have changed.
///
/// Source: inotify(7).
@safe
package final class DirectoryWatch {
    private let descriptor: FileDescriptor
    private var source: DescriptorSource?
    private var buffer = [UInt8](repeating: 0, count: 4096)

    /// What may have changed what can be opened there.
    private static let changes =
        UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_ATTRIB) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF)

    /// Calls `body` after changes, with whether the directory itself is still there: when it is not, this watch is of no more use.
    ///
    /// - Throws: `ENOENT` where there is no such directory.
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

    /// What has changed is looked up by whoever is told: a change is only that.
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
    /// Writes all of a short text, to a file that takes it at once.
    ///
    /// The corresponding C function is `write`.
    package borrowing func write(_ text: String) throws(SystemError) {
        try write(Array(text.utf8)[...])
    }

    /// Writes all bytes, to a file that takes them at once.
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
