import Domain
import Glibc

/// A small file of a private directory (``Directory/init(private:anyOwner:)``) that is read and written whole: after a power cut there is
/// either the old one or the new one, never half of one.
///
/// Each call waits for the disk.
package struct AtomicFile: Equatable, Sendable {
    private let directory: String
    private let name: String
    private let mode: UInt32

    /// - Parameter mode: who may do what with the file, whatever the umask is.
    package init(in directory: String, name: String, mode: UInt32 = 0o640) {
        self.directory = directory
        self.name = name
        self.mode = mode
    }

    package var path: String {
        directory + "/" + name
    }

    /// Why there are no bytes.
    package enum Failure: Error, Equatable, Sendable {
        case tooLong
        case directory(DirectoryError)
    }

    /// All bytes; nil when there is no such file. What its mode is too wide is removed from it.
    package func read(limit: Int) throws(Failure) -> [UInt8]? {
        let bytes: [UInt8]?
        do throws(DirectoryError) {
            let directory = try Directory(private: directory)
            directory.narrow(name, to: mode)
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

    /// Writes all bytes beside the file, has them on the disk, and puts them in its place.
    ///
    /// The corresponding C functions are `write`, `fsync` and `renameat`.
    package func replace(with bytes: [UInt8]) throws(DirectoryError) {
        let directory = try Directory(private: directory)
        try directory.checkFile(name)
        let new = name + ".new"
        // One that a power cut has left may be anybody's to read.
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

    /// Gives the file another name, in the same directory.
    ///
    /// The corresponding C function is `renameat`.
    package func rename(to target: String) throws(DirectoryError) {
        try Directory(private: directory).move(name, to: target)
    }
}
