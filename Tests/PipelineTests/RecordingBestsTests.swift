import Domain
import Pipeline
import TestKit
import Testing

@Suite struct RecordingBestsTests {
    // MARK: Known answers

    /// A run with one sample a second.
    private struct Run {
        var rows: [RecordingRow] = [.begin(at: 0, .command)]
        var seconds: Int64 = 0
        var metres = 0.0
        var at: Int64 = 0

        init() {
            go(0, seconds: 0)
        }

        /// Adds samples at a speed. Without a position, the metres come with the next sample that has one.
        mutating func go(_ speed: Double, seconds count: Int64, power: Int? = nil, hasPosition: Bool = true) {
            var lost = 0.0
            for _ in 0..<max(count, 1) {
                if count > 0 { (seconds, at) = (seconds + 1, at + 1000) }
                if hasPosition { metres += count > 0 ? speed : 0 } else { lost += speed }
                var sample = RecordingSample(at: at, elapsedMilliseconds: seconds * 1000)
                sample.distanceMetres = metres
                if hasPosition { sample.coordinate = Coordinate(latitude: metres / 111_195, longitude: 13) }
                sample.power = power
                rows.append(.sample(sample))
            }
            metres += lost
        }

        mutating func pause(milliseconds: Int64) {
            rows.append(.end(at: at, .command))
            at += milliseconds
            rows.append(.begin(at: at, .command))
        }

        func bests(_ sport: Sport = .run, isIndoor: Bool = false) -> [BestKind: BestEffort] {
            var recording = RecordedActivity(sport: sport, started: UTC(milliseconds: 0))
            recording.isIndoor = isIndoor
            var bests = RecordingBests(recording)
            for row in rows { bests.ingest(row) }
            return Dictionary(uniqueKeysWithValues: bests.finish().map { ($0.kind, $0) })
        }
    }

    private func isNear(_ value: Double?, _ other: Double, within tolerance: Double = 1e-6) -> Bool {
        value.map { abs($0 - other) <= tolerance } ?? false
    }

    @Test func `The fastest stretch counts, with the place where it began`() {
        var run = Run()
        run.go(2, seconds: 300)
        run.go(4, seconds: 200)
        run.go(2, seconds: 300)
        let bests = run.bests()
        #expect(isNear(bests[.metres400]?.value, 100_000))
        #expect(bests[.metres400]?.elapsedMilliseconds == 300_000 && isNear(bests[.metres400]?.distanceMetres, 600))
        // 800 m at 4 m/s and 200 m at 2 m/s; the first of the equal ones begins 200 m before.
        #expect(isNear(bests[.kilometre]?.value, 300_000))
        #expect(bests[.kilometre]?.elapsedMilliseconds == 200_000)
        #expect(bests[.kilometres5] == nil && bests[.power5s] == nil)
    }

    @Test func `A time between two samples is interpolated`() {
        var run = Run()
        run.go(3, seconds: 200)
        #expect(isNear(run.bests()[.metres400]?.value, 400_000 / 3))
    }

    @Test func `A marathon and its half have their distances`() {
        var run = Run()
        run.go(2.5, seconds: 16_878)
        let bests = run.bests()
        #expect(isNear(bests[.marathon]?.value, 16_878_000, within: 1e-3))
        #expect(isNear(bests[.halfMarathon]?.value, 8_439_000, within: 1e-3))
    }

    @Test func `The time of a pause does not count`() {
        var run = Run()
        run.go(4, seconds: 60)
        run.pause(milliseconds: 600_000)
        run.go(4, seconds: 60)
        #expect(isNear(run.bests()[.metres400]?.value, 100_000))
    }

    @Test func `The time of standing counts`() {
        var run = Run()
        run.go(4, seconds: 60)
        run.go(0, seconds: 40)
        run.go(4, seconds: 60)
        #expect(isNear(run.bests()[.metres400]?.value, 140_000))
    }

    @Test func `No best reaches over a loss of the position of ten seconds`() {
        var run = Run()
        run.go(4, seconds: 90)
        run.go(20, seconds: 10, hasPosition: false)
        run.go(4, seconds: 90)
        #expect(run.bests()[.metres400] == nil)
        run.go(4, seconds: 20)
        #expect(isNear(run.bests()[.metres400]?.value, 100_000))
    }

    @Test func `The metres of a shorter loss are spread over its time`() {
        var run = Run()
        run.go(4, seconds: 90)
        run.go(4, seconds: 7, hasPosition: false)
        run.go(4, seconds: 90)
        #expect(isNear(run.bests()[.metres400]?.value, 100_000))
    }

