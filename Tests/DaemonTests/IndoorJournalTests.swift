import Daemon
import Domain
import Formats
import Foundation
import JSONCoding
import Linux
import Pipeline
import Storage
import TestKit
import Testing
import Wire

/// The coordinates of a run, as a journal could store them.
private struct Coordinates {
    static let latitude = 52.512345678
    static let longitude = 13.412345678
    private(set) var values: [Double] = []

    mutating func fix(at now: Instant) -> Input {
        let moved = Double(values.count) * 1e-7
        let fix = Fix(
            arrivedAt: now, time: DaemonFixture.time(at: now), mode: 3, latitude: Self.latitude + moved,
            longitude: Self.longitude + moved, altitude: 71.8125 + moved, accuracy: 4, speed: 2.5)
        values += [Self.latitude + moved, Self.longitude + moved, 71.8125 + moved]
        return .fix(fix)
    }

    /// The coordinates that the data contains: as text, as doubles, and as semicircles of FIT.
    func found(in data: Data) -> [String] {
        let text = ["52.5123", "13.4123"].filter { data.range(of: Data($0.utf8)) != nil }
        let doubles = values.filter { value in
            let bytes = withUnsafeBytes(of: value.bitPattern.bigEndian) { Data($0) }
            return data.range(of: bytes) != nil || data.range(of: Data(bytes.reversed())) != nil
        }
        let semicircles = values.filter { value in
            let number = Int32(truncatingIfNeeded: Fit.semicircles(degrees: value))
            return value < 71 && data.range(of: withUnsafeBytes(of: number.littleEndian) { Data($0) }) != nil
        }
        return text + doubles.map { "\($0) as a double" } + semicircles.map { "\($0) in semicircles" }
    }
}

/// All bytes of the journal: database, write-ahead log and its index.
private func contents(of directory: String) -> Data {
    JournalFile.names.reduce(into: Data()) { data, name in
        if let file = FileManager.default.contents(atPath: directory + "/" + name) { data += file }
    }
}

private func export(_ format: ExportFormat, _ id: Int, of reader: JournalReader) throws -> Data {
    var bytes = Data()
    let recording = try #require(try reader.recording(id))
    _ = try format.write(recording, rows: reader.rows(of: id), origin: ExportMetadata(serialNumber: 1)) { piece in
        for index in piece.indices { bytes.append(piece[index]) }
    }
    return bytes
}

/// A run with fixes before its backdated start, a pause, a crash and a resume.
@Test(arguments: [true, false], [0, 20])
func journalOfAnIndoorRunHoldsNoCoordinate(isIndoor: Bool, ago: Int) throws {
    let temporary = TemporaryDirectory()
    let start = Instant(milliseconds: Clock.now().milliseconds)
    var coordinates = Coordinates()
    var stage = try DaemonFixture(in: temporary.path, at: start)
    func receive(_ seconds: ClosedRange<Int>) {
        for second in seconds {
            let now = start + .seconds(second)
            stage.receive(coordinates.fix(at: now), at: now)
            stage.receive(.heart(HeartRateMeasurement(beatsPerMinute: 120, rrIntervals: [512])), at: now)
        }
    }
    receive(1...40)
    try stage.perform(.start(.run, indoor: isIndoor, back: .seconds(ago)), at: start + .seconds(40))
    receive(41...50)
    try stage.perform(.lap, at: start + .seconds(50))
    try stage.perform(.pause, at: start + .seconds(50))
    receive(51...55)
    try stage.perform(.resume, at: start + .seconds(55))
    receive(56...60)
    try stage.end(at: nil)
    let now = start + .seconds(61)
    stage = try DaemonFixture(in: temporary.path, at: now)
    #expect(stage.state.run == .active)
    receive(62...70)
    try stage.perform(.stop, at: start + .seconds(70))
    try stage.end(at: start + .seconds(71))

    let reader = try JournalReader(in: temporary.path)
    #expect(try reader.recording(1)?.isIndoor == isIndoor)
    let found = coordinates.found(in: contents(of: temporary.path))
    let files = try ExportFormat.allCases.filter { coordinates.found(in: try export($0, 1, of: reader)).isEmpty }
    var moments: [Int64] = []
    try reader.rows(of: 1).each { moments.append($0.at) }
    #expect(moments == moments.sorted())
    #expect(moments.first == 0 && moments.last == Int64(ago + 30) * 1000)
    if isIndoor {
        #expect(found.isEmpty)
        #expect(files == ExportFormat.allCases)
    } else {
        // The search finds what is there.
        #expect(found.count > 50)
        #expect(files.isEmpty)
    }
}

/// Earlier releases recorded positions of indoor runs; imported files may have them.
@Test func positionsOfAnEarlierIndoorActivityAreNotRead() throws {
    let temporary = TemporaryDirectory()
    let file = try JournalImport(in: temporary.path, at: UTC(milliseconds: 0))
    try file.write(.begin(at: 0, .command))
    var coordinates = Coordinates()
    for second in 1...10 {
        guard case .fix(let fix) = coordinates.fix(at: Instant(milliseconds: 0)), let latitude = fix.latitude,
            let longitude = fix.longitude
        else { continue }
        var sample = RecordingSample(at: Int64(second) * 1000, elapsedMilliseconds: Int64(second) * 1000)
        sample.coordinate = Coordinate(latitude: latitude, longitude: longitude)
        sample.altitude = fix.altitude
        sample.heartRate = 120
        try file.write(.sample(sample))
    }
    try file.write(.end(at: 10_000, .command))
    var recording = RecordedActivity(sport: .run, started: Release.date)
    recording.isIndoor = true
    recording.totalMilliseconds = 10_000
    recording.total.elapsedMilliseconds = 10_000
    let id = try file.finish(recording, gaps: 0)
    let reader = try JournalReader(in: temporary.path)
    for format in ExportFormat.allCases {
        #expect(coordinates.found(in: try export(format, id, of: reader)).isEmpty, "\(format)")
    }
    var line = JSONWriter()
    line.track(try Track(Track.Request(activity: id), of: reader.rows(of: id)))
    let text = String(decoding: line.bytes, as: UTF8.self)
    #expect(coordinates.found(in: Data(line.bytes)).isEmpty)
    #expect(text.contains("120"))
}
