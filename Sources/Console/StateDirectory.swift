import Adapters
import Domain
import Glibc
import Outputs

/// The directory with the journal.
struct StateDirectory: Equatable {
    var path: String

    private static let system = "/var/lib/paced"

    /// The one that was asked for, else `/var/lib/paced` if a journal is there, else `${XDG_STATE_HOME:-~/.local/state}/paced`. Root's own
    /// is the system's, unless there is a journal in the other.
    init(_ option: String?) {
        let own = (environment("XDG_STATE_HOME") ?? environment("HOME").map { $0 + "/.local/state" }).map {
            $0 + "/paced"
        }
        if let option {
            path = option
        } else if Self.holdsJournal(Self.system) {
            path = Self.system
        } else if let own, geteuid() != 0 || Self.holdsJournal(own) {
            path = own
        } else {
            path = Self.system
        }
    }

    private static func holdsJournal(_ directory: String) -> Bool {
        access(JournalFile.path(in: directory), F_OK) == 0
    }

    /// The journal, to be read.
    func journal() throws(Failure) -> JournalReader {
        do {
            return try JournalReader(in: path)
        } catch {
            throw failure(reading: error)
        }
    }

    /// What a program is to do about a journal that cannot be read.
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
    /// Whether people are told kilometres, as they have set it over control.sock. Not to know it is no reason not to show a run.
    var isMetric: Bool {
        (try? settings())?.contains(JournalSetting(name: SettingKey.metric.token, value: "true")) ?? false
    }
}
