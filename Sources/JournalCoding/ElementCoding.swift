import Domain
import JSONCoding
import Pipeline

// The elements of inputs and snapshots as JSON.

extension JSONWriter {
    mutating func members(of fix: Fix) {
        member("arrived_at", fix.arrivedAt)
        member("utc_ms", fix.time?.milliseconds)
        member("device", fix.device?.text)
        member("mode", Int(fix.mode))
        member("latitude", exact: fix.latitude)
        member("longitude", exact: fix.longitude)
        member("altitude", exact: fix.altitude)
        member("accuracy", exact: fix.accuracy)
        member("vertical_accuracy", exact: fix.verticalAccuracy)
        member("speed", exact: fix.speed)
        member("track", exact: fix.track)
        member("satellites", fix.satellites)
    }
}

extension Fix {
    init(_ json: JSON) throws(ParseError) {
        self.init(
            arrivedAt: try json.member("arrived_at").instant(), time: try json["utc_ms"]?.utc(),
            device: json["device"]?.string.flatMap { SanitizedText($0) }, mode: try json.member("mode").small(),
            latitude: json["latitude"]?.number, longitude: json["longitude"]?.number,
            altitude: json["altitude"]?.number, accuracy: json["accuracy"]?.number, speed: json["speed"]?.number,
            track: json["track"]?.number, satellites: json["satellites"]?.integer)
        verticalAccuracy = json["vertical_accuracy"]?.number
    }
}

extension JSONWriter {
    mutating func members(of position: Position) {
        member("latitude", exact: position.coordinate.latitude)
        member("longitude", exact: position.coordinate.longitude)
        member("altitude", exact: position.altitude)
        member("accuracy", exact: position.accuracy)
        member("speed", exact: position.speed)
        member("track", exact: position.track)
        member("mode", Int(position.mode))
        member("satellites", position.satellites)
    }
}

extension Position {
    init(_ json: JSON) throws(ParseError) {
        self.init(
            coordinate: try Coordinate(json), altitude: json["altitude"]?.number, accuracy: json["accuracy"]?.number,
            speed: json["speed"]?.number, track: json["track"]?.number, mode: try json.member("mode").small(),
            satellites: json["satellites"]?.integer)
    }
}

extension JSONWriter {
    mutating func members(of point: TrackPoint) {
        member("latitude", exact: point.coordinate.latitude)
        member("longitude", exact: point.coordinate.longitude)
        member("moment", point.moment)
        member("arrived_at", point.arrivedAt)
        member("speed", exact: point.speed)
        member("accuracy", exact: point.accuracy)
    }
}

extension TrackPoint {
    init(_ json: JSON) throws(ParseError) {
        self.init(
            coordinate: try Coordinate(json), moment: try json.member("moment").duration(),
            arrivedAt: try json.member("arrived_at").instant(), speed: json["speed"]?.number,
            accuracy: json["accuracy"]?.number)
    }
}

extension Coordinate {
    fileprivate init(_ json: JSON) throws(ParseError) {
        self.init(latitude: try json.member("latitude").real(), longitude: try json.member("longitude").real())
    }
}

extension JSONWriter {
    mutating func members(of measurement: HeartRateMeasurement) {
        member("bpm", Int(measurement.beatsPerMinute))
        member("contact", measurement.contact)
        member("energy_kj", measurement.energyKilojoules.map { Int($0) })
        array("rr_1024") { for interval in measurement.rrIntervals { $0.value(Int(interval)) } }
    }
}

extension HeartRateMeasurement {
    init(_ json: JSON) throws(ParseError) {
        self.init(
            beatsPerMinute: try json.member("bpm").small(), contact: json["contact"]?.bool,
            energyKilojoules: try json["energy_kj"]?.small(),
            rrIntervals: try json.elements("rr_1024") { (json) throws(ParseError) in try json.small() })
    }
}

extension JSONWriter {
    mutating func members(of status: LinkStatus) {
        member("link", status.state.token)
        member("reason", status.reason?.token)
        member("address", status.address)
        member("name", status.name?.text)
    }
}

