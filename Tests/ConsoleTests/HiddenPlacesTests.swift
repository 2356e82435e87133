import Console
import Domain
import Formats
import Glibc
import Privacy
import Report
import TestKit
import Testing

private let metresPerDegree = 111_195.0

/// A point some metres away from another one.
private func moved(_ from: Coordinate, east: Double, north: Double) -> Coordinate {
    Coordinate(
        latitude: from.latitude + north / metresPerDegree,
        longitude: from.longitude + east / metresPerDegree / cos(from.latitude * .pi / 180))
}

/// A run of 2 km straight away from a home, with the noise of a receiver at its start, and back the same way.
private func run(from home: Coordinate, towards angle: Double, _ random: inout SeededRandom) -> [RecordingRow] {
    let (east, north) = (random.normal() * 8, random.normal() * 8)
    return (0..<1000).map { second in
        var sample = RecordingSample(at: Int64(second) * 1000, elapsedMilliseconds: Int64(second) * 1000)
        let away = 4 * Double(second < 500 ? second : 999 - second)
        sample.coordinate = moved(home, east: east + away * sin(angle), north: north + away * cos(angle))
        sample.distanceMetres = 4 * Double(second)
        sample.altitude = 100
        sample.speed = 4
        sample.ascent = Double(second) / 16
        sample.descent = Double(second) / 32
        sample.heartRate = 150
        return .sample(sample)
    }
}

private func hash(_ key: [UInt8]) -> ([Int64]) -> (Double, Double) {
    let hash = KeyedHash(key: key)
    return { numbers in
        let bytes = numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        let value = hash.hash(of: bytes) ?? []
        return ((Double(value[0]) * 256 + Double(value[1])) / 65_535, Double(value[2]) / 255)
    }
}

private func samples(_ rows: some RecordingRows, in moments: ClosedRange<Int64> = 0...Int64.max) throws
    -> [RecordingSample]
{
    var samples: [RecordingSample] = []
    try rows.each(in: moments) { if case .sample(let sample) = $0 { samples.append(sample) } }
    return samples
}

/// The centre of the circle nearest to points, in metres east and north of a place: Kåsa's least squares.
private func circle(of points: [(x: Double, y: Double)]) -> (x: Double, y: Double) {
    // x² + y² = a x + b y + c.
    var rows = [[Double]](repeating: [0, 0, 0, 0], count: 3)
    for point in points {
        let (row, value) = ([point.x, point.y, 1], point.x * point.x + point.y * point.y)
        for i in 0..<3 {
            for j in 0..<3 { rows[i][j] += row[i] * row[j] }
            rows[i][3] += row[i] * value
        }
    }
    for i in 0..<3 {
        for j in 0..<3 where j != i {
            let factor = rows[j][i] / rows[i][i]
            for k in 0..<4 { rows[j][k] -= factor * rows[i][k] }
        }
    }
    return (rows[0][3] / rows[0][0] / 2, rows[1][3] / rows[1][1] / 2)
}

struct HiddenPlacesTests {
    @Test func hashIsHMACWithSHA256() {
        // RFC 4231, test case 2.
        let hash = KeyedHash(key: Array("Jefe".utf8)).hash(of: Array("what do ya want for nothing?".utf8))
        #expect(hash?.prefix(8) == [0x5B, 0xDC, 0xC1, 0x46, 0xBF, 0x60, 0x75, 0x4E])
        #expect(hash?.suffix(4) == [0x64, 0xEC, 0x38, 0x43])
    }

    /// Homes at random places: some lie on the edge of two cells.
    @Test(arguments: 0..<20)
    func circleThroughTheEndsOfFiftyRunsMissesTheirHome(number: Int) throws {
        var random = SeededRandom(seed: UInt64(number))
        let key = (0..<32).map { _ in UInt8(random.uniform() * 255) }
        let home = Coordinate(latitude: random.uniform() * 120 - 60, longitude: random.uniform() * 360 - 180)
        var points: [(x: Double, y: Double)] = []
        for _ in 0..<50 {
            let rows = RowList(run(from: home, towards: random.uniform() * 2 * .pi, &random))
            let hidden = try HiddenRows(rows, HiddenPlaces(rows, radius: 200, hash: hash(key)))
            let visible = try samples(hidden).compactMap(\.coordinate)
            for end in [visible.first, visible.last].compactMap(\.self) {
                var east = end.longitude - home.longitude
                east = east > 180 ? east - 360 : east < -180 ? east + 360 : east
                points.append(
                    (
                        east * metresPerDegree * cos(home.latitude * .pi / 180),
                        (end.latitude - home.latitude) * metresPerDegree
                    ))
            }
            let home = points.suffix(2).map { ($0.x * $0.x + $0.y * $0.y).squareRoot() }
            #expect(visible.count > 800)
            #expect(home.allSatisfy { $0 > 55 })
        }
        let centre = circle(of: points)
        let distance = (centre.x * centre.x + centre.y * centre.y).squareRoot()
        #expect(distance >= 100)
    }

