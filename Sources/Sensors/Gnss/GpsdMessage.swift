package import Domain

/// One line from gpsd, reduced to what this program uses.
///
/// Source: gpsd_json(5). Every field of every class can be missing; classes that are not listed are ``other``.
package enum GpsdMessage: Equatable, Sendable {
    /// VERSION, gpsd's greeting; `major` is 3 since 2009. gpsd also relays the greeting of a gpsd that it reads.
    case version(major: Int)
    /// DEVICES: the paths of all receivers of gpsd.
    case devices([String])
    /// DEVICE: a receiver was added or removed.
    case device(String, isPresent: Bool)
    /// TPV.
    case report(TPVReport)
    /// SKY: the number of satellites that a receiver uses.
    case sky(device: String?, satellites: Int?)
    /// ERROR: gpsd rejects a request.
    case error
    /// Anything else, including lines that cannot be parsed. It shows that gpsd is alive.
    case other
}

/// One TPV report: all or part of a receiver's data of one epoch. Numbers are finite and otherwise unchecked.
package struct TPVReport: Equatable, Sendable {
    /// The receiver's path from gpsd, to distinguish receivers. It is not sanitized, so it is never shown.
    package var device: String?
    /// The receiver's time.
    package var time: UTC?
    /// 0 unknown, 1 no fix, 2 without altitude, 3 with altitude. 2 and 3 do not guarantee a position.
    package var mode: UInt8
    /// Degrees north.
    package var latitude: Double?
    /// Degrees east.
    package var longitude: Double?
    /// Metres above mean sea level.
    package var altitude: Double?
    /// Estimated horizontal error, in metres.
    package var accuracy: Double?
    /// Estimated vertical error, in metres.
    package var verticalAccuracy: Double?
    /// Metres per second.
    package var speed: Double?
    /// Degrees from true north.
    package var track: Double?

    package init(
        device: String? = nil, time: UTC? = nil, mode: UInt8, latitude: Double? = nil, longitude: Double? = nil,
        altitude: Double? = nil, accuracy: Double? = nil, verticalAccuracy: Double? = nil, speed: Double? = nil,
        track: Double? = nil
    ) {
        self.device = device
        self.time = time
        self.mode = mode
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.accuracy = accuracy
        self.verticalAccuracy = verticalAccuracy
        self.speed = speed
        self.track = track
    }
}
