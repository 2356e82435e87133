import Client
import Domain
import Glibc
import JSONCoding
import Linux

/// `pacectl watch` without a terminal: one readable line each second, or the daemon's unchanged lines.
///
/// It reads no faster than its output is read: a slow reader gets newer states, not all of them.
struct WatchLines {
    var directory: RuntimeDirectory
    /// The daemon of a replay, which does not come back.
    var daemon: ReplayDaemon?
    var isJSON: Bool
    var metric: Bool?

    /// Runs until standard output is closed. Fails if the daemon is away at the start; waits for it later.
    func run() throws(Failure) {
        var connection = try Connection.needed(to: directory.stateSocket)
        while true {
            try follow(connection)
            if let failure = daemon?.failure { throw failure }
            complain("paced closed the connection, reconnecting")
            while true {
                sleep(1)
                if let failure = daemon?.failure { throw failure }
                guard let next = try? Connection(to: directory.stateSocket) else { continue }
                connection = next
                break
            }
        }
    }

    private func follow(_ connection: Connection) throws(Failure) {
        let watch =
            isJSON
            ? #"{"class":"WATCH","classes":["STATE","EVENT","SETTINGS"],"interval_ms":100}"#
            : #"{"class":"WATCH","classes":["STATE","SETTINGS"],"interval_ms":1000}"#
        guard (try? connection.send(watch.utf8)) != nil else { return }
        var settings: Settings?
        while true {
            let line: [UInt8]
            switch connection.line(by: nil) {
            case .line(let arrived): line = arrived
            case .tooLong: continue
            case .late, .ended: return
            }
            guard let json = try? JSON(parsing: line) else { continue }
            if let failure = Failure(version: json) { throw failure }
            if isJSON {
                try writeOut(line + [UInt8(ascii: "\n")])
            } else if let state = ReceivedState(json) {
                // The settings, which determine the units, arrive a moment later.
                guard let metric = metric ?? settings?.isMetric else { continue }
                try writeOut(StatusText(metric: metric).line(state) + "\n")
            } else if let newer = Settings(line: json) {
                settings = newer
            } else if json["class"]?.string == "ERROR", let message = json["message"]?.harmlessText(limit: 256) {
                complain("error from paced: " + message)
            }
        }
    }
}