extension LinkStatus {
    init(_ json: JSON) throws(ParseError) {
        self.init(
            try json.member("link").token(), reason: try json["reason"]?.token(),
            address: try json["address"]?.address(),
            name: json["name"]?.string.flatMap { SanitizedText($0) })
    }
}

extension JSONWriter {
    mutating func members(of bluetooth: BluetoothStatus) {
        member("way", bluetooth.backend.token)
        member("adapter", bluetooth.adapter)
        member("reason", bluetooth.reason?.text)
    }
}

extension BluetoothStatus {
    init(_ json: JSON) throws(ParseError) {
        self.init(
            backend: try json.member("way").token(), adapter: try json["adapter"]?.address(),
            reason: json["reason"]?.string.flatMap { SanitizedText($0) })
    }
}

extension JSONWriter {
    mutating func timed<Value>(
        _ name: String, _ timed: Timestamped<Value>, _ members: (inout JSONWriter, Value) -> Void
    ) {
        object(name) { line in
            members(&line, timed.value)
            line.member("at", timed.measuredAt)
        }
    }

    mutating func member(_ name: String, _ instant: Instant?) {
        member(name, instant?.nanoseconds)
    }

    mutating func member(_ name: String, _ duration: Duration?) {
        member(name, duration?.wholeNanoseconds)
    }

    /// Writes a number as its shortest text that reads back equal; a value that is not finite is omitted.
    mutating func member(_ name: String, exact value: Double?) {
        guard let value, value.isFinite else { return }
        key(name)
        exact(value)
    }

    mutating func exact(_ value: Double) {
        self.value(written: value.description.utf8)
    }
}

extension JSON {
    /// - Throws: ``ParseError`` if the member is missing.
    func member(_ name: String) throws(ParseError) -> JSON {
        guard let member = self[name] else { throw ParseError(at: 0, expected: "a member that is missing") }
        return member
    }

    func timed<Value>(
        _ name: String, _ read: (JSON) throws(ParseError) -> Value
    ) throws(ParseError) -> Timestamped<Value> {
        let member = try member(name)
        return Timestamped(try read(member), at: try member.member("at").instant())
    }

    func elements<Value>(
        _ name: String, _ read: (JSON) throws(ParseError) -> Value
    ) throws(ParseError) -> [Value] {
        guard let elements = self[name]?.array else { throw ParseError(at: 0, expected: "a list") }
        var values: [Value] = []
        for element in elements { values.append(try read(element)) }
        return values
    }

    func truth() throws(ParseError) -> Bool {
        guard let bool else { throw ParseError(at: 0, expected: "true or false") }
        return bool
    }

    func whole() throws(ParseError) -> Int {
        guard let integer else { throw ParseError(at: 0, expected: "an integer") }
        return integer
    }

    func small<Value: FixedWidthInteger>() throws(ParseError) -> Value {
        guard let value = Value(exactly: try whole()) else { throw ParseError(at: 0, expected: "a smaller integer") }
        return value
    }

    func real() throws(ParseError) -> Double {
        guard let number else { throw ParseError(at: 0, expected: "a number") }
        return number
    }

    func text() throws(ParseError) -> String {
        guard let string else { throw ParseError(at: 0, expected: "a text") }
        return string
    }

    func token<Value: JournalToken>() throws(ParseError) -> Value {
        guard let value = Value(token: try text()) else { throw ParseError(at: 0, expected: "another word") }
        return value
    }

    func address() throws(ParseError) -> BluetoothAddress {
        guard let address = BluetoothAddress(try text()) else { throw ParseError(at: 0, expected: "an address") }
        return address
    }

    func instant() throws(ParseError) -> Instant {
        Instant(nanoseconds: Int64(try whole()))
    }

    func duration() throws(ParseError) -> Duration {
        .nanoseconds(Int64(try whole()))
    }

    func utc() throws(ParseError) -> UTC {
        UTC(milliseconds: Int64(try whole()))
    }
}
