import Domain
import JSONCoding

/// The way of a line, and its stops.
struct LineWay {
    /// A place where vehicles of the line stop.
    struct Stop {
        var id: String
        /// Empty if there is none.
        var name: String
        var position: Coordinate
    }

    var paths: [[Coordinate]]
    var stops: [Stop]

    /// The most bytes of the stops and of all, below the limit of a line of net.sock.
    private static let stopsLimit = 24 * 1024
    private static let sizeLimit = 56 * 1024
    /// The most bytes of a position.
    private static let positionSize = 24
    /// Characters of a name.
    private static let nameLimit = 64

    /// The result of `transit.path`: lists of pairs of longitude and latitude, as in GeoJSON, and stops.
    ///
    /// Writes as many stops as fit, then as many positions: of more, every second, third and so on, and the ends.
    var encoded: [UInt8] {
        let count = paths.reduce(0) { $0 + $1.count }
        var writer = JSONWriter(capacity: min(count * Self.positionSize + Self.stopsLimit, Self.sizeLimit))
        writer.object {
            $0.array("stops") { list in
                for stop in stops where list.bytes.count < Self.stopsLimit {
                    list.object {
                        $0.member("id", stop.id)
                        $0.member("name", String(stop.name.prefix(Self.nameLimit)))
                        $0.member("latitude", stop.position.latitude, decimals: 5)
                        $0.member("longitude", stop.position.longitude, decimals: 5)
                    }
                }
            }
            let room = Self.sizeLimit - $0.bytes.count
            let step = max(1, (count * Self.positionSize + room - 1) / room)
            $0.array("paths") { list in
                for path in paths where list.bytes.count < Self.sizeLimit {
                    list.array { positions in
                        for (index, position) in path.enumerated()
                        where index % step == 0 || index == path.count - 1 {
                            positions.array {
                                $0.value(position.longitude, decimals: 5)
                                $0.value(position.latitude, decimals: 5)
                            }
                        }
                    }
                }
            }
        }
        return writer.bytes
    }
}
