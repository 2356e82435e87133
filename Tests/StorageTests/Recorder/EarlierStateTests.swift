import Domain
import Formats
import Foundation
import JSONCoding
import JournalCoding
import Linux
import Pipeline
import SQLite
import Sensors
import Storage
import TestKit
import Testing
import Wire

/// The present programs read the state directory that commit 68d19db left (`Tests/Data/state-68d19db/README`).
struct EarlierStateTests {
    private let directory: TemporaryDirectory
    private static let source = GpsdLog("state-68d19db").path

    init() throws {
        directory = TemporaryDirectory()
        for name in ["journal.sqlite", "journal.sqlite-wal", "straps.json"] {
            try FileManager.default.copyItem(atPath: Self.source + "/" + name, toPath: directory.path + "/" + name)
        }
    }

    /// A decoded entry is encoded with the same words. Later releases have added members: the filter's `lead`,
    /// the sensors, and what a user has measured.
    @Test func entriesOfAnEarlierReleaseEncodeUnchanged() throws {
        let database = try SQLiteDatabase(directory.path + "/journal.sqlite", .writing)
        let statement = try database.prepare("SELECT kind, value FROM input")
        var kinds: Set<String> = []
        while try statement.step() {
            let (name, text) = (try #require(statement.text(0)), try #require(statement.text(1)))
            let kind = try InputLogEntry.Kind(name: name, json: JSON(parsing: text.utf8))
            var writer = JSONWriter()
            writer.entry(kind)
            let written = [
                #","lead":0"#, #","max_heart_rate":0,"resting_heart_rate":0,"age":0,"weight_kg":0"#, #","sensors":[]"#,
                #","auto_pause":[]"#,
                #","ftp":0,"wheel_mm":0,"stride_permille":0,"#
                    + #""climb_score":3500,"climb_laps":false,"record_all_sensors":false,"alerts":[],"workout":[]"#,
            ]
            .reduce(String(decoding: writer.bytes, as: UTF8.self)) { $0.replacing($1, with: "") }
            // `components` are read as `screens`.
            #expect(try Self.withoutScreens(written) == Self.withoutScreens(text))
            #expect(kind.name == name)
            kinds.insert(name)
        }
        #expect(kinds == ["beginning", "command", "heart link"])
    }

    private static func withoutScreens(_ text: String) throws -> JSON {
        let json = try JSON(parsing: text.utf8)
        guard case .object(var members) = json, case .object(var settings) = members["settings"] else { return json }
        settings["components"] = nil
        settings["screens"] = nil
        members["settings"] = .object(settings)
        return .object(members)
    }

    @Test func openActivityOfAnEarlierReleaseHasItsEntries() throws {
        let reader = try JournalReader(in: directory.path)
        var reasons: [LinkReason?] = []
        var faults: [FaultName] = []
        try reader.entries(of: 4) { entry in
            if case .input(.heartLink(let status)) = entry.kind { reasons.append(status.reason) }
            if case .snapshot(let beginning) = entry.kind { faults += beginning.faults.map(\.name) }
        }
        #expect(reasons == [.outOfRange, .outOfRange, .inUse, .inUse, .inUse, .inUse, .inUse])
        #expect(faults == [.exportFailed])
    }

    /// Their first entries name no rules.
    @Test(arguments: [1, 2])
    func runOfAnEarlierReleaseReplaysToItsTotals(activity: Int) throws {
        let reader = try JournalReader(in: directory.path)
        let stored = try #require(try reader.recording(activity)).total
        var replay: Replay?
        var summary: ActivitySummary?
        try reader.entries(of: activity) { entry in
            if case .snapshot(let snapshot) = entry.kind, replay == nil {
                #expect(snapshot.rules == .first)
                replay = Replay(snapshot)
                return
            }
            replay?.apply(entry) { _, effects in
                for case .event(let event) in effects.outputs {
                    if case .stop(let stopped) = event.kind { summary = stopped }
                }
            }
        }
        let total = try #require(summary).total
        #expect(
            total.elapsedMilliseconds == stored.elapsedMilliseconds && total.distanceMetres == stored.distanceMetres)
        #expect(total.maximumHeartRate == stored.maximumHeartRate && total.averageHeartRate == stored.averageHeartRate)
    }

