import CAllocations
import Domain
import Linux

/// The cost of one pass of a hot path.
struct Measurement {
    let name: String
    /// Nanoseconds of one pass: the median of many rounds.
    let nanoseconds: Double
    /// Heap allocations of one pass: the mean over all rounds, so that a single one shows.
    let allocations: Double

    /// Runs rounds of passes; the first tenth warms up.
    ///
    /// - Parameters:
    ///   - before: prepares a round, not measured.
    ///   - pass: one pass of the path.
    init(_ name: String, rounds: Int, passes: Int, before: () throws -> Void = {}, pass: () throws -> Void) rethrows {
        var durations = [Double](repeating: 0, count: rounds)
        var allocations: UInt64 = 0
        for round in -rounds / 10..<rounds {
            try before()
            let count = callocations_count()
            let start = Clock.now()
            for _ in 0..<passes { try pass() }
            let duration = Clock.now() - start
            guard round >= 0 else { continue }
            allocations += callocations_count() - count
            durations[round] = Double(duration.wholeNanoseconds) / Double(passes)
        }
        self.name = name
        self.allocations = Double(allocations) / Double(rounds * passes)
        nanoseconds = durations.sorted()[rounds / 2]
    }

    var line: String {
        let nanoseconds = DecimalFormat.text(nanoseconds, decimals: 0) ?? "?"
        let allocations = DecimalFormat.text(allocations, decimals: 4) ?? "?"
        return Self.row(name, nanoseconds, allocations)
    }

    static let heading = row("", "ns", "allocations")

    private static func row(_ name: String, _ nanoseconds: String, _ allocations: String) -> String {
        name + padding(46 - name.count) + padding(10 - nanoseconds.count) + nanoseconds
            + padding(14 - allocations.count) + allocations
    }

    private static func padding(_ count: Int) -> String {
        String(repeating: " ", count: max(count, 1))
    }
}
