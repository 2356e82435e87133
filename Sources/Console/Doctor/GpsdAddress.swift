/// The address of gpsd, as the daemon reports it or paced.conf has it: `HOST[:PORT[:DEVICE]]`, IPv6 in brackets.
package struct GpsdAddress: Equatable {
    /// `localhost`, or a numeric address without brackets.
    var host = "localhost"
    var port: UInt16 = 2947
    /// The only receiver that the daemon uses; nil for the best one.
    package var device: String?

    package init(host: String = "localhost", port: UInt16 = 2947, device: String? = nil) {
        (self.host, self.port, self.device) = (host, port, device)
    }

    /// Nil for a text that is no address. The daemon reports such a value of paced.conf.
    package init?(_ text: String) {
        var rest = text[...]
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            host = String(rest[..<end].dropFirst())
            rest = rest[rest.index(after: end)...]
        } else {
            host = String(rest.prefix { $0 != ":" })
            rest = rest.dropFirst(host.count)
        }
        if host.isEmpty { return nil }
        guard rest.popFirst() != nil else { return }
        let number = rest.prefix { $0 != ":" }
        guard let port = UInt16(number), port > 0 else { return nil }
        self.port = port
        let device = rest.dropFirst(number.count + 1)
        self.device = device.isEmpty ? nil : String(device)
    }

    /// The numeric addresses, tried in order.
    var hosts: [String] { host == "localhost" ? ["127.0.0.1", "::1"] : [host] }

    /// Whether gpsd runs on this machine, so that its receivers are plugged in here.
    package var isLocal: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// `HOST:PORT`.
    package var text: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}
