package import Domain
package import Maps

/// What `pacectl route --to` names.
package enum RouteDestination: Equatable {
    case position(Coordinate)
    case place(PlaceReference)
    /// The ID of a stop of the timetable.
    case stop(String)
    /// Back to the start.
    case loop(metres: Double)

    /// Parses `52.5,13.4`, `n123`, `stop:1234` or a name; nil for a text without a letter that is no position.
    init?(argument: String) {
        if let position = Coordinate(argument: argument) {
            self = .position(position)
        } else if argument.hasPrefix("stop:"), argument.utf8.count > 5 {
            self = .stop(String(argument.dropFirst(5)))
        } else if let id = PlaceID(argument) {
            self = .place(.id(id))
        } else if argument.contains(where: \.isLetter) {
            self = .place(.name(argument))
        } else {
            return nil
        }
    }
}

/// A place of places.db.
package enum PlaceReference: Equatable {
    case id(PlaceID)
    /// The best match of a search.
    case name(String)
}
