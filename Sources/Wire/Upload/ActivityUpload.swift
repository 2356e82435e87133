package import Domain
package import JSONCoding

/// The data of an upload of kind `activity`: an activity as JSON lines, as docs/protocol.md describes them.
///
///     {"format":"paced-activity","version":1}                        header
///     {"row":"begin","at_ms":0,"trigger":"command"}                  rows, in order of their moments
///     {"row":"sample","at_ms":0,"elapsed_ms":0,"latitude":52.5,…}
///     {"row":"end","at_ms":600000,"trigger":"command"}
///     {"row":"lap-totals","began_ms":0,"ended_ms":600000,…}          one of each lap
///     {"row":"activity","rows":3,"sport":"run",…}                    the last line
package enum ActivityUpload {
    package static let format = "paced-activity"
    package static let version = 1
    /// The most bytes of a line without its newline.
    package static let lineLimit = 4096
    /// The most rows of an activity: eleven days at 1 Hz.
    package static let rowLimit = 1_000_000
    package static let lapLimit = 10_000
    package static let sensorLimit = 16
    /// The most RR intervals of a row.
    package static let intervalLimit = 256

    static let metres = 0.0...1e9
    static let climbs = 0.0...1e6
    /// Kilocalories, and training impulses.
    static let loads = 0.0...1e6
    static let speeds = 0.0...1e5
    static let watts = 0.0...65_535
}

extension JSONWriter {
    /// The first line of the data.
    package mutating func activityUploadHeader() {
        object {
            $0.member("format", ActivityUpload.format)
            $0.member("version", ActivityUpload.version)
        }
        newline()
    }

    package mutating func uploadLine(_ row: RecordingRow) {
        recordingRow(row)
        newline()
    }

    /// Writes a row as an object.
    ///
    /// - Parameter place: the place of the row in its activity, from 0.
    package mutating func recordingRow(_ row: RecordingRow, place: Int? = nil) {
        object { line in
            line.member("n", place)
            switch row {
            case .begin(let at, let trigger): line.mark("begin", at, trigger.rawValue)
            case .end(let at, let trigger): line.mark("end", at, trigger.rawValue)
            case .lap(let at, let trigger): line.mark("lap", at, trigger.rawValue)
            case .segment(let at): line.mark("segment", at, nil)
            case .autoPause(let at, let elapsed):
                line.mark("auto-pause", at, nil)
                line.member("elapsed_ms", elapsed)
            case .autoResume(let at, let elapsed):
                line.mark("auto-resume", at, nil)
                line.member("elapsed_ms", elapsed)
            case .beats(let at, let rr, let gap):
                line.mark("beats", at, nil)
                line.array("rr_1024") { for interval in rr { $0.value(Int(interval)) } }
                if gap { line.member("gap", true) }
            case .sample(let sample):
                line.mark("sample", sample.at, nil)
                line.member("elapsed_ms", sample.elapsedMilliseconds)
                var sample = sample
                line.members { sample.members(&$0) }
                line.numbers("fields", sample.fields)
            }
        }
    }

    /// The lines of the laps, and the last line.
    ///
    /// - Parameter rows: the number of rows before it.
    package mutating func uploadEnd(_ recording: RecordedActivity, rows: Int) {
        for lap in recording.laps {
            object { line in
                line.member("row", "lap-totals")
                line.member("trigger", lap.trigger?.rawValue)
                line.member("began_ms", lap.beganAt)
                line.member("ended_ms", lap.endedAt)
                line.members(of: lap.figures)
            }
            newline()
        }
        object { line in
            line.member("row", "activity")
            line.member("rows", rows)
            line.member("uuid", recording.uuid)
            line.member("sport", recording.sport.rawValue)
            if recording.isIndoor { line.member("indoor", true) }
            line.member("name", recording.name?.text)
            line.member("started_utc_ms", recording.started.milliseconds)
            if recording.isTimeUncertain { line.member("time_uncertain", true) }
            line.member("total_ms", recording.totalMilliseconds)
            line.members(of: recording.total)
            line.numbers("best_power_w", BestPowers.durations.indices.map { recording.total.bestPowers[$0] })
            recording.writeDeclarations(into: &line)
            if !recording.sensors.isEmpty {
                line.array("sensors") { list in for sensor in recording.sensors { list.sensor(sensor) } }
            }
            if let source = recording.sourceTotals {
                line.key("source_totals")
                line.value(source)
            }
        }
        newline()
    }

    private mutating func mark(_ row: String, _ at: Int64, _ trigger: String?) {
        member("row", row)
        member("at_ms", at)
        member("trigger", trigger)
    }

    private mutating func members(of totals: Totals) {
        var totals = totals
        members { totals.members(&$0, over: .max) }
        let zones = totals.powerZones.milliseconds
        if !zones.isEmpty { array("power_zone_ms") { list in for time in zones { list.value(time) } } }
    }

    /// Writes a list with `null` for unknown numbers; nothing if all are unknown.
    private mutating func numbers(_ name: String, _ values: [Double?]) {
        guard values.contains(where: { $0 != nil }) else { return }
        array(name) { list in
            for value in values {
                if let value, value.isFinite { list.value(written: value.description.utf8) } else { list.null() }
            }
        }
    }

    /// Writes a sensor of an activity as an object.
    package mutating func sensor(_ sensor: RecordingSensor) {
        object { line in
            line.array("kinds") { for kind in sensor.kinds { $0.value(kind.rawValue) } }
            line.member("address", sensor.address)
            var sensor = sensor
            line.members { sensor.members(&$0) }
        }
    }
}

