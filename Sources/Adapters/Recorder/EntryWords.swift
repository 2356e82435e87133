import Domain
import Outputs

// The JSON parsers of the elements of inputs and snapshots.

extension Fix {
    init(_ json: JSON) throws(ParseError) {
        self.init(
            arrivedAt: try json.member("arrived_at").instant(), time: try json["utc_ms"]?.utc(),
            device: json["device"]?.string.flatMap { SanitizedText($0) }, mode: try json.member("mode").small(),
            latitude: json["latitude"]?.number, longitude: json["longitude"]?.number,
            altitude: json["altitude"]?.number, accuracy: json["accuracy"]?.number, speed: json["speed"]?.number,
            track: json["track"]?.number, satellites: json["satellites"]?.integer)
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

extension HeartRateMeasurement {
    init(_ json: JSON) throws(ParseError) {
        self.init(
            beatsPerMinute: try json.member("bpm").small(), contact: json["contact"]?.bool,
            energyKilojoules: try json["energy_kj"]?.small(),
            rrIntervals: try json.elements("rr_1024") { (json) throws(ParseError) in try json.small() })
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

extension BluetoothStatus {
    init(_ json: JSON) throws(ParseError) {
        self.init(
            way: try json.member("way").token(), adapter: try json["adapter"]?.address(),
            reason: json["reason"]?.string.flatMap { SanitizedText($0) })
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
