import Domain
import Glibc
import Linux

/// Where a program's directories are. Precedence: option, systemd's variable, the default of the system or of the user.
package struct ProgramEnvironment {
    /// A kind of directory, as systemd.exec(5) has it.
    package enum Kind {
        case runtime, state, cache

        /// The parent directory of a service's.
        var base: String {
            switch self {
            case .runtime: "/run"
            case .state: "/var/lib"
            case .cache: "/var/cache"
            }
        }

        /// Systemd's variable.
        var variable: String {
            switch self {
            case .runtime: "RUNTIME_DIRECTORY"
            case .state: "STATE_DIRECTORY"
            case .cache: "CACHE_DIRECTORY"
            }
        }

        /// The variable of a user's parent directory, and its default below the home; nil for none.
        ///
        /// Source: XDG Base Directory Specification.
        var ofUser: (variable: String, inHome: String?) {
            switch self {
            case .runtime: ("XDG_RUNTIME_DIR", nil)
            case .state: ("XDG_STATE_HOME", ".local/state")
            case .cache: ("XDG_CACHE_HOME", ".cache")
            }
        }
    }

    /// Whether the program is a service of the system.
    let isSystem: Bool
    private let value: (String) -> String?

    /// - Parameter value: the value of a variable; nil or empty is unset.
    package init(isSystem: Bool, _ value: @escaping (String) -> String?) {
        self.isSystem = isSystem
        self.value = value
    }

    /// The environment of this process. It is a service of the system if it runs as root or systemd started it.
    package static var current: ProgramEnvironment {
        ProgramEnvironment(isSystem: geteuid() == 0 || isStartedBySystemd) { getenv($0).map { String(cString: $0) } }
    }

    /// Whether systemd started this process. Children inherit `SYSTEMD_EXEC_PID`, so it is compared with the own pid.
    package static var isStartedBySystemd: Bool {
        getenv("SYSTEMD_EXEC_PID").flatMap { Int32(String(cString: $0)) } == getpid()
    }

    /// The value of a variable; nil if it is unset or empty.
    package func variable(_ name: String) -> String? {
        value(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The directory of a kind that belongs to this program.
    ///
    /// - Parameters:
    ///   - name: of the directory, such as `paced`.
    ///   - option: the option that names another one, and its value.
    package func directory(
        _ kind: Kind, _ name: String, _ option: (name: String, value: String?)
    ) throws(UsageError) -> String {
        if let path = option.value ?? variable(kind.variable)?.split(separator: ":").first.map(String.init) {
            return path
        }
        return try base(kind, option.name) + "/" + name
    }

    /// The runtime directory of another program, whose sockets this one uses.
    package func runtimeDirectory(
        of program: String, _ option: (name: String, value: String?)
    ) throws(UsageError) -> String {
        if let path = option.value { return path }
        return try base(.runtime, option.name) + "/" + program
    }

    /// The state directory of another program, which this one reads.
    package func stateDirectory(
        of program: String, _ option: (name: String, value: String?)
    ) throws(UsageError) -> String {
        if let path = option.value { return path }
        return try base(.state, option.name) + "/" + program
    }

    /// The file of a credential (`LoadCredential=`), for a library that reads it; nil without one.
    package func credentialFile(_ name: String) -> String? {
        guard let path = variable("CREDENTIALS_DIRECTORY").map({ "\($0)/\(name)" }), access(path, R_OK) == 0 else {
            return nil
        }
        return path
    }

    private func base(_ kind: Kind, _ option: String) throws(UsageError) -> String {
        if isSystem { return kind.base }
        let (name, inHome) = kind.ofUser
        if let path = variable(name) { return path }
        guard let inHome else { throw UsageError(line: "\(name) is unset: give \(option) DIR") }
        guard let home = variable("HOME") else { throw UsageError(line: "HOME is unset: give \(option) DIR") }
        return home + "/" + inHome
    }

    /// The first line of a credential (`LoadCredential=`), such as a header with a secret; nil without one.
    package func credential(_ name: String) throws(StartFailure) -> String? {
        guard let directory = variable("CREDENTIALS_DIRECTORY") else { return nil }
        do throws(SystemError) {
            let text = try FileDescriptor.open("\(directory)/\(name)", O_RDONLY).readText(limit: 4096)
            let line = text.prefix { !$0.isNewline }
            guard !line.isEmpty, line.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw SystemError("read", code: EINVAL)
            }
            return String(line)
        } catch {
            if error.code == ENOENT { return nil }
            throw StartFailure(line: "the credential \(name) must be one line of printable ASCII characters: \(error)")
        }
    }
}

/// Raises the limit of open files to `most`, as far as the hard limit allows, and requires `least`.
package func requireDescriptors(of program: String, least: Int32, most: Int32) throws(StartFailure) {
    FileDescriptor.raiseLimit(to: most)
    let limit = FileDescriptor.limit
    guard limit < least else { return }
    throw StartFailure(
        line:
            "\(program) may open \(limit) files and needs \(least): run ulimit -n \(least) before it, as root "
            + "where the hard limit is lower, or set LimitNOFILE=\(least) in the unit")
}

/// Creates a directory that only the program's user may write to.
///
/// - Parameter option: the option that names another directory.
package func prepareDirectory(_ path: String, option: String) throws(StartFailure) {
    do {
        try makeDirectories(path)
        _ = try Directory(private: path)
    } catch {
        throw StartFailure(line: "\(error); or give another \(option)")
    }
}
