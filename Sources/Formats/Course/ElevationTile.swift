package import Domain

/// A square degree of elevations: a `.hgt` file of the Shuttle Radar Topography Mission, which others use too.
///
/// Layout: rows from north to south, each from west to east, of big-endian Int16 in metres; −32768 is unknown. The first
/// and the last row and column lie on the edges of the degree.
package struct ElevationTile: Hashable, Sendable {
    /// The rows and columns of a tile with three seconds of arc between two, and with one.
    package static let sides = [1201, 3601]

    /// Degrees of the south-west corner.
    package let latitude: Int
    package let longitude: Int

    /// The tile with a place on the Earth.
    package init(at coordinate: Coordinate) {
        latitude = min(max(Int(coordinate.latitude.rounded(.down)), -90), 89)
        let east = Int(coordinate.longitude.rounded(.down))
        longitude = east >= 180 ? -180 : max(east, -180)
    }

    /// The name of its file, such as `N45E006.hgt`.
    package var fileName: String {
        func digits(_ value: Int, _ count: Int) -> String {
            let text = String(value.magnitude)
            return String(repeating: "0", count: count - text.count) + text
        }
        return (latitude < 0 ? "S" : "N") + digits(latitude, 2) + (longitude < 0 ? "W" : "E") + digits(longitude, 3)
            + ".hgt"
    }

    /// The rows of a file of this many bytes; nil for a size that no tile has.
    package static func side(ofBytes count: Int) -> Int? {
        sides.first { 2 * $0 * $0 == count }
    }

    /// The altitude of a place of this tile in metres, between the four elevations around it; nil if one is unknown.
    ///
    /// - Parameters:
    ///   - side: the rows of the file.
    ///   - read: returns four bytes from an offset in the file.
    package func altitude(
        at coordinate: Coordinate, side: Int, read: (Int) throws -> [UInt8]
    ) rethrows -> Double? {
        let last = Double(side - 1)
        let south = min(max((Double(latitude) + 1 - coordinate.latitude) * last, 0), last)
        let degrees = coordinate.longitude == 180 ? -180 : coordinate.longitude
        let east = min(max((degrees - Double(longitude)) * last, 0), last)
        let (row, column) = (min(Int(south), side - 2), min(Int(east), side - 2))
        let upper = try Self.pair(read(2 * (row * side + column)))
        let lower = try Self.pair(read(2 * ((row + 1) * side + column)))
        guard let upper, let lower else { return nil }
        let (part, down) = (east - Double(column), south - Double(row))
        let north = upper.0 + part * (upper.1 - upper.0)
        return north + down * (lower.0 + part * (lower.1 - lower.0) - north)
    }

    /// Two neighbouring elevations.
    private static func pair(_ bytes: [UInt8]) -> (Double, Double)? {
        guard bytes.count == 4 else { return nil }
        let values = [0, 2].map { Int16(bitPattern: UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])) }
        return values.contains(.min) ? nil : (Double(values[0]), Double(values[1]))
    }
}
