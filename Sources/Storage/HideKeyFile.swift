import Domain
import Glibc
package import Linux

/// The secret of hidden places: random bytes in a file.
package enum HideKeyFile {
    package static let name = "hide.key"
    package static let length = 32

    /// The secret in a directory; nil if there is none.
    ///
    /// - Parameter mode: the permissions that the file may have.
    /// - Throws: `EPERM` if the file has more permissions or is no file, `EINVAL` if it has another length.
    package static func read(in directory: String, mode: UInt32) throws(SystemError) -> [UInt8]? {
        let file: FileDescriptor
        do throws(SystemError) {
            file = try .open(directory + "/" + name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0 else { throw SystemError("fstat", code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o777 & ~mode == 0 else {
            throw SystemError("open", code: EPERM)
        }
        guard let key = try file.readAll(limit: length), key.count == length else {
            throw SystemError("read", code: EINVAL)
        }
        return key
    }

    /// Makes the secret of a directory, or reads the one that another process has made meanwhile.
    package static func make(in directory: String, mode: UInt32) throws(SystemError) -> [UInt8] {
        var file = try AtomicFileWriter(in: directory, name: name, mode: mode)
        var random = SystemRandomNumberGenerator()
        let key = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        try file.write(key.span)
        return try file.finish(as: name) ? key : read(in: directory, mode: mode) ?? key
    }
}
