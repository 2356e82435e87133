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
        object { line in
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
                line.exact("distance_m", sample.distanceMetres)
                line.exact("latitude", sample.coordinate?.latitude)
                line.exact("longitude", sample.coordinate?.longitude)
                line.exact("altitude_m", sample.altitude)
                line.exact("speed_mps", sample.speed)
                line.member("bpm", sample.heartRate)
                line.member("cadence_rpm", sample.cadence)
                line.member("power_w", sample.power)
                line.member("temperature_c", sample.temperature)
                line.member("left_balance_percent", sample.leftBalance)
                line.exact("ascent_m", sample.ascent)
                line.exact("descent_m", sample.descent)
                line.exact("grade_percent", sample.grade)
                line.exact("vertical_mps", sample.verticalSpeed)
                line.member("ascent_source", sample.ascentSource?.rawValue)
            }
        }
        newline()
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
            line.member("sport", recording.sport.rawValue)
            if recording.isIndoor { line.member("indoor", true) }
            line.member("name", recording.name?.text)
            line.member("started_utc_ms", recording.started.milliseconds)
            if recording.isTimeUncertain { line.member("time_uncertain", true) }
            line.member("total_ms", recording.totalMilliseconds)
            line.members(of: recording.total)
            line.numbers("best_power_w", BestPowers.durations.indices.map { recording.total.bestPowers[$0] })
            if !recording.sensors.isEmpty {
                line.array("sensors") { list in for sensor in recording.sensors { list.sensor(sensor) } }
            }
            if let source = recording.sourceTotals { line.object("source_totals") { $0.members(of: source) } }
        }
        newline()
    }

    /// Writes the members of the totals that a file states.
    mutating func members(of source: SourceTotals) {
        member("creator", source.creator?.text)
        member("elapsed_ms", source.elapsedMilliseconds)
        member("total_ms", source.totalMilliseconds)
        exact("distance_m", source.distanceMetres)
        exact("sample_distance_m", source.sampleMetres)
        exact("ascent_m", source.ascentMetres)
        exact("average_bpm", source.averageHeartRate)
        member("max_bpm", source.maximumHeartRate)
        exact("average_power_w", source.averagePower)
        member("max_power_w", source.maximumPower)
        exact("normalized_power_w", source.normalizedPower)
        exact("energy_kcal", source.energyKilocalories)
    }

    private mutating func mark(_ row: String, _ at: Int64, _ trigger: String?) {
        member("row", row)
        member("at_ms", at)
        member("trigger", trigger)
    }

    private mutating func members(of totals: Totals) {
        member("elapsed_ms", totals.elapsedMilliseconds)
        member("moving_ms", totals.movingMilliseconds)
        exact("distance_m", totals.distanceMetres)
        exact("max_speed_mps", totals.maximumSpeed)
        exact("average_bpm", totals.averageHeartRate)
        member("max_bpm", totals.maximumHeartRate)
        exact("energy_kcal", totals.energyKilocalories)
        exact("trimp", totals.trainingImpulse)
        exact("average_power_w", totals.averagePower)
        member("max_power_w", totals.maximumPower)
        exact("normalized_power_w", totals.normalizedPower)
        exact("work_j", totals.workJoules)
        exact("average_cadence_rpm", totals.averageCadence)
        exact("max_cadence_rpm", totals.maximumCadence)
        exact("ascent_m", totals.ascent)
        exact("descent_m", totals.descent)
        exact("ascent_error_m", totals.ascentError)
        member("ascent_source", totals.ascentSource?.rawValue)
        member("auto_paused_ms", totals.autoPausedMilliseconds)
        exact("average_grade_adjusted_pace_s_per_m", totals.gradeAdjustedPace)
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
            line.member("name", sensor.name?.text)
            line.member("manufacturer", sensor.manufacturer?.text)
            line.member("model", sensor.model?.text)
            line.member("serial_number", sensor.serialNumber?.text)
            line.member("firmware", sensor.firmware?.text)
            line.member("battery_percent", sensor.batteryPercent)
        }
    }

    /// The shortest text that parses as the same number; nothing for one that is not finite.
    mutating func exact(_ name: String, _ value: Double?) {
        guard let value, value.isFinite else { return }
        key(name)
        self.value(written: value.description.utf8)
    }
}
