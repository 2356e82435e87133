import CLinux
import Domain
import Glibc

/// A directory that is resolved once and open: its files are opened beneath it, whatever becomes of its path.
///
/// A link is never followed, and nothing but a regular file is opened. So a link, a FIFO or a device that somebody has put in the place
/// of a file is an error with its name; it blocks nothing, truncates nothing and changes no mode.
@safe
package struct Directory: ~Copyable {
    /// Absolute, without symbolic links.
    package let path: String
    private let descriptor: FileDescriptor

    /// Opens a directory, whoever can write to it.
    ///
    /// The kernel follows the links of the path by its own rules (`fs.protected_symlinks`); `realpath` alone would go round these.
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
        // Somebody has moved a part of the path since it was opened.
        guard opened.st_dev == named.st_dev, opened.st_ino == named.st_ino else {
            throw SystemError("realpath", code: ELOOP)
        }
        return unsafe String(cString: resolved)
    }

    /// Opens a directory that no other user can write to: not everybody (the sticky bit does not help: others could still put links and
    /// FIFOs into it), no group but its owner's private one, and no owner but this process's user or root.
    ///
    /// A directory above it that everybody can write to without the sticky bit is refused too: this one could be replaced. Who owns one
    /// above it, or shares it with a group, is trusted.
    ///
    /// - Parameter anyOwner: whoever owns it: for root, who works in a directory of somebody else.
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
        // Where there is an access control list, the bits of the group are the most that anybody in it has.
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

    /// The path of a file in it.
    package func path(of name: String) -> String {
        (path == "/" ? "" : path) + "/" + name
    }

    /// Opens a regular file; a created one gets `mode`. Opening does not wait, and truncates nothing.
    ///
    /// The corresponding C function is `openat` with `O_NOFOLLOW`, `O_NONBLOCK` and `O_CLOEXEC`.
    ///
    /// - Throws: `ENOENT` as ``DirectoryError/Problem/system(_:)`` where there is none.
    package func open(_ name: String, _ flags: Int32, mode: UInt32 = 0o600) throws(DirectoryError) -> FileDescriptor {
        // Before it is opened: opening a device may do something already.
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

    /// Opens a regular file, made where it is missing. A new one has `mode` whatever the umask is; one that is there loses what is more.
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

    /// The kind of a file, a link not followed; nil where there is none.
    package func kind(of name: String) throws(DirectoryError) -> FileKind? {
        do throws(SystemError) {
            return FileKind(try status(of: name))
        } catch {
            if error.code == ENOENT { return nil }
            throw DirectoryError(path(of: name), .system(error))
        }
    }

    /// The bytes of a regular file; nil where there is none.
    package func size(of name: String) throws(DirectoryError) -> Int64? {
        try checkFile(name) ? (try? status(of: name)).map { Int64($0.st_size) } : nil
    }

    /// Checks that a file is a regular one, or missing.
    ///
    /// - Returns: false where it is missing.
    @discardableResult
    package func checkFile(_ name: String) throws(DirectoryError) -> Bool {
        guard let kind = try kind(of: name) else { return false }
        guard kind == .regular else { throw DirectoryError(path(of: name), .wrongKind(kind, wanted: .regular)) }
        return true
    }

    /// Removes from the mode of a regular file what is more than `mode`, where it can. The file is not opened: to close it would end the
    /// locks that this process has on it (fcntl(2)).
    ///
    /// The corresponding C function is `fchmodat` with `AT_SYMLINK_NOFOLLOW`.
    package func narrow(_ name: String, to mode: UInt32) {
        guard let status = try? status(of: name), FileKind(status) == .regular, status.st_mode & 0o7777 & ~mode != 0
        else { return }
        try? change(name, mode: status.st_mode & 0o7777 & mode)
    }

    /// Sets a file's mode.
    func change(_ name: String, mode: UInt32) throws(SystemError) {
        let number = descriptor.number
        _ = try check("chmod") { unsafe fchmodat(number, name, mode, AT_SYMLINK_NOFOLLOW) }
    }

    /// Removes a file or a link, if there is one.
    ///
    /// The corresponding C function is `unlinkat`.
    package func remove(_ name: String) {
        unsafe unlinkat(descriptor.number, name, 0)
    }

    /// Gives a file another name, over what has that name, and has the new name on the disk.
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

    /// Those of the regular files that have another name somewhere else: hard links.
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

/// What a name in a directory stands for.
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

/// Why a directory or a file in it is not used. The text names the path, the cause and, where there is one, the command that mends it.
package struct DirectoryError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Problem: Equatable, Sendable {
        /// It cannot be opened, made, read or written.
        case system(SystemError)
        case writableByAll
        /// Members of this group can write to it, and it is not the private group of the directory's owner.
        case writableByGroup(UInt32)
        /// Neither this process's user nor root.
        case owned(by: UInt32)
        /// Something else stands in the place of a file.
        case wrongKind(FileKind, wanted: FileKind)
    }

    package var path: String
    package var problem: Problem

    package init(_ path: String, _ problem: Problem) {
        self.path = path
        self.problem = problem
    }

    /// The number of the system's error; nil where it is none.
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

    /// A word of a shell's command.
    private func argument(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || "0123456789/._-+,:@%".unicodeScalars.contains($0)
        }
        return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}
