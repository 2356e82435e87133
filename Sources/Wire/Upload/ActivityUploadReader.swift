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
            var gap = false
            try json.read { $0.member("gap", onlyTrue: &gap) }
            return .beats(at: at, rr: rr, gap: gap)
        case "sample": return .sample(try sample(json))
        default:
            throw Failure(
                "row must be begin, end, auto-pause, auto-resume, lap, segment, beats, sample, lap-totals or activity")
        }
    }

    private mutating func sample(_ json: JSON) throws(Failure) -> RecordingSample {
        elapsed = try json.needed("elapsed_ms", in: min(elapsed, at)...at)
        var sample = RecordingSample(at: at, elapsedMilliseconds: elapsed)
        guard (json["latitude"] == nil) == (json["longitude"] == nil) else {
            throw Failure("latitude and longitude belong together")
        }
        try json.read { sample.members(&$0) }
        if let list = json["fields"] { sample.fields = try Self.values(list) }
        return sample
    }

    private static func values(_ json: JSON) throws(Failure) -> [Double?] {
        let range = -OwnField.magnitudeLimit...OwnField.magnitudeLimit
        guard let list = json.array, list.count <= OwnField.limit,
            list.allSatisfy({ $0 == .null || $0.number.map(range.contains) ?? false })
        else { throw Failure("fields must be a list of at most \(OwnField.limit) numbers or null") }
        return list.map(\.number)
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
        try json.read {
            $0.member("indoor", onlyTrue: &recording.isIndoor)
            $0.member("time_uncertain", onlyTrue: &recording.isTimeUncertain)
            $0.member("name", &recording.name)
            $0.member("uuid", &recording.uuid)
            $0.member("total_ms", &recording.totalMilliseconds, in: at...Self.longest)
        }
        recording.total = try totals(json, over: recording.totalMilliseconds)
        recording.laps = laps
        recording.total.bestPowers = try Self.bestPowers(json)
        recording.sensors = try Self.sensors(json)
        do throws(DeclarationFailure) {
            if let fields = json["fields"] { recording.fields = try OwnField.list(fields) }
            if let marks = json["marks"] { recording.marks = try RecordedMark.list(marks) }
        } catch {
            throw Failure("fields and marks must be \(error.rule)")
        }
        guard let source = json["source_totals"] else { return recording }
        var stated = SourceTotals()
        try source.read { stated.members(&$0) }
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
            guard let number = value.number, ActivityUpload.watts.contains(number) else {
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
        try json.read { sensor.members(&$0) }
        return sensor
    }

    /// - Parameter limit: the longest active time, in milliseconds.
    private func totals(_ json: JSON, over limit: Int64) throws(Failure) -> Totals {
        var totals = Totals()
        try json.read { totals.members(&$0, over: limit) }
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
    /// Sets the members of a list.
    func read(_ members: (inout JSONMembers) -> Void) throws(ActivityUploadReader.Failure) {
        var list = JSONMembers(reading: self)
        members(&list)
        if let failure = list.failure { throw ActivityUploadReader.Failure(failure) }
    }

    func needed(_ name: String, in range: ClosedRange<Int64>) throws(ActivityUploadReader.Failure) -> Int64 {
        var value = range.lowerBound
        try read { $0.member(name, &value, in: range) }
        return value
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
