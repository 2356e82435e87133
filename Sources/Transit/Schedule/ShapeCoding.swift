package import Domain

/// The stored form of a polyline: pairs of latitude and longitude in 1e-5 degrees, each as the difference from the one
/// before, 32 bits, the lowest byte first.
package enum ShapeCoding {
    package struct Encoder {
        package private(set) var bytes: [UInt8] = []
        private var last: (latitude: Int32, longitude: Int32) = (0, 0)

        package init() {}

        /// - Parameters:
        ///   - latitude: in 1e-5 degrees.
        ///   - longitude: in 1e-5 degrees.
        package mutating func add(latitude: Int32, longitude: Int32) {
            if !bytes.isEmpty, last == (latitude, longitude) { return }
            for difference in [latitude &- last.latitude, longitude &- last.longitude] {
                let bits = UInt32(bitPattern: difference)
                for shift in stride(from: UInt32(0), to: 32, by: 8) {
                    bytes.append(UInt8(truncatingIfNeeded: bits >> shift))
                }
            }
            last = (latitude, longitude)
        }
    }

    package static func decode(_ bytes: [UInt8]) -> [Coordinate] {
        func number(_ start: Int) -> Int32 {
            let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) }
            return Int32(bitPattern: bits)
        }
        var last: (latitude: Int32, longitude: Int32) = (0, 0)
        return stride(from: 0, to: bytes.count - 7, by: 8).map { start in
            last = (last.latitude &+ number(start), last.longitude &+ number(start + 4))
            return Coordinate(latitude: Double(last.latitude) / 1e5, longitude: Double(last.longitude) / 1e5)
        }
    }
}
