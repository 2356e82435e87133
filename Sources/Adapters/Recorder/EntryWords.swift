import Domain

// The words of which inputs and beginnings are made, read from JSON.

extension Fix {
    init(_ json: JSON) throws(ParseError) {
        self.init(
            arrivedAt: try json.member("arrived_at").instant(), time: try json["utc_ms"]?.utc(),
            device: json["device"]?.string.flatMap { ForeignText($0) }, mode: try json.member("mode").small(),
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
            try json.member("link").word(), reason: try json["reason"]?.word(), address: try json["address"]?.address(),
            name: json["name"]?.string.flatMap { ForeignText($0) })
    }
}

extension Bluetooth {
    init(_ json: JSON) throws(ParseError) {
        self.init(
            way: try json.member("way").word(), adapter: try json["adapter"]?.address(),
            reason: json["reason"]?.string.flatMap { ForeignText($0) })
    }
}

extension Settings {
    /// All settings as they were; what they may be was checked when they were made.
    init(_ json: JSON) throws(ParseError) {
        self.init()
        metric = try json.member(.metric).truth()
        twelveHourClock = try json.member(.twelveHourClock).truth()
        useHeartRateZones = try json.member(.useHeartRateZones).truth()
        sport = try json.member(.sport).word()
        autoLapMetres = try json.member(.autoLapMetres).whole()
        autoLapSeconds = try json.member(.autoLapSeconds).whole()
        autoStopMinutes = try json.member(.autoStopMinutes).whole()
        straps = try json.elements(SettingKey.straps.rawValue) { (json) throws(ParseError) in try json.text() }
        if json[SettingKey.zones.rawValue] != nil {
            let bottoms = try json.elements(SettingKey.zones.rawValue) { (json) throws(ParseError) in
                try json.whole()
            }
            guard let zones = try? Zones(bottoms) else { throw ParseError(at: 0, expected: "zones") }
            self.zones = zones
        }
        guard let components = try? SettingChange.components(json.member(.components)) else {
            throw ParseError(at: 0, expected: "components")
        }
        self.components = components
    }
}

extension JSON {
    /// - Throws: ``ParseError`` where there is no such member.
    func member(_ name: String) throws(ParseError) -> JSON {
        guard let member = self[name] else { throw ParseError(at: 0, expected: "a member that is missing") }
        return member
    }

    fileprivate func member(_ key: SettingKey) throws(ParseError) -> JSON {
        try member(key.rawValue)
    }

    func timed<Value>(
        _ name: String, _ read: (JSON) throws(ParseError) -> Value
    ) throws(ParseError) -> Timed<Value> {
        let member = try member(name)
        return Timed(try read(member), at: try member.member("at").instant())
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

    /// Words of the program itself, which it wrote.
    func program() throws(ParseError) -> StaticText {
        StaticText(stringLiteral: try text())
    }

    func word<Value: RawRepresentable<String>>() throws(ParseError) -> Value {
        guard let value = Value(rawValue: try text()) else { throw ParseError(at: 0, expected: "another word") }
        return value
    }

    func address() throws(ParseError) -> DeviceAddress {
        guard let address = DeviceAddress(try text()) else { throw ParseError(at: 0, expected: "an address") }
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
