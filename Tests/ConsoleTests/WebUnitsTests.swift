import Console
import Foundation
import JSONCoding
import TestKit
import Testing

/// `pacectl web open`: the files that it writes, and the addresses that a socket unit has.
@Suite struct WebUnitsTests {
    private func files(
        _ address: String?, certificate: String? = nil, key: String? = nil, allowsPlain: Bool = false
    ) throws -> [DropIn.Place: String] {
        let dropIns = try PageOpening(address, certificate: certificate, key: key).dropIns(allowsPlain: allowsPlain)
        return Dictionary(uniqueKeysWithValues: dropIns.map { ($0.place, $0.text) })
    }

    @Test(
        arguments: [
            (nil, "0.0.0.0:8080"), ("80", "0.0.0.0:80"), ("0.0.0.0", "0.0.0.0:8080"), ("0.0.0.0:8443", "0.0.0.0:8443"),
            ("[::]:8080", "[::]:8080"), ("::", "[::]:8080"), ("[::]", "[::]:8080"),
        ] as [(String?, String)])
    func everyAddressOfTheMachineReplacesTheDefault(address: String?, expected: String) throws {
        let text = try #require(try files(address)[.openSocket])
        #expect(text.hasSuffix("\n[Socket]\nListenStream=\nListenStream=\(expected)\n"))
    }

    @Test func oneAddressIsBesideThatOfThisMachineAndMayComeLater() throws {
        let text = try #require(try files("192.0.2.7")[.openSocket])
        #expect(
            text.hasSuffix("\nListenStream=\nListenStream=127.0.0.1:8080\nListenStream=192.0.2.7:8080\nFreeBind=yes\n"))
        #expect(ListenStream.conflict(in: ListenStream.list(of: [("a", text)])) == nil)
    }

    @Test(arguments: [
        "bike.local", "0.0.0.0:", "0.0.0.0:0", "0.0.0.0:65536", "0", "::1:8080:", "[0.0.0.0]:8080", "127.0.0.1",
        "127.0.0.2:80", "[::1]:8080", "",
    ])
    func anotherTextIsNoAddress(address: String) {
        #expect(throws: Failure.self) { try PageOpening(address, certificate: nil, key: nil) }
    }

    @Test func plainHTTPIsForTheLivePageUnlessTheConfigurationSaysMore() throws {
        #expect(try #require(try files(nil)[.openConfiguration]).hasSuffix("\n[Web]\nAllowPlain=live\n"))
        #expect(try files(nil, allowsPlain: true)[.openConfiguration] == nil)
        #expect(try files(nil)[.openService] == nil)
    }

    @Test func certificateAndKeyAreCredentials() throws {
        let directory = TemporaryDirectory()
        let (certificate, key) = (directory.path + "/chain.pem", directory.path + "/key.pem")
        try Data("-----BEGIN CERTIFICATE-----\n".utf8).write(to: URL(fileURLWithPath: certificate))
        try Data("-----BEGIN EC PRIVATE KEY-----\n".utf8).write(to: URL(fileURLWithPath: key))
        let files = try files(nil, certificate: certificate, key: key)
        let service = try #require(files[.openService])
        #expect(service.contains("\nLoadCredential=certificate:/") && service.contains("/key.pem\n"))
        #expect(try #require(files[.openConfiguration]).contains("\nCertificate=/run/credentials/paced-web"))
        #expect(!files.values.contains { $0.contains("AllowPlain") })
        #expect(throws: Failure.self) { try self.files(nil, certificate: certificate) }
        #expect(throws: Failure.self) { try self.files(nil, certificate: key, key: key) }
        #expect(throws: Failure.self) { try self.files(nil, certificate: directory.path + "/none", key: key) }
        let odd = directory.path + "/a key.pem"
        try Data("-----BEGIN PRIVATE KEY-----\n".utf8).write(to: URL(fileURLWithPath: odd))
        #expect(throws: Failure.self) { try self.files(nil, certificate: certificate, key: odd) }
    }

    private static let unit = ("/lib/paced-web.socket", "[Socket]\n# here\nListenStream=127.0.0.1:8080\n")

    @Test(arguments: [
        ("ListenStream=0.0.0.0:8080\n", 2), ("# all\nListenStream=8080\n", 3), ("ListenStream=[::]:8080\n", 2),
        ("ListenStream=127.0.0.1:8080\n", 2), ("ListenStream=0.0.0.0:9090\nListenStream=9090\n", 3),
    ])
    func aSecondAddressThatContainsTheFirstIsNamedWithItsLine(lines: String, line: Int) throws {
        let list = ListenStream.list(of: [Self.unit, ("/etc/override.conf", "[Socket]\n" + lines)])
        let conflict = try #require(ListenStream.conflict(in: list))
        #expect(conflict.second.file == "/etc/override.conf" && conflict.second.line == line)
    }

    @Test(arguments: ["ListenStream=\nListenStream=0.0.0.0:8080\n", "ListenStream=192.0.2.1:8080\n", "Backlog=1\n"])
    func addressesThatAgreeAreNoConflict(lines: String) {
        let list = ListenStream.list(of: [Self.unit, ("/etc/override.conf", "[Socket]\n" + lines)])
        #expect(ListenStream.conflict(in: list) == nil)
        #expect(!list.isEmpty)
    }

    @Test(arguments: [
        ("http", ["http://192.0.2.7:8080/#code=A", "http://bike.local:8080/#code=A"]),
        ("https", ["https://bike.local:8080/#code=A", "https://192.0.2.7:8080/#code=A"]),
    ])
    func addressesOfTheMachineAreBesideItsName(scheme: String, expected: [String]) throws {
        let json = """
            {"code":"A","scope":"watch","can_command":false,"expires_s":120,\
            "urls":["\(scheme)://bike.local:8080/#code=A","http://127.0.0.1:8080/#code=A"]}
            """
        let code = try #require(PageCode(JSON(parsing: json.utf8), machine: ["192.0.2.7"]))
        #expect(code.addresses == expected + ["http://127.0.0.1:8080/#code=A"])
        #expect(!code.text.contains("web control on"))
        let commanding = json.replacing(#""watch""#, with: #""control""#)
        #expect(try #require(PageCode(JSON(parsing: commanding.utf8), machine: [])).text.contains("web control on"))
    }
}
