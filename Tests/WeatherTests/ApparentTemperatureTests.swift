import Domain
import Testing
import Weather

@Suite struct ApparentTemperatureTests {
    /// Degrees Fahrenheit, percent, and the heat index in the chart of the US National Weather Service.
    @Test(arguments: [
        (82.0, 40.0, 81.0), (84, 90, 98), (86, 90, 105), (88, 50, 91), (90, 50, 95), (90, 70, 105), (92, 60, 105),
        (94, 45, 100), (96, 65, 121), (98, 40, 105), (100, 40, 109), (100, 65, 136), (104, 40, 119), (110, 40, 136),
    ])
    func heatIndexIsThatOfTheChart(fahrenheit: Double, humidity: Double, index: Double) throws {
        let celsius = (fahrenheit - 32) / 1.8
        let felt = try #require(ApparentTemperature.feelsLike(celsius: celsius, wind: nil, humidity: humidity))
        #expect(abs(felt * 1.8 + 32 - index) < 1.3)
    }

    /// Degrees Celsius, km/h, and the wind chill in the chart of Environment Canada.
    @Test(arguments: [
        (5.0, 10.0, 3.0), (5, 40, -1), (0, 5, -2), (0, 20, -5), (0, 60, -9), (-10, 30, -20), (-15, 50, -29),
        (-25, 50, -42), (-40, 80, -67), (-50, 80, -81),
    ])
    func windChillIsThatOfTheChart(celsius: Double, wind: Double, chill: Double) throws {
        let felt = try #require(ApparentTemperature.feelsLike(celsius: celsius, wind: wind / 3.6, humidity: nil))
        #expect(abs(felt - chill) <= 0.51)
    }

    @Test func betweenTheyAreTheTemperature() {
        #expect(ApparentTemperature.feelsLike(celsius: 10.1, wind: nil, humidity: nil) == 10.1)
        #expect(ApparentTemperature.feelsLike(celsius: 26.9, wind: 20, humidity: 90) == 26.9)
        // A calm: 4.8 km/h and less.
        #expect(ApparentTemperature.feelsLike(celsius: -5, wind: 1.33, humidity: nil) == -5)
        #expect(ApparentTemperature.feelsLike(celsius: 10, wind: nil, humidity: 50) == nil)
        #expect(ApparentTemperature.feelsLike(celsius: 27, wind: 3, humidity: nil) == nil)
    }

    /// Percent, from the saturation vapour pressures in the tables of WMO No. 8.
    @Test(arguments: [(20.0, 20.0, 100.0), (20, 9.3, 50.2), (30, 15, 40.2), (0, -10, 46.9), (-10, -9, 100)])
    func humidityIsThatOfTheVapourPressures(celsius: Double, dewPoint: Double, percent: Double) {
        let humidity = ApparentTemperature.humidity(celsius: celsius, dewPointCelsius: dewPoint)
        #expect(abs(humidity - percent) < 0.6)
    }

    @Test func reportHasBoth() throws {
        let now = UTC(year: 2026, month: 3, day: 1)
        let report = try Metar(Array("EDDB 010720Z 24010KT 9999 FEW030 M02/M06 Q1013".utf8), receivedAt: now)
        #expect(abs(try #require(report.humidity) - 74) < 1)
        #expect(abs(try #require(report.feelsLikeCelsius) - -7.3) < 0.3)
        let missing = try Metar(Array("EDDB 010720Z /////KT 9999 FEW030 M02/// Q1013".utf8), receivedAt: now)
        #expect(missing.humidity == nil && missing.feelsLikeCelsius == nil)
    }
}
