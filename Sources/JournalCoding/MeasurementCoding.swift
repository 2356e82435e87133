package import Domain
package import JSONCoding
import Wire

// The sensors of the list and their measurements as JSON.
//
// A measurement is an array, because a ride has several a second for hours: the sensor, the kind, then the fields in a
// fixed order as integers. An absent field is null; absent fields at the end are omitted.
//
//     ["A0:9E:1A:00:00:01/public","power",250,12345,54321,101,1]

extension JSONWriter {
    package mutating func members(of sensor: SensorStatus) {
        member("id", sensor.id.description)
        array("kinds") { for kind in sensor.kinds { $0.value(kind.token) } }
        members(of: sensor.link)
        member("battery", sensor.batteryPercent)
        member("manufacturer", sensor.manufacturer?.text)
        member("model", sensor.model?.text)
        member("serial", sensor.serialNumber?.text)
        member("firmware", sensor.firmware?.text)
        if !sensor.fields.isEmpty {
            key("fields")
            fields(sensor.fields)
        }
    }

    package mutating func measurement(_ measurement: SensorMeasurement, of id: SensorID) {
        array { line in
            line.value(id.description)
            line.value(measurement.kind.token)
            if case .values(_, let values) = measurement { return line.values(values) }
            var absent = 0
            for field in measurement.fields {
                guard let field else {
                    absent += 1
                    continue
                }
                for _ in 0..<absent { line.null() }
                absent = 0
                line.value(field)
            }
        }
    }
}

extension JSONWriter {
    /// Exact values of own fields with `null` for unknown ones; unknown ones at the end are omitted.
    fileprivate mutating func values(_ values: OwnFieldValues) {
        let count = (0..<OwnField.limit).last { values[$0] != nil }.map { $0 + 1 } ?? 0
        for index in 0..<count {
            if let value = values[index] { exact(value) } else { null() }
        }
    }
}

extension SensorStatus {
    package init(_ json: JSON) throws(ParseError) {
        self.init(
            try json.member("id").sensor(),
            kinds: try json.elements("kinds") { (json) throws(ParseError) in try json.token() },
            link: try LinkStatus(json))
        batteryPercent = json["battery"]?.integer
        manufacturer = json["manufacturer"]?.string.flatMap { SanitizedText($0) }
        model = json["model"]?.string.flatMap { SanitizedText($0) }
        serialNumber = json["serial"]?.string.flatMap { SanitizedText($0) }
        firmware = json["firmware"]?.string.flatMap { SanitizedText($0) }
        guard let declared = json["fields"] else { return }
        guard let fields = try? OwnField.list(declared) else { throw ParseError(at: 0, expected: "fields") }
        self.fields = fields
    }
}

extension JSON {
    package func sensor() throws(ParseError) -> SensorID {
        guard let id = SensorID(try text()) else { throw ParseError(at: 0, expected: "a sensor") }
        return id
    }

    /// - Throws: ``ParseError``, also for a kind of a later release.
    package func measurement() throws(ParseError) -> (SensorID, SensorMeasurement) {
        guard let elements = array, elements.count >= 2 else { throw ParseError(at: 0, expected: "a measurement") }
        let id = try elements[0].sensor()
        let kind: SensorKind = try elements[1].token()
        if kind.hasFields { return (id, .values(kind, OwnFieldValues(elements[2...].map(\.number)))) }
        var fields = MeasurementFields(rest: elements[2...])
        return (id, try SensorMeasurement(kind, &fields))
    }
}

/// The fields of a measurement that are not read yet.
private struct MeasurementFields {
    var rest: ArraySlice<JSON>

    mutating func next<Value: FixedWidthInteger>() throws(ParseError) -> Value? {
        guard let json = rest.popFirst(), json != .null else { return nil }
        return try json.small()
    }

    mutating func needed<Value: FixedWidthInteger>() throws(ParseError) -> Value {
        guard let value: Value = try next() else { throw ParseError(at: 0, expected: "a field that is missing") }
        return value
    }

    mutating func flag() throws(ParseError) -> Bool? {
        let value: UInt8? = try next()
        return value.map { $0 != 0 }
    }

    mutating func revolutions() throws(ParseError) -> RevolutionCount? {
        let (revolutions, eventTime): (UInt32?, UInt16?) = (try next(), try next())
        guard let revolutions, let eventTime else { return nil }
        return RevolutionCount(revolutions: revolutions, eventTime: eventTime)
    }

    mutating func extremes() throws(ParseError) -> CyclingPowerMeasurement.Extremes? {
        let (maximum, minimum): (Int16?, Int16?) = (try next(), try next())
        guard let maximum, let minimum else { return nil }
        return CyclingPowerMeasurement.Extremes(maximum: maximum, minimum: minimum)
    }
}

extension SensorMeasurement {
    /// The stored fields. Their order never changes; new fields are added at the end.
    fileprivate var fields: [Int?] {
        switch self {
        case .heartRate(let heart):
            [Int(heart.beatsPerMinute), heart.contact.map { $0 ? 1 : 0 }, heart.energyKilojoules.map { Int($0) }]
                + heart.rrIntervals.map { Int($0) }
        case .speedCadence(let counts): counts.wheel.fields + counts.crank.fields
        case .power(let power): power.fields
        case .running(let running):
            [
                Int(running.rawSpeed), Int(running.cadence), running.isRunning ? 1 : 0,
                running.strideCentimetres.map { Int($0) }, running.totalDecimetres.map { Int($0) },
            ] + (running.hasSpeed ? [] : [0])
        case .fitnessMachine(let record): record.fields
        case .environment(let environment):
            [
                environment.decipascals.map { Int($0) }, environment.centidegrees.map { Int($0) },
                environment.rawHumidity.map { Int($0) },
            ]
        case .radar(let threats):
            (0..<threats.count).flatMap { index -> [Int?] in
                let threat = threats[index]
                return [Int(threat.id), Int(threat.metres), Int(threat.kilometresPerHour)]
            }
        case .values: []
        }
    }

