package import Domain

/// What one line of gpsd says, as far as it matters here.
///
/// Source: gpsd_json(5). Every field of every class can be missing; classes that are not listed are ``other``.
package enum GpsdMessage: Equatable, Sendable {
    /// VERSION, gpsd's greeting; `major` is 3 since 2009. gpsd also relays the greeting of a gpsd that is its own source.
    case version(major: Int)
    /// DEVICES: the paths of all receivers that gpsd knows.
    case devices([String])
    /// DEVICE: a receiver has come or gone.
    case device(String, isPresent: Bool)
    /// TPV.
    case report(TPVReport)
    /// SKY: how many satellites a receiver uses.
    case sky(device: String?, satellites: Int?)
    /// ERROR: gpsd refuses a request.
    case error
    /// Anything else, lines that cannot be read among it. It shows that gpsd is alive.
    case other
}

/// One TPV report: what a receiver says of one moment, or a part of it. Nothing in it is checked but that numbers are finite.
package struct TPVReport: Equatable, Sendable {
    /// The receiver's path as gpsd names it, to tell receivers apart. It is not made harmless, so it is never shown.
    package var device: String?
    /// The receiver's own time.
    package var time: UTC?
    /// 0 unknown, 1 no fix, 2 without altitude, 3 with altitude. 2 and 3 do not promise a position.
    package var mode: UInt8
    /// Degrees north.
    package var latitude: Double?
    /// Degrees east.
    package var longitude: Double?
    /// Metres above mean sea level.
    package var altitude: Double?
    /// Estimated horizontal error, in metres.
    package var accuracy: Double?
    /// Metres per second.
    package var speed: Double?
    /// Degrees from true north.
    package var track: Double?

    package init(
        device: String? = nil, time: UTC? = nil, mode: UInt8, latitude: Double? = nil, longitude: Double? = nil,
        altitude: Double? = nil, accuracy: Double? = nil, speed: Double? = nil, track: Double? = nil
    ) {
        self.device = device
        self.time = time
        self.mode = mode
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.accuracy = accuracy
        self.speed = speed
        self.track = track
    }
}
