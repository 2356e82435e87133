import Domain
import Pipeline
import Testing

/// A ride with 2 m of wheel a turn, as the settings have it.
private func rider(_ millimetres: Int = 2000) -> Rider {
    var settings = Settings()
    settings.wheelMillimetres = millimetres
    var rider = Rider(settings)
    rider.connectWheel()
    return rider
}

@Suite struct DistanceSourceTests {
    @Test func indoorDistanceIsThatOfTheWheel() throws {
        var rider = rider()
        rider.hasPosition = false
        rider.ride(seconds: 5, speed: 8)
        let before = rider.wheel.total
        try rider.run.perform(.start(.ride, indoor: true))
        for speed in [8.0, 3, 0, 11, 6.5] { rider.ride(seconds: 240, speed: speed) }
        // The turns since the last notification are not yet known.
        rider.ride(seconds: 8, speed: 0)
        let truth = Double(rider.wheel.total - before) * 2
        #expect(abs(rider.distance - truth) <= truth * 0.001)
        #expect(rider.sources == [.wheel])
        #expect(rider.run.activity?.speedSource == .wheel)
        #expect(rider.run.activity?.speed == 0)
        #expect(abs(try #require(rider.run.activity?.total.movingMilliseconds) - 960_000) <= 10_000)
    }

    @Test func indoorRunWithoutASensorHasNoSource() throws {
        var rider = Rider()
        try rider.run.perform(.start(.run, indoor: true))
        rider.ride(seconds: 10, speed: 3)
        #expect(rider.run.activity?.speedSource == SpeedSource.none)
        #expect(rider.distance == 0)
        #expect(DataField.distance.value(in: rider.run.state) == nil)
    }

    /// The wheel covers what the position misses, and no metre counts twice.
    @Test(arguments: [20, 45, 300])
    func tunnelIsCountedByTheWheel(seconds: Int) throws {
        var rider = rider()
        rider.ride(seconds: 10, speed: 8)
        try rider.run.begin(.ride)
        rider.ride(seconds: 100, speed: 8)
        let before = rider.distance
        rider.hasPosition = false
        rider.ride(seconds: seconds, speed: 9)
        rider.hasPosition = true
        rider.ride(seconds: 100, speed: 8)
        let truth = Double(100 * 8 + seconds * 9)
        #expect(abs(rider.distance - before - truth) <= 2.1, "\(rider.distance - before) m of \(truth) m")
        #expect(rider.sources == [.wheel, .position])
    }

    @Test func positionCountsWhileItIsFresh() throws {
        var rider = rider(2200)
        rider.ride(seconds: 10, speed: 8)
        try rider.run.begin(.ride)
        rider.ride(seconds: 60, speed: 8)
        #expect(abs(rider.distance - 480) < 1)
        #expect(rider.sources.isEmpty)
    }

    @Test func wheelThatReturnsCountsTheTurnsOfItsAbsence() throws {
        var rider = rider()
        rider.hasPosition = false
        try rider.run.perform(.start(.ride, indoor: true))
        rider.ride(seconds: 60, speed: 8)
        rider.hasWheel = false
        rider.connectWheel(.disconnected)
        rider.ride(seconds: 40, speed: 8)
        rider.connectWheel()
        rider.hasWheel = true
        rider.ride(seconds: 60, speed: 8)
        let truth = Double(rider.wheel.total) * 2
        #expect(abs(rider.distance - truth) <= 20)
        #expect(rider.sources == [.wheel, SpeedSource.none, .wheel])
    }

    /// While the wheel is away, the trainer counts. What both have covered counts once.
    @Test func trainerReplacesTheWheel() throws {
        var rider = rider()
        rider.hasPosition = false
        rider.connect(Rider.trainer, [.fitnessMachine])
        try rider.run.perform(.start(.ride, indoor: true))
        for second in 1...180 {
            var record = FitnessMachineRecord()
            record.rawSpeed = 2880
            record.totalMetres = UInt32(second * 8)
            rider.sends = [(Rider.trainer, .fitnessMachine(record))]
            if second == 60 { rider.hasWheel = false }
            if second == 120 { rider.hasWheel = true }
            rider.ride(seconds: 1, speed: 8)
        }
        #expect(abs(rider.distance - 180 * 8) <= 16)
        #expect(rider.sources == [.wheel, .machine, .wheel])
    }

    @Test func footPodCountsWhereThereIsNoPosition() throws {
        var rider = Rider()
        rider.connect(Rider.footPod, [.runningSpeedCadence])
        rider.hasPosition = false
        rider.hasWheel = false
        try rider.run.begin(.run)
        for second in 1...100 {
            let running = RunningMeasurement(
                rawSpeed: 768, cadence: 85, strideCentimetres: 105, totalDecimetres: UInt32(second * 30))
            rider.sends = [(Rider.footPod, .running(running))]
            rider.ride(seconds: 1, speed: 3)
        }
        #expect(abs(rider.distance - 300) <= 6)
        #expect(rider.run.activity?.cadence == 85)
        #expect(abs(try #require(rider.run.activity?.pace) - 1.0 / 3) < 0.01)
        #expect(rider.sources == [.footPod])
    }

    @Test func pauseIsNotCounted() throws {
        var rider = rider()
        rider.hasPosition = false
        try rider.run.perform(.start(.ride, indoor: true))
        rider.ride(seconds: 60, speed: 8)
        try rider.run.perform(.pause)
        let before = rider.distance
        rider.ride(seconds: 60, speed: 8)
        try rider.run.perform(.resume)
        rider.ride(seconds: 60, speed: 8)
        #expect(abs(rider.distance - before - 480) <= 16)
    }

    /// 3 km with both give the wheel, within half a percent. Other metres are not changed.
    @Test func positionCalibratesTheWheel() throws {
        var rider = rider(0)
        rider.wheelMillimetres = 2200
        rider.ride(seconds: 20, speed: 8)
        try rider.run.begin(.ride)
        rider.ride(seconds: 500, speed: 8)
        let values: [Int] = rider.run.events.compactMap {
            if case .calibration(.wheelMillimetres, let value) = $0.kind { value } else { nil }
        }
        #expect(values.count == 1)
        #expect(abs(try #require(values.first) - 2200) <= 11)
        #expect(abs(rider.distance - 4000) < 5)
    }

    @Test func chosenWheelIsNotCalibrated() throws {
        var rider = rider(2000)
        rider.wheelMillimetres = 2200
        try rider.run.begin(.ride)
        rider.ride(seconds: 500, speed: 8)
        #expect(!rider.run.events.contains { if case .calibration = $0.kind { true } else { false } })
    }

    @Test func radarReportsVehiclesOnce() throws {
        var rider = Rider()
        rider.connect(Rider.radar, [.radar])
        var threats = RadarThreats()
        for (count, metres) in [(0, 0), (1, 120), (1, 60), (2, 40), (1, 20), (0, 0), (0, 0)] {
            threats = RadarThreats()
            for id in 0..<count {
                threats.update(RadarThreat(id: UInt8(id), metres: UInt8(metres), kilometresPerHour: 36))
            }
            rider.sends = [(Rider.radar, .radar(threats))]
            rider.ride(seconds: 1, speed: 8)
        }
        let reports: [Int] = rider.run.events.compactMap {
            if case .radar(let vehicles, _, _) = $0.kind { vehicles } else { nil }
        }
        #expect(reports == [1, 2, 0])
        #expect(DataField.vehicles.value(in: rider.run.state) == 0)
        rider.sends = []
        rider.ride(seconds: 6, speed: 8)
        #expect(DataField.vehicles.value(in: rider.run.state) == nil)
    }
}
