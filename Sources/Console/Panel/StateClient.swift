import Board
import Client
import Domain
package import JSONCoding
import Linux

/// The panel's client of state.sock. Reconnects without end and publishes the state of the run.
final class StateClient {
    /// The state of the run; nil if the daemon is away or silent.
    private(set) var status: PanelStatus?

    private let changed: () -> Void
    private let alerted: (Beep) -> Void
    private var client: ReconnectingClient?
    /// The last reported error; an equal one is not reported again.
    private var reportedError: String?

    /// The daemon sends a STATE line each second. With socket activation, it may still have to start.
    private static let silenceLimit = Duration.seconds(4)
    private static let firstLineLimit = Duration.seconds(10)

    /// - Parameters:
    ///   - changed: called after each line and when the connection is lost.
    ///   - alerted: called at each alert, step of a workout, badge, and event of the course that needs attention.
    init(
        _ path: String, loop: EventLoop, changed: @escaping () -> Void, alerted: @escaping (Beep) -> Void
    ) throws(SystemError) {
        self.changed = changed
        self.alerted = alerted
        client = try ReconnectingClient(
            path, loop: loop, lineLimit: Connection.lineLimit, silenceLimit: Self.silenceLimit,
            firstLineLimit: Self.firstLineLimit
        ) { [unowned self] in receive($0) }
    }

    private func receive(_ event: ReconnectingClient.Event) {
        switch event {
        case .connected:
            client?.send(#"{"class":"WATCH","classes":["STATE","EVENT"],"interval_ms":1000}"#.utf8)
        case .lost(let loss): lost(loss)
        case .line(let line): if let json = try? JSON(parsing: line) { receive(json) }
        }
        changed()
    }

    private func lost(_ loss: ReconnectingClient.Loss) {
        if case .connecting(let error) = loss {
            report(.warning, Failure(connectingTo: client?.path ?? "", error).message, ", retrying")
        } else if status != nil {
            let what = loss == .closed ? "closed the connection" : "sends nothing"
            LogLevel.warning.write("paced \(what), reconnecting", of: "pacectl")
        }
        status = nil
    }

    private func receive(_ json: JSON) {
        if let state = ReceivedState(json) {
            receive(state)
        } else if let beep = Beep(event: json) {
            alerted(beep)
        } else if let failure = Failure(version: json) {
            report(.error, failure.message)
        } else if json["class"]?.string == "ERROR", let text = json["message"]?.harmlessText(limit: 256) {
            LogLevel.warning.write("error from paced: " + text, of: "pacectl")
        }
    }

    private func report(_ level: LogLevel, _ error: String, _ what: String = "") {
        guard error != reportedError else { return }
        reportedError = error
        level.write(error + what, of: "pacectl")
    }

    private func receive(_ state: ReceivedState) {
        if status == nil { LogLevel.notice.write("connected to paced", of: "pacectl") }
        status = PanelStatus(state)
        reportedError = nil
    }
}

extension Beep {
    /// Nil if the line is no EVENT that beeps.
    package init?(event: JSON) {
        guard event["class"]?.string == "EVENT" else { return nil }
        switch event["event"]?.string {
        case "workout": self = .step
        case "badge", "climb", "light": self = .notice
        case "cue":
            switch event["stage"]?.string.flatMap(CueReport.Stage.init) {
            case .ahead: self = .cueAhead
            case .soon, .here: self = .cueNow
            case nil: return nil
            }
        case "course":
            switch event["change"]?.string {
            case "off", "wrong-way": self = .high
            case "on", "done": self = .notice
            default: return nil
            }
        case "alert":
            switch event["state"]?.string.flatMap(AlertReport.State.init) {
            case .high: self = .high
            case .low: self = .low
            case .lost: self = .lost
            case .within, .reached, .back: self = .notice
            case nil: return nil
            }
        default: return nil
        }
    }
}

extension PanelStatus {
    init(_ state: ReceivedState) {
        let off = LinkReason.off.rawValue
        let beatIsFresh = state.heart.bpm != nil && !state.heart.isStale
        let positionIsFresh = state.position != nil && !state.positionIsStale
        self.init(
            run: state.run,
            isSearching: !(beatIsFresh || state.heart.link.reason == off)
                || !(positionIsFresh || state.gpsd.reason == off),
            hasFaults: !state.faults.isEmpty)
    }
}
