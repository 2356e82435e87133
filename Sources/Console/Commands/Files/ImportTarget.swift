import Client
import Domain
import Glibc
import JSONCoding
import Linux
import Storage
import Wire

/// Where an import goes: the daemon, which alone writes its state directory, or a journal without a daemon.
enum ImportTarget {
    case daemon(RuntimeDirectory)
    /// Holds the lock while it lives.
    case journal(StateLock)

    /// The daemon of the runtime directory, if it owns the state directory; else the directory, locked.
    ///
    /// - Parameter isNamed: whether an option names the state directory. If not, a daemon that runs is the target.
    static func find(
        _ state: StateDirectory, isNamed: Bool, _ runtime: RuntimeDirectory
    ) throws(Failure) -> ImportTarget {
        var refusal: SystemError?
        if !isNamed {
            do throws(SystemError) {
                _ = try Connection(to: runtime.controlSocket)
                return .daemon(runtime)
            } catch {
                refusal = error
            }
            // Only the service writes its directory, but for root.
            if let refusal, state.path == DaemonChoice.serviceState, geteuid() != 0, DaemonChoice.serviceIsInstalled {
                throw Failure(connectingTo: runtime.controlSocket, refusal)
            }
        }
        do throws(StateLock.Refusal) {
            return .journal(try StateLock(state))
        } catch {
            switch error {
            case .held(let holder):
                guard let peer = try? UnixSocket.peer(of: Connection(to: runtime.controlSocket).lines.socket) else {
                    throw .unreachable(
                        "\(state.path) is in use by \(holder.map { "process \($0)" } ?? "another process"); "
                            + "name its --runtime-dir, or stop it")
                }
                // The peer of a socket of systemd's is systemd.
                guard holder == nil || peer.process <= 1 || holder == Int(peer.process) else {
                    throw .failed(
                        "\(state.path) is in use by process \(holder ?? 0), which does not serve \(runtime.path); "
                            + "name its --runtime-dir")
                }
                return .daemon(runtime)
            case .other(let failure):
                if let refusal, refusal.code == EACCES {
                    throw Failure(connectingTo: runtime.controlSocket, refusal)
                }
                throw failure
            }
        }
    }
}

/// The lock of a state directory, which a daemon holds while it runs: no second process writes the journal.
final class StateLock {
    enum Refusal: Error {
        /// The number of the process that holds it, if known.
        case held(Int?)
        case other(Failure)
    }

    private let lock: DirectoryLock
    private let isNew: Bool
    private static let name = "state.lock"

    /// Creates the directory if it is missing.
    init(_ state: StateDirectory) throws(Refusal) {
        do {
            try makeDirectories(state.path)
            // Removes a new lock file again: the directory's owner could not lock a file of root.
            let place = try Directory(private: state.path, anyOwner: geteuid() == 0)
            isNew = try !place.checkFile(Self.name)
            lock = try DirectoryLock(place, file: Self.name)
        } catch DirectoryLock.Failure.held(let process) {
            throw .held(process)
        } catch DirectoryLock.Failure.directory(let error) {
            throw .other(.failed("\(error); use sudo, or name another directory with --state-dir"))
        } catch {
            throw .other(.failed("cannot write the journal in \(state.path): \(error)"))
        }
    }

    deinit {
        if isNew { lock.directory.remove(Self.name) }
    }
}

/// An activity that is handed over to the daemon, row by row.
struct ActivityUploader {
    var control: ControlClient
    private var data = JSONWriter(capacity: 2 * UploadRequest.appendLimit)
    private var rows = 0

    /// How long the daemon may take for a line, and to import a whole activity.
    private static let appendTime = Duration.seconds(30)
    private static let commitTime = Duration.seconds(3600)

    /// - Parameter replaced: the imported activity whose number and name the new one takes; nil for a new one.
    init(_ runtime: RuntimeDirectory, replacing replaced: Int?) throws(Failure) {
        control = try ControlClient(runtime)
        let member = replaced.map { #","replaces":\#($0)"# } ?? ""
        _ = try control.call("upload.begin", #"{"kind":"activity"\#(member)}"#, lasting: Self.appendTime)
        data.activityUploadHeader()
    }

    mutating func write(_ row: RecordingRow) throws(Failure) {
        data.uploadLine(row)
        rows += 1
        if data.bytes.count >= UploadRequest.appendLimit { try send(upTo: UploadRequest.appendLimit) }
    }

    /// - Returns: the number of the new activity.
    mutating func finish(_ recording: RecordedActivity) throws(Failure) -> Int {
        data.uploadEnd(recording, rows: rows)
        while !data.bytes.isEmpty { try send(upTo: UploadRequest.appendLimit) }
        let result = try control.call("upload.commit", lasting: Self.commitTime)
        guard let id = (try? JSON(parsing: result.utf8))?["id"]?.integer else {
            throw .failed("the response of paced has no number of the activity")
        }
        return id
    }

    /// The daemon's summary of an activity, as JSON.
    mutating func summary(of id: Int) throws(Failure) -> String {
        let members = JSONText.members(of: try control.call("activities.get", #"{"id":\#(id)}"#))
        return members.first { $0.name == "summary" }?.value ?? "null"
    }

    private mutating func send(upTo limit: Int) throws(Failure) {
        let bytes = data.bytes
        let piece = Base64.encode(bytes.prefix(limit))
        data.clear()
        data.append(lines: bytes.dropFirst(limit))
        _ = try control.call(
            "upload.append", #"{"data":"\#(String(decoding: piece, as: UTF8.self))"}"#, lasting: Self.appendTime)
    }
}