    @Test func settingsOfAnEarlierReleaseEncodeUnchanged() throws {
        let kept = try JournalReader(in: directory.path).settings()
        #expect(
            kept.map(\.name) == [
                "auto_lap_m", "components", "metric", "sport", "straps", "use_heart_rate_zones", "zones",
            ])
        var settings = Settings()
        for setting in kept {
            // `components` is converted by UserSettings.
            guard setting.name != Screens.formerName else { continue }
            let key = try #require(SettingKey(token: setting.name))
            try SettingChange(stored: key, JSON(parsing: setting.value.utf8)).apply(to: &settings)
            var writer = JSONWriter()
            writer.stored(key, of: settings)
            #expect(String(decoding: writer.bytes, as: UTF8.self) == setting.value)
        }
        #expect(settings.sport == .hike && settings.autoLapMetres == 20 && settings.sensors == ["9AD13824"])
    }

    @Test func strapsAndKeysOfAnEarlierReleaseAreKept() throws {
        let former = directory.path + "/straps.json"
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: former)
        let file = SensorStoreFile(in: directory.path)
        let before = FileManager.default.contents(atPath: former)
        // Where the directory cannot be written, and where it can.
        let (list, trouble) = file.read()
        try file.adoptFormerFile()
        #expect(file.read() == (list, nil) && trouble == nil)
        #expect(list.remembered.map(\.name?.text) == ["Polar H10 9AD13824"])
        #expect(list.keys.map(\.device.description) == ["C0:9E:1A:00:00:02/random"])
        #expect(!FileManager.default.fileExists(atPath: former))
        try file.write(list)
        #expect(FileManager.default.contents(atPath: file.path) == before)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    /// Inserts the columns of the climb before the last one.
    private static func withClimb(_ csv: [UInt8]) -> [UInt8] {
        let lines = String(decoding: csv, as: UTF8.self).components(separatedBy: "\r\n")
        let wider = lines.enumerated().map { index, line -> String in
            guard let comma = line.lastIndex(of: ",") else { return line }
            let columns = index == 0 ? ",ascent_m,descent_m,grade_percent,vertical_mps" : ",,,,"
            return line[..<comma] + columns + line[comma...]
        }
        return Array(wider.joined(separator: "\r\n").utf8)
    }

    @Test(arguments: ExportFormat.allCases)
    func exportsOfAnEarlierReleaseAreUnchanged(format: ExportFormat) throws {
        let reader = try JournalReader(in: directory.path)
        for id in 1...3 {
            let recording = try #require(try reader.recording(id))
            var bytes: [UInt8] = []
            _ = try format.write(
                recording, rows: reader.rows(of: id), origin: ExportMetadata(serialNumber: 2_033_359_802)
            ) { piece in
                piece.withUnsafeBytes { bytes += Array($0) }
            }
            let name = Self.source + "/exports/\(id).\(format)"
            var expected = [UInt8](try #require(FileManager.default.contents(atPath: name)))
            if format == .csv { expected = Self.withClimb(expected) }
            guard Release.version != "0.1.0", format == .fit || format == .tcx else {
                #expect(bytes == expected, "\(name)")
                continue
            }
            // These two contain the release: in FIT two fields of 16 bits and the checksum differ.
            #expect(bytes.count == expected.count && zip(bytes, expected).count { $0 != $1 } <= 6, "\(name)")
        }
    }

    /// The former names of the wire, in the order of a line, and the present ones.
    private static let names: KeyValuePairs<String, String> = [
        #","event":"link","of":"heart","link":"disconnected","reason":"elsewhere"}"#:
            #","event":"link","link_of":"heart","link":"disconnected","reason":"in-use"}"#,
        #","event":"link","of":"heart","link":"disconnected","reason":"choose"}"#:
            #","event":"link","link_of":"heart","link":"disconnected","reason":"ambiguous"}"#,
        #","event":"link","of":"heart","link":"disconnected","reason":"resting"}"#:
            #","event":"link","link_of":"heart","link":"disconnected","reason":"off-body"}"#,
        #","event":"start","sport":"run","back_ms":5}"#: #","event":"start","sport":"run","ago_ms":5}"#,
        #","event":"gap","cause":"sleep","seconds":2,"metres":3,"counted":true}"#:
            #","event":"gap","cause":"sleep","gap_s":2,"distance_m":3,"counted":true}"#,
        #","event":"stop","summary":{"id":1,"heart_average_bpm":1,"heart_maximum_bpm":2}}"#:
            #","event":"stop","summary":{"id":1,"average_bpm":1,"max_bpm":2}}"#,
        #","event":"lap","lap":{"distance_m":1,"average_bpm":1,"max_bpm":2}}"#:
            #","event":"lap","lap":{"distance_m":1,"average_bpm":1,"max_bpm":2}}"#,
        #","event":"fault","fault":"battery empty","raised":true}"#:
            #","event":"fault","fault":"battery-empty","active":true}"#,
        #","event":"fault","fault":"battery low","raised":true}"#:
            #","event":"fault","fault":"battery-low","active":true}"#,
        #","event":"fault","fault":"elsewhere","raised":true}"#: #","event":"fault","fault":"in-use","active":true}"#,
        #","event":"fault","fault":"event flood","raised":true}"#:
            #","event":"fault","fault":"event-flood","active":true}"#,
        #","event":"fault","fault":"export failed","raised":false}"#:
            #","event":"fault","fault":"export-failed","active":false}"#,
        #","event":"fault","fault":"flood","raised":true}"#: #","event":"fault","fault":"strap-flood","active":true}"#,
        #","event":"fault","fault":"gpsd flood","raised":true}"#:
            #","event":"fault","fault":"gpsd-flood","active":true}"#,
        #","event":"fault","fault":"needs-pairing","raised":true}"#:
            #","event":"fault","fault":"needs-pairing","active":true}"#,
        #","event":"fault","fault":"position refused","raised":true}"#:
            #","event":"fault","fault":"position-rejected","active":true}"#,
        // Names and messages are not converted.
        #","event":"link","of":"heart","link":"connected","name":",\"of\":\"reason\":\"elsewhere\""}"#:
            #","event":"link","link_of":"heart","link":"connected","name":",\"of\":\"reason\":\"elsewhere\""}"#,
    ]

    @Test func storedEventsAreMigratedToTheNewNames() throws {
        let place = TemporaryDirectory()
        let path = place.path + "/journal.sqlite"
        let database = try SQLiteDatabase(path, .writing)
        try JournalSchema.migrate(database, steps: Array(JournalSchema.steps.prefix(4)))
        for (index, line) in Self.names.map(\.key).enumerated() {
            try database.prepare("INSERT INTO event VALUES (?, NULL, 0, ?)")
                .run(index + 7, #"{"class":"EVENT","seq":\#(index + 7)"# + line + "\n")
        }
        let expected = Self.names.enumerated().map { index, line in
            #"{"class":"EVENT","seq":\#(index + 7)"# + line.value + "\n"
        }
        func lines() throws -> [String] {
            try JournalReader(in: place.path).events(limit: 100).map { String(decoding: $0.line, as: UTF8.self) }
        }
        // Where the journal cannot be written, and where it can.
        #expect(try lines() == expected)
        try JournalSchema.migrate(database)
        #expect(try database.integer("SELECT count(*) FROM event WHERE line LIKE '%\"of\":\"heart%'") == 0)
        #expect(try lines() == expected)
        #expect(try database.integer("SELECT max(seq) FROM event") == Int64(expected.count + 6))
    }
}
