import Domain
import Sensors
import TestKit
import Testing

struct RadarTests {
    private func decode(_ text: String) throws -> RadarMeasurement {
        try RadarMeasurement(hex(text).span)
    }

    private func threats(_ list: [(UInt8, UInt8, UInt8)]) -> RadarThreats {
        var threats = RadarThreats()
        for (id, metres, speed) in list {
            threats.update(RadarThreat(id: id, metres: metres, kilometresPerHour: speed))
        }
        return threats
    }

    @Test func threeVehiclesOfARealRadarParse() throws {
        // Source: zacharyedwardbull/pycycling, test_rear_view_radar.py (Garmin RVR315).
        let measurement = try decode("12 83 03 1F 8F 1C 2D 97 3D 47")
        #expect(measurement.header == 0x12)
        #expect(measurement.threats == threats([(131, 3, 31), (143, 28, 45), (151, 61, 71)]))
        #expect(measurement.threats.nearest == RadarThreat(id: 131, metres: 3, kilometresPerHour: 31))
    }

    @Test func headerAloneMeansAClearRoad() throws {
        #expect(try decode("22").threats == RadarThreats())
        #expect(try decode("22").threats.nearest == nil)
        #expect(throws: ParseError(at: 0, expected: "a byte")) { try decode("") }
    }

    @Test func incompleteVehicleAtTheEndIsDropped() throws {
        for text in ["12 83 03 1F 8F", "12 83 03 1F 8F 1C"] {
            #expect(try decode(text).threats == threats([(131, 3, 31)]))
        }
    }

    @Test func longerNotificationKeepsEightVehicles() throws {
        var bytes: [UInt8] = [0x12]
        for number in 0..<12 as Range<UInt8> { bytes += [0x80 + number, 100 - number, 50] }
        let threats = try RadarMeasurement(bytes.span).threats
        #expect(threats.count == RadarThreats.capacity)
        #expect(threats.nearest?.id == 0x87)
    }

    @Test func eightVehiclesInTwoNotificationsAreJoined() throws {
        var merger = RadarMerger()
        let first = "12 81 0A 1F 82 14 1F 83 1E 1F 84 28 1F 85 32 1F 86 3C 1F"
        merger.received(try decode(first))
        #expect(merger.threats.count == 6)
        merger.received(try decode("14 87 46 1F 88 50 1F"))
        #expect((0..<8).map { merger.threats[$0].id } == [0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88])
        // The next notification begins a new list.
        merger.received(try decode("22 82 12 1F"))
        #expect(merger.threats == threats([(0x82, 18, 31)]))
        merger.received(try decode("32"))
        #expect(merger.threats.count == 0)
    }

    @Test func notificationThatIsNotFullIsNotContinued() throws {
        var merger = RadarMerger()
        merger.received(try decode("12 81 0A 1F"))
        merger.received(try decode("14 82 14 1F"))
        #expect(merger.threats == threats([(0x82, 20, 31)]))
        // A full notification, but another header.
        merger.received(try decode("FE 81 0A 1F 82 14 1F 83 1E 1F 84 28 1F 85 32 1F 86 3C 1F"))
        merger.received(try decode("02 87 46 1F"))
        #expect(merger.threats.count == 1)
        // The header wraps.
        merger.received(try decode("FE 81 0A 1F 82 14 1F 83 1E 1F 84 28 1F 85 32 1F 86 3C 1F"))
        merger.received(try decode("00 87 46 1F 81 09 1F"))
        #expect(merger.threats.count == 7)
        #expect(merger.threats[0].metres == 9)
    }

    @Test(arguments: 0..<5 as Range<UInt64>)
    func randomBytesGiveAtMostEightVehicles(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var merger = RadarMerger()
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let measurement = try RadarMeasurement(bytes.span)
            #expect(measurement.threats.count <= min((bytes.count - 1) / 3, RadarThreats.capacity))
            merger.received(measurement)
            #expect(merger.threats.count <= RadarThreats.capacity)
            #expect((merger.threats.nearest == nil) == (merger.threats.count == 0))
        }
    }
}
