import Domain
import Glibc
import JSONCoding
import Linux
import Storage
import Wire

extension Command {
    static let recover = [
        Command(
            "recover", words: [.one("FILE", "a file", .files)],
            "copy what can be read of a damaged journal into the list of activities", read: { $0.words[0] },
            run: { try $0.recover($1) })
    ]
}

extension Invocation {
    /// Recovers a damaged journal into the current one. If the daemon runs, it does the work.
    func recover(_ path: String) throws(Failure) {
        let state = StateDirectory(stateDirectory)
        let file = try Self.located(path)
        let isOwn = Self.resolved(state.path) == file.directory
        if isOwn, !ActivityRequest.isJournalName(file.name) {
            throw .failed("\(path) is the journal itself; name a damaged one, such as journal-….damaged.sqlite")
        }
        do {
            let lock = try StateLock(state)
            defer { withExtendedLifetime(lock) {} }
            try recover(isOwn ? file.name : file.directory + "/" + file.name, in: state, anyOwner: geteuid() == 0)
        } catch let failure as Failure {
            throw failure
        } catch StateLock.Refusal.held {
            guard isOwn else {
                throw .failed(
                    "paced is running and recovers only files in \(state.path); "
                        + "copy \(path) there, with its -wal, or stop paced"
                )
            }
            var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
            var parameters = JSONWriter(capacity: 256)
            parameters.object { $0.member("file", file.name) }
            _ = try control.call("activities.recover", String(decoding: parameters.bytes, as: UTF8.self))
            try writeOut(
                "paced recovers \(file.name) in the background; 'pacectl activities' and its log show the progress.\n")
        } catch StateLock.Refusal.other(let failure) {
            throw failure
        } catch {
            throw .failed("cannot write the journal in \(state.path): \(error)")
        }
    }

    private func recover(_ name: String, in state: StateDirectory, anyOwner: Bool) throws {
        let file = try JournalFile(in: state.path, anyOwner: anyOwner)
        try JournalRecovery.enter(name, in: file)
        let recovery = JournalRecovery(name, in: state.path)
        while true {
            let step = try recovery.step(in: file)
            let lines = recovery.drainReports()
            for line in lines { try writeOut(line + "\n") }
            switch step {
            case .more: continue
            case .waits:
                throw Failure.failed(
                    "less than \(JournalRecovery.margin >> 20) MiB are free; free some space and try again")
            case .rejected: throw Failure.failed("nothing was recovered")
            case .done: return
            }
        }
    }

    /// The real directory and the name of a readable file.
    private static func located(_ path: String) throws(Failure) -> (directory: String, name: String) {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        let above = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard !name.isEmpty, let directory = resolved(above), access(directory + "/" + name, R_OK) == 0 else {
            throw .failed("cannot read \(path): \(SystemError("open", code: errno))")
        }
        return (directory, name)
    }

    private static func resolved(_ directory: String) -> String? {
        guard let path = unsafe realpath(directory, nil) else { return nil }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}
