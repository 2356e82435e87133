import Foundation
import Program
import TestKit
import Testing
import Web

/// The files of paced-web's configuration.
@Suite struct WebConfigurationTests {
    private let directory = TemporaryDirectory()

    private func write(_ text: String, to name: String) throws -> String {
        let url = URL(fileURLWithPath: directory.path + "/" + name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        return url.path
    }

    @Test func dropInsChangeTheFileInTheOrderOfTheirNames() throws {
        let file = try write("[Web]\nNames=bike.local\nAllowPlain=all\n", to: "a.conf")
        _ = try write("[Web]\nAllowPlain=live\n", to: "a.conf.d/20.conf")
        _ = try write("[Web]\nAllowPlain=no\nTiles=/a\n", to: "a.conf.d/10.conf")
        _ = try write("nonsense", to: "a.conf.d/10.conf.orig")
        let alone = try write("[Web]\nNames=bike.local\nAllowPlain=live\nTiles=/a\n", to: "b.conf")
        #expect(try WebConfiguration.read(file) == WebConfiguration.read(alone))
    }

    @Test func aDropInThatIsWrongIsNamedWithItsLine() throws {
        let file = try write("[Web]\n", to: "a.conf")
        let dropIn = try write("[Web]\nBogus=1\n", to: "a.conf.d/10.conf")
        let failure = #expect(throws: UsageError.self) { try WebConfiguration.read(file) }
        #expect(failure?.line.hasPrefix("\(dropIn):2: there is no key Bogus in [Web]; the keys are Names") == true)
    }

    @Test func certificateAndKeyMayBeInTwoFilesButNeedEachOther() throws {
        let file = try write("[Web]\nCertificate=/c\n", to: "a.conf")
        #expect(throws: UsageError.self) { try WebConfiguration.read(file) }
        _ = try write("[Web]\nCertificateKey=/k\n", to: "a.conf.d/key.conf")
        #expect(throws: Never.self) { try WebConfiguration.read(file) }
    }
}
