import CEvdev
import Domain
import Glibc
import Linux

/// An open input device with keys.
///
/// The kernel is given the keys in use and filters out all others, so other keys of a keyboard are never read.
///
/// Source: linux/input.h, libevdev.
@safe
final class InputDevice {
    /// A press or a release of a key.
    struct Change: Equatable {
        var key: KeyCode
        var isDown: Bool
        /// The kernel's time of the event, not that of the read.
        var at: Instant
    }

    let name: String
    /// The device number (`st_rdev`), which is the same for all paths of the device.
    let number: UInt64
    let descriptor: FileDescriptor
    private let device: OpaquePointer

    /// Opens a device. Nil if it has none of the keys, or is not an input device.
    ///
    /// - Throws: `EACCES` before udev has set its permissions, `ENODEV` or `ENOENT` if the device is gone.
    init?(_ path: String, keys: Set<KeyCode>) throws(SystemError) {
        let descriptor = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return nil }
        var device: OpaquePointer?
        let result = unsafe cevdev_new(descriptor.number, &device)
        if result == -ENOTTY || result == -EINVAL { return nil }
        guard result == 0, let device = unsafe device else {
            throw SystemError("libevdev_new_from_fd", code: -result)
        }
        let own = keys.map(\.number).filter { unsafe cevdev_has_key(device, $0) }
        guard !own.isEmpty else {
            unsafe cevdev_free(device)
            return nil
        }
        unsafe cevdev_listen(device, own, Int32(own.count))
        name = SanitizedText(unsafe String(cString: cevdev_name(device)))?.text ?? "without a name"
        number = UInt64(status.st_rdev)
        unsafe self.device = unsafe device
        self.descriptor = descriptor
    }

    deinit {
        unsafe cevdev_free(device)
    }

    /// The changes since the last call. Nil if the device is gone.
    func changes() -> [Change]? {
        var changes: [Change] = []
        var change = cevdev_change()
        while true {
            let result = unsafe cevdev_next(device, &change)
            if result == 0 { return changes }
            guard result > 0 else { return nil }
            let now = Clock.now()
            changes.append(
                Change(
                    key: KeyCode(change.key), isDown: change.is_down,
                    at: change.at == 0 ? now : min(Instant(nanoseconds: change.at), now)))
        }
    }
}

/// A key or button of an input device, by its kernel code.
///
/// Source: linux/input-event-codes.h.
package struct KeyCode: Hashable, Sendable {
    package var number: UInt16

    package init(_ number: UInt16) {
        self.number = number
    }

    /// The key with a kernel name such as `KEY_PLAYPAUSE` or `BTN_TRIGGER`. Nil if there is none.
    package init?(name: String) {
        guard let number = UInt16(exactly: unsafe cevdev_key(name)) else { return nil }
        self.number = number
    }
}
