import Client
import Domain
import JSONCoding
import Linux

/// The lines of state.sock: STATE each second, and EVENT lines from a number on.
final class PacedFeed {
    enum Event {
        case state(JSON)
        case event(JSON)
        case lost
    }

    private static let lineLimit = 64 * 1024

    private let log: (LogLevel, String) -> Void
    private let happened: (Event) -> Void
    private var client: ReconnectingClient?
    /// The number of the last event that is not wanted; nil if none is.
    private var since: Int?
    private var wantsEvents = false

    init(
        _ directory: String, loop: EventLoop, log: @escaping (LogLevel, String) -> Void,
        happened: @escaping (Event) -> Void
    ) throws(SystemError) {
        self.log = log
        self.happened = happened
        client = try ReconnectingClient(
            directory + "/state.sock", loop: loop, lineLimit: Self.lineLimit, silenceLimit: .seconds(10)
        ) { [unowned self] in receive($0) }
    }

    /// Asks for the events after a number, or for those that come from now on.
    func watchEvents(since number: Int?) {
        wantsEvents = true
        since = number
        watch()
    }

    func ignoreEvents() {
        guard wantsEvents else { return }
        wantsEvents = false
        watch()
    }

    private func watch() {
        guard client?.isConnected == true else { return }
        let classes = wantsEvents ? #""STATE","EVENT""# : #""STATE""#
        let first = wantsEvents ? since.map { #","since":\#($0)"# } ?? "" : ""
        client?.send(#"{"class":"WATCH","classes":[\#(classes)],"interval_ms":1000,"blocks":["fields"]\#(first)}"#.utf8)
    }

    private func receive(_ event: ReconnectingClient.Event) {
        switch event {
        case .connected: watch()
        case .lost(let reason):
            log(.warning, reason.text(client?.path ?? "") + "; retrying")
            happened(.lost)
        case .line(let bytes):
            guard let json = try? JSON(parsing: bytes) else { return }
            switch json["class"]?.string {
            case "STATE": happened(.state(json))
            case "EVENT":
                if let number = json["seq"]?.integer { since = max(since ?? 0, number) }
                happened(.event(json))
            case "ERROR":
                let text = json["message"]?.string.flatMap { SanitizedText.line($0, limit: 256) } ?? "no reason"
                log(.error, "state.sock of paced rejects a line: \(text)")
            default: break
            }
        }
    }
}
