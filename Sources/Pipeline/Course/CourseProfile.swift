import Domain

/// The profile of a course: smoothed altitudes each 10 m, and what is climbed up to each.
///
///     altitudes of the vertices ──▶ one each 10 m ──▶ mean over a width ──▶ turning points ──▶ ascent
///                                        └──▶ roughness: how noisy they are ──▶ width
///
/// The ascent is counted as that of a run, by ``TurningPoints``. A planner's altitudes are smooth, those of a terrain
/// model jump from cell to cell; so the noise decides how much is smoothed.
///
/// Source: docs/behaviour.md, "The profile of a course".
struct CourseProfile {
    /// Metres between two samples: 10, more for a course whose samples would be too many.
    let step: Double
    /// Smoothed, in metres.
    private(set) var altitudes: [Double]
    /// Metres climbed from the start.
    private(set) var ascents: [Double]

    private static let leastStep = 10.0
    private static let sampleLimit = 200_000
    /// The longest stretch without altitudes, in metres, that a straight line may cross.
    private static let longestGap = 500.0

    /// Nil if the altitude of a long stretch is unknown.
    ///
    /// - Parameters:
    ///   - altitudes: of the vertices, in metres.
    ///   - distances: of the vertices, in metres, not falling.
    init?(altitudes: [Double?], distances: [Double]) {
        guard let length = distances.last, length > 0 else { return nil }
        step = max(Self.leastStep, length / Double(Self.sampleLimit))
        guard let sampled = Self.sample(altitudes, distances, step: step, length: length) else { return nil }
        let smoothing = Smoothing(roughness: Self.roughness(sampled))
        self.altitudes = Self.mean(sampled, over: Int(smoothing.width / step))
        ascents = Self.ascents(self.altitudes, turn: smoothing.turn)
    }

    /// How the altitudes are smoothed.
    private struct Smoothing {
        /// Metres of the mean, and between turning points.
        var width: Double
        var turn: Double

        /// - Parameter roughness: the mean size of the second difference of samples each 10 m, in metres. Measured on
        ///   courses of planners: 0.02 and 0.06 of Garmin Connect, 0.14 of RideWithGPS.
        init(roughness: Double) {
            (width, turn) = roughness < 0.03 ? (50, 1) : roughness < 0.1 ? (100, 2) : (200, 10)
        }
    }

    func altitude(at metres: Double) -> Double { Self.value(altitudes, at: metres / step) }
    func ascent(at metres: Double) -> Double { Self.value(ascents, at: metres / step) }

    private static func value(_ values: [Double], at place: Double) -> Double {
        let index = min(max(Int(place), 0), values.count - 1)
        guard index + 1 < values.count else { return values[index] }
        return values[index] + (values[index + 1] - values[index]) * min(max(place - Double(index), 0), 1)
    }

    /// The altitudes at each step, by lines between those of the vertices.
    private static func sample(
        _ altitudes: [Double?], _ distances: [Double], step: Double, length: Double
    ) -> [Double]? {
        guard let first = altitudes.indices.first(where: { altitudes[$0] != nil }), distances[first] <= longestGap
        else { return nil }
        var samples: [Double] = []
        var (before, after) = (first, first)
        for place in 0...Int((length / step).rounded(.up)) {
            let metres = min(Double(place) * step, length)
            while distances[after] < metres {
                guard let next = altitudes.indices[(after + 1)...].first(where: { altitudes[$0] != nil }) else { break }
                (before, after) = (after, next)
                if distances[after] - distances[before] > longestGap, after - before > 1 { return nil }
            }
            let (low, high) = (altitudes[before] ?? 0, altitudes[after] ?? 0)
            let span = distances[after] - distances[before]
            let part = span > 0 ? min(max((metres - distances[before]) / span, 0), 1) : 1
            samples.append(low + (high - low) * part)
        }
        return length - distances[after] <= longestGap ? samples : nil
    }

    private static func roughness(_ samples: [Double]) -> Double {
        guard samples.count > 2 else { return 0 }
        var sum = 0.0
        for place in 1..<samples.count - 1 {
            sum += abs(samples[place - 1] - 2 * samples[place] + samples[place + 1])
        }
        return sum / Double(samples.count - 2)
    }

    /// The centred mean over `width` samples, fewer at both ends.
    private static func mean(_ samples: [Double], over width: Int) -> [Double] {
        var sums = [0.0]
        sums.reserveCapacity(samples.count + 1)
        for sample in samples { sums.append(sums[sums.count - 1] + sample) }
        return samples.indices.map { index in
            let half = min(width / 2, index, samples.count - 1 - index)
            return (sums[index + half + 1] - sums[index - half]) / Double(2 * half + 1)
        }
    }

    private static func ascents(_ altitudes: [Double], turn: Double) -> [Double] {
        var ascents: [Double] = []
        ascents.reserveCapacity(altitudes.count)
        var turns = TurningPoints()
        var total = 0.0
        for (index, altitude) in altitudes.enumerated() {
            let level = altitude - altitudes[0]
            let up = turns.add(level, least: turn).up
            // A low turning point is known late. What was climbed since then belongs where it was climbed.
            if up > 0, up == level - turns.low {
                var foot = index
                while foot > 0, ascents[foot - 1] == total, altitudes[foot] - altitudes[0] > turns.low { foot -= 1 }
                var highest = turns.low
                for place in foot..<index {
                    highest = max(highest, altitudes[place] - altitudes[0])
                    if index - foot > 1 { ascents[place] = total + highest - turns.low }
                }
            }
            total += up
            ascents.append(total)
        }
        return ascents
    }
}
