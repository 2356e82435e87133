import Domain
import Glibc
import Linux

/// Where `pacectl web open` lets paced-web listen, and with which certificate.
package struct PageOpening: Equatable {
    /// A numeric address.
    var host = "0.0.0.0"
    var port: UInt16 = 8080
    /// Absolute paths of files in PEM format.
    var certificate: String?
    var key: String?

    /// - Parameter address: `ADDRESS`, `ADDRESS:PORT`, `[ADDRESS]:PORT` or `PORT`; nil for all addresses of IPv4.
    package init(_ address: String?, certificate: String?, key: String?) throws(Failure) {
        if let address {
            guard let (host, port) = Self.parts(of: address) else {
                throw .usage(
                    "web open needs a numeric address, with or without a port, such as 0.0.0.0:8080 or [::]:8080, "
                        + "not '\(address)'")
            }
            guard host != "::1", !host.hasPrefix("127.") else {
                throw .usage("\(address) is this machine only, for which 'web close' is enough")
            }
            (self.host, self.port) = (host, port)
        }
        guard (certificate == nil) == (key == nil) else {
            throw .usage("--certificate and --key need each other: files in PEM format")
        }
        self.certificate = try certificate.map { path throws(Failure) in
            try Self.file(path, with: "-----BEGIN CERTIFICATE-----")
        }
        self.key = try key.map { path throws(Failure) in try Self.file(path, with: "PRIVATE KEY-----") }
    }

    private static func parts(of text: String) -> (host: String, port: UInt16)? {
        if let port = UInt16(text) { return port > 0 ? ("0.0.0.0", port) : nil }
        let whole = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        if TCPSocket.isAddress(whole) { return (whole, 8080) }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        var host = String(text[..<colon])
        let isSix = host.hasPrefix("[") && host.hasSuffix("]")
        if isSix { host = String(host.dropFirst().dropLast()) }
        return TCPSocket.isAddress(host) && isSix == host.contains(":") ? (host, port) : nil
    }

    /// The absolute path of a file that has this text.
    private static func file(_ path: String, with text: String) throws(Failure) -> String {
        let content: [UInt8]?
        do throws(SystemError) {
            content = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK).readAll(limit: 1 << 20)
        } catch {
            throw .failed("cannot read \(path): \(error)")
        }
        guard let content, String(decoding: content, as: UTF8.self).has(text) else {
            throw .failed("\(path) is not in PEM format: it has no line with '\(text)'")
        }
        guard let found = unsafe realpath(path, nil) else { throw .failed("cannot find \(path)") }
        defer { unsafe free(found) }
        let absolute = unsafe String(cString: found)
        // systemd takes blanks, colons, quotes and specifiers in LoadCredential= for its own.
        guard absolute.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !#"%:"'\"#.utf8.contains($0) }) else {
            throw .failed(
                "\(absolute) has characters that a unit of systemd cannot name; move the file to another path")
        }
        return absolute
    }

    var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Whether this is every address of the machine.
    private var isAny: Bool { host == "0.0.0.0" || host == "::" }

    /// The drop-ins.
    ///
    /// - Parameter allowsPlain: whether paced-web.conf already lets browsers of other machines in, by a certificate or
    ///   over plain HTTP.
    package func dropIns(allowsPlain: Bool) -> [DropIn] {
        // This machine's own browsers keep their address. An address of DHCP may come after the boot.
        let addresses = isAny ? [address] : ["127.0.0.1:8080", address]
        let sockets =
            "[Socket]\nListenStream=\n" + addresses.map { "ListenStream=\($0)\n" }.joined()
            + (isAny ? "" : "FreeBind=yes\n")
        var list = [DropIn(.openSocket, sockets)]
        if let certificate, let key {
            list.append(
                DropIn(
                    .openService, "[Service]\nLoadCredential=certificate:\(certificate)\nLoadCredential=key:\(key)\n"))
            let credentials = "/run/credentials/paced-web.service"
            list.append(
                DropIn(
                    .openConfiguration,
                    "[Web]\nCertificate=\(credentials)/certificate\nCertificateKey=\(credentials)/key\n"))
        } else if !allowsPlain {
            list.append(DropIn(.openConfiguration, "[Web]\nAllowPlain=live\n"))
        }
        return list
    }
}