    fileprivate init(_ kind: SensorKind, _ fields: inout MeasurementFields) throws(ParseError) {
        switch kind {
        case .heartRate:
            var heart = HeartRateMeasurement(
                beatsPerMinute: try fields.needed(), contact: try fields.flag(), energyKilojoules: try fields.next())
            while !fields.rest.isEmpty { heart.rrIntervals.append(try fields.needed()) }
            self = .heartRate(heart)
        case .cyclingSpeedCadence:
            self = .speedCadence(
                CyclingSpeedCadenceMeasurement(wheel: try fields.revolutions(), crank: try fields.revolutions()))
        case .cyclingPower: self = .power(try CyclingPowerMeasurement(&fields))
        case .runningSpeedCadence:
            let (rawSpeed, cadence): (UInt16, UInt8) = (try fields.needed(), try fields.needed())
            let isRunning = try fields.flag() ?? false
            var running = RunningMeasurement(
                rawSpeed: rawSpeed, cadence: cadence, strideCentimetres: try fields.next(),
                totalDecimetres: try fields.next(), isRunning: isRunning)
            running.hasSpeed = try fields.flag() ?? true
            self = .running(running)
        case .fitnessMachine: self = .fitnessMachine(try FitnessMachineRecord(&fields))
        case .environment:
            self = .environment(
                EnvironmentMeasurement(
                    decipascals: try fields.next(), centidegrees: try fields.next(), rawHumidity: try fields.next()))
        case .radar:
            var threats = RadarThreats()
            while !fields.rest.isEmpty {
                threats.update(
                    RadarThreat(
                        id: try fields.needed(), metres: try fields.needed(), kilometresPerHour: try fields.needed()))
            }
            self = .radar(threats)
        case .gears, .eBike, .muscleOxygen, .bodyTemperature, .fields: self = .values(kind, OwnFieldValues())
        }
    }
}

extension RevolutionCount? {
    fileprivate var fields: [Int?] {
        [self.map { Int($0.revolutions) }, self.map { Int($0.eventTime) }]
    }
}

extension CyclingPowerMeasurement.Extremes? {
    fileprivate var fields: [Int?] {
        [self.map { Int($0.maximum) }, self.map { Int($0.minimum) }]
    }
}

extension CyclingPowerMeasurement {
    /// The most frequent fields come first. The fifth has a bit for each of the three flags.
    fileprivate var fields: [Int?] {
        let flags = (isBalanceOfLeft ? 1 : 0) | (isTorqueOfCrank ? 2 : 0) | (needsOffsetCompensation ? 4 : 0)
        return [Int(watts)] + crank.fields
            + [balance.map { Int($0) }, flags == 0 ? nil : flags, accumulatedTorque.map { Int($0) }] + wheel.fields
            + [energyKilojoules.map { Int($0) }] + force.fields + torque.fields + angle.fields
            + [topDeadSpotAngle.map { Int($0) }, bottomDeadSpotAngle.map { Int($0) }]
    }

    fileprivate init(_ fields: inout MeasurementFields) throws(ParseError) {
        self.init(watts: try fields.needed())
        crank = try fields.revolutions()
        balance = try fields.next()
        let flags: Int = try fields.next() ?? 0
        isBalanceOfLeft = flags & 1 != 0
        isTorqueOfCrank = flags & 2 != 0
        needsOffsetCompensation = flags & 4 != 0
        accumulatedTorque = try fields.next()
        wheel = try fields.revolutions()
        energyKilojoules = try fields.next()
        force = try fields.extremes()
        torque = try fields.extremes()
        angle = try fields.extremes()
        topDeadSpotAngle = try fields.next()
        bottomDeadSpotAngle = try fields.next()
    }
}

extension FitnessMachineRecord {
    /// The cadence is in units of 0.5.
    fileprivate var fields: [Int?] {
        [
            rawSpeed.map { Int($0) }, watts.map { Int($0) }, cadence.flatMap { Int(exactly: ($0 * 2).rounded()) },
            totalMetres.map { Int($0) }, elapsedSeconds.map { Int($0) }, heartRate.map { Int($0) },
            kilocalories.map { Int($0) }, resistance.map { Int($0) }, inclination.map { Int($0) },
            strokeCount.map { Int($0) }, pace.map { Int($0) },
        ]
    }

    fileprivate init(_ fields: inout MeasurementFields) throws(ParseError) {
        self.init()
        rawSpeed = try fields.next()
        watts = try fields.next()
        let halves: Int32? = try fields.next()
        cadence = halves.map { Double($0) / 2 }
        totalMetres = try fields.next()
        elapsedSeconds = try fields.next()
        heartRate = try fields.next()
        kilocalories = try fields.next()
        resistance = try fields.next()
        inclination = try fields.next()
        strokeCount = try fields.next()
        pace = try fields.next()
    }
}
