import Domain
import Glibc

/// An exclusive lock on a directory for the lifetime of this value; the kernel releases it when the process dies.
package struct DirectoryLock: ~Copyable {
    package let directory: Directory
    private let file: FileDescriptor

    /// Why the lock was not acquired.
    package enum Failure: Error, Equatable, Sendable {
        /// Another process holds the lock. Its id is that in the lock file.
        case held(process: Int?)
        case directory(DirectoryError)
    }

    /// Locks `directory` through a file in it, which then contains the process id.
    ///
    /// The corresponding C function is `flock`.
    package init(_ directory: consuming Directory, file name: String) throws(Failure) {
        let file: FileDescriptor
        do throws(DirectoryError) {
            file = try directory.make(name, O_RDWR, mode: 0o640)
        } catch {
            throw .directory(error)
        }
        if flock(file.number, LOCK_EX | LOCK_NB) == -1 {
            let code = errno
            if code == EWOULDBLOCK { throw .held(process: Self.process(in: file)) }
            throw .directory(DirectoryError(directory.path(of: name), .system(SystemError("flock", code: code))))
        }
        do throws(SystemError) {
            let number = file.number
            _ = try check("ftruncate") { ftruncate(number, 0) }
            let text = Array("\(getpid())\n".utf8)
            _ = try check("pwrite") { unsafe pwrite(number, text, text.count, 0) }
        } catch {
            throw .directory(DirectoryError(directory.path(of: name), .system(error)))
        }
        self.directory = directory
        self.file = file
    }

    /// The process that locked a directory last; nil if it has ended. Takes no lock.
    ///
    /// - Parameter path: that of the lock file.
    package static func process(at path: String) -> Int? {
        guard let file = try? FileDescriptor.open(path, O_RDONLY | O_NONBLOCK),
            let process = process(in: file).flatMap({ pid_t(exactly: $0) }), process > 0
        else { return nil }
        return kill(process, 0) == 0 || errno == EPERM ? Int(process) : nil
    }

    private static func process(in file: borrowing FileDescriptor) -> Int? {
        Int(file.readText(limit: 32).prefix { $0.isNumber })
    }
}
