import Adapters
import Domain
import Testing

@testable import Daemon

@Suite struct ConfigurationDiffTests {
    private func read(_ text: String) throws -> Configuration {
        try Configuration(ConfigurationFile.read(Array(text.utf8), path: "paced.conf"), path: "paced.conf")
    }

    private static let values: [ConfigurationKey: String] = [
        .syncInterval: "3", .resumeLimit: "3", .exportAtStop: "gpx", .exportDirectory: "/srv", .autoStart: "yes",
        .gpsd: "off", .backend: "off", .adapter: "hci1", .straps: "off", .maxStateClients: "3",
        .maxStateClientsPerUser: "3",
        .maxControlClients: "3", .maxControlClientsPerUser: "3", .warnAtPercent: "3", .closeAtPercent: "3",
    ]

    @Test(arguments: ConfigurationKey.allCases)
    func everyKeyIsToldWithWhenItTakesEffect(key: ConfigurationKey) throws {
        let value = try #require(Self.values[key])
        let new = try read("[\(key.section.rawValue)]\n\(key.rawValue)=\(value)")
        let changes = ConfigurationDiff(from: Configuration(), to: new)
        #expect(changes.now == (key.isForNextStart ? [] : [key.rawValue]))
        #expect(changes.later == (key.isForNextStart ? [key.rawValue] : []))
        var inForce = Configuration()
        inForce.adoptLiveKeys(from: new)
        // Keys that wait for the next start are reported each time.
        #expect(ConfigurationDiff(from: inForce, to: new).later == changes.later)
        #expect(ConfigurationDiff(from: inForce, to: new).now == [])
    }

    @Test func settingsAreToldByTheirNames() throws {
        let new = try read("[Settings]\nmetric=yes\nzones=1 2 3 4 5\n[Bluetooth]\nStraps=a")
        let changes = ConfigurationDiff(from: Configuration(), to: new)
        #expect(changes.settings == [.metric, .zones] && changes.later == ["Straps"])
        #expect(
            ConfigurationDiff(from: new, to: new) == ConfigurationDiff(from: Configuration(), to: Configuration())
        )
    }
}
