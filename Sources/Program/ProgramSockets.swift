import Domain
import Glibc
package import Linux

/// The listening Unix sockets of a program: those that systemd passed, and those that it creates in its runtime directory, which
/// it locks against a second process.
///
/// `paced` locks the directory when it starts, and listens when its journal is open.
package struct ProgramSockets: ~Copyable {
    /// The path as configured: a short link avoids the length limit of socket paths.
    private let path: String
    /// Nil if systemd passed the sockets that the program needs: it owns their directory, and nothing is created there.
    private let lock: DirectoryLock?
    private var handed: [String: Int32]
    private var created: [String] = []

    /// Takes the sockets that systemd passed. Those that the program has no use for are closed, and logged.
    ///
    /// - Parameters:
    ///   - names: those of Unix sockets.
    ///   - internet: that of TCP sockets; nil for none.
    package static func handed(
        _ names: [String], internet: String? = nil, to program: String
    ) throws(StartFailure) -> ActivationSockets {
        do throws(ActivationSockets.Failure) {
            let handed = try ActivationSockets(named: names, internet: internet)
            for name in handed.others {
                let shown = SanitizedText(name)?.text ?? ""
                LogLevel.warning.write(
                    "systemd handed over \"\(shown)\" too, which \(program) has no use for: closed", of: program)
            }
            return handed
        } catch {
            switch error {
            case .unreadable(let error):
                throw StartFailure(line: "cannot take what systemd hands over (LISTEN_FDS, LISTEN_FDNAMES): \(error)")
            case .wrongKind(let name):
                let (kind, place) = name == internet ? ("TCP", "an address") : ("Unix stream", "a path")
                throw StartFailure(
                    line: "what systemd handed over as \(name) is no \(kind) socket that listens; "
                        + "its unit needs ListenStream= with \(place)")
            }
        }
    }

    /// - Parameters:
    ///   - names: without `.sock`.
    ///   - handed: the sockets that systemd passed, by name.
    ///   - directory: the runtime directory; nil if the program needs none.
    package init(
        _ names: [String], _ handed: [String: Int32], in directory: String?, of program: String
    ) throws(StartFailure) {
        self.handed = handed
        path = directory ?? ""
        guard let directory else {
            lock = nil
            return
        }
        // Before the directory is created.
        for name in names where handed[name] == nil {
            let path = "\(directory)/\(name).sock"
            if path.utf8.count > UnixSocket.pathLimit { throw Self.tooLong(path) }
        }
        lock = try Self.lock(directory, of: program)
    }

    private static func lock(_ path: String, of program: String) throws(StartFailure) -> DirectoryLock {
        do {
            try makeDirectories(path)
            return try DirectoryLock(Directory(private: path), file: lockName)
        } catch DirectoryLock.Failure.held(let process) {
            let holder = process.map { "process \($0)" } ?? "another process"
            throw StartFailure(
                line: "\(path) is in use by \(program), \(holder); stop that, or give another --runtime-dir")
        } catch DirectoryLock.Failure.directory(let error) {
            throw StartFailure(line: "\(error); or give another --runtime-dir")
        } catch let error as DirectoryError {
            throw StartFailure(line: "\(error); or give another --runtime-dir")
        } catch {
            throw StartFailure(line: "cannot make \(path): \(error); give another --runtime-dir")
        }
    }

    private static let lockName = "runtime.lock"

    /// Hard links are warned about and do not prevent the start, because a backup may consist of them.
    package var hardLinks: [String] {
        switch lock {
        case .some(let lock): Self.hardLinks(among: [Self.lockName], in: lock.directory)
        case .none: []
        }
    }

    /// A warning for each file that has a second name.
    package static func hardLinks(among names: [String], in directory: borrowing Directory) -> [String] {
        directory.linked(among: names).map { name in
            "\(directory.path(of: name)) has a second name (hard link): through it another user may read or change the file"
        }
    }

    /// Takes the socket that systemd passed, or creates it in the runtime directory. Nil if systemd passed others only.
    package mutating func listen(_ name: String) throws(StartFailure) -> FileDescriptor? {
        if let number = handed.removeValue(forKey: name) { return FileDescriptor(owning: number) }
        let path = "\(path)/\(name).sock"
        let socket: FileDescriptor
        switch lock {
        case .none: return nil
        case .some(let lock):
            do throws(DirectoryError) {
                socket = try UnixSocket.listen(at: path, in: lock.directory)
            } catch {
                switch error.code {
                case ENAMETOOLONG: throw Self.tooLong(path)
                case .some: throw StartFailure(line: "cannot listen on \(path): \(error)")
                case nil: throw StartFailure(line: "\(error)")
                }
            }
        }
        created.append(name + ".sock")
        return socket
    }

    /// Removes the created sockets. The lock is released last: the next process that gets it finds no socket of this one.
    package consuming func close() {
        switch lock {
        case .some(let lock): for name in created { lock.directory.remove(name) }
        case .none: break
        }
    }

    private static func tooLong(_ path: String) -> StartFailure {
        StartFailure(
            line: "the socket path \(path) has \(path.utf8.count) bytes, more than the \(UnixSocket.pathLimit) "
                + "that a socket can have; give a shorter --runtime-dir")
    }
}
