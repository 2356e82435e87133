import Domain
import JSONCoding
import Linux
import Servers
import Wire

/// The connections to paced: the state of the run from state.sock; the demand, and the topics, on publish.sock.
final class PacedConnection {
    enum Event {
        case position(WeatherService.Position)
        /// Whether anybody uses the weather: a subscriber of the topic, or a run outdoors.
        case weatherWanted(Bool)
        /// publish.sock is connected: the daemon may have forgotten the topics.
        case connected
    }

    private static let stateInterval = Duration.seconds(10)
    private static let stateLineLimit = 64 * 1024
    private static let publishLineLimit = 4096
    /// The daemon accepts two publications of a topic in a second.
    private static let publishInterval = Duration.milliseconds(500)
    private static let busyCode = -32002

    private let log: (LogLevel, String) -> Void
    private let happened: (Event) -> Void
    private var state: ReconnectingClient?
    private var publisher: ReconnectingClient?
    private var subscribers = 0
    private var isRunningOutdoors = false
    /// Whether the position is known to be there or not.
    private var hasState = false
    private var wasWanted = false
    private var newest: [UInt8] = []
    /// Sends the newest publication again.
    private var timer: TimerSource?

    init(
        _ directory: String, loop: EventLoop, log: @escaping (LogLevel, String) -> Void,
        happened: @escaping (Event) -> Void
    ) throws(SystemError) {
        self.log = log
        self.happened = happened
        state = try ReconnectingClient(
            directory + "/state.sock", loop: loop, lineLimit: Self.stateLineLimit,
            silenceLimit: Self.stateInterval * 3
        ) { [unowned self] in receiveState($0) }
        publisher = try ReconnectingClient(
            directory + "/publish.sock", loop: loop, lineLimit: Self.publishLineLimit
        ) { [unowned self] in receiveDemand($0) }
        timer = try loop.timer { [unowned self] in publisher?.send(newest) }
    }

    private func receiveState(_ event: ReconnectingClient.Event) {
        switch event {
        case .connected:
            let interval = Self.stateInterval.wholeMilliseconds
            state?.send(Array("{\"class\":\"WATCH\",\"classes\":[\"STATE\"],\"interval_ms\":\(interval)}\n".utf8))
        case .lost(let reason):
            log(.warning, reason + "; retrying")
            isRunningOutdoors = false
            reportWanted()
        case .line(let bytes):
            guard let json = try? JSON(parsing: bytes) else { return }
            if json["class"]?.string == "ERROR" { return logRejection(json["message"], "state.sock") }
            guard json["class"]?.string == "STATE" else { return }
            isRunningOutdoors = json["run"]?.string != "idle" && json["indoor"]?.bool != true
            hasState = true
            if let position = WeatherService.Position(json["position"]) { happened(.position(position)) }
            reportWanted()
        }
    }

    private func receiveDemand(_ event: ReconnectingClient.Event) {
        switch event {
        case .connected: happened(.connected)
        case .lost(let reason):
            log(.warning, reason + "; retrying")
            subscribers = 0
            reportWanted()
        case .line(let bytes):
            guard let json = try? JSON(parsing: bytes) else { return }
            if let error = json["error"] {
                if error["code"]?.integer == Self.busyCode {
                    timer?.arm(at: Clock.now() + Self.publishInterval)
                    return
                }
                return logRejection(error["data"]?["message"], "publish.sock")
            }
            guard json["class"]?.string == "DEMAND", json["topic"]?.string == WeatherTopic.name else { return }
            subscribers = json["subscribers"]?.integer ?? 0
            reportWanted()
        }
    }

    private func logRejection(_ message: JSON?, _ socket: String) {
        let text = message?.string.flatMap { SanitizedText.line($0, limit: 256) } ?? "no reason"
        log(.error, "\(socket) of paced rejects a line: \(text)")
    }

    private func reportWanted() {
        let isWanted = hasState && (subscribers > 0 || isRunningOutdoors)
        guard isWanted != wasWanted else { return }
        wasWanted = isWanted
        happened(.weatherWanted(isWanted))
    }

    /// Publishes the data of a topic, again if the daemon is busy.
    ///
    /// - Parameter end: nil for the validity that the daemon chooses.
    func publish(_ topic: String, _ data: [UInt8], validUntil end: UTC?, source: String) {
        var line = JSONWriter(capacity: data.count + 256)
        line.object {
            $0.member("jsonrpc", "2.0")
            $0.member("id", 1)
            $0.member("method", "topic.publish")
            $0.object("params") {
                $0.member("topic", topic)
                $0.key("data")
                $0.value(written: data)
                $0.member("valid_until", end)
                $0.member("source", source)
            }
        }
        line.newline()
        newest = line.bytes
        timer?.arm(at: nil)
        publisher?.send(newest)
    }
}

extension WeatherService.Position {
    init?(_ json: JSON?) {
        guard let json, let latitude = json["latitude"]?.number, let longitude = json["longitude"]?.number,
            latitude.magnitude <= 90, longitude.magnitude <= 180
        else { return nil }
        self.init(
            place: Coordinate(latitude: latitude, longitude: longitude), altitude: json["altitude_m"]?.number)
    }
}
