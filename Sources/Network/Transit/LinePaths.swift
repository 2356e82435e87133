import Domain
import JSONCoding

/// The ways of a line as JSON: lists of pairs of longitude and latitude, as in GeoJSON.
enum LinePaths {
    /// The most bytes, below the limit of a line of net.sock.
    private static let sizeLimit = 56 * 1024
    /// The most bytes of a position.
    private static let positionSize = 24

    /// Writes as many positions as fit: of more, every second, third and so on, and the ends.
    static func encode(_ paths: [[Coordinate]]) -> [UInt8] {
        let count = paths.reduce(0) { $0 + $1.count }
        let step = max(1, (count * positionSize + sizeLimit - 1) / sizeLimit)
        var writer = JSONWriter(capacity: min(count * positionSize, sizeLimit))
        writer.object {
            $0.array("paths") { list in
                for path in paths where list.bytes.count < sizeLimit {
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
