package import Domain
import JSONCoding

/// Reads the lines of an ``ActivityUpload``, which any client may have written: each value is validated.
package struct ActivityUploadReader: Sendable {
    /// Why the data is rejected, as text for people.
    package struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        package var description: String

        package init(_ description: String) {
            self.description = description
        }
    }

    /// The recording, once its last line is read; without an id.
    package private(set) var recording: RecordedActivity?
    /// The rows `segment`.
    package private(set) var gaps = 0

    private var lines = 0
    private var rows = 0
    /// Moment and active time of the last row.
    private var at: Int64 = 0
    private var elapsed: Int64 = 0
    private var timerRuns = false
    private var laps: [RecordingLap] = []

    /// A year, the limit of imported files.
    static let longest: Int64 = 366 * 86_400_000
    /// The years 1 to 9999.
    private static let times: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
    private static let metres = 0.0...1e9
    private static let climbs = 0.0...1e6
    /// Kilocalories, and training impulses.
    private static let loads = 0.0...1e6
    private static let speeds = 0.0...1e5
    private static let watts = 0.0...65_535

    package init() {}

    /// - Parameter line: without its newline.
    /// - Returns: the row of the line; nil for a header, totals of a lap or the last line.
    package mutating func read(_ line: some Collection<UInt8>) throws(Failure) -> RecordingRow? {
        lines += 1
        do throws(Failure) {
            guard recording == nil else { throw Failure("nothing may follow the row activity") }
            guard line.count <= ActivityUpload.lineLimit else {
                throw Failure("a line is at most \(ActivityUpload.lineLimit) bytes")
            }
            return try read(Self.parse(line))
        } catch {
            throw Failure("line \(lines): \(error)")
        }
    }

    /// Checks that the data is complete.
    package func finish() throws(Failure) -> RecordedActivity {
        guard let recording else { throw Failure("line \(lines + 1): the row activity is missing: the data is cut") }
        return recording
    }

    static func parse(_ line: some Collection<UInt8>) throws(Failure) -> JSON {
        do throws(ParseError) {
            return try JSON(parsing: line)
        } catch {
            throw Failure("\(error)")
        }
    }

    private mutating func read(_ json: JSON) throws(Failure) -> RecordingRow? {
        if lines == 1 {
            guard json["format"]?.string == ActivityUpload.format, json["version"]?.integer == ActivityUpload.version
            else { throw Failure("the format must be \(ActivityUpload.format), version \(ActivityUpload.version)") }
            return nil
        }
        switch json["row"]?.string {
        case "lap-totals":
            try readLap(json)
            return nil
        case "activity":
            recording = try activity(json)
            return nil
        case let kind?:
            guard laps.isEmpty else { throw Failure("a row follows the totals of laps") }
            guard rows < ActivityUpload.rowLimit else { throw Failure("more than \(ActivityUpload.rowLimit) rows") }
            let row = try row(kind, json)
            rows += 1
            return row
        case nil: throw Failure("row is missing")
        }
    }

    private mutating func row(_ kind: String, _ json: JSON) throws(Failure) -> RecordingRow {
        let moment = try json.needed("at_ms", in: at...Self.longest)
        let isBegin = kind == "begin"
        guard isBegin != timerRuns || (rows > 0 && ["lap", "beats", "sample"].contains(kind)) else {
            throw Failure(timerRuns ? "the timer runs already" : "\(kind) while the timer is stopped")
        }
        at = moment
        switch kind {
        case "begin", "end":
            timerRuns = isBegin
            let trigger: RecordingRow.TimerTrigger = try json.token("trigger")
            return isBegin ? .begin(at: at, trigger) : .end(at: at, trigger)
        case "lap": return .lap(at: at, try json.token("trigger"))
        case "segment":
            gaps += 1
            return .segment(at: at)
        case "auto-pause": return .autoPause(at: at, elapsedMilliseconds: try json.needed("elapsed_ms", in: 0...at))
        case "auto-resume": return .autoResume(at: at, elapsedMilliseconds: try json.needed("elapsed_ms", in: 0...at))
        case "beats":
            guard let list = json["rr_1024"]?.array, list.count <= ActivityUpload.intervalLimit else {
                throw Failure("rr_1024 must be a list of at most \(ActivityUpload.intervalLimit) integers")
            }
            let rr = list.compactMap { $0.integer.flatMap { UInt16(exactly: $0) } }
            guard rr.count == list.count else { throw Failure("rr_1024 must have integers of 0 to 65535") }
            return .beats(at: at, rr: rr, gap: try json.flag("gap"))
        case "sample": return .sample(try sample(json))
        default:
            throw Failure(
                "row must be begin, end, auto-pause, auto-resume, lap, segment, beats, sample, lap-totals or activity")
        }
    }

    private mutating func sample(_ json: JSON) throws(Failure) -> RecordingSample {
        elapsed = try json.needed("elapsed_ms", in: min(elapsed, at)...at)
        var sample = RecordingSample(at: at, elapsedMilliseconds: elapsed)
        sample.distanceMetres = try json.real("distance_m", in: Self.metres)
        let latitude = try json.real("latitude", in: -90...90)
        let longitude = try json.real("longitude", in: -180...180)
        guard (latitude == nil) == (longitude == nil) else { throw Failure("latitude and longitude belong together") }
        if let latitude, let longitude { sample.coordinate = Coordinate(latitude: latitude, longitude: longitude) }
        sample.altitude = try json.real("altitude_m", in: -1e5...1e5)
        sample.speed = try json.real("speed_mps", in: Self.speeds)
        sample.heartRate = try json.small("bpm", in: 1...240)
        sample.cadence = try json.small("cadence_rpm", in: 0...254)
        sample.power = try json.small("power_w", in: 0...65_534)
        sample.temperature = try json.small("temperature_c", in: -127...126)
        sample.leftBalance = try json.small("left_balance_percent", in: 0...100)
        sample.ascent = try json.real("ascent_m", in: Self.climbs)
        sample.descent = try json.real("descent_m", in: Self.climbs)
        sample.grade = try json.real("grade_percent", in: -1e6...1e6)
        sample.verticalSpeed = try json.real("vertical_mps", in: -1e4...1e4)
        sample.ascentSource = try json.optionalToken("ascent_source")
        return sample
    }

    private mutating func readLap(_ json: JSON) throws(Failure) {
        guard laps.count < ActivityUpload.lapLimit else { throw Failure("more than \(ActivityUpload.lapLimit) laps") }
        let began = try json.needed("began_ms", in: (laps.last?.beganAt ?? 0)...Self.longest)
        let ended = try json.needed("ended_ms", in: began...Self.longest)
        let trigger: Event.Trigger? = json["trigger"] == nil ? nil : try json.token("trigger")
        // A file's own totals of a lap may be longer than the lap.
        let figures = try totals(json, over: Self.longest)
        laps.append(RecordingLap(trigger: trigger, beganAt: began, endedAt: ended, figures: figures))
    }

    private func activity(_ json: JSON) throws(Failure) -> RecordedActivity {
        guard rows > 0, !timerRuns else { throw Failure("the rows must end with the row end") }
        guard json["rows"]?.integer == rows else { throw Failure("rows must be \(rows), their number") }
        guard !laps.isEmpty else { throw Failure("the totals of the laps are missing") }
        var recording = RecordedActivity(
            sport: try json.token("sport"),
            started: UTC(milliseconds: try json.needed("started_utc_ms", in: Self.times)))
        recording.isIndoor = try json.flag("indoor")
        recording.isTimeUncertain = try json.flag("time_uncertain")
        recording.name = try json.text("name")
        recording.totalMilliseconds = try json.needed("total_ms", in: at...Self.longest)
        recording.total = try totals(json, over: recording.totalMilliseconds)
        recording.laps = laps
        recording.total.bestPowers = try Self.bestPowers(json)
        recording.sensors = try Self.sensors(json)
        guard let source = json["source_totals"] else { return recording }
        var stated = SourceTotals()
        stated.creator = try source.text("creator")
        stated.elapsedMilliseconds = try source.whole("elapsed_ms", in: 0...Int64(1e12))
        stated.totalMilliseconds = try source.whole("total_ms", in: 0...Int64(1e12))
        stated.distanceMetres = try source.real("distance_m", in: 0...1e12)
        stated.sampleMetres = try source.real("sample_distance_m", in: 0...1e12)
        stated.ascentMetres = try source.real("ascent_m", in: 0...1e9)
        stated.averageHeartRate = try source.real("average_bpm", in: 0...1e4)
        stated.maximumHeartRate = try source.small("max_bpm", in: 0...65_535)
        stated.averagePower = try source.real("average_power_w", in: Self.watts)
        stated.maximumPower = try source.small("max_power_w", in: 0...65_535)
        stated.normalizedPower = try source.real("normalized_power_w", in: Self.watts)
        stated.energyKilocalories = try source.real("energy_kcal", in: Self.loads)
        recording.sourceTotals = stated
        return recording
    }

    private static func bestPowers(_ json: JSON) throws(Failure) -> BestPowers {
        var powers = BestPowers()
        guard let member = json["best_power_w"] else { return powers }
        guard let list = member.array, list.count <= BestPowers.durations.count else {
            throw Failure("best_power_w must be a list of at most \(BestPowers.durations.count) numbers")
        }
        for (index, value) in list.enumerated() where value != .null {
            guard let number = value.number, watts.contains(number) else {
                throw Failure("best_power_w must have numbers of 0 to 65535 or null")
            }
            powers[index] = number
        }
        return powers
    }

    /// Earlier releases had only a `strap`.
    private static func sensors(_ json: JSON) throws(Failure) -> [RecordingSensor] {
        if let strap = json["strap"] { return [try sensor(strap, [.heartRate])] }
        guard let member = json["sensors"] else { return [] }
        guard let list = member.array, list.count <= ActivityUpload.sensorLimit else {
            throw Failure("sensors must be a list of at most \(ActivityUpload.sensorLimit) objects")
        }
        var sensors: [RecordingSensor] = []
        for json in list {
            let words = json["kinds"]?.array
            let kinds = SensorKind.allCases.filter { kind in
                words?.contains { $0.string == kind.rawValue } ?? false
            }
            guard let words, kinds.count == words.count else {
                throw Failure("kinds must have \(SensorKind.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            sensors.append(try sensor(json, kinds))
        }
        return sensors
    }

    private static func sensor(_ json: JSON, _ kinds: [SensorKind]) throws(Failure) -> RecordingSensor {
        var sensor = RecordingSensor(kinds)
        if let address = json["address"] {
            guard let valid = address.string.flatMap({ BluetoothAddress($0) }) else {
                throw Failure("address must be a Bluetooth address")
            }
            sensor.address = valid
        }
        sensor.name = try json.text("name")
        sensor.manufacturer = try json.text("manufacturer")
        sensor.model = try json.text("model")
        sensor.serialNumber = try json.text("serial_number")
        sensor.firmware = try json.text("firmware")
        sensor.batteryPercent = try json.small("battery_percent", in: 0...100)
        return sensor
    }

    /// - Parameter limit: the longest active time, in milliseconds.
    private func totals(_ json: JSON, over limit: Int64) throws(Failure) -> Totals {
        var totals = Totals()
        totals.elapsedMilliseconds = try json.needed("elapsed_ms", in: 0...limit)
        totals.movingMilliseconds = try json.needed("moving_ms", in: 0...totals.elapsedMilliseconds)
        totals.distanceMetres = try json.real("distance_m", in: Self.metres) ?? 0
        totals.maximumSpeed = try json.real("max_speed_mps", in: Self.speeds)
        totals.averageHeartRate = try json.real("average_bpm", in: 0...240)
        totals.maximumHeartRate = try json.small("max_bpm", in: 0...240)
        totals.energyKilocalories = try json.real("energy_kcal", in: Self.loads)
        totals.trainingImpulse = try json.real("trimp", in: Self.loads)
        totals.averagePower = try json.real("average_power_w", in: Self.watts)
        totals.maximumPower = try json.small("max_power_w", in: 0...65_535)
        totals.normalizedPower = try json.real("normalized_power_w", in: Self.watts)
        totals.workJoules = try json.real("work_j", in: 0...1e12)
        totals.averageCadence = try json.real("average_cadence_rpm", in: 0...1000)
        totals.maximumCadence = try json.real("max_cadence_rpm", in: 0...1000)
        totals.ascent = try json.real("ascent_m", in: Self.climbs)
        totals.descent = try json.real("descent_m", in: Self.climbs)
        totals.ascentError = try json.real("ascent_error_m", in: Self.climbs)
        totals.ascentSource = try json.optionalToken("ascent_source")
        totals.autoPausedMilliseconds = try json.whole("auto_paused_ms", in: 0...totals.elapsedMilliseconds)
        totals.gradeAdjustedPace = try json.real("average_grade_adjusted_pace_s_per_m", in: Self.climbs)
        if let zones = json["power_zone_ms"] {
            let times = zones.array?.compactMap(\.integer) ?? []
            guard times.count == zones.array?.count, times.count <= 8,
                times.allSatisfy({ (0...limit).contains(Int64($0)) })
            else { throw Failure("power_zone_ms must be a list of at most 8 integers of 0 to \(limit)") }
            totals.powerZones = ZoneTimes(milliseconds: times.map { Int64($0) })
        }
        return totals
    }
}

/// Members of a line of an upload.
extension JSON {
    /// Nil if the member is absent.
    func whole(_ name: String, in range: ClosedRange<Int64>) throws(ActivityUploadReader.Failure) -> Int64? {
        guard let value = self[name] else { return nil }
        guard case .integer(let number) = value, range.contains(number) else {
            throw ActivityUploadReader.Failure(
                "\(name) must be an integer of \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func needed(_ name: String, in range: ClosedRange<Int64>) throws(ActivityUploadReader.Failure) -> Int64 {
        guard let value = try whole(name, in: range) else { throw ActivityUploadReader.Failure("\(name) is missing") }
        return value
    }

    func small(_ name: String, in range: ClosedRange<Int64>) throws(ActivityUploadReader.Failure) -> Int? {
        try whole(name, in: range).map { Int($0) }
    }

    func real(_ name: String, in range: ClosedRange<Double>) throws(ActivityUploadReader.Failure) -> Double? {
        guard let value = self[name] else { return nil }
        guard let number = value.number, range.contains(number) else {
            throw ActivityUploadReader.Failure("\(name) must be a number of \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag(_ name: String) throws(ActivityUploadReader.Failure) -> Bool {
        guard let value = self[name] else { return false }
        guard let flag = value.bool else { throw ActivityUploadReader.Failure("\(name) must be true or false") }
        return flag
    }

    func text(_ name: String) throws(ActivityUploadReader.Failure) -> SanitizedText? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw ActivityUploadReader.Failure("\(name) must be a string") }
        return SanitizedText(text)
    }

    func optionalToken<Token: RawRepresentable & CaseIterable>(_ name: String) throws(ActivityUploadReader.Failure)
        -> Token?
    where Token.RawValue == String {
        self[name] == nil ? nil : try token(name)
    }

    func token<Token: RawRepresentable & CaseIterable>(_ name: String) throws(ActivityUploadReader.Failure) -> Token
    where Token.RawValue == String {
        guard let token = self[name]?.string.flatMap(Token.init(rawValue:)) else {
            throw ActivityUploadReader.Failure(
                "\(name) must be \(Token.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return token
    }
}
