import Domain
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
            #expect(home.allSatisfy { $0 > 80 })
        }
        let centre = circle(of: points)
        let distance = (centre.x * centre.x + centre.y * centre.y).squareRoot()
        #expect(distance > 50)
    }

    @Test func hiddenSamplesHaveNoPlaceAndDistancesCountVisibleParts() throws {
        var random = SeededRandom(seed: 1)
        let home = Coordinate(latitude: 52, longitude: 13)
        let rows = RowList(run(from: home, towards: 1, &random))
        let hidden = try HiddenRows(rows, HiddenPlaces(rows, radius: 200, hash: hash([1])))
        let all = try samples(hidden)
        #expect(all.count == 1000 && all.first?.coordinate == nil && all.last?.coordinate == nil)
        for sample in all where sample.coordinate == nil {
            #expect(sample.altitude == nil && sample.speed == nil && sample.distanceMetres == nil)
        }
        let visible = all.filter { $0.coordinate != nil }
        #expect(visible.first?.distanceMetres == 0)
        let metres = 4 * Double(visible.count - 1)
        let hiddenMetres = hidden.hiddenMetres.reduce(0, +)
        #expect(visible.last?.distanceMetres == metres)
        #expect(hiddenMetres == 3996 - metres)
    }

    @Test func partsOfTheRowsAreThoseOfTheWhole() throws {
        var random = SeededRandom(seed: 2)
        let rows = RowList(run(from: Coordinate(latitude: -33, longitude: 179.9999), towards: 2, &random))
        let hidden = try HiddenRows(rows, HiddenPlaces(rows, radius: 300, hash: hash([2])))
        let all = try samples(hidden)
        for (from, to) in [(0, 10), (490, 520), (600, 990), (980, 999)] {
            let part = try samples(hidden, in: Int64(from) * 1000...Int64(to) * 1000)
            #expect(part == Array(all[from...to]))
        }
    }

    @Test func activityInsideTheCircleHasNoPosition() throws {
        var random = SeededRandom(seed: 3)
        let rows = RowList(Array(run(from: Coordinate(latitude: 10, longitude: 10), towards: 2, &random).prefix(20)))
        let hidden = try HiddenRows(rows, HiddenPlaces(rows, radius: 200, hash: hash([3])))
        #expect(try samples(hidden).allSatisfy { $0.coordinate == nil && $0.distanceMetres == nil })
    }

    @Test func activityWithoutPositionsIsUnchanged() throws {
        var rows = try SyntheticRecording.run(seed: 3).rows
        for index in rows.indices { rows[index].removePosition() }
        let list = RowList(rows)
        let hidden = try HiddenRows(list, HiddenPlaces(list, radius: 200, hash: hash([4])))
        #expect(!hidden.hasPositions)
        #expect(try samples(hidden) == samples(list))
    }
}
