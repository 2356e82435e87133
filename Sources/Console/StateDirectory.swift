import Domain
import Glibc
import JournalCoding
import Linux
import Storage

/// The directory with the journal.
struct StateDirectory: Equatable {
    var path: String

    private static let system = "/var/lib/paced"

    /// The option's directory, else that of the demo which serves this user, else `/var/lib/paced` if it has a
    /// journal, else `${XDG_STATE_HOME:-~/.local/state}/paced`. For root
    /// the last one needs a journal too; else it is `/var/lib/paced`.
    init(_ option: String?) {
        let own = (environment("XDG_STATE_HOME") ?? environment("HOME").map { $0 + "/.local/state" }).map {
            $0 + "/paced"
        }
        if let option {
            path = option
        } else if let demo = Self.demo(beside: own) {
            path = demo
        } else if Self.holdsJournal(Self.system) {
            path = Self.system
        } else if let own, geteuid() != 0 || Self.holdsJournal(own) {
            path = own
        } else {
            path = Self.system
        }
    }

    /// The directory into which a demo records, if one process has locked it and the directory of the sockets.
    ///
    /// Source: `Directories` of the daemon.
    private static func demo(beside own: String?) -> String? {
        guard let directory = (geteuid() == 0 ? system : own).map({ $0 + "-demo" }),
            let process = DirectoryLock.process(at: directory + "/state.lock"),
            process == DirectoryLock.process(at: RuntimeDirectory(nil).path + "/runtime.lock")
        else { return nil }
        return directory
    }

    private static func holdsJournal(_ directory: String) -> Bool {
        access(JournalFile.path(in: directory), F_OK) == 0
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
                return .failed("not allowed to look into \(path); use sudo, or name another directory with --state-dir")
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
