import Domain
import Linux
import Storage

/// Result of an attempt to open the state directory.
struct StateDirectoryStatus: Sendable {
    /// The journal's content; nil if it cannot be read.
    var journal: JournalStartup?
    var leftOpen: InterruptedActivity?
    /// The known straps; nil if they cannot be read.
    var straps: StrapStore?
    /// The directory is locked and writable.
    var isReady = false
    /// The reason why it is not ready, as a clause.
    var trouble: String?
    /// Another paced uses the directory.
    var isInUse = false
    /// Warnings about the directory, for the log.
    var warnings: [String] = []
}

/// Opens and locks the state directory and reads its content: at the start, then each second until it is ready.
///
///     journal's thread: attempt ──▶ finding ──▶ loop: popFinding
///
/// A directory that is not writable is read once, at the first attempt: numbers, settings, events and the activity
/// that was left open. A directory that other users can write to is not read, because its content cannot be trusted.
final class StateDirectoryOpener: Sendable {
    /// How long the start of the daemon waits for the first attempt.
    static let startLimit = Duration.seconds(5)

    private final class StateLock: Sendable {
        let lock: DirectoryLock

        init(_ lock: consuming DirectoryLock) {
            self.lock = lock
        }
    }

    private struct Progress {
        var lock: StateLock?
        var isFirst = true
        var finding: StateDirectoryStatus?
    }

    private let progress = Locked(Progress())
    private let directory: String
    private let strapFile: StrapStoreFile?
    private let isDemo: Bool
    private let limit: Duration

    /// - Parameters:
    ///   - strapFile: where the straps are kept; nil in the demo.
    ///   - limit: the longest time since an activity's last moment for which it resumes.
    init(in directory: String, strapFile: StrapStoreFile?, isDemo: Bool, limit: Duration) {
        self.directory = directory
        self.strapFile = strapFile
        self.isDemo = isDemo
        self.limit = limit
    }

    /// The result of the last attempt; nil if there was none since the last call.
    func popFinding() -> StateDirectoryStatus? {
        progress.withLock { progress in
            defer { progress.finding = nil }
            return progress.finding
        }
    }

    // MARK: On the journal's thread

    /// Attempts to open the directory. Blocks on the disk.
    ///
    /// - Returns: why the directory is not ready; nil if it is.
    func attempt() -> String? {
        let isFirst = progress.withLock { progress in
            defer { progress.isFirst = false }
            return progress.isFirst
        }
        var finding = StateDirectoryStatus()
        do {
            finding.warnings = try lock()
            finding.journal = try JournalStartup(in: directory, at: Clock.systemTime())
            read(into: &finding)
            finding.isReady = true
        } catch DirectoryLock.Failure.held(let held) {
            let holder = held.process.map { "process \($0)" } ?? "another process"
            finding.isInUse = true
            finding.trouble = "\(directory) is in use by paced, \(holder)"
        } catch DirectoryLock.Failure.directory(let error) {
            finding.trouble = "\(error)"
        } catch let error as SystemError {
            finding.trouble = "cannot make \(directory): \(error)"
        } catch {
            finding.trouble = "\(error)"
        }
        if !finding.isReady {
            guard isFirst else { return finding.trouble }
            if !finding.isInUse, isPrivate {
                finding.journal = try? JournalStartup(reading: directory)
                read(into: &finding)
            }
        }
        progress.withLock { $0.finding = finding }
        return finding.trouble
    }

    private var isPrivate: Bool {
        do throws(DirectoryError) {
            _ = try Directory(private: directory)
            return true
        } catch {
            return false
        }
    }

    private func read(into finding: inout StateDirectoryStatus) {
        if let journal = finding.journal, let reader = try? JournalReader(in: directory) {
            finding.leftOpen = InterruptedActivity(
                journal, from: reader, isDemo: isDemo, bootID: Clock.bootID(), at: Clock.now(),
                time: Clock.isSynchronised() ? Clock.systemTime() : nil, limit: limit)
        }
        guard let strapFile else { return }
        let (list, trouble) = strapFile.read()
        finding.straps = list
        switch trouble {
        case .damaged(let place?):
            finding.warnings.append("\(strapFile.path) is damaged, now \(place): no strap is remembered")
        case .damaged(nil):
            finding.warnings.append("\(strapFile.path) is damaged, ignoring: no strap is remembered")
        case .unreadable(let error):
            finding.straps = nil
            finding.warnings.append("cannot read the known straps, beginning with an empty list: \(error)")
        case nil: break
        }
    }

    /// Creates the directory if it is missing, checks it, and locks it until the daemon ends.
    ///
    /// - Returns: warnings for the log.
    private func lock() throws -> [String] {
        if progress.withLock({ $0.lock != nil }) { return [] }
        try makeDirectories(directory)
        let lock = try StateLock(DirectoryLock(Directory(private: directory), file: "state.lock"))
        progress.withLock { $0.lock = lock }
        let names = ["state.lock", StrapStoreFile.name, JournalReserve.name] + JournalFile.names
        var warnings = Daemon.hardLinks(among: names, in: lock.lock.directory)
        do throws(DirectoryError) {
            try lock.lock.directory.checkFile(JournalReserve.name)
        } catch {
            warnings.append("\(error); the journal has no reserve for a full disk")
        }
        return warnings
    }
}
