/// A vehicle that approaches from behind.
package struct RadarThreat: Equatable, Sendable {
    /// Number of the vehicle while the radar follows it.
    package var id: UInt8

    /// Distance in metres.
    package var metres: UInt8

    /// Speed of approach in km/h.
    package var kilometresPerHour: UInt8

    package init(id: UInt8, metres: UInt8, kilometresPerHour: UInt8) {
        self.id = id
        self.metres = metres
        self.kilometresPerHour = kilometresPerHour
    }
}

/// The vehicles that a radar reports at one moment, in the radar's order. It holds at most ``capacity``, and allocates
/// nothing.
package struct RadarThreats: Sendable {
    /// The number of vehicles that the radar follows at once.
    package static let capacity = 8

    package private(set) var count = 0
    private var storage = InlineArray<8, RadarThreat>(repeating: RadarThreat(id: 0, metres: 0, kilometresPerHour: 0))

    package init() {}

    package subscript(index: Int) -> RadarThreat {
        precondition(index < count)
        return storage[index]
    }

    /// Appends a vehicle, or replaces the one with its number. Drops it if ``capacity`` is reached.
    package mutating func update(_ threat: RadarThreat) {
        for index in 0..<count where storage[index].id == threat.id {
            storage[index] = threat
            return
        }
        guard count < Self.capacity else { return }
        storage[count] = threat
        count += 1
    }

    /// The vehicle at the smallest distance.
    package var nearest: RadarThreat? {
        var nearest: RadarThreat?
        for index in 0..<count {
            if let nearest, nearest.metres <= storage[index].metres { continue }
            nearest = storage[index]
        }
        return nearest
    }
}

extension RadarThreats: Equatable {
    package static func == (lhs: RadarThreats, rhs: RadarThreats) -> Bool {
        lhs.count == rhs.count && (0..<lhs.count).allSatisfy { lhs[$0] == rhs[$0] }
    }
}
