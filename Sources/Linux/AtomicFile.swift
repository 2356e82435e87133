import Domain
import Glibc

/// A small file in a private directory (``Directory/init(private:anyOwner:)``) that is read
/// and replaced as a whole. After a power cut it has either the old or the new content.
///
/// Each call blocks on the disk.
package struct AtomicFile: Equatable, Sendable {
    private let directory: String
    private let name: String
    private let mode: UInt32

    /// - Parameter mode: Mode of the file, independent of the umask.
    package init(in directory: String, name: String, mode: UInt32 = 0o640) {
        self.directory = directory
        self.name = name
        self.mode = mode
    }

    package var path: String {
        directory + "/" + name
    }

    /// Why the file cannot be read.
    package enum Failure: Error, Equatable, Sendable {
        case tooLong
        case directory(DirectoryError)
    }

    /// Reads all bytes, and narrows the file's mode if it is too wide. Nil if the file does not exist.
    ///
    /// - Parameter isOwn: whether this process's user must own the directory. A reader of another user's file
    ///   narrows nothing.
    package func read(limit: Int, isOwn: Bool = true) throws(Failure) -> [UInt8]? {
        let bytes: [UInt8]?
        do throws(DirectoryError) {
            let directory = try Directory(private: directory, anyOwner: !isOwn)
            if isOwn { directory.narrow(name, to: mode) }
            let file = try directory.open(name, O_RDONLY)
            do throws(SystemError) {
                bytes = try file.readAll(limit: limit)
            } catch {
                throw DirectoryError(path, .system(error))
            }
        } catch {
            if error.code == ENOENT { return nil }
            throw .directory(error)
        }
        guard let bytes else { throw .tooLong }
        return bytes
    }

    /// Writes a new file beside the old one, syncs it, and renames it over the old one.
    ///
    /// The corresponding C functions are `write`, `fsync` and `renameat`.
    package func replace(with bytes: [UInt8]) throws(DirectoryError) {
        let directory = try Directory(private: directory)
        try directory.checkFile(name)
        let new = name + ".new"
        // A new file left by a power cut may be readable by everyone.
        directory.remove(new)
        let file = try directory.make(new, O_WRONLY, mode: mode)
        do throws(DirectoryError) {
            do throws(SystemError) {
                try file.write(bytes[...])
                let number = file.number
                _ = try check("fsync") { fsync(number) }
            } catch {
                throw DirectoryError(directory.path(of: new), .system(error))
            }
            try directory.move(new, to: name)
        } catch {
            directory.remove(new)
            throw error
        }
    }

    /// Removes the file, if it exists.
    package func remove() throws(DirectoryError) {
        try Directory(private: directory).remove(name)
    }

    /// Renames the file within its directory.
    ///
    /// The corresponding C function is `renameat`.
    package func rename(to target: String) throws(DirectoryError) {
        try Directory(private: directory).move(name, to: target)
    }
}
