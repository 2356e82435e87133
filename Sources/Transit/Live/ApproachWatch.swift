package import Domain
import Pipeline

/// Finds the vehicles that come near, each once for an approach.
package struct ApproachWatch: Sendable {
    /// In metres. The seed's 0.005 degrees, in the direction of the meridian.
    package static let radius = 550.0
    /// A vehicle is away again at this multiple of the radius, so that a vehicle at the edge is announced once.
    private static let margin = 2.0
    private static let limit = 1000

    /// The IDs of the vehicles that are near.
    private var near: Set<String> = []

    package init() {}

    /// Takes the vehicles of the newest data.
    ///
    /// - Returns: the nearest vehicle that has come near, with its distance in metres.
    package mutating func update(
        _ vehicles: some Sequence<LiveVehicle>, around position: Coordinate
    ) -> (vehicle: LiveVehicle, metres: Double)? {
        var (still, nearest): (Set<String>, (vehicle: LiveVehicle, metres: Double)?) = ([], nil)
        for vehicle in vehicles where still.count < Self.limit {
            let metres = position.metres(to: vehicle.position)
            let isKnown = near.contains(vehicle.id)
            guard metres <= (isKnown ? Self.radius * Self.margin : Self.radius) else { continue }
            still.insert(vehicle.id)
            if !isKnown, metres < nearest?.metres ?? .infinity { nearest = (vehicle, metres) }
        }
        near = still
        return nearest
    }
}
