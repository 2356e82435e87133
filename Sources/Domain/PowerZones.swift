/// The lowest power of the zones 2 to 7 in watts, rising, each 1 to 4000. Zone 1 begins at 0.
package struct PowerZones: Equatable, Sendable {
    package let bottoms: [Int]

    /// The lowest power in percent of the functional threshold power.
    ///
    /// Source: Allen and Coggan, Training and Racing with a Power Meter, chapter 3.
    package static let percentages = [55, 75, 90, 105, 120, 150]

    /// Nil unless six numbers of the range rise.
    package init?(_ bottoms: [Int]) {
        guard bottoms.count == 6, bottoms.allSatisfy({ (1...4000).contains($0) }),
            zip(bottoms, bottoms.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        self.bottoms = bottoms
    }

    /// Zone of a power: 1 to 7. Each lowest power belongs to its zone.
    package func zone(of watts: Double) -> Int {
        var zone = 1
        while zone <= bottoms.count, watts >= Double(bottoms[zone - 1]) { zone += 1 }
        return zone
    }

    /// Zone of a power by a functional threshold power in watts; nil if that is 0.
    package static func zone(of watts: Double, ftp: Int) -> Int? {
        guard ftp > 0 else { return nil }
        var zone = 1
        while zone <= percentages.count, watts * 100 >= Double(percentages[zone - 1] * ftp) { zone += 1 }
        return zone
    }
}
