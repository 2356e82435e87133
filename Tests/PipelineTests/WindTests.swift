import Domain
import Pipeline
import Testing

@Suite struct WindTests {
    private static func observation(_ direction: WeatherObservation.Direction?, _ speed: Double?) throws
        -> WeatherObservation
    {
        try WeatherObservation(
            station: #require(SanitizedText("EDDB")), observed: UTC(year: 2026, month: 3, day: 1), distance: 12_000,
            direction: direction, windSpeed: speed)
    }

    /// A wind of 10 m/s from the north, for movement to the eight directions.
    @Test(arguments: [
        (0.0, 1.0, 0.0, 0.0), (45, 0.7071, -0.7071, -45), (90, 0, -1, -90), (135, -0.7071, -0.7071, -135),
        (180, -1, 0, 180), (225, -0.7071, 0.7071, 135), (270, 0, 1, 90), (315, 0.7071, 0.7071, 45),
    ])
    func `Headwind is positive against, crosswind from the right`(
        course: Double, head: Double, cross: Double, relative: Double
    ) throws {
        let wind = try #require(WindOnRider(Self.observation(.from(0), 10), course: course, speed: 5))
        #expect(abs(wind.headwind - head * 6.036) < 0.001)
        #expect(abs(wind.crosswind - cross * 6.036) < 0.001)
        #expect(wind.relative == relative)
    }

    @Test func `A calm is zero, and a variable or unknown wind has no components`() throws {
        let calm = try #require(WindOnRider(Self.observation(nil, 0), course: 90, speed: 5))
        #expect(calm.headwind == 0 && calm.crosswind == 0 && calm.relative == nil)
        #expect(try WindOnRider(Self.observation(.variable, 2), course: 90, speed: 5) == nil)
        #expect(try WindOnRider(Self.observation(.from(90), nil), course: 90, speed: 5) == nil)
        #expect(try WindOnRider(Self.observation(.from(90), 3), course: 90, speed: 0.49) == nil)
        #expect(try WindOnRider(Self.observation(.from(90), 3), course: 90, speed: 0.5) != nil)
    }

    @Test func `Values out of their ranges are rejected`() throws {
        #expect(throws: ParseError.self) { try Self.observation(.from(360), 3) }
        #expect(throws: ParseError.self) { try Self.observation(.from(90), -1) }
        #expect(throws: ParseError.self) { try Self.observation(.from(.nan), 1) }
        #expect(throws: ParseError.self) { try Self.observation(.from(1), .infinity) }
    }
}
