import Adapters
import Linux
import Outputs
import TestKit
import Testing

@testable import Daemon

@Suite struct ConfigurationTests {
    private func read(_ text: String) throws -> Configuration {
        let directory = try TemporaryDirectory()
        try WholeFile(directory("paced.conf")).replace(with: Array(text.utf8))
        do {
            return try Configuration.read(directory("paced.conf"))
        } catch {
            throw Options.Misuse(line: error.line.replacing(directory.path + "/", with: ""))
        }
    }

    @Test func anEmptyFileLeavesTheDefaults() throws {
        let configuration = try read("# nothing\n")
        #expect(configuration == Configuration())
        #expect(configuration.syncSeconds == nil)
        #expect(configuration.resumeMinutes == 15)
        #expect(configuration.exportAtStop == [.fit])
        #expect(configuration.exportDirectory == nil)
    }

    @Test func everyKeyIsTakenOver() throws {
        let configuration = try read(
            """
            [Recording]
            SyncSeconds=5
            ResumeMinutes=0
            ExportAtStop=gpx fit, gpx
            ExportDirectory=/srv/runs
            """)
        #expect(configuration.syncSeconds == 5)
        #expect(configuration.resumeMinutes == 0)
        #expect(configuration.exportAtStop == [.gpx, .fit])
        #expect(configuration.exportDirectory == "/srv/runs")
        #expect(try read("[Recording]\nExportAtStop=\n").exportAtStop == [])
    }

    @Test(arguments: [
        ("[Recording]\nSyncSeconds=0", "paced.conf:2: SyncSeconds takes a whole number from 1 to 60"),
        ("[Recording]\nSyncSeconds=soon", "paced.conf:2: SyncSeconds takes a whole number from 1 to 60"),
        ("[Recording]\n\nResumeMinutes=1441", "paced.conf:3: ResumeMinutes takes a whole number from 0 to 1440"),
        (
            "[Recording]\nExportAtStop=pdf",
            "paced.conf:2: ExportAtStop takes any of fit gpx tcx geojson kml csv, or nothing"
        ),
        ("[Recording]\nExportDirectory=runs", "paced.conf:2: ExportDirectory takes a path that begins with /"),
        ("[Recording]\nSyncSecond=1", "paced.conf:2: there is no key SyncSecond in [Recording]"),
        ("[Recorder]\nSyncSeconds=1", "paced.conf:2: there is no section [Recorder]; [Recording] is one"),
        ("SyncSeconds=1", "paced.conf:1: SyncSeconds stands in no section; [Recording] is one"),
    ])
    func whatIsWrongIsSaidWithFileAndLine(text: String, complaint: String) {
        #expect(throws: Options.Misuse(line: complaint)) { try read(text) }
    }

    @Test func aFileThatWasAskedForMustBeThere() {
        #expect(throws: Options.Misuse(line: "there is no file /nowhere/a; give --config another, or leave it away")) {
            try Configuration.read("/nowhere/a")
        }
    }
}
