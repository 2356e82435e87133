import CLinux
import Domain
import Glibc

/// An open directory, resolved once: its files are opened relative to it, whatever happens to its path.
///
/// Links are never followed, and only regular files are opened. A link, a FIFO or a device in the place
/// of a file is an error with its name; it blocks nothing, truncates nothing and changes no mode.
@safe
package struct Directory: ~Copyable {
    /// Absolute, without symbolic links.
    package let path: String
    private let descriptor: FileDescriptor

    /// Opens a directory without a check of its permissions.
    ///
    /// The kernel follows the path's links by its own rules (`fs.protected_symlinks`), which `realpath` would bypass.
    package init(_ path: String) throws(DirectoryError) {
        do throws(SystemError) {
            let descriptor = FileDescriptor(owning: try check("open") { unsafe clinux_open_directory(path) })
            self.path = try Self.resolve(path, as: descriptor)
            self.descriptor = descriptor
        } catch {
            throw DirectoryError(path, .system(error))
        }
    }

    private static func resolve(
        _ path: String, as descriptor: borrowing FileDescriptor
    ) throws(SystemError) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw SystemError("realpath", code: errno) }
        defer { unsafe free(resolved) }
        var (opened, named) = (stat(), stat())
        let number = descriptor.number
        _ = try check("fstat") { unsafe fstat(number, &opened) }
        _ = try check("stat") { unsafe stat(resolved, &named) }
        // A part of the path was replaced since the open.
        guard opened.st_dev == named.st_dev, opened.st_ino == named.st_ino else {
            throw SystemError("realpath", code: ELOOP)
        }
        return unsafe String(cString: resolved)
    }

    /// Opens a directory that no other user can write to: it is not writable by everyone
    /// (the sticky bit does not help: others could still create links and FIFOs in it) or by
    /// a group other than its owner's private one, and this process's user or root owns it.
    ///
    /// A parent directory that everyone can write to without the sticky bit is also an error:
    /// this directory could be replaced. Owners and groups of parent directories are trusted.
    ///
    /// - Parameter anyOwner: Whether to accept any owner: for root, which works in a directory of another user.
    package init(private path: String, anyOwner: Bool = false) throws(DirectoryError) {
        let directory = try Directory(path)
        try directory.checkPrivacy(anyOwner: anyOwner)
        self = directory
    }

    private func checkPrivacy(anyOwner: Bool) throws(DirectoryError) {
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else {
            throw DirectoryError(path, .system(SystemError("fstat", code: errno)))
        }
        if status.st_uid != 0, status.st_uid != geteuid(), !anyOwner {
            throw DirectoryError(path, .owned(by: status.st_uid))
        }
        if status.st_mode & S_IWOTH != 0 { throw DirectoryError(path, .writableByAll) }
        // With an access control list, the group bits are its mask: the maximum of all its entries.
        if status.st_mode & S_IWGRP != 0,
            unsafe clinux_has_access_list(path) != 0
                || User.numbered(status.st_uid)?.hasPrivateGroup(status.st_gid) != true
        {
            throw DirectoryError(path, .writableByGroup(status.st_gid))
        }
        var above = Substring(path)
        while let slash = above.lastIndex(of: "/"), above != "/" {
            above = slash == above.startIndex ? "/" : above[..<slash]
            if unsafe stat(String(above), &status) == 0, status.st_mode & S_IWOTH != 0, status.st_mode & S_ISVTX == 0 {
                throw DirectoryError(String(above), .writableByAll)
            }
        }
    }

    /// Path of a file in the directory.
    package func path(of name: String) -> String {
        (path == "/" ? "" : path) + "/" + name
    }

    /// Opens a regular file; a created one gets `mode`. Opening does not block, and truncates nothing.
    ///
    /// The corresponding C function is `openat` with `O_NOFOLLOW`, `O_NONBLOCK` and `O_CLOEXEC`.
    ///
    /// - Throws: `ENOENT` as ``DirectoryError/Problem/system(_:)`` if the file does not exist.
    package func open(_ name: String, _ flags: Int32, mode: UInt32 = 0o600) throws(DirectoryError) -> FileDescriptor {
        // Check first: opening a device can have side effects.
        try checkFile(name)
        do throws(SystemError) {
            let number = descriptor.number
            let flags = flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
            let file = FileDescriptor(owning: try check("open") { unsafe openat(number, name, flags, mode) })
            var status = stat()
            let opened = file.number
            _ = try check("fstat") { unsafe fstat(opened, &status) }
            if let kind = FileKind(status), kind != .regular { throw SystemError("open", code: ELOOP) }
            return file
        } catch {
            throw DirectoryError(path(of: name), .system(error))
        }
    }

    /// Opens a regular file; creates a missing one with exactly `mode`, narrows the mode of an existing one to it.
    package func make(_ name: String, _ flags: Int32, mode: UInt32) throws(DirectoryError) -> FileDescriptor {
        do throws(DirectoryError) {
            let file = try open(name, flags | O_CREAT | O_EXCL, mode: mode)
            _ = fchmod(file.number, mode)
            return file
        } catch {
            if error.code != EEXIST { throw error }
        }
        let file = try open(name, flags | O_CREAT, mode: mode)
        narrow(name, to: mode)
        return file
    }

    /// Creates a file without a name, which ends with its descriptor. On a file system without such files it has a
    /// name for the moment of its creation.
    ///
    /// The corresponding C function is `openat` with `O_TMPFILE`.
    package func makeUnnamed(mode: UInt32) throws(DirectoryError) -> FileDescriptor {
        let number = descriptor.number
        do throws(SystemError) {
            return FileDescriptor(owning: try check("open") { clinux_open_unnamed(number, mode) })
        } catch {
            // A kernel or a file system without O_TMPFILE takes it for O_DIRECTORY.
            guard [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(error.code) else {
                throw DirectoryError(path, .system(error))
            }
        }
        let name = ".paced-\(UInt64.random(in: 0...UInt64.max))"
        let file = try open(name, O_RDWR | O_CREAT | O_EXCL, mode: mode)
        remove(name)
        return file
    }

    /// Kind of a file; links are not followed. Nil if it does not exist.
    package func kind(of name: String) throws(DirectoryError) -> FileKind? {
        do throws(SystemError) {
            return FileKind(try status(of: name))
        } catch {
            if error.code == ENOENT { return nil }
            throw DirectoryError(path(of: name), .system(error))
        }
    }

    /// Size of a regular file in bytes; nil if it does not exist.
    package func size(of name: String) throws(DirectoryError) -> Int64? {
        try checkFile(name) ? (try? status(of: name)).map { Int64($0.st_size) } : nil
    }

    /// Checks that a file is regular or missing.
    ///
    /// - Returns: False if it is missing.
    @discardableResult
    package func checkFile(_ name: String) throws(DirectoryError) -> Bool {
        guard let kind = try kind(of: name) else { return false }
        guard kind == .regular else { throw DirectoryError(path(of: name), .wrongKind(kind, wanted: .regular)) }
        return true
    }

    /// Removes the mode bits of a regular file that are not in `mode`, if possible. The
    /// file is not opened: closing it would release this process's locks on it (fcntl(2)).
    ///
    /// The corresponding C function is `fchmodat` with `AT_SYMLINK_NOFOLLOW`.
    package func narrow(_ name: String, to mode: UInt32) {
        guard let status = try? status(of: name), FileKind(status) == .regular, status.st_mode & 0o7777 & ~mode != 0
        else { return }
        try? change(name, mode: status.st_mode & 0o7777 & mode)
    }

    func change(_ name: String, mode: UInt32) throws(SystemError) {
        let number = descriptor.number
        _ = try check("chmod") { unsafe fchmodat(number, name, mode, AT_SYMLINK_NOFOLLOW) }
    }

    /// Removes a file or a link, if it exists.
    ///
    /// The corresponding C function is `unlinkat`.
    package func remove(_ name: String) {
        unsafe unlinkat(descriptor.number, name, 0)
    }

    /// Renames a file, replacing an existing target, and syncs the directory.
    ///
    /// The corresponding C functions are `renameat` and `fsync`.
    package func move(_ name: String, to target: String) throws(DirectoryError) {
        let number = descriptor.number
        do throws(SystemError) {
            _ = try check("rename") { unsafe renameat(number, name, number, target) }
            let directory = FileDescriptor(
                owning: try check("open") { unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
            let opened = directory.number
            _ = try check("fsync") { fsync(opened) }
        } catch {
            throw DirectoryError(path(of: name), .system(error))
        }
    }

    /// The regular files among `names` that have another hard link.
    package func linked(among names: [String]) -> [String] {
        names.filter { name in
            guard let status = try? status(of: name) else { return false }
            return FileKind(status) == .regular && status.st_nlink > 1
        }
    }

    private func status(of name: String) throws(SystemError) -> stat {
        var status = stat()
        let number = descriptor.number
        _ = try check("stat") { unsafe fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) }
        return status
    }
}

/// Type of a directory entry.
///
/// Source: inode(7).
package enum FileKind: String, Equatable, Sendable {
    case regular = "regular file"
    case directory
    case symbolicLink = "symbolic link"
    case fifo = "FIFO"
    case socket
    case characterDevice = "character device"
    case blockDevice = "block device"

    init?(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .regular
        case S_IFDIR: self = .directory
        case S_IFLNK: self = .symbolicLink
        case S_IFIFO: self = .fifo
        case S_IFSOCK: self = .socket
        case S_IFCHR: self = .characterDevice
        case S_IFBLK: self = .blockDevice
        default: return nil
        }
    }
}

