import CEvdev
import Domain
import Glibc
import Linux

/// A device with keys that is listened to.
///
/// The kernel is told which keys are meant and keeps the others to itself: what is typed on a keyboard is not read here.
///
/// Source: linux/input.h, libevdev.
@safe
final class InputDevice {
    /// What a key did, and when.
    struct Change: Equatable {
        var key: KeyCode
        var isDown: Bool
        /// The kernel's own moment, however late it is read.
        var at: Instant
    }

    let name: String
    /// The number of the device, which it shares with all of its names.
    let number: UInt64
    let descriptor: FileDescriptor
    private let device: OpaquePointer

    /// Opens a device that has one of the keys; nil for one that has none, or is no device with keys.
    ///
    /// - Throws: `EACCES` before udev has let the group in, `ENODEV` and `ENOENT` for one that has gone again.
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

    /// What has happened since; nil once the device is gone.
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
