import Domain
import Glibc

extension FileDescriptor {
    /// Opens a file; a created one gets `mode`.
    ///
    /// The corresponding C function is `open`.
    package static func open(_ path: String, _ flags: Int32, mode: UInt32 = 0o600) throws(SystemError) -> FileDescriptor
    {
        FileDescriptor(owning: try check("open") { unsafe Glibc.open(path, flags | O_CLOEXEC, mode) })
    }

    /// The numbers of descriptors are below this: the soft limit of the process.
    ///
    /// The corresponding C function is `getrlimit` with `RLIMIT_NOFILE`.
    package static var limit: Int32 {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        return Int32(clamping: limit.rlim_cur)
    }

    /// Opens a file of ours, made where it is missing. A new one has `mode` whatever the umask is; one that is there loses what is more.
    ///
    /// The corresponding C functions are `open` and `fchmod`. A file system without modes has its own.
    package static func make(_ path: String, _ flags: Int32, mode: UInt32) throws(SystemError) -> FileDescriptor {
        do throws(SystemError) {
            let file = try open(path, flags | O_CREAT | O_EXCL, mode: mode)
            _ = fchmod(file.number, mode)
            return file
        } catch {
            if error.code != EEXIST { throw error }
        }
        let file = try open(path, flags | O_CREAT, mode: mode)
        var status = stat()
        if unsafe fstat(file.number, &status) == 0, status.st_mode & 0o7777 & ~mode != 0 {
            _ = fchmod(file.number, status.st_mode & mode)
        }
        return file
    }

    /// The first `limit` bytes of a small file as text; empty when it cannot be read.
    package borrowing func readText(limit: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in unsafe (try? read(into: buffer)) ?? 0 }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

/// The names in a directory, sorted, without those that begin with a dot; at most `limit`.
///
/// The corresponding C functions are `opendir` and `readdir`.
package func names(in directory: String, limit: Int = 1024) throws(SystemError) -> [String] {
    guard let stream = unsafe opendir(directory) else { throw SystemError("opendir", code: errno) }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while names.count < limit, let entry = unsafe readdir(stream) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
}

/// A lock that one process at a time holds on a directory, as long as this value lives; the kernel frees it when the process dies.
@safe
package struct DirectoryLock: ~Copyable {
    private let file: FileDescriptor

    /// Somebody else holds the lock.
    package struct Held: Error, Equatable, Sendable {
        /// The process that wrote itself into the lock file.
        package var process: Int?
    }

    /// Why there is no lock.
    package enum Failure: Error, Equatable, Sendable {
        case held(Held)
        case system(SystemError)
    }

    /// Locks `directory` by a file in it, which then holds the process id.
    ///
    /// The corresponding C function is `flock`.
    package init(_ directory: String, file name: String) throws(Failure) {
        do {
            let file = try FileDescriptor.make(directory + "/" + name, O_RDWR, mode: 0o640)
            if flock(file.number, LOCK_EX | LOCK_NB) == -1 {
                guard errno == EWOULDBLOCK else { throw SystemError("flock", code: errno) }
                throw Failure.held(Held(process: Self.process(in: file)))
            }
            _ = try check("ftruncate") { ftruncate(file.number, 0) }
            let text = Array("\(getpid())\n".utf8)
            _ = try check("pwrite") { unsafe pwrite(file.number, text, text.count, 0) }
            self.file = file
        } catch let error as Failure {
            throw error
        } catch let error as SystemError {
            throw .system(error)
        } catch {
            fatalError("unreachable: the two errors above are all that is thrown")
        }
    }

    private static func process(in file: borrowing FileDescriptor) -> Int? {
        Int(file.readText(limit: 32).prefix { $0.isNumber })
    }
}

/// Takes from a file's mode what is more than `mode`, where there is such a file and it is ours.
///
/// The corresponding C function is `chmod`.
package func narrow(_ path: String, to mode: UInt32) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o7777 & ~mode != 0
    else { return }
    _ = unsafe chmod(path, status.st_mode & 0o7777 & mode)
}

/// Makes a directory and its parents where they are missing, with mode 0750. The directory itself has that whatever the umask is.
///
/// The corresponding C functions are `mkdir` and `chmod`.
package func makeDirectories(_ path: String) throws(SystemError) {
    var prefix = ""
    var isNew = false
    for part in path.split(separator: "/", omittingEmptySubsequences: true) {
        prefix += (prefix.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
        isNew = unsafe mkdir(prefix, 0o750) == 0
        if !isNew, errno != EEXIST {
            let code = errno
            if code == EROFS || code == EACCES, unsafe access(prefix, F_OK) == 0 { continue }
            throw SystemError("mkdir", code: code)
        }
    }
    // In a directory that hands its group on, this one does too.
    var status = stat()
    if isNew, unsafe stat(prefix, &status) == 0 { _ = unsafe chmod(prefix, 0o750 | status.st_mode & S_ISGID) }
}
