import Domain
import Sensors
import TestKit
import Testing

struct EnvironmentTests {
    private func decode(_ text: String, _ type: AttributeUUID) throws -> EnvironmentMeasurement {
        try EnvironmentMeasurement(hex(text).span, of: type)
    }

    @Test func pressureTemperatureAndHumidityParse() throws {
        // Source: OpenTracksApp/OpenTracks, its test of barometric pressure: 1001.65 hPa.
        #expect(try decode("B2 48 0F 00", .pressure) == EnvironmentMeasurement(decipascals: 1_001_650))
        #expect(try decode("2E 09", .temperature) == EnvironmentMeasurement(centidegrees: 2350))
        #expect(try decode("9C FF", .temperature) == EnvironmentMeasurement(centidegrees: -100))
        #expect(try decode("88 13 00", .humidity) == EnvironmentMeasurement(rawHumidity: 5000))
        #expect(try decode("10 27", .humidity) == EnvironmentMeasurement(rawHumidity: 10_000))
    }

    @Test func unknownAndProhibitedValuesAreNil() throws {
        for text in ["00 80", "4C 95"] { #expect(try decode(text, .temperature) == EnvironmentMeasurement()) }
        #expect(try decode("4D 95", .temperature) == EnvironmentMeasurement(centidegrees: -27315))
        for text in ["FF FF", "11 27"] { #expect(try decode(text, .humidity) == EnvironmentMeasurement()) }
        #expect(try decode("01", AttributeUUID(0x2A19)) == EnvironmentMeasurement())
    }

    @Test func truncatedValueIsRejected() throws {
        for (type, bytes) in zip(EnvironmentMeasurement.types, ["B2 48 0F 00", "2E 09", "88 13"]) {
            try expectTruncationIsRejected(of: hex(bytes)) { bytes throws(ParseError) in
                try EnvironmentMeasurement(bytes, of: type)
            }
        }
    }

    @Test func eachKindHasOneServiceAndOneName() {
        #expect(Set(SensorKind.ofBluetooth.map(\.service)).count == SensorKind.ofBluetooth.count)
        #expect(SensorKind.ofBluetooth == SensorKind.allCases.filter { !$0.hasFields })
        #expect(SensorKind.environment.service?.description == "181a")
        #expect(SensorKind.radar.service?.description == "6a4e3200-667b-11e3-949a-0800200c9a66")
        // The names are those of the sockets: none may change.
        #expect(
            SensorKind.allCases.map(\.rawValue) == [
                "heart-rate", "speed-cadence", "power", "foot-pod", "fitness-machine", "environment", "radar",
                "gears", "e-bike", "muscle-oxygen", "body-temperature", "fields",
            ])
    }
}
