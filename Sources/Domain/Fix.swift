/// One position of a receiver, merged from its reports of one epoch. Its values are not validated yet.
package struct Fix: Equatable, Sendable {
    /// Arrival of the first report.
    package var arrivedAt: Instant
    /// The receiver's time of the fix.
    package var time: UTC?
    /// The receiver's path, as gpsd names it.
    package var device: SanitizedText?
    /// 0 unknown, 1 no fix, 2 without altitude, 3 with altitude.
    package var mode: UInt8
    /// Degrees north, finite.
    package var latitude: Double?
    /// Degrees east, finite.
    package var longitude: Double?
    /// Metres above mean sea level, finite.
    package var altitude: Double?
    /// Estimated horizontal error, in metres; nominally 95 %, in practice only good for comparison.
    package var accuracy: Double?
    /// Estimated vertical error, in metres; as rough as ``accuracy``.
    package var verticalAccuracy: Double?
    /// Speed over ground, in metres per second; most receivers measure it by Doppler shift.
    package var speed: Double?
    /// Course over ground, in degrees from true north; noise below 0.5 m/s.
    package var track: Double?
    /// Number of satellites used.
    package var satellites: Int?

    package init(
        arrivedAt: Instant, time: UTC? = nil, device: SanitizedText? = nil, mode: UInt8,
        latitude: Double? = nil, longitude: Double? = nil, altitude: Double? = nil, accuracy: Double? = nil,
        speed: Double? = nil, track: Double? = nil, satellites: Int? = nil
    ) {
        self.arrivedAt = arrivedAt
        self.time = time
        self.device = device
        self.mode = mode
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.accuracy = accuracy
        self.speed = speed
        self.track = track
        self.satellites = satellites
    }
}

/// A point on the WGS-84 ellipsoid, in degrees; latitude −90…90, longitude −180…180.
package struct Coordinate: Equatable, Sendable {
    /// Metres in a degree of a great circle of the mean Earth, for distances of a few kilometres on a tangent plane.
    package static let metresPerDegree = 111_195.0

    package var latitude: Double
    package var longitude: Double

    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}
