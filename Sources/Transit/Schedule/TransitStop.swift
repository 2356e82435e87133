package import Domain

/// A stop at which vehicles of lines halt.
package struct TransitStop: Equatable, Sendable {
    /// The ID of the agency, unique among its stops.
    package var id: String
    /// What the sign at the stop shows, if it differs from the ID.
    package var code: String?
    package var name: String
    package var position: Coordinate

    package init(id: String, code: String?, name: String, position: Coordinate) {
        self.id = id
        self.code = code
        self.name = name
        self.position = position
    }
}
