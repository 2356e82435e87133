import Domain
import Glibc
import Linux
import Program
import SQLite
package import Storage

/// Result of an attempt to open the state directory.
package struct StateDirectoryStatus: Sendable {
    /// The journal's content; nil if it cannot be read.
    package var journal: JournalStartup?
    package var interrupted: InterruptedActivity?
    /// The known sensors; nil if they cannot be read.
    var sensors: SensorStore?
    /// The name of this board; nil in the demo, or if it cannot be read.
    var device: Device?
    /// The directory is locked and writable.
    package internal(set) var isReady = false
    /// The reason why it is not ready, as a clause.
    package internal(set) var reason: String?
    /// Another paced uses the directory.
    package internal(set) var isInUse = false
    /// Warnings about the directory, for the log.
    var warnings: [String] = []

    package init(
        journal: JournalStartup? = nil, interrupted: InterruptedActivity? = nil, sensors: SensorStore? = nil,
        isReady: Bool = false, reason: String? = nil, isInUse: Bool = false, warnings: [String] = []
    ) {
        self.journal = journal
        self.interrupted = interrupted
        self.sensors = sensors
        self.isReady = isReady
        self.reason = reason
        self.isInUse = isInUse
        self.warnings = warnings
    }

    /// Logs the warnings and the damage of the journal.
    func log() {
        for warning in warnings { Log.write(.warning, warning) }
        if let ignored = journal?.ignored {
            Log.write(
                .warning, "the write-ahead log of the journal is damaged: SQLite ignores \(ignored), which are lost")
        }
        if let (path, reason, rescued) = journal?.damaged {
            Log.write(
                .warning,
                "the journal is damaged (\(reason)) and kept as \(path); a new one is begun, "
                    + "copied at once: \(rescued); the rest is recovered in the background")
        }
    }
}

/// Opens and locks the state directory and reads its content: at the start, then each second until it is ready.
///
///     journal's thread: attempt ──▶ status ──▶ loop: popStatus
///
/// A directory that is not writable is read once, at the first attempt: numbers, settings, events and the activity
/// that was left open. A directory that other users can write to is not read, because its content cannot be trusted.
package final class StateDirectoryOpener: Sendable {
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
        var status: StateDirectoryStatus?
    }

    private let progress = Locked(Progress())
    private let directory: String
    private let sensorFile: SensorStoreFile?
    private let isDemo: Bool
    private let limit: Duration

    /// - Parameters:
    ///   - sensorFile: where the sensors are kept; nil in the demo.
    ///   - limit: the longest time since an activity's last moment for which it resumes.
    package init(in directory: String, sensorFile: SensorStoreFile?, isDemo: Bool, limit: Duration) {
        self.directory = directory
        self.sensorFile = sensorFile
        self.isDemo = isDemo
        self.limit = limit
    }

    /// The result of the last attempt; nil if there was none since the last call.
    package func popStatus() -> StateDirectoryStatus? {
        progress.withLock { progress in
            defer { progress.status = nil }
            return progress.status
        }
    }

    // MARK: On the journal's thread

    /// Attempts to open the directory. Blocks on the disk.
    ///
    /// - Returns: why the directory is not ready; nil if it is.
    package func attempt() -> String? {
        let isFirst = progress.withLock { progress in
            defer { progress.isFirst = false }
            return progress.isFirst
        }
        var status = StateDirectoryStatus()
        do {
            status.warnings = try lock()
            do throws(DirectoryError) {
                try sensorFile?.adoptFormerFile()
            } catch {
                status.warnings.append(
                    "cannot rename \(SensorStoreFile.formerName) to \(SensorStoreFile.name): \(error)")
            }
            status.journal = try JournalStartup(in: directory, at: Clock.systemTime())
            read(into: &status)
            status.isReady = true
            makeHideKey(into: &status)
            openDevice(into: &status)
        } catch DirectoryLock.Failure.held(let process) {
            let holder = process.map { "process \($0)" } ?? "another process"
            status.isInUse = true
            status.reason = "\(directory) is in use by paced, \(holder)"
        } catch DirectoryLock.Failure.directory(let error) {
            status.reason = "\(error)"
        } catch let error as SystemError {
            status.reason = "cannot make \(directory): \(error)"
        } catch {
            status.reason = "\(error)"
        }
        if !status.isReady {
            guard isFirst else { return status.reason }
            if !status.isInUse, isPrivate {
                status.journal = try? JournalStartup(reading: directory)
                read(into: &status)
            }
        }
        progress.withLock { $0.status = status }
        return status.reason
    }

    /// Makes the secret of `pacectl export --hide`, which all users of the device share.
    private func makeHideKey(into status: inout StateDirectoryStatus) {
        if isDemo { return }
        do throws(SystemError) {
            if access(directory + "/" + HideKeyFile.name, F_OK) != 0 {
                _ = try HideKeyFile.make(in: directory, mode: 0o640)
            }
        } catch {
            status.warnings.append("cannot make \(HideKeyFile.name): \(error)")
        }
    }

    /// Reads the name of this board, or makes it.
    private func openDevice(into status: inout StateDirectoryStatus) {
        if isDemo { return }
        let file = DeviceFile(in: directory)
        do {
            if let device = try file.read() {
                status.device = device
            } else {
                let device = Device(uuid: .new(at: nil), machine: Machine.uuid())
                try file.write(device)
                status.device = device
            }
        } catch {
            status.warnings.append("this board has no name: \(error)")
        }
    }

    private var isPrivate: Bool {
        do throws(DirectoryError) {
            _ = try Directory(private: directory)
            return true
        } catch {
            return false
        }
    }

    private func read(into status: inout StateDirectoryStatus) {
        if let journal = status.journal, let reader = try? JournalReader(in: directory) {
            status.interrupted = InterruptedActivity(
                journal, from: reader, isDemo: isDemo, bootID: Clock.bootID(), at: Clock.now(),
                time: Clock.isSynchronised() ? Clock.systemTime() : nil, limit: limit)
        }
        guard let sensorFile else { return }
        let (list, trouble) = sensorFile.read()
        status.sensors = list
        switch trouble {
        case .damaged(let place?):
            status.warnings.append("\(sensorFile.path) is damaged, now \(place): no sensor is remembered")
        case .damaged(nil):
            status.warnings.append("\(sensorFile.path) is damaged, ignoring: no sensor is remembered")
        case .unreadable(let error):
            status.sensors = nil
            status.warnings.append("cannot read the known sensors, beginning with an empty list: \(error)")
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
        let names =
            [
                "state.lock", SensorStoreFile.name, SensorStoreFile.formerName, JournalReserve.name, ActivityIndex.name,
                DeviceFile.name,
            ]
            + JournalFile.names
        var warnings = ProgramSockets.hardLinks(among: names, in: lock.lock.directory)
        do throws(DirectoryError) {
            try lock.lock.directory.checkFile(JournalReserve.name)
        } catch {
            warnings.append("\(error); the journal has no reserve for a full disk")
        }
        return warnings
    }
}
