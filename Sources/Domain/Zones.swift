/// The lowest heart rates of the five zones, in beats per minute, ascending, each 1 to 250.
package struct Zones: Equatable, Sendable {
    package let bottoms: [Int]

    /// Error of invalid zones: one line for each wrong number or pair of neighbours.
    package struct Invalid: Error, Equatable, Sendable {
        package var lines: [String]
    }

    package init(_ bottoms: [Int]) throws(Invalid) {
        var lines: [String] = []
        if bottoms.count != 5 { lines.append("zones are five numbers, not \(bottoms.count)") }
        for (index, bottom) in bottoms.enumerated() where !(1...250).contains(bottom) {
            lines.append("zone \(index + 1) begins at \(bottom), must be 1 to 250")
        }
        for (index, pair) in zip(bottoms, bottoms.dropFirst()).enumerated() where pair.0 >= pair.1 {
            lines.append("zone \(index + 2) begins at \(pair.1), must be above zone \(index + 1) at \(pair.0)")
        }
        guard lines.isEmpty else { throw Invalid(lines: lines) }
        self.bottoms = bottoms
    }

    /// Zone of a heart rate: 0 below the first zone, else 1 to 5. Each lowest value belongs to its zone.
    package func zone(of beatsPerMinute: Int) -> Int {
        var zone = 0
        while zone < bottoms.count, beatsPerMinute >= bottoms[zone] { zone += 1 }
        return zone
    }

    /// Place of a heart rate on the zone bar, 0 to 1: zone 1 begins at 0, zone 5 at 0.95.
    package func fraction(of beatsPerMinute: Int) -> Double {
        let length = Double(bottoms[4] - bottoms[0]) / 0.95
        return min(max(Double(beatsPerMinute - bottoms[0]) / length, 0), 1)
    }

    /// Name of a zone, 0 to 5, for screens.
    package static func name(of zone: Int) -> String {
        zone == 0 ? "Warm Up" : "Zone \(zone)"
    }
}
