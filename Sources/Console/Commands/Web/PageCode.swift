package import JSONCoding
import Linux
import QRCode

/// A code that signs a browser in, with the addresses of the page: the result of `web.code`.
package struct PageCode: Equatable {
    /// The addresses with the code, the best one for a phone first.
    package var addresses: [String]
    var code: String
    /// Whether the browser may command, and whether paced-web itself may.
    var mayCommand: Bool
    var programMayCommand: Bool

    /// Nil if the result has no code.
    ///
    /// - Parameter machine: the numeric addresses of this machine, which paced-web cannot see in its sandbox.
    package init?(_ json: JSON, machine: [String]) {
        guard let code = json["code"]?.harmlessText(limit: 64) else { return nil }
        self.code = code
        let named = (json["urls"]?.array ?? []).compactMap { $0.harmlessText(limit: 512) }
        addresses = Self.numbered(named, machine: machine)
        if addresses.isEmpty { return nil }
        mayCommand = json["scope"]?.string == "control"
        programMayCommand = json["can_command"]?.bool ?? true
    }

    /// The parts of an address of a page: `http`, `bike.local`, `8080/#code=A`; nil without a port.
    private static func parts(of address: String) -> (scheme: Substring, host: Substring, rest: Substring)? {
        let parts = address.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].hasPrefix("//"), !parts[1].contains("[") else { return nil }
        return (parts[0], parts[1].dropFirst(2), parts[2])
    }

    /// The addresses with those of the machine beside its names: many a phone resolves no name that ends with .local. A
    /// certificate is of the name, which is first then.
    private static func numbered(_ addresses: [String], machine: [String]) -> [String] {
        addresses.flatMap { address -> [String] in
            guard let (scheme, host, rest) = parts(of: address), !TCPSocket.isAddress(String(host)) else {
                return [address]
            }
            let numbers = machine.map { "\(scheme)://\($0):\(rest)" }
            return scheme == "https" ? [address] + numbers : numbers + [address]
        }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// How a browser of another machine reaches a page that only this machine does; nil if it needs nothing for that.
    var tunnel: String? {
        guard addresses.count == 1, let (_, host, rest) = Self.parts(of: addresses[0]), host == "127.0.0.1" else {
            return nil
        }
        let port = rest.prefix { $0.isNumber }
        return "For a browser of another machine, run there: ssh -L \(port):127.0.0.1:\(port) \(Machine.hostName)"
    }

    /// The first address as a QR code; empty if it is too long for one.
    var drawing: [String] { QRCode(addresses[0])?.lines ?? [] }

    /// What the code is good for.
    var rights: [String] {
        let rights = mayCommand ? "watch and command" : "watch"
        let use = "The code \(code) lets one browser \(rights). It is valid once, for 2 minutes."
        return [use]
            + (mayCommand && !programMayCommand
                ? ["paced-web itself may not command yet: sudo pacectl web control on"] : [])
    }

    package var text: String {
        (drawing + (drawing.isEmpty ? [] : [""]) + addresses + (tunnel.map { [$0] } ?? []) + [""] + rights)
            .map { $0 + "\n" }.joined()
    }
}
