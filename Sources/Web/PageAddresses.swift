import Domain
import Linux

/// The addresses at which browsers find the page, the best one for a telephone first.
package struct PageAddresses: Equatable {
    var listening: [ListenAddress]
    /// Whether browsers of other machines speak TLS.
    var isEncrypted: Bool
    /// Names of the configuration.
    var names: [String]
    /// The name of this machine.
    var host: String

    package init(listening: [ListenAddress], isEncrypted: Bool, names: [String], host: String) {
        self.listening = listening
        self.isEncrypted = isEncrypted
        self.names = names
        self.host = host
    }

    package var list: [String] {
        var others: [String] = []
        var own: [String] = []
        for address in listening {
            if ["127.0.0.1", "::1"].contains(address.host) {
                own.append("http://" + address.text)
            } else {
                let scheme = isEncrypted ? "https" : "http"
                // 0.0.0.0 and :: stand for all addresses; a browser needs a name.
                let hosts = ["0.0.0.0", "::"].contains(address.host) ? (names.isEmpty ? [host + ".local"] : names) : []
                let addresses = hosts.isEmpty ? [address.text] : hosts.map { "\($0):\(address.port)" }
                for one in addresses where !others.contains("\(scheme)://\(one)") {
                    others.append("\(scheme)://\(one)")
                }
            }
        }
        return others + own
    }
}
