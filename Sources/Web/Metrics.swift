import Domain
package import JSONCoding

/// The figures of the daemon and of this server in the text format of Prometheus. They have neither position nor heart rate.
///
/// Source: Prometheus, "Text-based format", version 0.0.4.
package struct Metrics {
    /// Figures of this server.
    package struct Server: Equatable {
        var streams: Int
        var connections: Int
        var tokens: Int
        var requests: Int
        var refusals: Int

        package init(streams: Int, connections: Int, tokens: Int, requests: Int, refusals: Int) {
            self.streams = streams
            self.connections = connections
            self.tokens = tokens
            self.requests = requests
            self.refusals = refusals
        }
    }

    static let type = "text/plain; version=0.0.4; charset=utf-8"

    private var text = ""

    /// - Parameters:
    ///   - state: the STATE line; nil if paced does not run.
    ///   - link: the result of `link.status`; nil if paced-link does not run.
    package static func text(_ state: JSON?, link: JSON? = nil, _ server: Server) -> String {
        var metrics = Metrics()
        metrics.add("paced_up", "Whether paced runs.", state == nil ? 0 : 1)
        metrics.addLinks(state, link)
        if let state { metrics.add(state) }
        if let link { metrics.add(link: link) }
        metrics.add("paced_web_streams", "Open streams of lines.", Double(server.streams))
        metrics.add("paced_web_connections", "Open connections.", Double(server.connections))
        metrics.add("paced_web_tokens", "Tokens that are valid.", Double(server.tokens))
        metrics.add("paced_web_requests_total", "Requests.", Double(server.requests), "counter")
        metrics.add(
            "paced_web_refusals_total", "Requests that were refused by method, path, headers or token.",
            Double(server.refusals), "counter")
        return metrics.text
    }

    private mutating func add(_ state: JSON) {
        let run = state["run"]?.string ?? ""
        addStates("paced_run_state", "The state of the run.", ["idle", "active", "paused"], run)
        if let ticks = state["ticks"] {
            add(
                "paced_ticks_late_total", "Ticks of the run that came 50 ms late or more.", ticks["late"]?.number,
                "counter")
            add(
                "paced_tick_lateness_worst_seconds", "The longest delay of a tick of the run.",
                ticks["worst_ms"]?.number.map { $0 / 1000 })
        }
        if let recorder = state["recorder"] {
            addStates(
                "paced_recorder_state", "How the journal is written.", ["off", "writing", "stalled", "failed"],
                recorder["state"]?.string ?? "")
            add(
                "paced_recorder_lag_seconds", "The age of the oldest row that is not written.",
                recorder["lag_ms"]?.number.map { $0 / 1000 })
            add(
                "paced_recorder_sync_age_seconds", "The time since the last sync.",
                recorder["sync_age_ms"]?.number.map { $0 / 1000 })
            add(
                "paced_recorder_free_bytes", "Free space on the disk of the journal.",
                recorder["free_mib"]?.number.map { $0 * 1_048_576 })
        }
        add(
            "paced_battery_ratio", "The charge of the board's battery.",
            state["power"]?["battery_percent"]?.number.map { $0 / 100 })
        add("paced_faults", "What is wrong now and needs a person.", (state["faults"]?.array?.count).map(Double.init))
    }

    private mutating func addLinks(_ state: JSON?, _ link: JSON?) {
        let broker = link?["sinks"]?.array?.first { $0["name"]?.string == "mqtt" }?["state"]
        let words = [
            ("strap", state?["heart"]?["link"]), ("gpsd", state?["gpsd"]?["link"]),
            ("broker", broker?.string == "off" ? nil : broker),
        ]
        if words.allSatisfy({ $0.1 == nil }) { return }
        begin("paced_link_connected", "Whether a link is connected.", "gauge")
        for (link, word) in words {
            guard let word = word?.string else { continue }
            text += "paced_link_connected{link=\"\(link)\"} \(word == "connected" ? 1 : 0)\n"
        }
    }

    /// The collectors of paced-link. Their names have no character that must be escaped.
    private mutating func add(link: JSON) {
        let sinks = link["sinks"]?.array ?? []
        let collectors = sinks.filter { $0["rows"] != nil }
        if !collectors.isEmpty {
            begin("paced_link_backlog_rows", "Rows that a collector has not acknowledged.", "gauge")
            for sink in collectors {
                text +=
                    "paced_link_backlog_rows{sink=\"\(sink["name"]?.string ?? "")\"} \(sink["rows"]?.integer ?? 0)\n"
            }
            begin("paced_link_last_ack_seconds", "The time since the last acknowledgement of a collector.", "gauge")
            for sink in collectors {
                guard let milliseconds = sink["last_success_ms"]?.number else { continue }
                text +=
                    "paced_link_last_ack_seconds{sink=\"\(sink["name"]?.string ?? "")\"} \(Self.number(milliseconds / 1000))\n"
            }
        }
        add(
            "paced_link_rejected_total", "Messages that the broker has refused.",
            sinks.first { $0["rejected"] != nil }?["rejected"]?.number, "counter")
    }

    private mutating func begin(_ name: String, _ help: String, _ type: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// Nothing for an unknown value.
    private mutating func add(_ name: String, _ help: String, _ value: Double?, _ type: String = "gauge") {
        guard let value else { return }
        begin(name, help, type)
        text += "\(name) \(Self.number(value))\n"
    }

    private mutating func addStates(_ name: String, _ help: String, _ words: [String], _ present: String) {
        begin(name, help, "gauge")
        for word in words { text += "\(name){state=\"\(word)\"} \(word == present ? 1 : 0)\n" }
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() && value.magnitude < 1e15 ? "\(Int64(value))" : "\(value)"
    }
}
