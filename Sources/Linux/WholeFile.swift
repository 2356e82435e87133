import Domain
import Glibc

/// A small file that is read and written whole: after a power cut there is either the old one or the new one, never
/// half of one.
///
/// Each call waits for the disk.
package struct WholeFile: Equatable, Sendable {
    package let path: String
    private let mode: UInt32

    /// - Parameter mode: who may do what with the file, whatever the umask is.
    package init(_ path: String, mode: UInt32 = 0o640) {
        self.path = path
        self.mode = mode
    }

    /// Why there are no bytes.
    package enum Failure: Error, Equatable, Sendable {
        case tooLong
        case system(SystemError)
    }

    /// All bytes; nil when there is no such file.
    package func read(limit: Int) throws(Failure) -> [UInt8]? {
        do {
            let file = try FileDescriptor.open(path, O_RDONLY)
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while let count = try unsafe buffer.withUnsafeMutableBytes({ unsafe try file.read(into: $0) }), count > 0 {
                bytes += buffer[..<count]
                if bytes.count > limit { throw Failure.tooLong }
            }
            return bytes
        } catch let error as SystemError {
            if error.code == ENOENT { return nil }
            throw .system(error)
        } catch {
            throw .tooLong
        }
    }

    /// Writes all bytes beside the file, has them on the disk, and puts them in its place.
    ///
    /// The corresponding C functions are `write`, `fsync` and `rename`.
    package func replace(with bytes: [UInt8]) throws(SystemError) {
        let new = path + ".new"
        do throws(SystemError) {
            // One that a power cut has left may be anybody's to read.
            unsafe unlink(new)
            let file = try FileDescriptor.make(new, O_WRONLY | O_TRUNC, mode: mode)
            var rest = bytes[...]
            while !rest.isEmpty {
                let number = file.number
                let count = try check("write") {
                    unsafe rest.withUnsafeBytes { unsafe write(number, $0.baseAddress, $0.count) }
                }
                rest = rest.dropFirst(count)
            }
            _ = try check("fsync") { fsync(file.number) }
            try move(new, to: path)
        } catch {
            unsafe unlink(new)
            throw error
        }
    }

    /// Gives the file another name, in the same directory.
    ///
    /// The corresponding C function is `rename`.
    package func rename(to name: String) throws(SystemError) {
        try move(path, to: directory + "/" + name)
    }

    private func move(_ source: String, to target: String) throws(SystemError) {
        _ = try check("rename") { unsafe Glibc.rename(source, target) }
        // The new name is on the disk once its directory is.
        let directory = try FileDescriptor.open(directory, O_RDONLY | O_DIRECTORY)
        _ = try check("fsync") { fsync(directory.number) }
    }

    private var directory: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
