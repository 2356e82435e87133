/// The rules by which a run is computed. The first entry of a run names them: a replay of an older run uses its own, and has
/// the same result to the bit.
package enum RunRules: Int, Sendable {
    /// Those of runs whose first entry names none.
    case first = 0
    /// A second with a power above ``PowerLimit/watts`` is one without power.
    case powerLimit = 1

    package static let current = powerLimit
}
