package import Domain

/// Points as text: differences of degrees, five bits a character.
///
/// Source: Google's Encoded Polyline Algorithm Format; GraphHopper adds the altitude in centimetres as a third number.
package enum EncodedPolyline {
    /// - Parameter decimals: of the degrees, 5 or 6.
    /// - Throws: ``FileError`` with the place for a character that is none of the format, and for a text that is cut off.
    package static func points(
        _ text: [UInt8], decimals: Int, hasAltitude: Bool = false
    ) throws(FileError) -> [(coordinate: Coordinate, altitude: Double?)] {
        let scale = decimals == 6 ? 1e6 : 1e5
        var (latitude, longitude, altitude) = (Int64(0), Int64(0), Int64(0))
        var points: [(coordinate: Coordinate, altitude: Double?)] = []
        var place = 0
        while place < text.count {
            latitude = try latitude.adding(next(text, &place), at: place)
            longitude = try longitude.adding(next(text, &place), at: place)
            if hasAltitude { altitude = try altitude.adding(next(text, &place), at: place) }
            points.append(
                (
                    Coordinate(latitude: Double(latitude) / scale, longitude: Double(longitude) / scale),
                    hasAltitude ? Double(altitude) / 100 : nil
                ))
        }
        return points
    }

    private static func next(_ text: [UInt8], _ place: inout Int) throws(FileError) -> Int64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 50, by: 5) {
            guard place < text.count else { throw FileError(at: .byte(place), "the points are cut off") }
            let byte = text[place]
            guard (63...126).contains(byte) else {
                throw FileError(at: .byte(place), "the points have a character that is none of a polyline")
            }
            place += 1
            let bits = UInt64(byte - 63)
            value |= (bits & 31) << shift
            if bits < 32 { return value & 1 == 1 ? ~Int64(value >> 1) : Int64(value >> 1) }
        }
        throw FileError(at: .byte(place), "the points have a number that is too large")
    }
}

extension Int64 {
    /// The sum of a few numbers of at most 50 bits cannot overflow, but that of many.
    fileprivate func adding(_ difference: Int64, at place: Int) throws(FileError) -> Int64 {
        let (sum, isTooLarge) = addingReportingOverflow(difference)
        if isTooLarge { throw FileError(at: .byte(place), "the points have a number that is too large") }
        return sum
    }
}
