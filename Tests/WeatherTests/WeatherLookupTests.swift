import Domain
import Foundation
import TestKit
import Testing
import Weather

/// 2026-03-01 07:30 UTC.
let halfPastSeven = UTC(milliseconds: UTC(year: 2026, month: 3, day: 1).milliseconds + 27_000_000)

let berlin = Coordinate(latitude: 52.52, longitude: 13.405)

extension WeatherStation {
    /// A station at a distance north of Berlin.
    static func made(_ name: String, _ kilometres: Double, elevation: Double? = 40, hasForecast: Bool = false) -> Self {
        WeatherStation(
            name: name, latitude: berlin.latitude + kilometres / 111.195, longitude: berlin.longitude,
            elevation: elevation, hasForecast: hasForecast)!
    }
}

extension StationReport {
    static func made(_ station: WeatherStation, _ metar: String, taf: String? = nil) throws -> Self {
        StationReport(
            station: station, metar: try Metar(Array("\(station.name) \(metar)".utf8), receivedAt: halfPastSeven),
            taf: try taf.map { try Taf(Array("TAF \(station.name) \($0)".utf8), receivedAt: halfPastSeven) },
            metarText: metar, tafText: taf)
    }
}

extension Coordinate {
    /// The place at a distance, on a sphere of the mean radius.
    func moved(metres: Double, bearing: Double) -> Coordinate {
        let (angle, course, north) = (metres / 6_371_008.8, bearing * .pi / 180, latitude * .pi / 180)
        let end = asin(sin(north) * cos(angle) + cos(north) * sin(angle) * cos(course))
        let turn = atan2(sin(course) * sin(angle) * cos(north), cos(angle) - sin(north) * sin(end))
        let east = (longitude + turn * 180 / .pi + 540).truncatingRemainder(dividingBy: 360) - 180
        return Coordinate(latitude: end * 180 / .pi, longitude: east)
    }
}

@Suite struct WeatherLookupTests {
    private let eight = (0..<8).map { WeatherStation.made("EDA\($0)", 3 * Double($0) + 3) }

    @Test func asksTheEightNearestStationsAtOnce() {
        var lookup = WeatherLookup(at: berlin)
        #expect(lookup.step == .stations(GeographicBox(south: 52, west: 12, north: 53.5, east: 14.5)))
        lookup.receive([WeatherStation.made("EDFF", 40)] + eight.reversed())
        #expect(lookup.step == .reports(eight.map(\.name)))
    }

    @Test func searchesFartherIfFewStationsAreNear() {
        var lookup = WeatherLookup(at: berlin)
        lookup.receive([WeatherStation.made("EDFF", 20)])
        #expect(lookup.step == .stations(GeographicBox(south: 51.5, west: 11, north: 54, east: 15.5)))
        lookup.receive([
            WeatherStation.made("EDFF", 20), WeatherStation.made("EDFG", 99), WeatherStation.made("EDFH", 105),
        ])
        #expect(lookup.step == .reports(["EDFF", "EDFG"]))
    }

    @Test func asksTheNearestStationWithAForecastInThePlaceOfTheLastOne() {
        var lookup = WeatherLookup(at: berlin)
        lookup.receive(eight + [.made("EDFF", 40, hasForecast: true), .made("EDFG", 30, hasForecast: true)])
        #expect(lookup.step == .reports(eight.prefix(7).map(\.name) + ["EDFG"]))
    }

    @Test func asksNoOtherStationsIfNoneOfTheNearestHasReported() {
        var lookup = WeatherLookup(at: berlin)
        lookup.receive(eight + [.made("EDFF", 40)])
        lookup.receive([], at: halfPastSeven)
        #expect(lookup.step == .failed("none of the nearest 8 stations has a report of the last 90 min"))
    }

    /// The lists of a hostile service, each denser than the one before: all places of a cell ask for the same stations.
    @Test(arguments: [0.001, 0.01, 0.05, 0.3])
    func namesOfStationsTellTheCellOnly(spacing: Double) {
        var asked: Set<[String]> = []
        for north in [0.001, 0.03, 0.099] {
            for east in [0.001, 0.07, 0.099] {
                var lookup = WeatherLookup(at: Coordinate(latitude: 52.5 + north, longitude: 13.4 + east))
                var made: [WeatherStation] = []
                for row in -20..<20 {
                    for column in -20..<20 {
                        let name =
                            String(UnicodeScalar(UInt8(65 + (row + 20) / 10)))
                            + "\(100 + (row + 20) % 10 * 40 + column + 20)"
                        made += [
                            WeatherStation(
                                name: name, latitude: 52.55 + Double(row) * spacing,
                                longitude: 13.45 + Double(column) * spacing,
                                elevation: 40, hasForecast: false)
                        ].compactMap(\.self)
                    }
                }
                lookup.receive(made)
                if case .stations = lookup.step { lookup.receive(made) }
                guard case .reports(let names) = lookup.step else { continue }
                asked.insert(names)
            }
        }
        #expect(asked.count == 1)
    }

