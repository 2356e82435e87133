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

    /// The soft limit of the process: descriptor numbers are below it.
    ///
    /// The corresponding C function is `getrlimit` with `RLIMIT_NOFILE`.
    package static var limit: Int32 {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
        return Int32(clamping: limit.rlim_cur)
    }

    /// Raises the soft limit of the process to `wanted`, as far as the hard limit allows; never lowers it.
    ///
    /// The usual soft limit of 1024 protects programs that call `select`; paced and its libraries do not.
    ///
    /// The corresponding C function is `setrlimit` with `RLIMIT_NOFILE`.
    package static func raiseLimit(to wanted: Int32) {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(wanted) else { return }
        limit.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
        _ = unsafe setrlimit(resource, &limit)
    }

    /// Reads a whole file; nil if it has more than `limit` bytes.
    ///
    /// The corresponding C function is `read`.
    package borrowing func readAll(limit: Int) throws(SystemError) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        let number = number
        while true {
            let count = try check("read") { unsafe Glibc.read(number, &buffer, buffer.count) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            if bytes.count > limit { return nil }
        }
    }

    /// Reads the first `limit` bytes of a small file as text; empty if it cannot be read.
    package borrowing func readText(limit: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in unsafe (try? read(into: buffer)) ?? 0 }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

/// The names in a directory, sorted, without hidden ones; at most `limit`.
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

/// Creates a directory and its missing parents with mode 0750; the directory itself has it independent of the umask.
///
/// The corresponding C functions are `mkdir` and `fchmod`.
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
    // Keep the set-group-ID bit that a parent directory hands down.
    if isNew, let made = try? FileDescriptor.open(prefix, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) {
        var status = stat()
        if unsafe fstat(made.number, &status) == 0, status.st_uid == geteuid() {
            _ = fchmod(made.number, 0o750 | status.st_mode & S_ISGID)
        }
    }
}

extension FileDescriptor {
    /// Writes all bytes at a place of a file.
    ///
    /// The corresponding C function is `pwrite`.
    package borrowing func write(_ bytes: [UInt8], at place: Int) throws(SystemError) {
        let number = number
        var written = 0
        while written < bytes.count {
            let (rest, from) = (bytes[written...], place + written)
            written += try check("pwrite") {
                unsafe rest.withUnsafeBytes { unsafe pwrite(number, $0.baseAddress, $0.count, off_t(from)) }
            }
        }
    }

    /// Reads at most `count` bytes at a place of a file; fewer at its end.
    ///
    /// The corresponding C function is `pread`.
    package borrowing func read(atMost count: Int, at place: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let number = number
        let read = try check("pread") {
            unsafe bytes.withUnsafeMutableBytes { unsafe pread(number, $0.baseAddress, $0.count, off_t(place)) }
        }
        bytes.removeSubrange(read...)
        return bytes
    }
}
