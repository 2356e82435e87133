import Domain
import Glibc
import Linux

/// A new database of maps beside the old one, which it replaces when it is complete.
///
/// The new file is locked while it is written, because a second import would write the same file.
final class NewMapsFile {
    /// The database to replace.
    let target: String
    private let lock: FileDescriptor
    private var isUnfinished = false

    /// The new file, empty.
    var path: String { target + ".new" }

    init(_ name: String, in directory: String) throws(Failure) {
        let path: String
        do {
            try makeDirectories(directory)
            path = try Directory(directory).path
        } catch {
            throw .failed("\(error); or name another directory with --maps-dir")
        }
        target = path + "/" + name
        let new = target + ".new"
        do throws(SystemError) {
            lock = try FileDescriptor.open(new, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o644)
        } catch {
            throw .failed(
                "cannot write \(new) (\(error)): become a member of the group paced-control, use sudo, "
                    + "or name another directory with --maps-dir")
        }
        // Another import may have renamed the opened file to the database before the lock: writing would destroy it.
        guard flock(lock.number, LOCK_EX | LOCK_NB) == 0, lock.isNamed(new) else {
            throw .failed("another import into \(path) is running; wait for its end")
        }
        isUnfinished = true
        ftruncate(lock.number, 0)
        // Rows of a large country are more than a /tmp in memory has.
        setenv("SQLITE_TMPDIR", path, 1)
    }

    deinit {
        if isUnfinished { unlink(path) }
    }

    /// Replaces the old database by another file of its disk, which is complete.
    func replace(by other: String) throws(SystemError) {
        let file = try FileDescriptor.open(other, O_RDWR | O_NOFOLLOW)
        fchmod(file.number, 0o644)
        guard fsync(file.number) == 0, rename(other, target) == 0 else { throw SystemError("rename", code: errno) }
    }

    /// Replaces the old database by the new file.
    func replace() throws(SystemError) {
        fchmod(lock.number, 0o644)
        guard fsync(lock.number) == 0, rename(path, target) == 0 else { throw SystemError("rename", code: errno) }
        isUnfinished = false
    }
}
