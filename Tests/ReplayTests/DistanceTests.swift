import Domain
import Foundation
import TestKit
import Testing

/// The limits of docs/behaviour.md, "Distance, each second" and "Pace, each 5 seconds", on devices' recordings.
@Suite struct DistanceTests {
    @Test(arguments: Recording.all)
    func distanceMatchesTheDevice(recording: Recording) {
        let replay = Rerun(recording.fixes(), sport: recording.sport)
        let error = replay.metres / recording.deviceMetres - 1
        #expect(abs(error) <= recording.bound(walk: 0.03, run: 0.01, ride: 0.01), "\(error)")
    }

    @Test func halfOfTheRunsAndRidesAreWithinHalfAPercent() {
        let errors = Recording.all.filter { $0.sport != .walk }
            .map { abs(Rerun($0.fixes(), sport: $0.sport).metres / $0.deviceMetres - 1) }
            .sorted()
        #expect(errors[errors.count / 2] <= 0.005, "\(errors)")
    }

    /// The device smoothed its track; receiver noise, added here, lengthens every step.
    @Test(arguments: Recording.all, [1, 2, 3] as [UInt64])
    func distanceStaysAccurateUnderReceiverNoise(recording: Recording, seed: UInt64) {
        let replay = Rerun(recording.fixes(noise: ReceiverNoise(seed: seed)), sport: recording.sport)
        let error = replay.metres / recording.deviceMetres - 1
        #expect(abs(error) <= recording.bound(walk: 0.05, run: 0.03, ride: 0.015), "\(error)")
    }

    @Test(arguments: Recording.all.filter { $0.measuresByItsPositions })
    func paceMatchesTheDeviceOverTheSameSeconds(recording: Recording) throws {
        let replay = Rerun(recording.fixes(), sport: recording.sport)
        let errors = recording.paceErrors(of: replay)
        try #require(errors.count > 10)
        let isRide = recording.sport == .ride
        let bound = isRide ? 0.05 : 0.10
        let share = Double(errors.filter { $0 <= bound }.count) / Double(errors.count)
        #expect(share >= (isRide ? 0.9 : 0.5), "\(share) of \(errors.count) paces")
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func hourOfStandingAddsAtMostTenMetres(seed: UInt64) {
        var noise = ReceiverNoise(seed: seed)
        let fixes = (0..<3600).map { second in
            let place = noise.displaced(Coordinate(latitude: 52.5, longitude: 13.4))
            return Fix(
                arrivedAt: Instant(milliseconds: 1_000_000 + Int64(second) * 1000 + noise.latency),
                time: UTC(milliseconds: 1_800_000_000_000 + Int64(second) * 1000), mode: 3,
                latitude: place.latitude, longitude: place.longitude, accuracy: 5, speed: abs(noise.normal() * 0.15))
        }
        #expect(Rerun(fixes, sport: .run).metres <= 10)
    }
}

/// The noise of a modern receiver under open sky: autocorrelated 3 m over 30 s, white 0.3 m, reports 0.1 to 0.3 s late.
struct ReceiverNoise {
    private var random: SeededRandom
    private var east: Double
    private var north: Double

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        east = 3 * random.normal()
        north = 3 * random.normal()
    }

    /// The delay of a report in milliseconds.
    var latency: Int64 {
        mutating get { 100 + Int64(random.next() % 200) }
    }

    mutating func normal() -> Double {
        random.normal()
    }

    /// Returns the displaced position one second after the last.
    mutating func displaced(_ place: Coordinate) -> Coordinate {
        let kept = exp(-1.0 / 30)
        let fresh = 3 * (1 - kept * kept).squareRoot()
        east = kept * east + fresh * random.normal()
        north = kept * north + fresh * random.normal()
        let metresPerDegree = 111_194.9
        return Coordinate(
            latitude: place.latitude + (north + 0.3 * random.normal()) / metresPerDegree,
            longitude: place.longitude
                + (east + 0.3 * random.normal()) / metresPerDegree / cos(place.latitude * .pi / 180))
    }
}
