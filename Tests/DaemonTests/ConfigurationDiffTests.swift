import Daemon
import Domain
import Linux
import Pipeline
import Program
import Sensors
import Testing

@Suite struct ConfigurationDiffTests {
    private func read(_ text: String) throws -> Configuration {
        try Configuration(ConfigurationFile.read(Array(text.utf8), path: "paced.conf"))
    }

    /// A value of each key that is not its default.
    private static let values = [
        "SyncIntervalSec": "3", "ResumeLimitSec": "3", "ExportAtStop": "gpx", "ExportDirectory": "/srv",
        "AutoStart": "yes",
        "Gpsd": "off", "Backend": "off", "Adapter": "hci1", "Sensors": "off", "Barometer": "off",
        "MaxStateClients": "3", "MaxStateClientsPerUser": "3", "MaxControlClients": "3",
        "MaxControlClientsPerUser": "3", "WarnAtPercent": "3", "CloseAtPercent": "3",
    ]

    @Test(arguments: Configuration.table.keys.filter { !["Settings", "Panel"].contains($0.section) }.map(\.name))
    func changedKeyIsReportedWithTheTimeOfItsEffect(name: String) throws {
        let key = try #require(Configuration.table.keys.first { $0.name == name })
        let value = try #require(Self.values[name])
        let new = try read("[\(key.section)]\n\(name)=\(value)")
        let changes = ConfigurationDiff(from: Configuration(), to: new)
        #expect(changes.now == (key.effect == .reload ? [name] : []))
        #expect(changes.later == (key.effect == .start ? [name] : []))
        var inForce = Configuration()
        inForce.adoptLiveKeys(from: new)
        // A key that waits for the next start is reported each time.
        #expect(ConfigurationDiff(from: inForce, to: new).later == changes.later)
        #expect(ConfigurationDiff(from: inForce, to: new).now == [])
    }

    @Test func changedSettingsAreReportedByKey() throws {
        let new = try read("[Settings]\nmetric=yes\nzones=1 2 3 4 5\n[Bluetooth]\nSensors=a")
        let changes = ConfigurationDiff(from: Configuration(), to: new)
        #expect(changes.settings == [.metric, .zones] && changes.later == ["Sensors"])
        #expect(
            ConfigurationDiff(from: new, to: new) == ConfigurationDiff(from: Configuration(), to: Configuration())
        )
    }
}
