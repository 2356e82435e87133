package import Domain

/// A vehicle on a line.
package struct LiveVehicle: Equatable, Sendable {
    /// What the agency calls the vehicle.
    package var id: String
    /// The ID of its line; nil if it is unknown.
    package var line: String?
    /// The ID of its trip; nil if it is unknown.
    package var trip: String?
    package var position: Coordinate
    /// Degrees clockwise from north, 0 to below 360.
    package var bearing: Double?
    /// Metres per second.
    package var speed: Double?
    /// When the position was measured.
    package var time: UTC?
    /// The travellers on board.
    package var passengers: Int?
    package var occupancy: Occupancy?
    package var punctuality: Punctuality?
    /// Where it goes, such as `Outbound`.
    package var direction: String?

    /// The occupancy status of GTFS-Realtime, in the order of its numbers.
    package enum Occupancy: String, CaseIterable, Sendable {
        case empty
        case manySeats = "many-seats"
        case fewSeats = "few-seats"
        case standingRoom = "standing-room"
        case crushed
        case full
        case notAccepting = "not-accepting"
        case unknown
        case notBoardable = "not-boardable"
    }

    package enum Punctuality: String, CaseIterable, Sendable {
        case onTime = "on-time"
        case late
        case early
    }

    package init(id: String, position: Coordinate) {
        self.id = id
        self.position = position
    }
}

/// A departure that the agency announces.
package struct LiveDeparture: Equatable, Sendable {
    /// The ID of the line.
    package var line: String
    /// The ID of the stop.
    package var stop: String
    package var scheduled: UTC?
    package var estimated: UTC?
    /// What the agency says instead of times, such as `Due`.
    package var text: String?
    /// Where the vehicle goes, such as `Outbound`.
    package var direction: String?

    package init(line: String, stop: String) {
        self.line = line
        self.stop = stop
    }
}

/// A message of the agency.
package struct LiveAlert: Equatable, Sendable {
    package var title: String
    package var text: String?
    /// The IDs of the lines concerned; empty for all.
    package var lines: [String] = []
    /// The IDs of the stops concerned; empty for all.
    package var stops: [String] = []
    /// The periods in which it holds; empty for always. An end is nil if it is open.
    package var periods: [(start: UTC?, end: UTC?)] = []

    package init(title: String) {
        self.title = title
    }

    package static func == (one: LiveAlert, other: LiveAlert) -> Bool {
        (one.title, one.text, one.lines, one.stops) == (other.title, other.text, other.lines, other.stops)
            && one.periods.elementsEqual(other.periods, by: ==)
    }

    package func holds(at time: UTC) -> Bool {
        periods.isEmpty
            || periods.contains { period in
                period.start.map { $0 <= time } ?? true && period.end.map { time < $0 } ?? true
            }
    }
}