    @Test func rowsBeginAndEndWithAVisiblePosition() throws {
        var random = SeededRandom(seed: 1)
        let home = Coordinate(latitude: 52, longitude: 13)
        let rows = RowList(run(from: home, towards: 1, &random))
        let places = try HiddenPlaces(rows, radius: 200, hash: hash([1]))
        let hidden = try HiddenRows(rows, places)
        let all = try samples(hidden)
        #expect(all.count > 800 && all.allSatisfy { !places.contains($0.coordinate!) })
        #expect(all.first?.at == 0 && all.first?.elapsedMilliseconds == 0 && all.first?.distanceMetres == 0)
        #expect(all.last?.at == hidden.length && all.last?.distanceMetres == 4 * Double(all.count - 1))
        #expect(hidden.start > 20_000)
    }

    /// A run that passes its home after 500 s.
    @Test func timerStandsStillInAHiddenPlaceOnTheWay() throws {
        var random = SeededRandom(seed: 5)
        let home = Coordinate(latitude: 48, longitude: 11)
        let (out, back) = (run(from: home, towards: 0, &random), run(from: home, towards: 2, &random))
        let rows = RowList(
            out
                + back.map { row in
                    guard case .sample(var sample) = row else { return row }
                    sample.at += 1_000_000
                    sample.elapsedMilliseconds += 1_000_000
                    sample.distanceMetres = (sample.distanceMetres ?? 0) + 4000
                    return .sample(sample)
                })
        let hidden = try HiddenRows(rows, HiddenPlaces(rows, radius: 200, hash: hash([1])))
        var timer: [RecordingRow] = []
        try hidden.each { row in
            switch row {
            case .begin, .end, .segment: timer.append(row)
            default: break
            }
        }
        #expect(timer.count == 5, "begin, end, begin, segment, end")
        let all = try samples(hidden)
        for (one, next) in zip(all, all.dropFirst()) {
            #expect(next.elapsedMilliseconds - one.elapsedMilliseconds <= 1000)
            #expect(next.distanceMetres! - one.distanceMetres! <= 4)
        }
    }

    @Test func partsOfTheRowsAreThoseOfTheWhole() throws {
        var random = SeededRandom(seed: 2)
        let rows = RowList(run(from: Coordinate(latitude: -33, longitude: -179.999), towards: 2, &random))
        let hidden = try HiddenRows(rows, HiddenPlaces(rows, radius: 300, hash: hash([2])))
        let all = try samples(hidden)
        for (from, to) in [(0, 10), (all.count / 2, all.count / 2 + 20), (all.count - 10, all.count - 1)] {
            let part = try samples(hidden, in: all[from].at...all[to].at)
            #expect(part == Array(all[from...to]))
        }
    }

    @Test func nothingIsLeftOfAnActivityInsideTheCircle() throws {
        var random = SeededRandom(seed: 3)
        let rows = RowList(Array(run(from: Coordinate(latitude: 10, longitude: 10), towards: 2, &random).prefix(5)))
        let hidden = try HiddenRows(rows, HiddenPlaces(rows, radius: 200, hash: hash([3])))
        #expect(try samples(hidden).isEmpty && hidden.length == nil)
        let recording = RecordedActivity(sport: .run, started: UTC(milliseconds: 0))
        #expect(throws: Failure.self) { try hidden.header(of: recording, hidden: 200) }
    }

    @Test func activityWithoutPositionsIsUnchanged() throws {
        var rows = try SyntheticRecording.run(seed: 3).rows
        for index in rows.indices { rows[index].removePosition() }
        let list = RowList(rows)
        let hidden = try HiddenRows(list, HiddenPlaces(list, radius: 200, hash: hash([4])))
        #expect(!hidden.hasPositions)
        #expect(try samples(hidden) == samples(list))
    }

