package import Domain

extension HeartRateMeasurement {
    /// A heart that beats, under a strap that is worn.
    package static let worn = HeartRateMeasurement(beatsPerMinute: 67, contact: true, rrIntervals: [882])

    /// What a strap sends that lies on a table.
    package static let unworn = HeartRateMeasurement(beatsPerMinute: 0, contact: false)
}
