import Domain
import Glibc
import JournalCoding
import Linux
import Storage

/// The directory with the journal.
struct StateDirectory: Equatable {
    var path: String

    /// The option's directory, else that of the daemon that a user means who names none; while that is a demo, the demo's.
    init(_ option: String?) {
        if let option {
            path = option
            return
        }
        let choice = DaemonChoice.here
        path = (choice.recordings == .user ? DaemonChoice.userState : nil) ?? DaemonChoice.serviceState
        if Self.isLocked(path + "-demo", byDaemonAt: RuntimeDirectory(nil).path) { path += "-demo" }
    }

    /// Whether one process has locked a state directory and the directory of the sockets.
    ///
    /// Source: `Directories` of the daemon.
    private static func isLocked(_ directory: String, byDaemonAt runtime: String) -> Bool {
        guard let process = DirectoryLock.process(at: directory + "/state.lock") else { return false }
        return process == DirectoryLock.process(at: runtime + "/runtime.lock")
    }

    /// Opens the journal for reading.
    func journal() throws(Failure) -> JournalReader {
        do {
            return try JournalReader(in: path)
        } catch {
            throw failure(reading: error)
        }
    }

    /// The failure, with the next step for the user, for an error of reading the journal.
    func failure(reading error: any Error) -> Failure {
        switch error {
        case let failure as Failure: return failure
        case JournalFailure.missing:
            if access(path, X_OK) != 0, errno == EACCES {
                let isService = path == DaemonChoice.serviceState
                let remedy = isService ? GroupAdvice.text("paced-watch") : "use sudo, or name another with --state-dir"
                return .failed("not allowed to look into \(path): \(remedy)")
            }
            return .failed(
                "there is no journal in \(path); record a run, import a file, or name its directory with --state-dir")
        case JournalFailure.directory(let error): return .failed("\(error)")
        default: return .failed("cannot read the journal in \(path): \(error)")
        }
    }
}

extension JournalReader {
    /// Whether to print kilometres, by the stored setting, else by the locale. A failure to read it must not prevent the
    /// output.
    var isMetric: Bool {
        let stored = (try? settings())?.first { $0.name == SettingKey.metric.token }
        return stored.map { $0.value == "true" } ?? LocaleUnits.isMetric
    }
}
