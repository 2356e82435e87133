package import Domain
import JSONCoding

// The data of the topic `weather`: docs/protocol.md.
extension StationWeather {
    /// The most bytes of the data. A longer forecast loses its end.
    package static let dataLimit = 30 * 1024
    private static let periodLimit = 48
    private static let overlayLimit = 8

    /// - Parameters:
    ///   - reason: why there is no newer report; nil if there is none.
    ///   - time: what the forecast has before is left out.
    package func data(reason: String? = nil, at time: UTC) -> [UInt8] {
        var writer = JSONWriter()
        var count = Self.periodLimit
        while true {
            writer.clear()
            write(into: &writer, reason: reason, at: time, periods: count)
            if writer.bytes.count <= Self.dataLimit || count == 0 { return writer.bytes }
            count = count * 3 / 4
        }
    }

    /// The data for a reason alone.
    package static func data(reason: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 128)
        writer.object { $0.member("reason", reason) }
        return writer.bytes
    }

    private func write(into writer: inout JSONWriter, reason: String?, at time: UTC, periods count: Int) {
        writer.object {
            $0.members(source)
            $0.member("site", source.station.site.map { String($0.text.unicodeScalars.prefix(64)) })
            $0.member("bearing_deg", source.way.bearing, decimals: 0)
            $0.member("elevation_m", source.station.elevation, decimals: 0)
            $0.member("temperature_c", report.celsius, decimals: 1)
            $0.member("temperature_here_c", temperatureHere, decimals: 1)
            $0.member("dew_point_c", report.dewPointCelsius, decimals: 1)
            $0.member("humidity_percent", humidity, decimals: 0)
            $0.member("feels_like_c", feelsLike, decimals: 1)
            $0.member("pressure_hpa", report.hectopascals, decimals: 1)
            $0.topicMembers(report.conditions)
            if !others.isEmpty {
                $0.array("other_stations") {
                    for other in others {
                        $0.object {
                            $0.members(other.source)
                            $0.array("figures") { for figure in other.figures { $0.value(figure.rawValue) } }
                        }
                    }
                }
            }
            if let forecast { $0.member(forecast, at: time, periods: count, overlays: Self.overlayLimit) }
            $0.member("rain_from", rainFrom(time))
            $0.member("wind_shift_at", windShift(after: time))
            $0.member("reason", reason)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func members(_ source: StationWeather.Source) {
        member("station", source.station.name)
        member("distance_m", source.way.metres, decimals: 0)
        member("observed_at", source.observed)
    }

    /// The conditions of a topic, which has fewer members than those of a report.
    ///
    /// - Parameter icon: the drawing of the conditions, if they change others.
    fileprivate mutating func topicMembers(_ conditions: WeatherConditions, icon: WeatherIcon? = nil) {
        var conditions = conditions.plausible
        conditions.directionalVisibilities = []
        conditions.isCavok = false
        members(conditions)
        member("icon", (icon ?? conditions.icon)?.name)
    }

    fileprivate mutating func member(
        _ forecast: StationWeather.Forecast, at time: UTC, periods count: Int, overlays limit: Int
    ) {
        object("forecast") {
            $0.member("station", forecast.station.name)
            $0.member("distance_m", forecast.way.metres, decimals: 0)
            $0.member("issued_at", forecast.taf.issued ?? forecast.taf.validity.start)
            $0.array("periods") {
                for segment in forecast.taf.timeline.filter({ $0.period.end > time }).prefix(count) {
                    $0.object {
                        $0.member("from", segment.period.start)
                        $0.member("to", segment.period.end)
                        $0.topicMembers(segment.state.conditions)
                        guard !segment.state.overlays.isEmpty else { return }
                        $0.array("overlays") {
                            for overlay in segment.state.overlays.prefix(limit) {
                                $0.object {
                                    $0.member("kind", overlay.kind.rawValue)
                                    $0.member("probability_percent", overlay.probability)
                                    $0.member("from", overlay.period.start)
                                    $0.member("to", overlay.period.end)
                                    $0.topicMembers(
                                        overlay.conditions,
                                        icon: segment.state.conditions.changed(by: overlay.conditions).icon)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

extension StationWeather {
    /// When the next precipitation of the forecast begins, or has begun; also one that is only possible.
    package func rainFrom(_ time: UTC) -> UTC? {
        forecast?.taf.timeline.first { segment in
            segment.period.end > time
                && ([segment.state.conditions] + segment.state.overlays.map(\.conditions)).contains(where: \.isWet)
        }?.period.start
    }

    /// When the prevailing wind of the forecast turns by 45 degrees or more and has 2.5 m/s, or gains or loses 5 m/s,
    /// compared with the present one.
    package func windShift(after time: UTC) -> UTC? {
        guard let timeline = forecast?.taf.timeline.filter({ $0.period.end > time }),
            let present = timeline.first?.state.conditions.wind
        else { return nil }
        return timeline.dropFirst().first { segment in
            segment.state.conditions.wind.map { $0.isShifted(from: present) } ?? false
        }?.period.start
    }
}

extension WeatherConditions {
    /// Whether anything falls from the sky at the station.
    package var isWet: Bool {
        weather?.contains { phenomenon in
            !phenomenon.isRecent && !phenomenon.isInVicinity
                && (phenomenon.kinds.contains(where: \.isPrecipitation) || phenomenon.descriptors.contains(.showers))
        } ?? false
    }
}

extension WeatherPhenomenon.Kind {
    var isPrecipitation: Bool {
        switch self {
        case .drizzle, .rain, .snow, .snowGrains, .iceCrystals, .icePellets, .hail, .smallHail, .unknownPrecipitation:
            true
        case .mist, .fog, .smoke, .volcanicAsh, .dust, .sand, .haze, .spray, .dustWhirls, .squalls, .funnelCloud,
            .sandstorm, .duststorm:
            false
        }
    }
}

extension Wind {
    fileprivate func isShifted(from other: Wind) -> Bool {
        let (speed, before) = (metresPerSecond ?? 0, other.metresPerSecond ?? 0)
        if (speed - before).magnitude >= 5 { return true }
        guard let fromDegrees, let old = other.fromDegrees, speed >= 2.5 else { return false }
        return Double(fromDegrees - old).remainder(dividingBy: 360).magnitude >= 45
    }
}
