/// The bound of power that counts.
package enum PowerLimit {
    /// The highest power that a person has, and more: what is above it is a fault of the meter.
    package static let watts = 3000
}

extension RecordingSample {
    /// The power, if it counts.
    package var countedPower: Int? {
        power.flatMap { $0 <= PowerLimit.watts ? $0 : nil }
    }
}
