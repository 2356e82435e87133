/// The wind that a rider meets: the block `wind` of STATE.
///
/// Speeds are in metres per second at the height of the rider.
package struct WindStatus: Equatable, Sendable {
    /// Why a figure is missing.
    package enum Reason: String, CaseIterable, Sendable {
        /// The observation is 2 h old, or its publisher does not call it valid any more.
        case stale
        /// The station reports no wind.
        case notReported = "not-reported"
        /// A calm: no direction.
        case calm
        /// The direction varies: no components.
        case variable
        /// The receiver gives no direction of movement.
        case noCourse = "no-course"
    }

    package var station: SanitizedText
    /// Metres from the place that the observation was asked for to the station.
    package var distance: Double
    /// Seconds since the observation; nil while the time of day is unknown.
    package var age: Double?
    package var speed: Double?
    /// Where the wind comes from, in degrees from true north, from 0 to below 360.
    package var from: Double?
    /// Positive against the movement.
    package var headwind: Double?
    /// Positive from the right.
    package var crosswind: Double?
    /// Where the wind comes from, in degrees from the direction of movement: above -180 to 180, positive on the right.
    package var relative: Double?
    package var reason: Reason?

    package init(station: SanitizedText, distance: Double, age: Double? = nil, reason: Reason? = nil) {
        self.station = station
        self.distance = distance
        self.age = age
        self.reason = reason
    }
}