    @Test func onlyMarksByHandOfWhollyVisibleLapsStay() throws {
        var random = SeededRandom(seed: 6)
        var rows = run(from: Coordinate(latitude: 48, longitude: 11), towards: 0, &random)
        let marks: [(second: Int, trigger: Event.Trigger)] = [
            (10, .command), (250, .distance), (300, .command), (400, .command), (500, .time), (990, .command),
        ]
        for (second, trigger) in marks.reversed() {
            rows.insert(.lap(at: Int64(second) * 1000, trigger), at: second + 1)
        }
        let list = RowList(rows)
        let hidden = try HiddenRows(list, HiddenPlaces(list, radius: 200, hash: hash([1])))
        #expect(hidden.marks.map { $0 + hidden.start } == [300_000, 400_000])
        let header = try hidden.header(of: RecordedActivity(sport: .run, started: UTC(milliseconds: 0)), hidden: 200)
        #expect(header.laps.count == 3)
        #expect(header.laps.map(\.beganAt) == [0] + hidden.marks)
        #expect(header.laps[1].figures.distanceMetres == 400 && header.laps[1].figures.elapsedMilliseconds == 100_000)
        #expect(header.laps.reduce(0) { $0 + $1.figures.distanceMetres } == header.total.distanceMetres)
        #expect(header.started.milliseconds == hidden.start)
    }

    /// What may tell something about a hidden place is in no file and in no page: they are equal, whatever happened there.
    @Test func filesAndPageDoNotDependOnWhatIsHidden() throws {
        var random = SeededRandom(seed: 7)
        let home = Coordinate(latitude: 48, longitude: 11)
        let rows = run(from: home, towards: 1, &random)
        let places = try HiddenPlaces(RowList(rows), radius: 200, hash: hash([1]))
        let first = Self.export(rows, places, hasStory: false)
        let other = Self.export(Self.rewritten(rows, places), places, hasStory: true)
        for (one, two) in try zip(first(), other()) {
            #expect(String(decoding: one, as: UTF8.self) == String(decoding: two, as: UTF8.self))
        }
    }

    /// The same visible rows after another beginning: 30 s longer, 300 m further, climbing, with a faster heart.
    private static func rewritten(_ rows: [RecordingRow], _ places: HiddenPlaces) -> [RecordingRow] {
        var wasVisible = false
        var changed: [RecordingRow] = []
        for (index, row) in rows.enumerated() {
            guard case .sample(var sample) = row else { continue }
            let isHidden = places.contains(sample.coordinate!)
            wasVisible = wasVisible || !isHidden
            if isHidden {
                sample.altitude = 100 + Double(index % 7)
                sample.heartRate = 190
                sample.power = 700
                sample.speed = 9
            }
            if wasVisible {
                sample.at += 30_000
                sample.elapsedMilliseconds += 30_000
                sample.distanceMetres? += 300
                sample.ascent? += 40
                sample.descent? += 10
            }
            changed.append(.sample(sample))
            if isHidden { changed.append(.beats(at: sample.at, rr: [700], gap: false)) }
        }
        return changed
    }

    /// The bytes of all formats and of the page.
    private static func export(_ rows: [RecordingRow], _ places: HiddenPlaces, hasStory: Bool) -> () throws -> [[UInt8]]
    {
        {
            var whole = RecordedActivity(
                sport: .run, started: UTC(milliseconds: 1_772_350_212_000 - (hasStory ? 30_000 : 0)))
            whole.zones = try Zones([100, 120, 140, 160, 180])
            if hasStory {
                whole.total.energyKilocalories = 321
                whole.total.trainingImpulse = 77
                whole.total.ascent = 400
                whole.sourceTotals = SourceTotals()
                whole.zoneMilliseconds = [1, 2, 3, 4, 5, 6]
            }
            let hidden = try HiddenRows(RowList(rows), places)
            let header = try hidden.header(of: whole, hidden: 200)
            let origin = ExportMetadata(serialNumber: 1)
            var files: [[UInt8]] = []
            for format in ExportFormat.allCases {
                var file: [UInt8] = []
                _ = try format.write(header, rows: hidden, origin: origin) { file += $0.withUnsafeBytes { Array($0) } }
                files.append(file)
            }
            var page = ReportPage(header, gaps: 0, metric: true, started: nil)
            page.hidden = 200
            files.append(try page.html(hidden))
            return files
        }
    }
}
