import Domain
import Foundation
import Linux
import Pipeline
import SQLite
import Storage
import TestKit
import Testing
import Wire

struct JournalTests {
    private let stage: JournalFixture

    init() throws {
        stage = try JournalFixture()
    }

    @Test func writtenEntriesAndRowsAreReadInOrder() throws {
        stage.begin()
        stage.record(450)
        stage.end()
        #expect(try stage.entries(of: 1) == (0..<450).map(stage.run.entry))
        #expect(try stage.rows(of: 1) == (0..<450).map(stage.run.row))
        let summary = try #require(try stage.reader().summary(of: 1))
        #expect(
            !summary.isOpen && summary.total.elapsedMilliseconds == 225_000 && summary.started == SyntheticRun.began)
        #expect(stage.journal.status(at: stage.clock.now).state == .writing)
    }

    @Test func rowsOfARangeAreFound() throws {
        stage.begin()
        stage.record(300)
        for (low, high) in [(0, 0), (1, 499), (500, 500), (70_000, 80_250), (149_500, 149_500), (149_501, 1 << 40)] {
            let range = Int64(low)...Int64(high)
            let expected = (0..<300).map(stage.run.row).filter { range.contains(Self.moment(of: $0)) }
            #expect(try stage.rows(of: 1, in: range) == expected, "\(range)")
        }
    }

    private static func moment(of row: RecordingRow) -> Int64 {
        row.at
    }

    @Test func everyKindOfRowSurvivesStorage() throws {
        var sample = RecordingSample(at: 5000, elapsedMilliseconds: 4000)
        (sample.cadence, sample.power, sample.temperature) = (90, 65_534, -127)
        let rows: [RecordingRow] = [
            .begin(at: 0, .outage), .end(at: 1000, .auto), .begin(at: 2000, .command), .lap(at: 3000, .distance),
            .segment(at: 4000), .sample(sample), .sample(RecordingSample(at: 6000, elapsedMilliseconds: 5000)),
            .autoPause(at: 6000, elapsedMilliseconds: 2000), .autoResume(at: 6000, elapsedMilliseconds: 5000),
            .beats(at: 6000, rr: [], gap: true), .beats(at: 6000, rr: [0, 65_535], gap: false),
        ]
        stage.begin()
        for row in rows { stage.journal.write(row, at: stage.clock.now) }
        stage.turn()
        #expect(try stage.rows(of: 1) == rows)
    }

    @Test func listsAreNewestFirstAndPaged() throws {
        for _ in 0..<5 {
            stage.begin()
            stage.record(2)
            stage.end()
        }
        let reader = try stage.reader()
        #expect(try reader.list(limit: 2).map(\.id) == [5, 4])
        #expect(try reader.list(limit: 2, before: 4).map(\.id) == [3, 2])
        #expect(try reader.list(limit: 100, before: 2).map(\.id) == [1])
        #expect(try reader.summary(of: 6) == nil && reader.recording(6) == nil)
    }

    @Test func lapsZonesStrapAndNameSurviveStorage() throws {
        stage.begin()
        stage.record(10)
        var recording = stage.run.recording(after: 10)
        recording.name = nil
        recording.zones = try Zones([100, 120, 140, 160, 180])
        recording.zoneMilliseconds = [0, 1, 2, 3, 4, 4990]
        recording.total.averageHeartRate = 147.25
        recording.total.maximumHeartRate = 156
        recording.total.maximumSpeed = 3.75
        var strap = RecordingSensor([.heartRate])
        strap.address = BluetoothAddress(value: 0xA09E_1A00_0001)
        strap.name = SanitizedText("Polar H10 \"1\"")
        strap.batteryPercent = 80
        var meter = RecordingSensor([.cyclingSpeedCadence, .cyclingPower])
        meter.model = SanitizedText("Assioma")
        meter.firmware = SanitizedText("4.25")
        meter.serialNumber = SanitizedText("17")
        recording.sensors = [strap, meter]
        recording.total.averagePower = 212.5
        recording.total.maximumPower = 812
        recording.total.normalizedPower = 231.125
        recording.total.workJoules = 123_456
        recording.total.averageCadence = 84.5
        recording.total.maximumCadence = 121
        recording.total.energyKilocalories = 812.75
        recording.total.trainingImpulse = 92.5
        recording.total.gradeAdjustedPace = 0.28125
        recording.total.powerZones = ZoneTimes(milliseconds: [0, 1000, 2000])
        let lap = recording.total
        recording.total.bestPowers[0] = 700.25
        recording.total.bestPowers[9] = 200
        recording.laps = (0..<3).map {
            RecordingLap(
                trigger: $0 < 2 ? .distance : nil, beganAt: Int64($0) * 1000, endedAt: Int64($0 + 1) * 1000,
                figures: lap)
        }
        stage.journal.update(recording, gaps: 2, at: stage.clock.now)
        stage.turn()
        recording.laps[2].endedAt = 4000
        stage.journal.end(recording, gaps: 3, at: stage.clock.now)
        stage.turn()
        #expect(try stage.reader().recording(1) == recording)
        #expect(try stage.reader().summary(of: 1)?.gaps == 3 && stage.reader().summary(of: 1)?.laps == 3)
        stage.journal.append(.edit(activity: 1, .hike, SanitizedText("Up there")), at: stage.clock.now)
        stage.turn()
        let edited = try #require(try stage.reader().recording(1))
        #expect(edited.sport == .hike && edited.name?.text == "Up there" && edited.laps == recording.laps)
    }

    @Test func deletedActivityLeavesNoBytesInTheFiles() throws {
        let secret = "/dev/secret-receiver"
        let name = "Zanzibar 4711"
        stage.begin()
        stage.record(20)
        // Coordinates of no other activity, as SQLite stores them.
        let (latitude, longitude) = (-33.856784123, 151.215296456)
        let coordinates = [latitude, longitude].map { withUnsafeBytes(of: $0.bitPattern.bigEndian) { Data($0) } }
        for place in 0..<2000 {
            var fix = Fix(arrivedAt: stage.clock.now, mode: 3, latitude: latitude, longitude: longitude)
            fix.device = SanitizedText(secret)
            stage.journal.write(InputLogEntry(at: stage.clock.now, .input(.fix(fix))), at: stage.clock.now)
            if place % 100 == 0 { stage.turn() }
        }
        stage.end()
        stage.begin()
        stage.record(5)
        stage.journal.append(.edit(activity: 1, nil, SanitizedText(name)), at: stage.clock.now)
        stage.turn()
        for text in [secret, name] { #expect(try stage.holds(text), "\(text)") }
        for bytes in coordinates { #expect(try stage.holds(bytes)) }
        stage.journal.delete(1, at: stage.clock.now)
        stage.turn()
        #expect(try stage.reader().list(limit: 10).map(\.id) == [2])
        // 500 rows are erased at a time.
        for _ in 0..<30 { stage.turn() }
        for text in [secret, name] { #expect(try !stage.holds(text), "\(text)") }
        for bytes in coordinates { #expect(try !stage.holds(bytes)) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: stage.path + "-wal")).isEmpty)
        for table in ["location", "heart", "input", "record", "part", "lap", "condemned"] {
            let condition =
                ["part", "lap"].contains(table)
                ? "WHERE activity = 1" : table == "condemned" ? "" : "WHERE key < 2 << 32"
            #expect(try stage.database().integer("SELECT count(*) FROM \(table) \(condition)") == 0, "\(table)")
        }
        #expect(try stage.entries(of: 2) == (0..<5).map(stage.run.entry))
    }

    @Test func replacedNameLeavesNoBytesInTheFiles() throws {
        stage.begin()
        stage.record(5)
        stage.end()
        for name in ["Zanzibar 4711", "Elsewhere"] {
            stage.journal.append(.edit(activity: 1, nil, SanitizedText(name)), at: stage.clock.now)
            stage.turn()
        }
        stage.turn()
        #expect(try stage.holds("Elsewhere") && !stage.holds("Zanzibar 4711"))
    }

    /// The kill comes after the rows are erased, and before the write-ahead log is truncated.
    @Test func deletedDataLeftInTheWALIsErasedAtTheNextStart() throws {
        stage.begin()
        stage.record(5)
        stage.end()
        stage.journal.append(.edit(activity: 1, nil, SanitizedText("Zanzibar 4711")), at: stage.clock.now)
        stage.turn()
        let reader = try SQLiteDatabase(stage.path, .reading)
        let statement = try reader.prepare("SELECT key FROM record")
        #expect(try statement.step())
        stage.journal.delete(1, at: stage.clock.now)
        // A reader with an open statement prevents the truncation of the log.
        for _ in 0..<10 { stage.turn() }
        #expect(try stage.holds("Zanzibar 4711"))
        statement.reset()
        try stage.restart()
        for _ in 0..<3 { stage.turn() }
        #expect(try !stage.holds("Zanzibar 4711"))
    }

    @Test func activityNumbersAreNeverReused() throws {
        stage.begin()
        stage.record(2)
        #expect(stage.journal.nextActivity == 2)
        stage.journal.delete(1, at: stage.clock.now)
        for _ in 0..<5 { stage.turn() }
        #expect(try stage.restart().nextActivity == 2)
        let imported = try JournalImport(in: stage.directory.path, at: SyntheticRun.began)
        try imported.write(.begin(at: 0, .command))
        #expect(try imported.finish(stage.run.recording, gaps: 0) == 2)
        #expect(try stage.restart().nextActivity == 3)
        stage.begin()
        stage.turn()
        #expect(stage.run.activity == 3 && stage.journal.nextActivity == 4)
    }

    @Test func importKeepsItsUUIDAndNoOtherGetsIt() throws {
        let uuid = Domain.UUID.new(at: nil)
        stage.begin()
        stage.record(2)
        stage.end()
        func importing(_ uuid: Domain.UUID?, replaces replaced: Int? = nil) throws -> Int {
            let journal = try JournalImport(in: stage.directory.path, at: SyntheticRun.began)
            try journal.write(.begin(at: 0, .command))
            var recording = stage.run.recording
            recording.uuid = uuid
            return try journal.finish(recording, gaps: 0, replaces: replaced)
        }
        let reader = try JournalReader(in: stage.directory.path)
        let first = try importing(uuid)
        #expect(try reader.summary(of: first)?.uuid == uuid)
        #expect(try reader.activity(uuid) == first)
        #expect(throws: SQLiteError.self) { try importing(uuid) }
        let second = try importing(nil)
        let other = try #require(try reader.summary(of: second)?.uuid)
        #expect(other != uuid)
        // A file without a uuid takes that of the activity that it replaces, and its number.
        #expect(try importing(nil, replaces: second) == second)
        #expect(try reader.summary(of: second)?.uuid == other)
        #expect(try importing(uuid, replaces: first) == first)
        #expect(throws: SQLiteError.self) { try importing(uuid, replaces: second) }
        #expect(try reader.list(limit: 10).count == 3)
    }

    @Test func recordedActivityIsReplacedByAFileOfItsUUIDOnly() throws {
        stage.begin()
        stage.record(20)
        stage.end()
        let reader = try JournalReader(in: stage.directory.path)
        let uuid = try #require(try reader.summary(of: 1)?.uuid)
        for (name, number) in [(Domain.UUID.new(at: nil), 2), (uuid, 1)] {
            let journal = try JournalImport(in: stage.directory.path, at: SyntheticRun.began)
            try journal.write(.begin(at: 0, .command))
            var recording = stage.run.recording
            recording.uuid = name
            #expect(try journal.finish(recording, gaps: 0, replaces: 1) == number)
        }
        #expect(try stage.entries(of: 1).isEmpty)
        #expect(try reader.isImported(1) && reader.summary(of: 1)?.uuid == uuid)
    }

    @Test func lastThousandEventsAreKeptAcrossARestart() throws {
        for sequence in 1...1234 {
            let line = Array("{\"seq\":\(sequence)}\n".utf8)
            stage.journal.append(
                .event(sequence: sequence, activity: nil, at: stage.clock.now, line: line), at: stage.clock.now)
        }
        stage.turn()
        let events = try stage.restart().events
        #expect(events.map(\.sequence) == Array(201...1234))
        #expect(events.last?.line == Array("{\"seq\":1234}\n".utf8))
        #expect(try stage.database().integer("SELECT count(*) FROM event") ?? 0 <= 1100)
    }

    /// The event ring and the journal keep the same events of the run in progress.
    @Test func eventsOfTheRunAreKeptBesideTheLastThousand() throws {
        var ring = EventRing()
        func append(_ kind: Event.Kind, of activity: Int? = 7) {
            let event = Event(at: stage.clock.now, activity: activity, kind: kind)
            let sequence = ring.retained.upperBound
            stage.journal.append(
                .event(sequence: sequence, activity: activity, at: event.at, line: ring.append(event)), at: event.at)
        }
        let other = Event.Kind.fix(.fresh, mode: 3, after: .zero)
        append(.start(.run), of: 6)
        append(.lap(Totals(), number: 1, .command), of: 6)
        append(.start(.run))
        append(.pause(elapsedMilliseconds: 0, distanceMetres: 0, .command))
        append(.resume(elapsedMilliseconds: 0, distanceMetres: 0, .command))
        for number in 1...150 {
            append(.lap(Totals(), number: number, .command))
            append(other)
        }
        append(.start(.run, resumed: true))
        append(.start(.run, resumed: true))
        append(.pause(elapsedMilliseconds: 0, distanceMetres: 0, .command))
        while ring.retained.upperBound % 1000 != 1 || ring.retained.lowerBound < 400 { append(other) }
        stage.turn()
        let restored = EventRing(after: try stage.restart().events)
        #expect(restored.retained.upperBound == ring.retained.upperBound)
        var numbers: [Int] = []
        var number = 1
        while let next = ring.first(from: number) {
            #expect(restored.first(from: number) == next)
            #expect(restored[next] == ring[next])
            numbers.append(next)
            number = next + 1
        }
        #expect(numbers.prefix(1) == [3])
        #expect(numbers.count { $0 < ring.retained.lowerBound } == 103)
        #expect(try stage.database().integer("SELECT count(*) FROM event") == 1103)
        append(
            .discard(
                ActivitySummary(
                    id: 7, sport: .run, isOpen: false, started: nil, ended: nil, total: Totals(),
                    totalMilliseconds: 0, laps: 1, gaps: 0, isDemo: false)))
        for _ in 0..<200 { append(other, of: nil) }
        stage.turn()
        #expect(try stage.database().integer("SELECT min(seq) FROM event") ?? 0 > 1000)
    }
}

extension JournalFixture {
    /// Whether a file of the journal contains these bytes.
    func holds(_ text: String) throws -> Bool {
        try holds(Data(text.utf8))
    }

    func holds(_ bytes: Data) throws -> Bool {
        try ["", "-wal"].contains { ending in
            try Data(contentsOf: URL(fileURLWithPath: path + ending)).range(of: bytes) != nil
        }
    }
}
