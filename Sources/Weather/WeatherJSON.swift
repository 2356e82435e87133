import Domain
import JSONCoding

// A member without a value is omitted, and so is one that would be false.
extension JSONWriter {
    package mutating func value(_ report: Metar) {
        object {
            $0.member("station", report.station)
            $0.member("time", report.time)
            $0.flag("special", report.isSpecial)
            $0.flag("automatic", report.isAutomatic)
            $0.flag("corrected", report.isCorrected)
            $0.flag("missing", report.isMissing)
            $0.members(report.conditions)
            $0.member("recent_weather", report.recentWeather)
            $0.list("runway_visual_range", report.runwayVisualRanges) { writer, range in
                writer.object {
                    $0.member("runway", range.runway)
                    $0.member("range_m", range.visibility)
                    if let maximum = range.maximum { $0.member("range_max_m", maximum) }
                }
            }
            $0.member("temperature_c", report.celsius, decimals: 1)
            $0.member("dew_point_c", report.dewPointCelsius, decimals: 1)
            $0.member("humidity_percent", report.humidity, decimals: 0)
            $0.member("feels_like_c", report.feelsLikeCelsius, decimals: 1)
            $0.member("pressure_hpa", report.hectopascals, decimals: 1)
            $0.member(report.unread)
        }
    }

    package mutating func value(_ forecast: Taf) {
        object {
            $0.member("station", forecast.station)
            $0.member("time", forecast.issued)
            $0.member("valid_from", forecast.validity.start)
            $0.member("valid_to", forecast.validity.end)
            $0.flag("amended", forecast.isAmended)
            $0.flag("corrected", forecast.isCorrected)
            $0.flag("cancelled", forecast.isCancelled)
            $0.flag("missing", forecast.isMissing)
            $0.array("groups") { for group in forecast.groups { $0.value(group) } }
            $0.array("timeline") {
                for segment in forecast.timeline {
                    $0.object {
                        $0.member("from", segment.period.start)
                        $0.member("to", segment.period.end)
                        $0.members(segment.state.conditions)
                        $0.list("overlays", segment.state.overlays) { $0.value($1) }
                    }
                }
            }
            $0.member("maximum_temperatures", forecast.maximumTemperatures)
            $0.member("minimum_temperatures", forecast.minimumTemperatures)
            $0.member(forecast.unread)
        }
    }

    private mutating func value(_ group: ForecastGroup) {
        object {
            $0.member("kind", group.kind.rawValue)
            $0.member("from", group.period.start)
            $0.member("to", group.period.end)
            $0.member("probability_percent", group.probability)
            $0.members(group.conditions)
        }
    }

    mutating func members(_ conditions: WeatherConditions) {
        if let wind = conditions.wind {
            member("wind_from_deg", wind.fromDegrees)
            flag("wind_variable", wind.isVariable)
            member("wind_speed_mps", wind.metresPerSecond, decimals: 2)
            member("wind_gust_mps", wind.gustMetresPerSecond, decimals: 2)
            if let range = wind.range {
                array("wind_range_deg") {
                    $0.value(range.fromDegrees)
                    $0.value(range.toDegrees)
                }
            }
        }
        if let visibility = conditions.visibility { member("visibility_m", visibility) }
        list("directional_visibility", conditions.directionalVisibilities) { writer, value in
            writer.object {
                $0.member("direction", value.direction.rawValue)
                $0.member("visibility_m", value.visibility)
            }
        }
        flag("cavok", conditions.isCavok)
        if let weather = conditions.weather {
            array("weather") { for phenomenon in weather { $0.value(phenomenon) } }
        }
        if let clouds = conditions.clouds {
            array("clouds") {
                for layer in clouds {
                    $0.object {
                        $0.member("cover", layer.cover?.rawValue)
                        $0.member("base_m", layer.baseMetres, decimals: 0)
                        $0.member("type", layer.kind?.rawValue)
                    }
                }
            }
        }
        member("ceiling_m", conditions.ceilingMetres, decimals: 0)
    }

    private mutating func value(_ phenomenon: WeatherPhenomenon) {
        object {
            $0.member("code", phenomenon.code)
            switch phenomenon.intensity {
            case .light: $0.member("intensity", "light")
            case .moderate: break
            case .heavy: $0.member("intensity", "heavy")
            }
            $0.flag("vicinity", phenomenon.isInVicinity)
            $0.list("descriptors", phenomenon.descriptors) { $0.value($1.rawValue) }
            $0.list("phenomena", phenomenon.kinds) { $0.value($1.rawValue) }
        }
    }

    private mutating func member(_ name: String, _ weather: [WeatherPhenomenon]) {
        list(name, weather) { $0.value($1) }
    }

    private mutating func member(_ name: String, _ temperatures: [ForecastTemperature]) {
        list(name, temperatures) { writer, temperature in
            writer.object {
                $0.member("temperature_c", temperature.celsius, decimals: 1)
                $0.member("time", temperature.time)
            }
        }
    }

    /// A distance in metres, and beside it `…_bound` if it is not exact.
    private mutating func member(_ name: String, _ visibility: Visibility) {
        member(name, visibility.metres, decimals: 0)
        switch visibility.bound {
        case .exact: break
        case .atLeast: member(String(name.dropLast("_m".count)) + "_bound", "at_least")
        case .lessThan: member(String(name.dropLast("_m".count)) + "_bound", "less_than")
        }
    }

    private mutating func member(_ unread: UnreadWords) {
        list("unread", unread.texts) { $0.value($1.text) }
    }

    private mutating func flag(_ name: String, _ isSet: Bool) {
        if isSet { member(name, true) }
    }

    /// An array, unless it is empty.
    private mutating func list<Element>(
        _ name: String, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        guard !elements.isEmpty else { return }
        array(name) { for element in elements { write(&$0, element) } }
    }
}
