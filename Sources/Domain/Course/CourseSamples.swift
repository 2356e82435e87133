/// The profile of a course for a drawing: samples at equal distances, the first at the start, the last at the end.
package struct CourseSamples: Equatable, Sendable {
    /// Metres.
    package var length: Double
    package var distances: [Double]
    /// Metres above mean sea level; empty if they are unknown.
    package var altitudes: [Double]
    /// Those that count.
    package var climbs: [Climb]

    package init(length: Double, distances: [Double], altitudes: [Double], climbs: [Climb]) {
        self.length = length
        self.distances = distances
        self.altitudes = altitudes
        self.climbs = climbs
    }
}
