import Domain
import Foundation
import Pipeline
import Testing

/// Lengths that GeographicLib gives; `Tools/geodesic-vectors.py` wrote them.
@Suite struct GeodesicTests {
    @Test func distanceIsThatOfTheEllipsoidEverywhere() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Geodesic/vectors.csv")
        let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline).dropFirst()
        try #require(lines.count > 2000)
        for line in lines {
            let fields = line.split(separator: ",")
            let numbers = fields.dropFirst().compactMap { Double($0) }
            try #require(numbers.count == 5)
            let from = Coordinate(latitude: numbers[0], longitude: numbers[1])
            let to = Coordinate(latitude: numbers[2], longitude: numbers[3])
            let bound = numbers[4] <= 1000 ? max(1e-6 * numbers[4], 1e-6) : 1e-6 * numbers[4]
            #expect(abs(from.metres(to: to) - numbers[4]) <= bound, "\(line)")
            #expect(abs(to.metres(to: from) - numbers[4]) <= bound, "\(line)")
        }
    }

    @Test func aPointIsNowhereFromItself() {
        let point = Coordinate(latitude: 52.5, longitude: 13.4)
        #expect(point.metres(to: point) == 0)
    }
}