// The members that are written and read alike. Numbers are exact.

extension RecordingSample {
    mutating func members(_ list: inout JSONMembers) {
        var (latitude, longitude) = (coordinate?.latitude, coordinate?.longitude)
        list.member("distance_m", &distanceMetres, decimals: nil, in: ActivityUpload.metres)
        list.member("latitude", &latitude, decimals: nil, in: -90...90)
        list.member("longitude", &longitude, decimals: nil, in: -180...180)
        list.member("altitude_m", &altitude, decimals: nil, in: -1e5...1e5)
        list.member("speed_mps", &speed, decimals: nil, in: ActivityUpload.speeds)
        list.member("bpm", &heartRate, in: 1...240)
        list.member("cadence_rpm", &cadence, in: 0...254)
        list.member("power_w", &power, in: 0...65_534)
        list.member("temperature_c", &temperature, in: -127...126)
        list.member("left_balance_percent", &leftBalance, in: 0...100)
        list.member("ascent_m", &ascent, decimals: nil, in: ActivityUpload.climbs)
        list.member("descent_m", &descent, decimals: nil, in: ActivityUpload.climbs)
        list.member("grade_percent", &grade, decimals: nil, in: -1e6...1e6)
        list.member("vertical_mps", &verticalSpeed, decimals: nil, in: -1e4...1e4)
        list.member("ascent_source", word: &ascentSource)
        if let latitude, let longitude { coordinate = Coordinate(latitude: latitude, longitude: longitude) }
    }
}

extension Totals {
    /// All but the times in zones.
    ///
    /// - Parameter limit: the longest active time, in milliseconds.
    mutating func members(_ list: inout JSONMembers, over limit: Int64) {
        list.member("elapsed_ms", &elapsedMilliseconds, in: 0...limit)
        list.member("moving_ms", &movingMilliseconds, in: 0...max(elapsedMilliseconds, 0))
        var metres: Double? = distanceMetres
        list.member("distance_m", &metres, decimals: nil, in: ActivityUpload.metres)
        distanceMetres = metres ?? 0
        list.member("max_speed_mps", &maximumSpeed, decimals: nil, in: ActivityUpload.speeds)
        list.member("average_bpm", &averageHeartRate, decimals: nil, in: 0...240)
        list.member("max_bpm", &maximumHeartRate, in: 0...240)
        list.member("energy_kcal", &energyKilocalories, decimals: nil, in: ActivityUpload.loads)
        list.member("trimp", &trainingImpulse, decimals: nil, in: ActivityUpload.loads)
        list.member("average_power_w", &averagePower, decimals: nil, in: ActivityUpload.watts)
        list.member("max_power_w", &maximumPower, in: 0...65_535)
        list.member("normalized_power_w", &normalizedPower, decimals: nil, in: ActivityUpload.watts)
        list.member("work_j", &workJoules, decimals: nil, in: 0...1e12)
        list.member("average_cadence_rpm", &averageCadence, decimals: nil, in: 0...1000)
        list.member("max_cadence_rpm", &maximumCadence, decimals: nil, in: 0...1000)
        list.member("ascent_m", &ascent, decimals: nil, in: ActivityUpload.climbs)
        list.member("descent_m", &descent, decimals: nil, in: ActivityUpload.climbs)
        list.member("ascent_error_m", &ascentError, decimals: nil, in: ActivityUpload.climbs)
        list.member("ascent_source", word: &ascentSource)
        list.member("auto_paused_ms", &autoPausedMilliseconds, in: 0...max(elapsedMilliseconds, 0))
        list.member(
            "average_grade_adjusted_pace_s_per_m", &gradeAdjustedPace, decimals: nil, in: ActivityUpload.climbs)
    }
}

extension SourceTotals: JSONObject {
    package mutating func members(_ list: inout JSONMembers) {
        list.member("creator", &creator)
        list.member("elapsed_ms", &elapsedMilliseconds, in: 0...1_000_000_000_000)
        list.member("total_ms", &totalMilliseconds, in: 0...1_000_000_000_000)
        list.member("distance_m", &distanceMetres, decimals: nil, in: 0...1e12)
        list.member("sample_distance_m", &sampleMetres, decimals: nil, in: 0...1e12)
        list.member("ascent_m", &ascentMetres, decimals: nil, in: 0...1e9)
        list.member("average_bpm", &averageHeartRate, decimals: nil, in: 0...1e4)
        list.member("max_bpm", &maximumHeartRate, in: 0...65_535)
        list.member("average_power_w", &averagePower, decimals: nil, in: ActivityUpload.watts)
        list.member("max_power_w", &maximumPower, in: 0...65_535)
        list.member("normalized_power_w", &normalizedPower, decimals: nil, in: ActivityUpload.watts)
        list.member("energy_kcal", &energyKilocalories, decimals: nil, in: ActivityUpload.loads)
    }
}

extension RecordingSensor {
    /// All but the kinds and the address.
    mutating func members(_ list: inout JSONMembers) {
        list.member("name", &name)
        list.member("manufacturer", &manufacturer)
        list.member("model", &model)
        list.member("serial_number", &serialNumber)
        list.member("firmware", &firmware)
        list.member("battery_percent", &batteryPercent, in: 0...100)
    }
}
