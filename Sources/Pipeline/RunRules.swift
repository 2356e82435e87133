/// The rules by which a run is computed. The first entry of a run names them: a replay of an older run uses its own, and has
/// the same result to the bit.
package enum RunRules: Int, Comparable, Sendable {
    /// Those of runs whose first entry names none.
    case first = 0
    /// A second with a power above ``PowerLimit/watts`` is one without power.
    case powerLimit = 1
    /// The maximum of the heart rate is a value that stood for 3 s, too. An alert has the value that set it off.
    case shownValues = 2

    package static let current = shownValues

    package static func < (one: RunRules, other: RunRules) -> Bool { one.rawValue < other.rawValue }
}
