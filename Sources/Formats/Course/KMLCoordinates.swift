import Domain

/// Reads `longitude,latitude,altitude` texts, separated by white space, byte by byte.
struct KMLCoordinates {
    private static let limit = 128

    private var text: [UInt8] = []

    /// Takes the next byte, and returns the position that it ends.
    mutating func take(_ byte: UInt8) throws(FileError) -> (Coordinate, altitude: Double?)? {
        guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else {
            guard text.count < Self.limit else { throw FileError("the coordinates have a number of too many digits") }
            text.append(byte)
            return nil
        }
        guard !text.isEmpty else { return nil }
        defer { text.removeAll(keepingCapacity: true) }
        let parts = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { ParsedTrackPoint.number(String(decoding: $0, as: UTF8.self)) }
        var point = ParsedCoursePoint()
        point.longitude = parts[0]
        point.latitude = parts.count > 1 ? parts[1] : nil
        return (try point.coordinate(), parts.count > 2 ? parts[2] : nil)
    }
}
