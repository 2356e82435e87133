import CEvdev
import Domain
import Glibc
import Linux

/// An input device that makes sounds.
@safe
final class SoundDevice {
    private let descriptor: FileDescriptor
    private let device: OpaquePointer

    /// Opens the device with a name or at a path.
    ///
    /// - Throws: `ENODEV` if there is none that makes sounds.
    convenience init(_ name: String, in directory: String) throws(SystemError) {
        if name.hasPrefix("/") {
            try self.init(path: name, name: nil)
            return
        }
        let paths = try names(in: directory).filter { $0.hasPrefix("event") }.map { directory + "/" + $0 }
        var denied: SystemError?
        for path in paths.sorted() {
            do throws(SystemError) {
                try self.init(path: path, name: name)
                return
            } catch {
                if error.code == EACCES { denied = error }
            }
        }
        throw denied ?? SystemError("open", code: ENODEV)
    }

    /// - Parameter name: the name that the device must have; nil for any.
    private init(path: String, name: String?) throws(SystemError) {
        descriptor = try FileDescriptor.open(path, O_RDWR | O_NONBLOCK | O_NOCTTY)
        var device: OpaquePointer?
        let result = unsafe cevdev_new(descriptor.number, &device)
        guard result == 0, let device = unsafe device else {
            throw SystemError("libevdev_new_from_fd", code: result == -ENOTTY ? ENODEV : -result)
        }
        unsafe self.device = unsafe device
        let isNamed = name.map { unsafe String(cString: cevdev_name(device)) == $0 } ?? true
        guard isNamed, unsafe cevdev_has_sound(device) else { throw SystemError("open", code: ENODEV) }
    }

    deinit {
        unsafe cevdev_free(device)
    }

    /// Starts a tone, or ends it with 0.
    func sound(hertz: Int) throws(SystemError) {
        let result = unsafe cevdev_sound(device, Int32(hertz))
        if result != 0 { throw SystemError("write", code: -result) }
    }
}
