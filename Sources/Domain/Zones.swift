/// The bottoms of the five heart-rate zones, in beats per minute, rising, each 1 to 250.
package struct Zones: Equatable, Sendable {
    package let bottoms: [Int]

    /// Why five numbers are no zones: one line for each pair of neighbours, or each number, that is wrong.
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

    /// The zone of a heart rate: 0 below the first zone, else 1 to 5. A value that is a zone's bottom belongs to it.
    package func zone(of beatsPerMinute: Int) -> Int {
        var zone = 0
        while zone < bottoms.count, beatsPerMinute >= bottoms[zone] { zone += 1 }
        return zone
    }

    /// Where a heart rate stands on the bar from zone 1's bottom, 0 to 1; zone 5's bottom stands at 0.95.
    package func fraction(of beatsPerMinute: Int) -> Double {
        let length = Double(bottoms[4] - bottoms[0]) / 0.95
        return min(max(Double(beatsPerMinute - bottoms[0]) / length, 0), 1)
    }

    /// The name of a zone, 0 to 5, as screens show it.
    package static func name(of zone: Int) -> String {
        zone == 0 ? "Warm Up" : "Zone \(zone)"
    }
}
