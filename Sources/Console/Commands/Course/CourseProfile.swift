import Domain
package import JSONCoding

/// The profile of a course, from the answer of `course.profile` or from the course itself.
package struct CourseProfile: Equatable {
    /// Metres from the start, not falling, and metres above mean sea level; at least two.
    private let distances: [Double]
    private let altitudes: [Double]
    private let climbs: [ClosedRange<Double>]
    private let length: Double

    /// The samples that a request asks for.
    static let points = 240
    private static let limit = 10_000

    /// Nil without altitudes.
    package init?(_ json: JSON) {
        guard let length = json.metres("length_m"), length > 0, let distances = json["distance_m"]?.array,
            let altitudes = json["altitude_m"]?.array, (2...Self.limit).contains(distances.count),
            distances.count == altitudes.count
        else { return nil }
        self.length = length
        self.distances = distances.compactMap(\.number)
        self.altitudes = altitudes.compactMap(\.number).filter { abs($0) < 1e6 }
        climbs = (json["climbs"]?.array ?? []).prefix(Self.limit).compactMap { climb in
            guard let start = climb.metres("start_m"), let top = climb.metres("top_m"), start <= top else { return nil }
            return start...top
        }
        guard self.distances.count == distances.count, self.altitudes.count == distances.count,
            zip(self.distances, self.distances.dropFirst()).allSatisfy({ $0 <= $1 })
        else { return nil }
    }

    /// Nil without altitudes.
    init?(_ samples: CourseSamples) {
        guard samples.length > 0, samples.altitudes.count > 1 else { return nil }
        (length, distances, altitudes) = (samples.length, samples.distances, samples.altitudes)
        climbs = samples.climbs.map { $0.start...$0.top }
    }

    /// One column of the drawing.
    struct Column: Equatable {
        private static let blocks = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

        /// Eighths of a row, from 1.
        var eighths: Int
        /// The number of the climb here, from 1; nil beside climbs.
        var climb: Int?

        /// The block character of a row, counted from 0 at the bottom; nil above the altitude.
        func block(inRow row: Int) -> String? {
            let height = min(eighths - row * 8, 8)
            return height > 0 ? Self.blocks[height - 1] : nil
        }
    }

    /// The altitudes from the start to the end.
    func columns(_ count: Int, rows: Int) -> [Column] {
        let low = altitudes.min() ?? 0
        // A flat course stays flat.
        let span = max((altitudes.max() ?? 0) - low, 20)
        var next = 1
        return (0..<max(count, 0)).map { column in
            let metres = (Double(column) + 0.5) / Double(count) * length
            while next < distances.count - 1, distances[next] < metres { next += 1 }
            let step = distances[next] - distances[next - 1]
            let part = step > 0 ? min(max((metres - distances[next - 1]) / step, 0), 1) : 0
            let altitude = altitudes[next - 1] + (altitudes[next] - altitudes[next - 1]) * part
            let eighths = 1 + Int(((altitude - low) / span * Double(rows * 8 - 1)).rounded(.down))
            return Column(
                eighths: min(max(eighths, 1), rows * 8), climb: climbs.firstIndex { $0.contains(metres) }.map { $0 + 1 }
            )
        }
    }

    /// The column of a place on the course.
    func column(at metres: Double, of count: Int) -> Int {
        min(max(Int(metres / length * Double(count)), 0), count - 1)
    }
}
