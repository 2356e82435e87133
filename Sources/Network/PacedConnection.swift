import Client
import Domain
import JSONCoding
import Linux
import Wire

/// The connections to paced: the state of the run from state.sock; the demand, and the topics, on publish.sock.
final class PacedConnection {
    enum Event {
        case position(WeatherService.Position)
        /// Sent when it changes.
        case demand(Demand)
        /// publish.sock is connected: the daemon may have forgotten the topics.
        case connected
    }

    /// What the data is used for. Nothing while the state of the daemon is unknown.
    struct Demand: Equatable {
        /// The names of the known topics that clients watch.
        var topics: Set<String> = []
        var isRunningOutdoors = false
        /// The average speed of the run outdoors in metres per second, in steps of 0.1; nil before its first 500 m.
        var pace: Double?
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
    private var demand = Demand()
    private var reported = Demand()
    /// Whether the position is known to be there or not.
    private var hasState = false
    /// The newest publication of each topic.
    private var newest: [String: [UInt8]] = [:]
    /// The topics whose newest publication the daemon was too busy for.
    private var refused: Set<String> = []
    /// Sends the refused publications again.
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
        timer = try loop.timer { [unowned self] in
            for topic in refused.sorted() { publisher?.send(newest[topic] ?? []) }
            refused = []
        }
    }

    private func receiveState(_ event: ReconnectingClient.Event) {
        switch event {
        case .connected:
            let interval = Self.stateInterval.wholeMilliseconds
            state?.send(#"{"class":"WATCH","classes":["STATE"],"interval_ms":\#(interval)}"#.utf8)
        case .lost(let reason):
            log(.warning, reason.text(state?.path ?? "") + "; retrying")
            (demand.isRunningOutdoors, demand.pace) = (false, nil)
            reportDemand()
        case .line(let bytes):
            guard let json = try? JSON(parsing: bytes) else { return }
            if json["class"]?.string == "ERROR" { return logRejection(json["message"], "state.sock") }
            guard json["class"]?.string == "STATE" else { return }
            demand.isRunningOutdoors = json["run"]?.string != "idle" && json["indoor"]?.bool != true
            demand.pace = demand.isRunningOutdoors ? Self.pace(json) : nil
            hasState = true
            if let position = WeatherService.Position(json["position"]) { happened(.position(position)) }
            reportDemand()
        }
    }

    /// The average speed of a run in metres per second.
    private static func pace(_ state: JSON) -> Double? {
        guard let metres = state["distance_m"]?.number, metres >= shortestRun,
            let milliseconds = state["moving_ms"]?.number, milliseconds > 0
        else { return nil }
        let speed = (metres / milliseconds * 10_000).rounded() / 10
        return speeds.contains(speed) ? speed : nil
    }

    /// Metres.
    private static let shortestRun = 500.0
    private static let speeds = 0.5...12.0

    private func receiveDemand(_ event: ReconnectingClient.Event) {
        switch event {
        case .connected: happened(.connected)
        case .lost(let reason):
            log(.warning, reason.text(publisher?.path ?? "") + "; retrying")
            demand.topics = []
            reportDemand()
        case .line(let bytes):
            guard let json = try? JSON(parsing: bytes) else { return }
            if let error = json["error"] {
                guard error["code"]?.integer == Self.busyCode else {
                    return logRejection(error["data"]?["message"], "publish.sock")
                }
                // The ID of a notice is a number: a notice that comes later is of no use.
                if let topic = json["id"]?.string, newest[topic] != nil {
                    refused.insert(topic)
                    timer?.arm(at: Clock.now() + Self.publishInterval)
                }
                return
            }
            guard json["class"]?.string == "DEMAND", let topic = json["topic"]?.string,
                let subscribers = json["subscribers"]?.integer,
                [WeatherTopic.name, PlacesTopic.name, TransitTopic.name].contains(topic)
            else { return }
            if subscribers > 0 { demand.topics.insert(topic) } else { demand.topics.remove(topic) }
            reportDemand()
        }
    }

    private func logRejection(_ message: JSON?, _ socket: String) {
        let text = message?.string.flatMap { SanitizedText.line($0, limit: 256) } ?? "no reason"
        log(.error, "\(socket) of paced rejects a line: \(text)")
    }

    private func reportDemand() {
        guard hasState, demand != reported else { return }
        reported = demand
        happened(.demand(demand))
    }

    /// Publishes the data of a topic, again if the daemon is busy.
    ///
    /// - Parameter end: nil for the validity that the daemon chooses.
    func publish(_ topic: String, _ data: [UInt8], validUntil end: UTC?, source: String) {
        var line = JSONWriter(capacity: data.count + 256)
        line.object {
            $0.member("jsonrpc", "2.0")
            $0.member("id", topic)
            $0.member("method", "topic.publish")
            $0.object("params") {
                $0.member("topic", topic)
                $0.key("data")
                $0.value(written: data)
                $0.member("valid_until", end)
                $0.member("source", source)
            }
        }
        newest[topic] = line.bytes
        refused.remove(topic)
        publisher?.send(line.bytes)
    }

    /// Sends a message to the user. The daemon accepts one of a topic each 10 s, and another is lost.
    func notice(_ topic: String, key: String, _ text: String) {
        var line = JSONWriter()
        line.object {
            $0.member("jsonrpc", "2.0")
            $0.member("id", 0)
            $0.member("method", "notice")
            $0.object("params") {
                $0.member("topic", topic)
                $0.member("key", key)
                $0.member("text", text)
            }
        }
        publisher?.send(line.bytes)
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
