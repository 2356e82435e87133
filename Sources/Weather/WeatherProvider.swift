package import Domain
import JSONCoding

/// A service that has the reports of stations: the addresses of its requests, and the values of its responses.
package protocol WeatherProvider: Sendable {
    /// The name of the service, for users.
    var name: String { get }

    func address(ofStationsIn box: GeographicBox) -> String

    /// - Returns: nil for a body of another format.
    func stations(_ body: [UInt8]) -> [WeatherStation]?

    /// - Parameter stations: their names.
    func address(ofReportsFrom stations: [String]) -> String

    /// - Parameters:
    ///   - body: empty if there are none.
    ///   - time: when it was received.
    /// - Returns: one element for each station; nil for a body of another format.
    func reports(_ body: [UInt8], receivedAt time: UTC) -> [StationReport]?
}

/// The Data API of the US Aviation Weather Center, which has METAR and TAF of the whole world, without a key.
///
/// Source: https://aviationweather.gov/data/api, read 2026-09.
package struct AviationWeather: WeatherProvider {
    package static let defaultServer = "https://aviationweather.gov/api/data"

    /// The most elements of a response, which has at most 400.
    private static let limit = 512

    private let server: String

    /// - Parameter server: the address without the last slash.
    package init(server: String) {
        self.server = server
    }

    package var name: String { "aviationweather.gov" }

    package func address(ofStationsIn box: GeographicBox) -> String {
        let corners = [box.south, box.west, box.north, box.east].map {
            DecimalFormat.text($0, decimals: 1) ?? "0"
        }
        return "\(server)/stationinfo?bbox=\(corners.joined(separator: ","))&format=json"
    }

    package func stations(_ body: [UInt8]) -> [WeatherStation]? {
        elements(body)?.compactMap { element in
            // Other sites are listed too, such as radars and buoys.
            let kinds = element["siteType"]?.array?.compactMap(\.string) ?? []
            guard kinds.contains("METAR") else { return nil }
            return WeatherStation(element, hasForecast: kinds.contains("TAF"))
        }
    }

    package func address(ofReportsFrom stations: [String]) -> String {
        "\(server)/metar?ids=\(stations.joined(separator: ","))&format=json&taf=true"
    }

    package func reports(_ body: [UInt8], receivedAt time: UTC) -> [StationReport]? {
        guard let elements = elements(body) else { return nil }
        var reports: [StationReport] = []
        for element in elements {
            guard let report = StationReport(element, receivedAt: time) else { continue }
            if let index = reports.firstIndex(where: { $0.station.name == report.station.name }) {
                if reports[index].isOlder(than: report) { reports[index] = report }
            } else {
                reports.append(report)
            }
        }
        return reports
    }

    private func elements(_ body: [UInt8]) -> ArraySlice<JSON>? {
        if body.isEmpty { return [] }
        return (try? JSON(parsing: body))?.array?.prefix(Self.limit)
    }
}

extension WeatherStation {
    fileprivate init?(_ element: JSON, hasForecast: Bool) {
        let names = [element["icaoId"]?.string, element["id"]?.string].compactMap(\.self)
        guard let name = names.first(where: Self.isName), let latitude = element["lat"]?.number,
            let longitude = element["lon"]?.number
        else { return nil }
        let site = (element["site"] ?? element["name"])?.string.flatMap { SanitizedText($0) }
        self.init(
            name: name, site: site, latitude: latitude, longitude: longitude, elevation: element["elev"]?.number,
            hasForecast: hasForecast)
    }
}

extension StationReport {
    fileprivate init?(_ element: JSON, receivedAt time: UTC) {
        let metar = element["rawOb"]?.string
        // Both spellings occur.
        let taf = (element["rawTaf"] ?? element["rawTAF"])?.string
        guard let station = WeatherStation(element, hasForecast: taf != nil) else { return nil }
        // The day of the month in a report is one near the time that the service states.
        let observed = element["obsTime"]?.integer.flatMap { seconds in
            (0...10_000_000_000).contains(seconds) ? UTC(milliseconds: Int64(seconds) * 1000) : nil
        }
        self.init(
            station: station, metar: metar.flatMap { try? Metar(Array($0.utf8), receivedAt: observed ?? time) },
            taf: taf.flatMap { try? Taf(Array($0.utf8), receivedAt: observed ?? time) },
            metarText: metar.flatMap { Self.line($0, limit: Metar.lengthLimit) },
            tafText: taf.flatMap { Self.line($0, limit: Taf.lengthLimit) })
    }

    /// The lines of a report as one line, for users.
    private static func line(_ text: String, limit: Int) -> String? {
        let words = text.utf8.prefix(limit).split { $0 <= UInt8(ascii: " ") }
        return SanitizedText.line(
            words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " "), limit: limit)
    }

    fileprivate func isOlder(than other: StationReport) -> Bool {
        (metar?.time.milliseconds ?? 0) < (other.metar?.time.milliseconds ?? 0)
    }
}