/// Why a directory or file cannot be used. The text has the path, the cause and any command that fixes it.
package struct DirectoryError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Problem: Equatable, Sendable {
        /// It cannot be opened, created, read or written.
        case system(SystemError)
        case writableByAll
        /// Members of this group can write to it, and it is not the private group of the directory's owner.
        case writableByGroup(UInt32)
        /// The owner is neither this process's user nor root.
        case owned(by: UInt32)
        /// A file of another kind is in the place of a file.
        case wrongKind(FileKind, wanted: FileKind)
    }

    package var path: String
    package var problem: Problem

    package init(_ path: String, _ problem: Problem) {
        self.path = path
        self.problem = problem
    }

    /// The error number of the system; nil for other problems.
    package var code: Int32? {
        if case .system(let error) = problem { error.code } else { nil }
    }

    package var description: String {
        switch problem {
        case .system(let error): "cannot use \(path): \(error)"
        case .writableByAll: "every user can write to \(path): run chmod o-w \(argument(path))"
        case .writableByGroup(let group):
            "other users can write to \(path), through its group \(group): run chmod g-w \(argument(path))"
        case .owned(let owner):
            "user \(User.text(owner)) owns \(path) and paced runs as user \(User.text(geteuid())): "
                + "run paced as user \(User.text(owner)), or run chown \(User.text(geteuid())) \(argument(path)) as root"
        case .wrongKind(let kind, let wanted):
            "\(path) is a \(kind.rawValue) and not a \(wanted.rawValue): "
                + "run mv \(argument(path)) \(argument(path + ".old"))"
        }
    }

    /// Quotes a word for a shell.
    private func argument(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || "0123456789/._-+,:@%".unicodeScalars.contains($0)
        }
        if isPlain { return word }
        let parts = word.split(separator: "'" as Character, omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: #"'\''"#) + "'"
    }
}
