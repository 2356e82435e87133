import Domain

/// The place of a run in its workout.
struct WorkoutProgress {
    /// The step in progress, from 0; the number of steps when all are over.
    private(set) var step = 0
    /// Active milliseconds and metres of the run at the start of the step.
    private var startMilliseconds: Int64
    private var startMetres: Double

    init(milliseconds: Int64, metres: Double) {
        startMilliseconds = milliseconds
        startMetres = metres
    }

    func step(of steps: [WorkoutStep]) -> WorkoutStep? {
        step < steps.count ? steps[step] : nil
    }

    /// Ends the step if its time or distance is over. The next one begins where this one had to end, so that no part
    /// of a second is lost.
    ///
    /// - Returns: the step that is over.
    mutating func advance(_ steps: [WorkoutStep], milliseconds: Int64, metres: Double) -> WorkoutStep? {
        guard let current = step(of: steps) else { return nil }
        switch current.length {
        case .time(let length):
            guard milliseconds - startMilliseconds >= length else { return nil }
            startMilliseconds += length
            startMetres = metres
        case .distance(let length):
            guard metres - startMetres >= length else { return nil }
            startMetres += length
            startMilliseconds = milliseconds
        case .lap: return nil
        }
        step += 1
        return current
    }

    /// Ends the step at a lap.
    mutating func skip(_ steps: [WorkoutStep], milliseconds: Int64, metres: Double) {
        guard step < steps.count else { return }
        startMilliseconds = milliseconds
        startMetres = metres
        step += 1
    }

    func status(_ steps: [WorkoutStep], milliseconds: Int64, metres: Double, target: TargetState?) -> WorkoutStatus {
        WorkoutStatus(
            step: step, steps: steps.count, elapsedMilliseconds: milliseconds - startMilliseconds,
            metres: metres - startMetres, target: target)
    }
}
