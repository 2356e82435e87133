package import Domain
import JSONCoding

extension JSONWriter {
    /// The largest size of a list in bytes, so that its response fits into one line.
    package static let listLimit = 56 * 1024

    /// Writes the first summaries that fit. A client requests the others by the last one's number.
    package mutating func summaries(_ summaries: [ActivitySummary]) {
        array { line in
            for summary in summaries {
                var one = JSONWriter(capacity: 512)
                one.summary(summary)
                if line.bytes.count + one.bytes.count > Self.listLimit { return }
                line.value(written: one.bytes)
            }
        }
    }

    /// Writes an activity with its laps, its sensors and its time in zones as one object.
    ///
    /// - Parameters:
    ///   - bests: the best efforts inside the activity.
    ///   - fields: the figures of its own fields, by their places; empty to write their declarations only.
    ///   - first: the number of the first lap to write.
    ///   - limit: the largest size of the laps in bytes; `next_lap` is the number of the first lap that does not fit.
    package mutating func activity(
        _ summary: ActivitySummary, _ recording: RecordedActivity, _ variability: HeartRateVariability? = nil,
        _ bests: [BestEffort] = [], fields: [OwnFieldFigures] = [], fromLap first: Int = 1, limit: Int = listLimit
    ) {
        object { line in
            line.key("summary")
            line.summary(summary)
            // Before the laps, which fill the rest of the line.
            if !recording.sensors.isEmpty {
                line.array("sensors") { list in for sensor in recording.sensors { list.sensor(sensor) } }
            }
            let powers = recording.total.bestPowers
            if powers != BestPowers() {
                line.array("best_power_w") { list in
                    for index in BestPowers.durations.indices { list.value(powers[index], decimals: 0) }
                }
            }
            let times = recording.total.powerZones.milliseconds
            if !times.isEmpty { line.array("power_zone_ms") { list in for time in times[1...] { list.value(time) } } }
            if let variability { line.object("hrv") { $0.members(of: variability) } }
            if let weather = recording.weather { line.object("weather") { $0.members(of: weather) } }
            if let source = recording.sourceTotals {
                line.key("source_totals")
                line.value(source)
            }
            recording.writeDeclarations(fields, into: &line)
            if !bests.isEmpty {
                line.array("bests") { list in for best in bests { list.object { $0.members(of: best) } } }
            }
            var next: Int?
            line.array("laps") { next = $0.laps(recording.laps, from: first, limit: limit) }
            line.member("next_lap", next)
            guard let zones = recording.zones, recording.zoneMilliseconds.count == 6 else { return }
            line.array("zones") { for zone in zones.bottoms { $0.value(zone) } }
            line.array("zone_ms") { for time in recording.zoneMilliseconds { $0.value(time) } }
        }
    }

    private mutating func members(of weather: StartWeather) {
        let observation = weather.observation
        member("station", observation.station.text)
        member("distance_m", observation.distance, decimals: 0)
        member("observed_at", observation.observed)
        member("age_s", weather.age, decimals: 0)
        member("temperature_c", observation.temperature, decimals: 1)
        switch observation.direction {
        case .from(let degrees): member("wind_from_deg", degrees, decimals: 0)
        case .variable: member("wind_variable", true)
        case nil: break
        }
        member("wind_speed_mps", observation.windSpeed, decimals: 2)
        member("wind_gust_mps", observation.gust, decimals: 2)
        member("humidity_percent", observation.humidity, decimals: 0)
        member("pressure_hpa", observation.pressure.map { $0 / 100 }, decimals: 1)
        let phenomena = observation.phenomena
        if !phenomena.isEmpty { array("codes") { list in for weather in phenomena { list.value(weather.code) } } }
    }

    /// Writes the members of a best effort.
    package mutating func members(of effort: BestEffort) {
        member("best", effort.kind.rawValue)
        switch effort.kind {
        case .distance: member("distance_m", effort.value, decimals: 2)
        case .ascent: member("ascent_m", effort.value, decimals: 1)
        case _ where effort.kind.seconds != nil: member("power_w", effort.value, decimals: 1)
        default: member("elapsed_ms", Int64(effort.value.rounded()))
        }
        if let elapsed = effort.elapsedMilliseconds { member("from_elapsed_ms", elapsed) }
        if let metres = effort.distanceMetres { member("from_distance_m", metres, decimals: 2) }
    }

    /// - Returns: The number of the first lap that does not fit.
    private mutating func laps(_ laps: [RecordingLap], from first: Int, limit: Int) -> Int? {
        for (index, lap) in laps.enumerated().dropFirst(first - 1) {
            var one = JSONWriter(capacity: 256)
            one.object {
                $0.lap(lap.figures, number: index + 1)
                $0.member("trigger", lap.trigger?.rawValue)
            }
            if bytes.count + one.bytes.count > limit { return index + 1 }
            value(written: one.bytes)
        }
        return nil
    }
}