    @Test func `A sensor measures on without a position`() {
        var run = Run()
        run.go(4, seconds: 60)
        for index in run.rows.indices.dropFirst(30) {
            run.rows[index].removePosition()
        }
        run.go(4, seconds: 60)
        #expect(isNear(run.bests()[.metres400]?.value, 100_000))
        #expect(isNear(run.bests(isIndoor: true)[.metres400]?.value, 100_000))
    }

    @Test func `No best reaches over a new segment or a hole of more than a minute`() {
        var run = Run()
        run.go(4, seconds: 90)
        run.rows.append(.segment(at: run.at))
        run.go(4, seconds: 90)
        #expect(run.bests()[.metres400] == nil)
        run = Run()
        run.go(4, seconds: 90)
        (run.seconds, run.at, run.metres) = (run.seconds + 60, run.at + 60_000, run.metres + 240)
        run.go(4, seconds: 90)
        #expect(run.bests()[.metres400] == nil)
        run.rows.removeSubrange(40...60)
        #expect(run.bests()[.metres400] == nil)
    }

    @Test func `Times are of sports on foot`() {
        var run = Run()
        run.go(4, seconds: 200, power: 250)
        for sport in [Sport.run, .walk, .hike] { #expect(run.bests(sport)[.metres400] != nil) }
        for sport in [Sport.ride, .other] {
            #expect(run.bests(sport)[.metres400] == nil && run.bests(sport)[.power5s]?.value == 250)
        }
    }

    @Test func `A recording without distances is measured by its positions`() throws {
        var run = Run()
        run.go(4, seconds: 300)
        for index in run.rows.indices {
            guard case .sample(var sample) = run.rows[index] else { continue }
            sample.distanceMetres = nil
            run.rows[index] = .sample(sample)
        }
        // The positions are on a sphere, distances on the ellipsoid.
        let value = try #require(run.bests()[.kilometre]?.value)
        #expect(abs(value - 250_000) < 2500)
        #expect(run.bests(isIndoor: true)[.kilometre] == nil)
    }

    @Test func `The best power is the highest mean without an absence`() {
        var run = Run()
        run.go(5, seconds: 100, power: 100)
        run.go(5, seconds: 60, power: 300)
        run.go(5, seconds: 40, power: 100)
        let bests = run.bests(.ride)
        #expect(isNear(bests[.power5s]?.value, 300) && bests[.power5s]?.elapsedMilliseconds == 100_000)
        #expect(isNear(bests[.power1min]?.value, 300) && bests[.power1min]?.elapsedMilliseconds == 100_000)
        #expect(bests[.power5min] == nil && bests[.power1min]?.distanceMetres == nil)
        run.go(5, seconds: 1)
        run.go(5, seconds: 150, power: 100)
        #expect(run.bests(.ride)[.power5min] == nil)
    }

    @Test func `A pause ends a stretch of power`() {
        var run = Run()
        run.go(5, seconds: 40, power: 200)
        run.pause(milliseconds: 5000)
        run.go(5, seconds: 40, power: 200)
        #expect(run.bests(.ride)[.power30s]?.value == 200 && run.bests(.ride)[.power1min] == nil)
    }

    @Test func `Values that no device measures do no harm`() {
        for metres in [Double.nan, .infinity, -1, 1e300] {
            var run = Run()
            run.go(4, seconds: 5)
            run.metres = metres
            run.go(1, seconds: 5)
            run.metres = 0
            run.seconds = 2
            run.go(4, seconds: 5)
            _ = run.bests()
        }
    }

    // MARK: Against brute force

    /// An activity and what is known of it: the stretches of time and distance, and those of time and power.
    private struct Made {
        var rows: [RecordingRow] = [.begin(at: 0, .command)]
        var stretches: [[(time: Double, metres: Double)]] = [[]]
        var powers: [[(from: Double, to: Double, watts: Double)]] = [[]]

        init(seed: UInt64) {
            var random = SeededRandom(seed: seed)
            var (at, elapsed, metres) = (Int64(0), Int64(0), 0.0)
            // Some activities are long enough for a marathon.
            let pace = [5.0, 40, 400][Int(random.next() % 3)]
            let longest = seed % 40 == 0 ? 9000 : Int64([1000, 3000, 9000][Int(random.next() % 3)])
            var coordinate = 0.0
            // A few have no interruption, and are long enough for an hour of power.
            let isWhole = seed % 40 == 0
            for _ in 0..<(isWhole ? 900 : 30 + Int(random.next() % 60)) {
                let chance = isWhole ? 1 : random.uniform()
                if chance < 0.005 {
                    rows.append(.end(at: at, .command))
                    at += Int64(random.next() % 100_000)
                    rows.append(.begin(at: at, .command))
                    powers.append([])
                } else if chance < 0.01 {
                    rows.append(.segment(at: at))
                    stretches.append([])
                } else if chance < 0.015 {
                    // A hole in the file.
                    (at, elapsed) = (at + 61_000, elapsed + 61_000)
                    stretches.append([])
                }
                let step = 1 + Int64(random.next() % UInt64(longest))
                let isHole = chance >= 0.01 && chance < 0.015
                (at, elapsed) = (at + step, elapsed + step)
                // Standing now and then.
                if random.uniform() > 0.1 { metres += pace * random.uniform() * Double(step) / 1000 }
                coordinate += 1e-6
                var sample = RecordingSample(at: at, elapsedMilliseconds: elapsed)
                sample.distanceMetres = metres
                sample.coordinate = Coordinate(latitude: coordinate, longitude: 13)
                if isWhole || random.uniform() > 0.02 {
                    let watts = Int(random.next() % 500)
                    sample.power = watts
                    if isHole {
                        powers.append([])
                    } else {
                        powers[powers.count - 1].append(
                            (Double(elapsed - step), Double(elapsed), Double(watts)))
                    }
                } else {
                    powers.append([])
                }
                stretches[stretches.count - 1].append((Double(elapsed), metres))
                rows.append(.sample(sample))
            }
        }

        /// The shortest time over a distance: that of all windows that begin or end at a sample.
        func time(over width: Double) -> Double? {
            var best: Double?
            for points in stretches {
                for point in points {
                    for begin in [point.metres, point.metres - width] {
                        guard let from = Self.last(at: begin, points), let to = Self.first(at: begin + width, points)
                        else { continue }
                        best = min(best ?? .infinity, to - from)
                    }
                }
            }
            return best
        }

        /// The last moment at a distance.
        private static func last(at metres: Double, _ points: [(time: Double, metres: Double)]) -> Double? {
            guard let index = points.lastIndex(where: { $0.metres <= metres }) else { return nil }
            let point = points[index]
            if point.metres == metres { return point.time }
            guard index + 1 < points.count else { return nil }
            let next = points[index + 1]
            return point.time + (next.time - point.time) * (metres - point.metres) / (next.metres - point.metres)
        }

        /// The first moment at a distance. The sum of two numbers may be off by their rounding.
        private static func first(at metres: Double, _ points: [(time: Double, metres: Double)]) -> Double? {
            guard let index = points.firstIndex(where: { $0.metres >= metres - 1e-9 }) else { return nil }
            let point = points[index]
            guard index > 0, point.metres > metres else { return point.time }
            let before = points[index - 1]
            return before.time
                + (point.time - before.time) * (metres - before.metres) / (point.metres - before.metres)
        }

        /// The highest mean power over milliseconds: that of all windows that begin or end at a sample.
        func power(over width: Double) -> Double? {
            var best: Double?
            for parts in powers {
                guard let begin = parts.first?.from, let end = parts.last?.to else { continue }
                for edge in parts.flatMap({ [$0.from, $0.to - width] }) {
                    guard edge >= begin, edge + width <= end else { continue }
                    let energy = parts.reduce(0.0) { sum, part in
                        sum + part.watts * max(min(part.to, edge + width) - max(part.from, edge), 0)
                    }
                    best = max(best ?? 0, energy / width)
                }
            }
            return best
        }
    }

    @Test(arguments: 0..<200) func `Bests are those of brute force`(_ seed: Int) {
        let made = Made(seed: UInt64(seed))
        var bests = RecordingBests(RecordedActivity(sport: .run, started: UTC(milliseconds: 0)))
        for row in made.rows { bests.ingest(row) }
        let found = Dictionary(uniqueKeysWithValues: bests.finish().map { ($0.kind, $0.value) })
        for kind in BestKind.times {
            let expected = kind.metres.flatMap { made.time(over: $0) }
            #expect(equal(found[kind], expected), "\(kind) of \(seed): \(found[kind] ?? -1), not \(expected ?? -1)")
        }
        for kind in BestKind.powers {
            let expected = kind.seconds.flatMap { made.power(over: Double($0) * 1000) }
            #expect(equal(found[kind], expected), "\(kind) of \(seed): \(found[kind] ?? -1), not \(expected ?? -1)")
        }
    }

    @Test func `The made activities have bests of every kind that is searched`() {
        var kinds: [BestKind: Int] = [:]
        for seed in 0..<200 {
            var bests = RecordingBests(RecordedActivity(sport: .run, started: UTC(milliseconds: 0)))
            for row in Made(seed: UInt64(seed)).rows { bests.ingest(row) }
            for effort in bests.finish() { kinds[effort.kind, default: 0] += 1 }
        }
        for kind in BestKind.times + BestKind.powers {
            #expect(kinds[kind] ?? 0 >= 4, "\(kind): \(kinds)")
        }
    }

    private func equal(_ value: Double?, _ other: Double?) -> Bool {
        guard let value, let other else { return value == nil && other == nil }
        return abs(value - other) <= 1e-6 * max(other, 1)
    }
}
