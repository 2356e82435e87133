package import Domain
import JSONCoding

/// A request on sensor.sock: another program's sensors.
package enum SensorDoorRequest: Equatable, Sendable {
    /// A sensor has come, or what is known of it has changed.
    case announce(SensorAnnouncement)
    case measure(PublishedMeasurement)
    /// The position of another program's receiver.
    case position(PublishedPosition)

    /// The methods of sensor.sock.
    package static let table = RPCTable<SensorDoorRequest>(
        "paced sensor socket",
        [
            RPCMethod(
                "sensor.announce", "Announces a sensor of this program, or changes what is known of it.",
                [
                    id.required, kinds.required, name.optional, manufacturer.optional, model.optional,
                    serialNumber.optional, firmware.optional, battery.optional, fields.optional,
                ], "nothing", .null, [.refused, .busy, .invalid], .change
            ) { .announce(try announcement($0)) },
            RPCMethod(
                "sensor.measure", "Measures a value of a sensor that was announced on this connection.",
                [
                    id.required, kind.required, age.optional, bpm.optional, contact.optional, intervals.optional,
                    power.optional, balance.optional, speed.optional, cadence.optional, steps.optional,
                    wheelRevolutions.optional, wheelTime.optional, crankRevolutions.optional, crankTime.optional,
                    stride.optional, distance.optional, incline.optional, temperature.optional, humidity.optional,
                    pressure.optional, vehicles.optional,
                ] + fieldValues.map(\.parameter.optional) + [values.optional], "nothing", .null,
                [.busy, .invalid, .notFound], .change
            ) { .measure(try PublishedMeasurement(of: $0)) },
            RPCMethod(
                "position.measure",
                "Measures the position, with Gpsd=sensor-socket in paced.conf in the place of gpsd.",
                [
                    latitude.required, longitude.required, age.optional, altitude.optional, accuracy.optional,
                    verticalAccuracy.optional, groundSpeed.optional, track.optional, time.optional,
                ], "nothing", .null, [.refused, .busy, .invalid], .change
            ) { .position(try PublishedPosition(of: $0)) },
        ])

    // MARK: Parameters

    fileprivate static let id = RPCParameter(
        "id", .string(pattern: "^[a-z0-9-]{1,32}$"),
        "The name of the sensor, \(ExternalSensorName.rule); in paced it is ext:NAME."
    ) { value, name in
        guard let id = value.string.flatMap({ ExternalSensorName($0) }) else {
            throw RPCError.invalidValue(name, "\(name) must be \(ExternalSensorName.rule)")
        }
        return id
    }
    private static let kinds = RPCParameter(
        "kinds", .array(of: .oneOf(SensorKind.allCases.map(\.rawValue)), #""minItems":1,"uniqueItems":true"#),
        "What it measures."
    ) { value, name in
        let kinds = value.array?.compactMap { $0.string.flatMap(SensorKind.init) } ?? []
        guard !kinds.isEmpty, kinds.count == value.array?.count, Set(kinds).count == kinds.count else {
            throw RPCError.invalidValue(name, "\(name) must be a list of distinct values of \(knownKinds)")
        }
        return SensorKind.allCases.filter(kinds.contains)
    }
    fileprivate static let kind = RPCParameter(
        "kind", .oneOf(SensorKind.allCases.map(\.rawValue)), "What is measured."
    ) { value, name in
        guard let kind = value.string.flatMap(SensorKind.init) else {
            throw RPCError.invalidValue(name, "\(name) must be one of \(knownKinds)")
        }
        return kind
    }
    private static var knownKinds: String { SensorKind.allCases.map(\.rawValue).joined(separator: ", ") }
    private static let name = RPCParameter.text("name", "The name of the sensor for people, 1 to 64 characters.")
    private static let manufacturer = RPCParameter.text("manufacturer", "The manufacturer, 1 to 64 characters.")
    private static let model = RPCParameter.text("model", "The model, 1 to 64 characters.")
    private static let serialNumber = RPCParameter.text("serial_number", "The serial number, 1 to 64 characters.")
    private static let firmware = RPCParameter.text("firmware", "The version of the firmware, 1 to 64 characters.")
    private static let battery = RPCParameter.integer(
        "battery_percent", 0...100, "The charge of the battery, 0 to 100.")

    fileprivate static let age = number(
        "age_s", 0...5, "How old the value is, 0 to 5. It dates the value only: it counts when it arrives.")
    fileprivate static let bpm = RPCParameter.integer("bpm", 0...255, "The heart rate, 0 to 255.")
    fileprivate static let contact = RPCParameter.flag("contact", "Whether the strap touches the skin.")
    fileprivate static let intervals = RPCParameter(
        "rr_ms", .array(of: .number("0", "63999"), #""maxItems":16"#), "RR intervals, the oldest first, at most 16."
    ) { value, name in
        let milliseconds = value.array?.compactMap(\.number) ?? []
        guard milliseconds.count == value.array?.count, milliseconds.count <= 16,
            milliseconds.allSatisfy({ (0...63_999).contains($0) })
        else { throw RPCError.invalidValue(name, "\(name) must be a list of at most 16 numbers of 0 to 63999") }
        return milliseconds
    }
    fileprivate static let power = RPCParameter.integer("power_w", -2000...10_000, "The power, -2000 to 10000.")
    fileprivate static let balance = number("left_percent", 0...100, "The part of the left leg, 0 to 100.")
    fileprivate static let speed = number(
        "speed_mps", 0...100, "The speed, 0 to 100. Of a wheel without a counter it becomes revolutions.")
    fileprivate static let cadence = number(
        "cadence_rpm", 0...300, "The cadence, 0 to 300. Of a crank without a counter it becomes revolutions.")
    fileprivate static let steps = number("cadence_spm", 0...255, "The steps per minute, 0 to 255.")
    fileprivate static let wheelRevolutions = RPCParameter.integer(
        "wheel_revolutions", 0...Int(UInt32.max), "The counter of the wheel, which wraps after 32 bits.")
    fileprivate static let wheelTime = number(
        "wheel_event_s", 0...1e9, "When the wheel's last revolution was, by a clock of the sensor.")
    fileprivate static let crankRevolutions = RPCParameter.integer(
        "crank_revolutions", 0...Int(UInt32.max), "The counter of the crank, which wraps after 16 bits.")
    fileprivate static let crankTime = number(
        "crank_event_s", 0...1e9, "When the crank's last revolution was, by a clock of the sensor.")
    fileprivate static let stride = number("stride_m", 0...5, "The length of a stride, 0 to 5.")
    fileprivate static let distance = number("distance_m", 0...16_000_000, "The total of the sensor, which only grows.")
    fileprivate static let incline = number("incline_percent", -100...100, "The inclination, -100 to 100.")
    fileprivate static let temperature = number("temperature_c", -100...100, "The temperature, -100 to 100.")
    fileprivate static let humidity = number("humidity_percent", 0...100, "The relative humidity, 0 to 100.")
    fileprivate static let pressure = number("pressure_hpa", 300...1200, "The air pressure, 300 to 1200.")
    fileprivate static let vehicles = RPCParameter(
        "vehicles",
        .array(
            of: .object(
                required: ["id", "distance_m", "speed_mps"],
                ["id": .integer(0...255), "distance_m": .number("0", "255"), "speed_mps": .number("0", "70")]),
            #""maxItems":8"#),
        "The vehicles behind, at most 8: the id of each, its distance and how fast it approaches."
    ) { value, name in
        var threats = RadarThreats()
        for vehicle in value.array ?? [] {
            guard let id = vehicle["id"]?.integer(in: 0...255), let metres = vehicle["distance_m"]?.number,
                let speed = vehicle["speed_mps"]?.number, (0...255).contains(metres), (0...70).contains(speed)
            else {
                throw RPCError.invalidValue(
                    name,
                    "\(name) must have an id of 0 to 255, a distance_m of 0 to 255 and a speed_mps of 0 to 70 each")
            }
            threats.update(
                RadarThreat(
                    id: UInt8(id), metres: UInt8(metres.rounded()),
                    kilometresPerHour: UInt8((speed * 3.6).rounded())))
        }
        guard let count = value.array?.count, count <= RadarThreats.capacity else {
            throw RPCError.invalidValue(name, "\(name) must be a list of at most \(RadarThreats.capacity) vehicles")
        }
        return threats
    }

    private static let fields = RPCParameter(
        "fields", .array(of: .object, "\"maxItems\":\(OwnField.perSensor)"),
        "What it measures of the kind fields, at most \(OwnField.perSensor)."
    ) { value, name in
        do throws(DeclarationFailure) {
            let fields = try OwnField.list(value, atMost: OwnField.perSensor)
            for case .object(let members) in value.array ?? [] {
                let others = Set(members.keys).subtracting(OwnField.members)
                if let other = others.min() {
                    throw DeclarationFailure(
                        "a list of fields without the unknown member \(SanitizedText(other)?.text ?? "")")
                }
            }
            if let taken = fields.first(where: { OwnFieldName.reserved.contains($0.name.description) }) {
                throw DeclarationFailure(
                    "a list of fields with other names: \(taken.name) has another meaning in paced")
            }
            return fields
        } catch {
            throw RPCError.invalidValue(name, "\(name) must be \(error.rule)")
        }
    }
    /// A parameter for each field of the kinds that paced knows.
    fileprivate static let fieldValues: [(kind: SensorKind, parameter: RPCParameter<Double>)] =
        SensorKind.allCases.flatMap { kind in
            kind.fields.map { row in
                let unit = row.field.unit.map { " in \($0.text)" } ?? ""
                let range = "\(Int(row.range.lowerBound)) to \(Int(row.range.upperBound))"
                return (
                    kind, number(row.field.name.description, row.range, "\(row.field.title.text)\(unit), \(range).")
                )
            }
        }
    fileprivate static let values = RPCParameter(
        "values", .object, "The values of the announced fields by their names. Those that are left out are unknown."
    ) { value, name in
        guard case .object(let members) = value, members.count <= OwnField.perSensor else {
            throw RPCError.invalidValue(name, "\(name) must be an object of at most \(OwnField.perSensor) numbers")
        }
        for (field, number) in members where number != .null {
            guard let number = number.number, abs(number) < OwnField.magnitudeLimit else {
                throw RPCError.invalidValue(
                    name, "\(name) must have numbers below 1e12 or null: \(SanitizedText(field)?.text ?? "") has none")
            }
        }
        return members
    }

    fileprivate static let latitude = number("latitude", -90...90, "The latitude in WGS 84, degrees to the north.")
    fileprivate static let longitude = number("longitude", -180...180, "The longitude in WGS 84, degrees to the east.")
    fileprivate static let altitude = number("altitude_m", -1000...100_000, "Metres above mean sea level.")
    fileprivate static let accuracy = number(
        "accuracy_m", 0...100_000, "The estimated horizontal error.")
    fileprivate static let verticalAccuracy = number(
        "vertical_accuracy_m", 0...100_000, "The estimated vertical error.")
    fileprivate static let groundSpeed = number("speed_mps", 0...1000, "The speed over ground.")
    fileprivate static let track = number("track_deg", 0...360, "The direction of movement from true north.")
    fileprivate static let time = RPCParameter.time("time", "The time of the receiver for this position.")

    private static func number(
        _ name: String, _ range: ClosedRange<Double>, _ summary: String
    ) -> RPCParameter<Double> {
        let bounds = (low: "\(Int(range.lowerBound))", high: "\(Int(range.upperBound))")
        return RPCParameter(name, .number(bounds.low, bounds.high), summary) { value, name in
            guard let number = value.number, range.contains(number) else {
                throw RPCError.invalidValue(name, "\(name) must be a number of \(bounds.low) to \(bounds.high)")
            }
            return number
        }
    }

    private static func announcement(_ parameters: RPCParameters) throws(RPCError) -> SensorAnnouncement {
        var announcement = SensorAnnouncement(
            id: try parameters.value(of: id), kinds: try parameters.value(of: kinds), name: try parameters[name],
            manufacturer: try parameters[manufacturer], model: try parameters[model],
            serialNumber: try parameters[serialNumber], firmware: try parameters[firmware],
            batteryPercent: try parameters[battery])
        announcement.fields = try parameters[fields] ?? []
        guard announcement.fields.isEmpty != announcement.kinds.contains(.fields) else {
            throw .invalidParameters("fields", "fields belongs to a sensor whose kinds have fields")
        }
        return announcement
    }
}

/// A sensor as another program announces it.
package struct SensorAnnouncement: Equatable, Sendable {
    package var id: ExternalSensorName
    package var kinds: [SensorKind]
    package var name: SanitizedText?
    package var manufacturer: SanitizedText?
    package var model: SanitizedText?
    package var serialNumber: SanitizedText?
    package var firmware: SanitizedText?
    package var batteryPercent: Int?
    package var fields: [OwnField] = []

    package init(
        id: ExternalSensorName, kinds: [SensorKind], name: SanitizedText? = nil, manufacturer: SanitizedText? = nil,
        model: SanitizedText? = nil, serialNumber: SanitizedText? = nil, firmware: SanitizedText? = nil,
        batteryPercent: Int? = nil
    ) {
        self.id = id
        self.kinds = kinds
        self.name = name
        self.manufacturer = manufacturer
        self.model = model
        self.serialNumber = serialNumber
        self.firmware = firmware
        self.batteryPercent = batteryPercent
    }

    /// The sensor of the list.
    package func status(_ link: LinkState = .connected, reason: LinkReason? = nil) -> SensorStatus {
        var status = SensorStatus(.external(id), kinds: kinds, link: LinkStatus(link, reason: reason, name: name))
        status.manufacturer = manufacturer
        status.model = model
        status.serialNumber = serialNumber
        status.firmware = firmware
        status.batteryPercent = batteryPercent
        status.fields = fields
        return status
    }
}

/// A measurement as another program states it.
package struct PublishedMeasurement: Equatable, Sendable {
    /// What the door makes revolutions of, because the program has a rate and no counter.
    package struct Rates: Equatable, Sendable {
        /// Metres per second of the wheel.
        package var speed: Double?
        /// Revolutions of the crank per minute.
        package var cadence: Double?
    }

    package var id: ExternalSensorName
    /// Seconds.
    package var age = 0.0
    package var measurement: SensorMeasurement
    package var rates = Rates()
    /// Of the kind ``SensorKind/fields``: the numbers by the names of the fields.
    private var named: [String: JSON] = [:]

    /// The values of the kind ``SensorKind/fields`` in the order of an announcement.
    ///
    /// - Throws: ``RPCError`` for a name that it lacks.
    package func values(of fields: [OwnField]) throws(RPCError) -> OwnFieldValues {
        var values = OwnFieldValues()
        for (name, value) in named {
            guard let index = fields.firstIndex(where: { $0.name.description == name }) else {
                let known = fields.map(\.name.description).joined(separator: ", ")
                throw .notFound(
                    "values",
                    "sensor \(id) was not announced with a field \(SanitizedText(name)?.text ?? ""): it has \(known)")
            }
            values[index] = value.number
        }
        return values
    }

    fileprivate init(of parameters: RPCParameters) throws(RPCError) {
        typealias Request = SensorDoorRequest
        id = try parameters.value(of: Request.id)
        age = try parameters[Request.age] ?? 0
        let kind = try parameters.value(of: Request.kind)
        switch kind {
        case .heartRate:
            let beats = try Self.needed(parameters[Request.bpm], "bpm", kind)
            let intervals = try parameters[Request.intervals] ?? []
            measurement = .heartRate(
                HeartRateMeasurement(
                    beatsPerMinute: UInt16(beats), contact: try parameters[Request.contact],
                    rrIntervals: intervals.map { UInt16(($0 * 1.024).rounded()) }))
        case .cyclingSpeedCadence:
            let counts = try Self.counts(parameters, wheelTicks: 1024)
            guard counts.wheel != nil || counts.crank != nil || counts.rates != Rates() else {
                throw .invalidParameters(
                    "kind", "speed-cadence needs wheel_revolutions, crank_revolutions, speed_mps or cadence_rpm")
            }
            measurement = .speedCadence(CyclingSpeedCadenceMeasurement(wheel: counts.wheel, crank: counts.crank))
            rates = counts.rates
        case .cyclingPower:
            var power = CyclingPowerMeasurement(
                watts: Int16(try Self.needed(parameters[Request.power], "power_w", kind)))
            if let left = try parameters[Request.balance] {
                power.balance = UInt8((left * 2).rounded())
                power.isBalanceOfLeft = true
            }
            let counts = try Self.counts(parameters, wheelTicks: 2048)
            (power.wheel, power.crank, rates) = (counts.wheel, counts.crank, counts.rates)
            measurement = .power(power)
        case .runningSpeedCadence:
            let speed = try parameters[Request.speed]
            let steps = try parameters[Request.steps]
            guard speed != nil || steps != nil else {
                throw .invalidParameters("kind", "foot-pod needs speed_mps or cadence_spm")
            }
            var running = RunningMeasurement(
                rawSpeed: UInt16(((speed ?? 0) * 256).rounded()), cadence: UInt8((steps ?? 0).rounded()),
                strideCentimetres: try parameters[Request.stride].map { UInt16(($0 * 100).rounded()) },
                totalDecimetres: try parameters[Request.distance].map { UInt32(($0 * 10).rounded()) })
            running.hasSpeed = speed != nil
            measurement = .running(running)
        case .fitnessMachine:
            var record = FitnessMachineRecord()
            record.rawSpeed = try parameters[Request.speed].map { UInt16(($0 * 360).rounded()) }
            record.cadence = try parameters[Request.cadence]
            record.watts = try parameters[Request.power].map { Int16($0) }
            record.totalMetres = try parameters[Request.distance].map { UInt32($0.rounded()) }
            record.inclination = try parameters[Request.incline].map { Int16(($0 * 10).rounded()) }
            record.heartRate = try parameters[Request.bpm].map { UInt8($0) }
            measurement = .fitnessMachine(record)
        case .environment:
            let environment = EnvironmentMeasurement(
                decipascals: try parameters[Request.pressure].map { UInt32(($0 * 1000).rounded()) },
                centidegrees: try parameters[Request.temperature].map { Int16(($0 * 100).rounded()) },
                rawHumidity: try parameters[Request.humidity].map { UInt16(($0 * 100).rounded()) })
            guard environment != EnvironmentMeasurement() else {
                throw .invalidParameters(
                    "kind", "environment needs temperature_c, humidity_percent or pressure_hpa")
            }
            measurement = .environment(environment)
        case .radar: measurement = .radar(try Self.needed(parameters[Request.vehicles], "vehicles", kind))
        case .gears, .eBike, .muscleOxygen, .bodyTemperature:
            var values = OwnFieldValues()
            let rows = Request.fieldValues.filter { $0.kind == kind }
            for (index, row) in rows.enumerated() { values[index] = try parameters[row.parameter] }
            guard values != OwnFieldValues() else {
                let names = rows.map(\.parameter.name).joined(separator: ", ")
                throw .invalidParameters("kind", "\(kind.rawValue) needs any of \(names)")
            }
            measurement = .values(kind, values)
        case .fields:
            named = try Self.needed(parameters[Request.values], "values", kind)
            measurement = .values(.fields, OwnFieldValues())
        }
    }

    private static func needed<Value>(_ value: Value?, _ name: String, _ kind: SensorKind) throws(RPCError) -> Value {
        guard let value else { throw .invalidParameters(name, "\(kind.rawValue) needs \(name)") }
        return value
    }

    /// The counters, or the rates in their place.
    private static func counts(
        _ parameters: RPCParameters, wheelTicks: Double
    ) throws(RPCError) -> (wheel: RevolutionCount?, crank: RevolutionCount?, rates: Rates) {
        typealias Request = SensorDoorRequest
        func count(_ revolutions: Int?, _ time: Double?, _ ticks: Double, _ name: String) throws(RPCError)
            -> RevolutionCount?
        {
            guard let revolutions else { return nil }
            guard let time else { throw .invalidParameters(name, "\(name) is missing") }
            return RevolutionCount(
                revolutions: UInt32(revolutions), eventTime: UInt16(truncatingIfNeeded: Int((time * ticks).rounded())))
        }
        let wheel = try count(
            parameters[Request.wheelRevolutions], parameters[Request.wheelTime], wheelTicks, "wheel_event_s")
        let crank = try count(
            parameters[Request.crankRevolutions].map { $0 & 0xFFFF }, parameters[Request.crankTime], 1024,
            "crank_event_s")
        let rates = Rates(
            speed: wheel == nil ? try parameters[Request.speed] : nil,
            cadence: crank == nil ? try parameters[Request.cadence] : nil)
        return (wheel, crank, rates)
    }
}

/// A position as another program states it.
package struct PublishedPosition: Equatable, Sendable {
    /// Seconds.
    package var age: Double
    /// Its moment and its device are unset.
    private var fix: Fix

    /// The fix of the position.
    package func fix(arrivedAt: Instant) -> Fix {
        var fix = fix
        fix.arrivedAt = arrivedAt
        return fix
    }

    fileprivate init(of parameters: RPCParameters) throws(RPCError) {
        typealias Request = SensorDoorRequest
        age = try parameters[Request.age] ?? 0
        let altitude = try parameters[Request.altitude]
        fix = Fix(
            arrivedAt: Instant(nanoseconds: 0), time: try parameters[Request.time], device: nil,
            mode: altitude == nil ? 2 : 3, latitude: try parameters.value(of: Request.latitude),
            longitude: try parameters.value(of: Request.longitude), altitude: altitude,
            accuracy: try parameters[Request.accuracy], speed: try parameters[Request.groundSpeed],
            track: try parameters[Request.track], satellites: nil)
        fix.verticalAccuracy = try parameters[Request.verticalAccuracy]
    }
}
