import CLinux
import Domain
import Glibc

/// Writes a file beside its final place; ``finish(as:)`` moves it there, and never replaces a file.
///
/// Each call blocks on the disk. Without ``finish(as:)`` no file remains.
@safe
package struct AtomicFileWriter: ~Copyable {
    private let directory: String
    /// Path of the temporary file.
    private let draft: String
    private let file: FileDescriptor
    private var isFinished = false

    /// - Parameters:
    ///   - directory: Directory of the file.
    ///   - name: Name of the file. The temporary file `.name.new` replaces one that is left over.
    ///   - mode: Mode of the file, independent of the umask; nil is 0640 less the umask.
    package init(in directory: String, name: String, mode: UInt32? = nil) throws(SystemError) {
        self.directory = directory
        draft = "\(directory)/.\(name).new"
        unsafe unlink(draft)
        file = try FileDescriptor.open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode ?? 0o640)
        if let mode { _ = fchmod(file.number, mode) }
    }

    deinit {
        if !isFinished, file.isNamed(draft) { unsafe unlink(draft) }
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

    /// Syncs the file and moves it to its final place.
    ///
    /// The corresponding C functions are `fsync` and `renameat2`.
    ///
    /// - Parameter replacing: whether a file of that name is replaced.
    /// - Returns: False if a file of that name exists and is not replaced; the call can be repeated with another name.
    package mutating func finish(as name: String, replacing: Bool = false) throws(SystemError) -> Bool {
        _ = try check("fsync") { fsync(file.number) }
        // Another process has replaced the temporary file.
        guard file.isNamed(draft) else { throw SystemError("rename", code: EBUSY) }
        do throws(SystemError) {
            let path = self.directory + "/" + name
            _ = try check("rename") {
                unsafe replacing ? rename(draft, path) : clinux_rename_noreplace(draft, path)
            }
        } catch {
            if error.code == EEXIST { return false }
            throw error
        }
        isFinished = true
        // The new name survives a power cut once its directory is synced.
        let directory = try FileDescriptor.open(directory, O_RDONLY | O_DIRECTORY)
        _ = try check("fsync") { fsync(directory.number) }
        return true
    }
}
