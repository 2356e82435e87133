import Board
import Domain
package import JSONCoding
import Linux

/// The panel's client of state.sock. Reconnects without end and publishes the state of the run.
final class StateClient {
    /// The state of the run; nil if the daemon is away or silent.
    private(set) var status: PanelStatus?

    private let path: String
    private let loop: EventLoop
    private let changed: () -> Void
    private let alerted: (Beep) -> Void
    private var connection: Connection?
    private var arrivals: DescriptorSource?
    private var timer: TimerSource?
    private var retryDelay = StateClient.minimumRetryDelay
    /// The last reported error; an equal one is not reported again.
    private var reportedError: String?

    private static let minimumRetryDelay = Duration.milliseconds(500)
    private static let maximumRetryDelay = Duration.seconds(5)
    /// The daemon sends a STATE line each second.
    private static let silenceTimeout = Duration.seconds(4)

    /// - Parameters:
    ///   - changed: called after each line and when the connection is lost.
    ///   - alerted: called at each alert, step of a workout, badge, and event of the course that needs attention.
    init(
        _ path: String, loop: EventLoop, changed: @escaping () -> Void, alerted: @escaping (Beep) -> Void
    ) throws(SystemError) {
        self.path = path
        self.loop = loop
        self.changed = changed
        self.alerted = alerted
        timer = try loop.timer { [unowned self] in onTimer() }
        timer?.arm(at: Clock.now())
    }

    private func onTimer() {
        if connection == nil { return connect() }
        if status != nil { LogLevel.warning.write("paced sends nothing, reconnecting", of: "pacectl") }
        disconnect()
    }

    private func connect() {
        do {
            let connection = try Connection(to: path)
            try connection.send(#"{"class":"WATCH","classes":["STATE","EVENT"],"interval_ms":1000}"#)
            arrivals = try loop.watch(connection.descriptor, for: .reading) { [unowned self] _ in receive() }
            self.connection = connection
            // With socket activation, the daemon may still have to start.
            timer?.arm(at: Clock.now() + Self.silenceTimeout + .seconds(6))
        } catch {
            let failure = error as? Failure ?? (error as? SystemError).map { Failure(connectingTo: path, $0) }
            let text = failure?.message ?? "\(error)"
            if text != reportedError {
                reportedError = text
                LogLevel.warning.write(text + ", retrying", of: "pacectl")
            }
            scheduleRetry()
        }
    }

    private func scheduleRetry() {
        timer?.arm(at: Clock.now() + retryDelay)
        retryDelay = min(retryDelay * 2, Self.maximumRetryDelay)
    }

    private func disconnect() {
        arrivals = nil
        connection = nil
        status = nil
        scheduleRetry()
        changed()
    }

    private func receive() {
        guard let lines = connection?.arrivedLines() else {
            if status != nil { LogLevel.warning.write("paced closed the connection, reconnecting", of: "pacectl") }
            return disconnect()
        }
        for line in lines {
            guard let json = try? JSON(parsing: line) else { continue }
            if let state = StateLine(json) {
                receive(state)
            } else if let beep = Beep(event: json) {
                alerted(beep)
            } else if let failure = Failure(version: json), failure.message != reportedError {
                reportedError = failure.message
                LogLevel.error.write(failure.message, of: "pacectl")
            } else if json["class"]?.string == "ERROR", let text = json["message"]?.harmlessText(limit: 256) {
                LogLevel.warning.write("error from paced: " + text, of: "pacectl")
            }
        }
        changed()
    }

    private func receive(_ state: StateLine) {
        if status == nil { LogLevel.notice.write("connected to paced", of: "pacectl") }
        status = PanelStatus(state)
        reportedError = nil
        retryDelay = Self.minimumRetryDelay
        timer?.arm(at: Clock.now() + Self.silenceTimeout)
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
    init(_ state: StateLine) {
        let off = LinkReason.off.rawValue
        let beatIsFresh = state.heart.bpm != nil && !state.heart.isStale
        let positionIsFresh = state.position.map { !$0.isStale } ?? false
        self.init(
            run: state.run,
            isSearching: !(beatIsFresh || state.heart.link.reason == off)
                || !(positionIsFresh || state.gpsd.reason == off),
            hasFaults: !state.faults.isEmpty)
    }
}
