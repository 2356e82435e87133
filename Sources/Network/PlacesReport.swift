package import Domain
import JSONCoding
package import Maps
import Weather
import Wire

/// The result of a search around a position, as the data of the topic `places`.
package struct PlacesReport {
    var position: Coordinate
    /// Metres.
    var radius: Double
    var places: [(place: Place, metres: Double)]

    package init(position: Coordinate, radius: Double, places: [(place: Place, metres: Double)]) {
        self.position = position
        self.radius = radius
        self.places = places
    }

    /// Below ``TopicTable/dataLimit``.
    private static let sizeLimit = 30 * 1024
    /// The nearest places first, as many as fit.
    ///
    /// - Parameter time: local time, for the opening hours.
    package func data(at time: CivilTime) -> [UInt8] {
        var writer = JSONWriter(capacity: 8192)
        writer.object {
            $0.member("latitude", position.latitude, decimals: 5)
            $0.member("longitude", position.longitude, decimals: 5)
            $0.member("radius_m", radius, decimals: 0)
            $0.member("attribution", Place.attribution)
            $0.array("places") {
                for (place, metres) in places.sorted(by: { $0.metres < $1.metres }) {
                    guard $0.bytes.count < Self.sizeLimit - Self.placeSize else { break }
                    write(place, metres: metres, at: time, into: &$0)
                }
            }
        }
        return writer.bytes
    }

    /// The most bytes of a place: three texts of scalars with at most 4 bytes each, and the rest.
    private static let placeSize = 3 * 4 * TopicShape.textLimit + 512

    private func write(_ place: Place, metres: Double, at time: CivilTime, into writer: inout JSONWriter) {
        func short(_ text: String?) -> String? {
            text.flatMap { $0.isEmpty ? nil : String($0.unicodeScalars.prefix(TopicShape.textLimit)) }
        }
        writer.object {
            $0.member("id", place.id.text)
            $0.member("kind", place.kind.name)
            $0.member("latitude", place.position.latitude, decimals: 6)
            $0.member("longitude", place.position.longitude, decimals: 6)
            $0.member("distance_m", metres, decimals: 0)
            $0.member("bearing_deg", GreatCircle(from: position, to: place.position).bearing, decimals: 0)
            $0.member("name", short(place.name))
            $0.member("detail", short(place.detail))
            $0.member("address", short(place.address))
            if let hours = place.hours {
                switch OpeningHours(hours)?.state(at: time) ?? .unknown {
                case .open: $0.member("open", "open")
                case .closed: $0.member("open", "closed")
                case .unknown: $0.member("open", "unknown")
                }
            }
        }
    }
}
