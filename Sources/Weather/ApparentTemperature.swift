import CMath

/// Humidity, and the temperature that people feel.
package enum ApparentTemperature {
    /// The relative humidity by Magnus' formula, with the constants of Alduchov and Eskridge (1996).
    ///
    /// - Parameters: temperature and dew point in degrees Celsius.
    /// - Returns: percent, at most 100: a dew point may be rounded up over the temperature.
    package static func humidity(celsius: Double, dewPointCelsius: Double) -> Double {
        min(100, 100 * exp(saturation(dewPointCelsius) - saturation(celsius)))
    }

    /// The logarithm of the saturation vapour pressure, over a constant.
    private static func saturation(_ celsius: Double) -> Double {
        17.625 * celsius / (243.04 + celsius)
    }

    /// The wind chill up to 10 °C, the heat index from 27 °C on, and between them the temperature: the rules of the US
    /// National Weather Service.
    ///
    /// - Parameters:
    ///   - wind: metres per second, 10 m above the ground.
    ///   - humidity: percent.
    /// - Returns: degrees Celsius. Nil if the wind or the humidity that it depends on is missing.
    package static func feelsLike(celsius: Double, wind: Double?, humidity: Double?) -> Double? {
        if celsius <= 10 { return wind.map { windChill(celsius, kilometresPerHour: $0 * 3.6) } }
        if celsius >= 27 { return humidity.map { heatIndex(celsius, humidity: $0) } }
        return celsius
    }

    /// For winds over 4.8 km/h; in others the temperature itself.
    private static func windChill(_ celsius: Double, kilometresPerHour wind: Double) -> Double {
        guard wind > 4.8 else { return celsius }
        let power = pow(wind, 0.16)
        return 13.12 + 0.6215 * celsius - 11.37 * power + 0.3965 * celsius * power
    }

    /// Steadman's mean below 80 °F, Rothfusz' regression with its two adjustments from there on.
    private static func heatIndex(_ celsius: Double, humidity: Double) -> Double {
        let t = celsius * 1.8 + 32
        let simple = (t + 0.5 * (t + 61 + (t - 68) * 1.2 + humidity * 0.094)) / 2
        return ((simple < 80 ? simple : regression(t, humidity)) - 32) / 1.8
    }

    /// - Parameter t: degrees Fahrenheit, as the result.
    private static func regression(_ t: Double, _ humidity: Double) -> Double {
        let inT = -42.379 + 2.049_015_23 * t - 0.006_837_83 * t * t
        let inHumidity = 10.143_331_27 * humidity - 0.054_817_17 * humidity * humidity
        let mixed =
            humidity * t * (-0.224_755_41 + 0.001_228_74 * t)
            + humidity * humidity * t * (0.000_852_82 - 0.000_001_99 * t)
        let index = inT + inHumidity + mixed
        if humidity < 13, t <= 112 { return index - (13 - humidity) / 4 * ((17 - abs(t - 95)) / 17).squareRoot() }
        if humidity > 85, t <= 87 { return index + (humidity - 85) / 10 * (87 - t) / 5 }
        return index
    }
}

extension Metar {
    /// Percent, 0 to 100. Nil if the temperature or the dew point is missing.
    package var humidity: Double? {
        guard let celsius, let dewPointCelsius else { return nil }
        return ApparentTemperature.humidity(celsius: celsius, dewPointCelsius: dewPointCelsius)
    }

    /// The temperature that people feel, in degrees Celsius. Nil if a figure that it depends on is missing.
    package var feelsLikeCelsius: Double? {
        guard let celsius else { return nil }
        return ApparentTemperature.feelsLike(
            celsius: celsius, wind: conditions.wind?.metresPerSecond, humidity: humidity)
    }
}
