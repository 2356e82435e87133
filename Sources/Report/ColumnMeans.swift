/// A line of one value along time or distance, as its mean in each of equal columns.
///
/// Its size does not depend on the number of samples.
package struct ColumnMeans: Equatable, Sendable {
    package struct Column: Equatable, Sendable {
        /// Nil for a column without a sample.
        package var mean: Double? { count > 0 ? sum / Double(count) : nil }
        /// Whether the line comes from the column before that has a mean.
        package fileprivate(set) var isJoined = false
        fileprivate var sum = 0.0
        fileprivate var count = 0
    }

    package private(set) var columns: [Column]
    /// The extremes of the samples.
    package private(set) var least: Double?
    package private(set) var greatest: Double?

    private let end: Double
    private var isBroken = true
    private var lastKnown: Int64 = 0

    /// Samples without the value for this long are a gap, in milliseconds.
    package static let gap: Int64 = 10_000

    /// - Parameter end: where the last column ends; the first one begins at 0.
    package init(count: Int, end: Double) {
        columns = Array(repeating: Column(), count: max(count, 1))
        self.end = end
    }

    /// Adds the value of a sample, or its absence.
    ///
    /// - Parameter moment: of the sample, in milliseconds.
    package mutating func add(_ value: Double?, at x: Double, moment: Int64) {
        guard let value, value.isFinite, x.isFinite else {
            if moment - lastKnown > Self.gap { isBroken = true }
            return
        }
        let share = end > 0 ? min(max(x / end, 0), 1) : 0
        let index = min(Int(share * Double(columns.count)), columns.count - 1)
        if columns[index].count == 0 { columns[index].isJoined = !isBroken }
        columns[index].sum += value
        columns[index].count += 1
        least = min(least ?? value, value)
        greatest = max(greatest ?? value, value)
        isBroken = false
        lastKnown = moment
    }

    /// The next sample begins a new line.
    package mutating func breakLine() {
        isBroken = true
    }
}
