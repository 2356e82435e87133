import CLinux
import Domain
import Glibc

/// A file that comes into being whole: it is written beside its place and put there once it is finished, over nothing.
///
/// Each call waits for the disk. What is not finished leaves nothing behind.
@safe
package struct AtomicFileWriter: ~Copyable {
    private let directory: String
    /// Where it is written.
    private let draft: String
    private let file: FileDescriptor
    private var isFinished = false

    /// - Parameters:
    ///   - directory: where it is to be.
    ///   - name: that of the draft is made of it; a draft that a kill has left is written anew.
    ///   - mode: who may do what with it, whatever the umask is; nil is 0640 less what the umask takes.
    package init(in directory: String, name: String, mode: UInt32? = nil) throws(SystemError) {
        self.directory = directory
        draft = "\(directory)/.\(name).new"
        unsafe unlink(draft)
        file = try FileDescriptor.open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode ?? 0o640)
        if let mode { _ = fchmod(file.number, mode) }
    }

    deinit {
        if !isFinished, isInPlace { unsafe unlink(draft) }
    }

    /// Appends bytes.
    ///
    /// The corresponding C function is `write`.
    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let number = file.number
            let rest = bytes.extracting(droppingFirst: written)
            written += try check("write") {
                unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
            }
        }
    }

    /// Has it on the disk and puts it in its place.
    ///
    /// The corresponding C functions are `fsync` and `renameat2`.
    ///
    /// - Returns: false where something of that name is there; it may be called again with another one then.
    package mutating func finish(as name: String) throws(SystemError) -> Bool {
        _ = try check("fsync") { fsync(file.number) }
        // Another process has begun the same file since.
        guard isInPlace else { throw SystemError("rename", code: EBUSY) }
        do throws(SystemError) {
            _ = try check("rename") { unsafe clinux_rename_noreplace(draft, self.directory + "/" + name) }
        } catch {
            if error.code == EEXIST { return false }
            throw error
        }
        isFinished = true
        // The new name is on the disk once its directory is.
        let directory = try FileDescriptor.open(directory, O_RDONLY | O_DIRECTORY)
        _ = try check("fsync") { fsync(directory.number) }
        return true
    }

    /// Whether the draft is still the file that is written.
    private var isInPlace: Bool {
        var (own, named) = (stat(), stat())
        return unsafe fstat(file.number, &own) == 0 && lstat(draft, &named) == 0 && own.st_ino == named.st_ino
            && own.st_dev == named.st_dev
    }
}
