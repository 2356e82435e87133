package import Domain

extension HeartRateMeasurement {
    /// A value of a strap that is worn.
    package static let worn = HeartRateMeasurement(beatsPerMinute: 67, contact: true, rrIntervals: [882])

    /// A value of a strap that is not worn.
    package static let unworn = HeartRateMeasurement(beatsPerMinute: 0, contact: false)
}