    @Test func stationsNearerThanTwoKilometresCountOnce() {
        var lookup = WeatherLookup(at: berlin)
        lookup.receive(eight + [.made("EDZZ", 4.5), .made("EDZY", 40)])
        #expect(lookup.step == .reports(eight.map(\.name)))
    }

    @Test func eightDifferentStationsAreAskedAnHour() {
        var budget = StationBudget()
        let names = (0..<12).map { "ED\($0)" }
        let start = Instant(milliseconds: 1000)
        #expect(budget.choose(Array(names.prefix(5)), at: start) == Array(names.prefix(5)))
        #expect(budget.choose(names, at: start + .seconds(10)) == Array(names.prefix(8)))
        #expect(budget.choose(Array(names.suffix(4)), at: start + .seconds(3600)).isEmpty)
        #expect(budget.choose(Array(names.suffix(4)), at: start + .seconds(3610)) == Array(names.suffix(4)))
    }

    @Test func saysThatNoStationIsNear() {
        var lookup = WeatherLookup(at: Coordinate(latitude: -25, longitude: 128))
        lookup.receive([])
        lookup.receive([WeatherStation.made("EDFF", 20)])
        #expect(lookup.step == .failed("no weather station within 100 km"))
    }

    @Test func doesNotUseAReportOfNinetyMinutesAgo() throws {
        var lookup = WeatherLookup(station: "EDDB")
        #expect(lookup.step == .reports(["EDDB"]))
        let station = WeatherStation.made("EDDB", 10)
        var other = lookup
        other.receive([try .made(station, "010601Z 24010KT 9999 10/08 Q1010")], at: halfPastSeven)
        guard case .found(let weather) = other.step else { throw ParseError(at: 0, expected: "weather") }
        #expect(weather.source.way.metres == 0)
        lookup.receive([try .made(station, "010600Z 24010KT 9999 10/08 Q1010")], at: halfPastSeven)
        #expect(lookup.step == .failed("EDDB has no report of the last 90 min"))
    }

    @Test func saysThatTheClockIsWrong() throws {
        var lookup = WeatherLookup(station: "EDDB")
        lookup.receive([try .made(.made("EDDB", 10), "010741Z 24010KT 9999 10/08 Q1010")], at: halfPastSeven)
        #expect(lookup.step == .failed("the clock is wrong: a report is newer than now"))
    }

    @Test func ignoresStationsThatWereNotAsked() throws {
        var lookup = WeatherLookup(station: "EDDB")
        lookup.receive([try .made(.made("EDDF", 10), "010720Z 24010KT 9999 10/08 Q1010")], at: halfPastSeven)
        #expect(lookup.step == .failed("EDDB has no report of the last 90 min"))
    }

    @Test(arguments: [
        // South of the equator and west of Greenwich; on a corner; both sides of the antimeridian; a pole.
        (-33.9, -70.7, [GeographicBox(south: -34.5, west: -72, north: -33, east: -69.5)]),
        (52.0, 13.0, [GeographicBox(south: 51.5, west: 12, north: 53, east: 14.5)]),
        (
            -17.7, 179.9,
            [
                GeographicBox(south: -18.5, west: 178.5, north: -17, east: 180),
                GeographicBox(south: -18.5, west: -180, north: -17, east: -179),
            ]
        ),
        (
            -17.7, -179.9,
            [
                GeographicBox(south: -18.5, west: 179, north: -17, east: 180),
                GeographicBox(south: -18.5, west: -180, north: -17, east: -178.5),
            ]
        ),
        (89.9, 0.0, [GeographicBox(south: 89, west: -180, north: 90, east: 180)]),
    ]) func boxesHaveAMarginAroundTheCell(latitude: Double, longitude: Double, boxes: [GeographicBox]) {
        #expect(
            StationArea.boxes(around: Coordinate(latitude: latitude, longitude: longitude), margin: 0.5) == boxes)
    }

    /// Wherever a place lies in its cell, all stations within 55 km are in its boxes.
    @Test func boxesHaveAllStationsOfTheRadius() {
        var random = SeededRandom(seed: 17)
        for _ in 0..<2000 {
            let place = Coordinate(
                latitude: .random(in: -88...88, using: &random), longitude: .random(in: -180...180, using: &random))
            let boxes = StationArea.boxes(around: place, margin: 0.5)
            for bearing in stride(from: 0.0, to: 360, by: 30) {
                let station = place.moved(metres: 55_000, bearing: bearing)
                #expect(
                    boxes.contains {
                        ($0.south...$0.north).contains(station.latitude)
                            && ($0.west...$0.east).contains(station.longitude)
                    }, "\(place) \(bearing)")
            }
        }
    }
}
