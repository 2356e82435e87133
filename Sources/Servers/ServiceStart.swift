import Domain
import Glibc
package import Linux

/// The steps with which `paced-net` and `paced-web` start: their directories, and the sockets in them.
package enum ServiceStart {
    /// An error that prevents the start. `line` says how to correct it.
    package struct Failure: Error, Equatable {
        package var line: String

        package init(line: String) {
            self.line = line
        }
    }

    /// Raises the limit of open files to `most`, as far as the hard limit allows, and requires `least`.
    package static func checkDescriptors(of program: String, least: Int32, most: Int32) throws(Failure) {
        FileDescriptor.raiseLimit(to: most)
        let limit = FileDescriptor.limit
        guard limit < least else { return }
        throw Failure(
            line:
                "\(program) may open \(limit) files and needs \(least): run ulimit -n \(least) before it, as root "
                + "where the hard limit is lower, or set LimitNOFILE=\(least) in the unit")
    }

    /// Creates a directory that only the program's user may write to.
    ///
    /// - Parameter option: the option that names another directory.
    package static func prepare(_ path: String, option: String) throws(Failure) {
        do {
            try makeDirectories(path)
            _ = try Directory(private: path)
        } catch {
            throw Failure(line: "\(error); or give another \(option)")
        }
    }

    /// Creates the runtime directory, and locks it against a second process of the program.
    package static func lock(_ path: String, of program: String) throws(Failure) -> DirectoryLock {
        do {
            try makeDirectories(path)
            return try DirectoryLock(Directory(private: path), file: "runtime.lock")
        } catch DirectoryLock.Failure.held(let process) {
            let holder = process.map { "process \($0)" } ?? "another process"
            throw Failure(line: "\(path) is in use by \(program), \(holder); stop that, or give another --runtime-dir")
        } catch {
            throw Failure(line: "\(error); or give another --runtime-dir")
        }
    }

    /// Listens on a Unix socket in the runtime directory.
    ///
    /// - Parameter name: without `.sock`.
    package static func listen(_ name: String, in path: String) throws(Failure) -> FileDescriptor {
        do throws(DirectoryError) {
            return try UnixSocket.listen(at: "\(path)/\(name).sock", in: Directory(path))
        } catch {
            throw Failure(line: "cannot listen: \(error); give another --runtime-dir")
        }
    }
}
