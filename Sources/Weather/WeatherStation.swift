import CMath
package import Domain

/// A station that makes reports.
package struct WeatherStation: Hashable, Sendable {
    /// Four letters or digits, such as EDDB.
    package let name: String
    /// The name of its place.
    package let site: SanitizedText?
    /// Degrees.
    package let latitude: Double
    package let longitude: Double
    /// Metres above the sea. Nil if it is unknown.
    package let elevation: Double?
    /// Whether it has forecasts.
    package let hasForecast: Bool

    /// Nil for what is no name of a station, or no place on Earth.
    package init?(
        name: String, site: SanitizedText? = nil, latitude: Double, longitude: Double, elevation: Double? = nil,
        hasForecast: Bool = false
    ) {
        guard Self.isName(name), latitude.magnitude <= 90, longitude.magnitude <= 180 else { return nil }
        self.name = name
        self.site = site
        self.latitude = latitude
        self.longitude = longitude
        self.elevation = elevation.flatMap { (-500...9000).contains($0) ? $0 : nil }
        self.hasForecast = hasForecast
    }

    package var place: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }

    /// Whether a text is four of A-Z and 0-9.
    package static func isName(_ text: String) -> Bool {
        text.utf8.count == 4
            && text.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }
}

/// What a station has reported last.
package struct StationReport: Equatable, Sendable {
    package var station: WeatherStation
    /// Nil if it has none, or it cannot be decoded.
    package var metar: Metar?
    package var taf: Taf?
    /// The reports as the station wrote them.
    package var metarText: String?
    package var tafText: String?

    package init(
        station: WeatherStation, metar: Metar? = nil, taf: Taf? = nil, metarText: String? = nil, tafText: String? = nil
    ) {
        self.station = station
        self.metar = metar
        self.taf = taf
        self.metarText = metarText
        self.tafText = tafText
    }
}

/// The boxes in which stations are searched: around the cell of half a degree in which a place lies, so that they are the
/// same for all places of the cell and do not tell more of the place.
package enum StationArea {
    private static let cell = 0.5

    /// - Parameter margin: degrees of latitude around the cell.
    /// - Returns: two boxes if they lie on both sides of the meridian of 180 degrees.
    package static func boxes(around place: Coordinate, margin: Double) -> [GeographicBox] {
        let south = (place.latitude / cell).rounded(.down) * cell
        let west = (place.longitude / cell).rounded(.down) * cell
        let (lowest, highest) = (max(south - margin, -90), min(south + cell + margin, 90))
        // A degree of longitude has fewer metres; at the margin nearest to a pole the fewest.
        let scale = cos(max(lowest.magnitude, highest.magnitude) * .pi / 180)
        let side = scale > 0.01 ? (margin / scale / cell).rounded(.up) * cell : 180
        return GeographicBox.boxes(south: lowest, west: west - side, north: highest, east: west + cell + side)
    }
}
