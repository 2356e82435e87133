import Console

/// The page of paced-web and its map.
extension DiagnosisCases {
    private static let first = ListenStream(value: "127.0.0.1:8080", file: "/lib/paced-web.socket", line: 9)
    private static let second = ListenStream(value: "0.0.0.0:8080", file: "/etc/override.conf", line: 2)

    private static func enablePage(
        _ facts: inout SystemFacts, _ socket: String, _ service: UnitState = unit("inactive"),
        at addresses: [ListenStream] = []
    ) {
        facts.units?["paced-web.socket"] = unit(socket)
        facts.units?["paced-web.service"] = service
        facts.pageAddresses = addresses
    }

    static let page: [Case] = [
        Case("page", .ok, "listens at 127.0.0.1:8080", nil) { enablePage(&$0, "active", at: [first]) },
        Case(
            "page", .failed, "/etc/override.conf:2: 0.0.0.0:8080 contains 127.0.0.1:8080 of /lib/paced-web.socket:9",
            "add an empty ListenStream= above that line"
        ) { enablePage(&$0, "failed", at: [first, second]) },
        Case(
            "page", .failed, "paced-web.socket does not listen at 0.0.0.0:8080 of /etc/override.conf:2",
            "journalctl -u paced-web.socket -n 5"
        ) { enablePage(&$0, "failed", at: [second]) },
        Case("page", .failed, "its configuration is invalid", "journalctl -u paced-web -n 5") {
            enablePage(&$0, "active", unit("failed", exit: 2))
        },
        Case("link", .ok, "sends to mqtt, collector", nil) {
            $0.units?["paced-link.service"] = unit("active")
            $0.linkSinks = [
                SystemFacts.LinkSink(name: "mqtt", state: "connected", reason: ""),
                SystemFacts.LinkSink(name: "collector", state: "connected", reason: ""),
            ]
        },
        Case("link", .failed, "mqtt: TLS failed: unknown", "pacectl link status") {
            $0.units?["paced-link.service"] = unit("active")
            $0.linkSinks = [SystemFacts.LinkSink(name: "mqtt", state: "waiting", reason: "TLS failed: unknown")]
        },
        Case("link", .failed, "its configuration is invalid", "journalctl -u paced-link -n 5") {
            $0.units?["paced-link.service"] = unit("failed", exit: 2)
        },
        Case("link", .note, "paced-link runs and sends nothing: its configuration names no receiver", nil) {
            $0.units?["paced-link.service"] = unit("active")
            $0.linkSinks = [SystemFacts.LinkSink(name: "mqtt", state: "off", reason: "")]
        },
        Case("map", .ok, "vector tiles", nil) { $0.map = .readable("vector tiles") },
        Case("map", .failed, "cannot read /m: it is damaged", "pacectl map import EXTRACT.osm.pbf") {
            $0.map = .unreadable("/m", "it is damaged")
        },
        Case("map", .note, "none: the page shows lines without streets", "pacectl map import EXTRACT.osm.pbf") {
            enablePage(&$0, "active", at: [first])
        },
    ]
}
