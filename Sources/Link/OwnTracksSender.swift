import Domain
import HTTP
import JSONCoding
import Linux
import MQTT
import Wire

/// Sends the locations and transitions of OwnTracks: to the broker, or by HTTP to a Recorder, Traccar or Home Assistant.
///
/// By HTTP the newest location waits for the answer to the one before, and replaces an older one that waits.
final class OwnTracksSender {
    private static let timeout = Duration.seconds(20)
    private static let answerLimit = 16 * 1024
    private static let delays = Duration.seconds(5)...Duration.seconds(900)

    /// The topic of locations; nil by HTTP.
    let topic: String?
    private var tracks: OwnTracks
    private let settings: OwnTracksSettings
    private let user: String
    private let client: HTTPClient?
    private let headers: [String]
    private var waiting: [[UInt8]] = []
    private var isSending = false
    private(set) var retryAt: Instant?
    private var delay = delays.lowerBound
    private(set) var failure: String?
    /// By HTTP; a broker does not acknowledge a location.
    private(set) var lastSuccess: Instant?
    private var timer: TimerSource?

    /// - Parameter password: for HTTP, by Basic authentication.
    init(
        _ settings: OwnTracksSettings, device: UUID, password: String?, authorities: String?, loop: EventLoop
    ) throws(SystemError) {
        self.settings = settings
        user = settings.user ?? device.description
        let name = Self.topic(of: settings, device: device)
        tracks = OwnTracks(settings, device: device, topic: settings.mode == .http ? name : nil)
        guard settings.mode == .http else {
            topic = name
            client = nil
            headers = []
            return
        }
        topic = nil
        client = try HTTPClient(
            loop: loop, userAgent: "paced-link/\(Release.version)", authorities: authorities)
        var headers = [
            "Content-Type: application/json", "X-Limit-U: \(user)", "X-Limit-D: \(settings.device)", "Expect:",
        ]
        if let password {
            headers.append(
                "Authorization: Basic "
                    + String(decoding: Base64.encode(Array("\(user):\(password)".utf8)), as: UTF8.self))
        }
        self.headers = headers
        timer = try loop.timer { [unowned self] in post(at: Clock.now()) }
    }

    /// Whether everybody on the way can read the locations.
    var isPlain: Bool { settings.url?.hasPrefix("http:") ?? false }

    static func topic(of settings: OwnTracksSettings, device: UUID) -> String {
        "owntracks/\(settings.user ?? device.description)/\(settings.device)"
    }

    func begin() { tracks.begin() }

    func ingest(_ fix: OwnTracks.Fix, _ broker: MQTTConnection?, at now: Instant) {
        if client == nil, broker == nil { return }
        for message in tracks.ingest(fix, at: now) {
            switch (message, broker, topic) {
            case (.location(let payload), let broker?, let topic?):
                _ = try? broker.publish(.init(topic, payload, qos: 0, isRetained: true))
            case (.transition(let payload), let broker?, let topic?):
                _ = try? broker.publish(.init(topic + "/event", payload, qos: 1))
            case (.location(let payload), _, nil), (.transition(let payload), _, nil):
                // One location waits at most, and transitions in their order.
                waiting.removeAll { Self.isLocation($0) && Self.isLocation(payload) }
                if waiting.count < Self.waitingLimit { waiting.append(payload) }
            default: break
            }
        }
        post(at: now)
    }

    private static let waitingLimit = 32

    private static func isLocation(_ payload: [UInt8]) -> Bool {
        (try? JSON(parsing: payload))?["_type"]?.string == "location"
    }

    private func post(at now: Instant) {
        guard let client, let url = settings.url, !isSending, let body = waiting.first else { return }
        if let retryAt, now < retryAt { return }
        isSending = true
        let request = OutgoingRequest(
            url: url, headers: headers, content: .bytes(body), bodyLimit: Self.answerLimit, timeout: Self.timeout)
        client.send(request) { [unowned self] in receive($0, of: body) }
    }

    private func receive(_ result: Result<HTTPResponse, HTTPError>, of body: [UInt8]) {
        isSending = false
        let now = Clock.now()
        switch result {
        case .success(let response) where (200..<300).contains(response.status):
            (failure, lastSuccess, retryAt, delay) = (nil, now, nil, Self.delays.lowerBound)
            waiting.removeAll { $0 == body }
        case .success(let response):
            failure = "the server answers \(response.status)"
            // It does not want this one.
            if (400..<500).contains(response.status), ![401, 403, 429].contains(response.status) {
                waiting.removeAll { $0 == body }
            }
            retryLater(after: response.headers["retry-after"].flatMap { Int($0) }, now)
        case .failure(let error):
            failure = FetchFailure(.noResponse(error), host: "the server", retryAt: now).description
            retryLater(after: nil, now)
        }
        post(at: now)
    }

    private func retryLater(after seconds: Int?, _ now: Instant) {
        retryAt = now + max(delay, .seconds(min(max(seconds ?? 0, 0), 3600)))
        delay = min(delay * 2, Self.delays.upperBound)
        timer?.arm(at: retryAt)
    }
}
