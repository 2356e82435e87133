import Foundation
import Link
import Program
import TestKit
import Testing

/// What paced-link.conf may say.
struct LinkConfigurationTests {
    private func error(_ text: String) throws -> String? {
        let directory = TemporaryDirectory()
        let path = directory.path + "/paced-link.conf"
        try Data(text.utf8).write(to: URL(filePath: path))
        do throws(UsageError) {
            _ = try LinkConfiguration.read(path)
            return nil
        } catch {
            return error.line
        }
    }

    @Test(arguments: [
        ("[Mqtt]\nLevel=all\n", "Level must be one of none, health, coarse, position, full"),
        ("[Mqtt]\nPort=0\n", "Port must be a number from 1 to 65535"),
        ("[Mqtt]\nHost=mqtt://x\n", "Host must be the name or the address of a broker"),
        ("[Mqtt]\nMembers=run, pulse\n", "Members must be names with commas between"),
        ("[Mqtt]\nHideMetres=9999\n", "HideMetres must be a number from 0 to 5000"),
        ("[Collector]\nSinks=a a\n", "Sinks must be 1 to 8 names"),
        ("[Mqtt]\nHost=x\n[Collector]\nSinks=a\n", "Sinks= needs Level=position or full"),
        ("[Collector]\nSinks=a\n[Mqtt]\nLevel=full\n", "need Host= of [Mqtt]"),
        ("[OwnTracks]\nMode=http\n[Mqtt]\nLevel=full\n", "needs Url="),
        ("[OwnTracks]\nMode=http\nUrl=http://x/pub\n[Mqtt]\nLevel=full\n", "must begin with https"),
        ("[OwnTracks]\nMode=mqtt\n[Mqtt]\nHost=x\n", "[OwnTracks] needs Level=coarse"),
        ("[Mqtt]\nHost=x\nCertificateKey=/k\n", "CertificateKey= needs Certificate="),
    ]) func wrongValueIsNamed(text: String, expected: String) throws {
        let line = try #require(try error(text))
        #expect(line.contains(expected), "\(line)")
    }

    @Test func emptyFileSendsNothing() throws {
        #expect(try error("") == nil)
        #expect(LinkConfiguration().host == nil && LinkConfiguration().sinks.isEmpty)
    }
}
