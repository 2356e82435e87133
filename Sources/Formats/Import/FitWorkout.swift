package import Domain

/// The steps of a FIT workout file, as the setting `workout` has them.
///
/// Source: Garmin FIT SDK, profile, messages workout and workout_step.
package struct FitWorkout {
    private static let file: Int64 = 5

    /// Values of the field duration_type.
    private enum Duration {
        static let time: Int64 = 0
        static let distance: Int64 = 1
        static let open: Int64 = 5
        static let repeatUntilStepsComplete: Int64 = 6
    }

    /// Values of the field target_type.
    private enum Target {
        static let speed: Int64 = 0
        static let heartRate: Int64 = 1
        static let open: Int64 = 2
        static let cadence: Int64 = 3
        static let power: Int64 = 4
    }

    private struct Step {
        var name: SanitizedText?
        var durationType: Int64?
        var duration: Int64
        var targetType: Int64?
        var target: Int64
        var low: Int64
        var high: Int64
    }

    package private(set) var name: SanitizedText?
    private var isByPace = false
    private var steps: [Step] = []
    private var isWorkout = false

    /// - Parameter file: the whole file.
    /// - Throws: ``FileError`` if it is damaged or no workout.
    package init(_ file: Span<UInt8>) throws {
        var workout = Self.empty
        var reader = FitReader { message in try workout.ingest(message) }
        try reader.feed(file) { _ in }
        try reader.finishMessages()
        guard workout.isWorkout else { throw FileError("the file is no workout; 'pacectl import' reads activities") }
        guard !workout.steps.isEmpty else { throw FileError("the workout has no steps") }
        self = workout
    }

    private init() {}

    private static let empty = FitWorkout()

    private mutating func ingest(_ message: FitMessage) throws {
        switch Fit.Message(rawValue: message.definition.message) {
        case .fileID: isWorkout = isWorkout || message[Fit.FileID.type] == Self.file
        case .workout:
            name = message.text(Fit.Workout.name)
            isByPace = message[Fit.Workout.sport].map { Fit.sport(number: $0).isByPace } ?? false
        case .workoutStep:
            guard steps.count < WorkoutStep.countLimit else {
                throw FileError("the workout has more than \(WorkoutStep.countLimit) steps")
            }
            steps.append(
                Step(
                    name: message.text(Fit.WorkoutStep.name), durationType: message[Fit.WorkoutStep.durationType],
                    duration: message[Fit.WorkoutStep.duration] ?? 0,
                    targetType: message[Fit.WorkoutStep.targetType], target: message[Fit.WorkoutStep.target] ?? 0,
                    low: message[Fit.WorkoutStep.customLow] ?? 0, high: message[Fit.WorkoutStep.customHigh] ?? 0))
        default: break
        }
    }

    /// The steps with all repetitions, in the words of the setting.
    ///
    /// - Parameter settings: give the maximum heart rate and the threshold power for targets in percent.
    /// - Throws: ``FileError`` that names the step that cannot be followed.
    package func texts(_ settings: Settings) throws(FileError) -> [String] {
        var texts: [String] = []
        /// The place in `texts` at which each step of the file begins.
        var places: [Int] = []
        for (index, step) in steps.enumerated() {
            places.append(texts.count)
            if step.durationType == Duration.repeatUntilStepsComplete {
                guard step.duration < index, step.target > 0 else {
                    throw Self.error(index, "repeats steps that are not before it")
                }
                let repeated = texts[places[Int(step.duration)]...]
                // The steps have been done once when the repetition is read.
                let copies = Int(step.target) - 1
                guard texts.count + repeated.count * copies <= WorkoutStep.countLimit else {
                    throw FileError(
                        "the workout has more than \(WorkoutStep.countLimit) steps with its repetitions; split it")
                }
                texts += (0..<copies).flatMap { _ in repeated }
            } else {
                texts.append(try text(of: step, index, settings))
            }
        }
        return texts
    }

    private func text(of step: Step, _ index: Int, _ settings: Settings) throws(FileError) -> String {
        var words: String
        switch step.durationType {
        case Duration.time: words = "\(Self.number(Double(step.duration) / 1000)) s"
        case Duration.distance: words = "\(Self.number(Double(step.duration) / 100)) m"
        case Duration.open, nil: words = "lap"
        default:
            throw Self.error(index, "does not end by time, distance or lap key; change its end")
        }
        if let target = try target(of: step, index, settings) { words += " " + target }
        if let name = step.name?.text {
            var whole = words + " # " + name.split(separator: " ").joined(separator: " ")
            while WorkoutStep(whole) == nil, whole.count > words.count { whole.removeLast() }
            words = whole.split(separator: " ").joined(separator: " ")
        }
        guard WorkoutStep(words) != nil else {
            throw Self.error(index, "has values out of range: \(words) must be \(WorkoutStep.rule(for: words))")
        }
        return words
    }

    /// The words of the target; nil without one.
    private func target(of step: Step, _ index: Int, _ settings: Settings) throws(FileError) -> String? {
        switch step.targetType {
        case Target.heartRate:
            if step.target > 0 { return "zone \(step.target)" }
            return "heart_rate "
                + (try ends(step, index, "heart rate", offset: 100, of: settings.maxHeartRate, "max_heart_rate"))
        case Target.power:
            if step.target > 0 { return "power_zone \(step.target)" }
            return "power " + (try ends(step, index, "power", offset: 1000, of: settings.ftp, "ftp"))
        case Target.cadence:
            if step.target > 0 { return nil }
            return "cadence \(step.low)..\(step.high)"
        case Target.speed:
            guard step.target == 0, step.low > 0, step.high > 0 else { return nil }
            if isByPace { return "pace \(Self.pace(step.high))..\(Self.pace(step.low)) /km" }
            return "speed \(Self.number(Double(step.low) / 1000))..\(Self.number(Double(step.high) / 1000)) m/s"
        // A target that this release does not know is left out: the length of the step matters more.
        default: return nil
        }
    }

    /// The ends of a range, in percent of a setting up to `offset`, above it absolute.
    private func ends(
        _ step: Step, _ index: Int, _ what: String, offset: Int64, of whole: Int, _ setting: String
    ) throws(FileError) -> String {
        var ends: [Int64] = []
        for value in [step.low, step.high] {
            if value > offset {
                ends.append(value - offset)
            } else {
                guard whole > 0 else {
                    throw Self.error(
                        index, "has a \(what) in percent; set \(setting) with 'pacectl settings set' first")
                }
                ends.append((value * Int64(whole) + 50) / 100)
            }
        }
        return "\(ends[0])..\(ends[1])"
    }

    /// Minutes and seconds for a kilometre at a speed in mm/s.
    private static func pace(_ speed: Int64) -> String {
        let seconds = (1_000_000 + speed / 2) / speed
        return "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + "\(seconds % 60)"
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : DecimalFormat.text(value, decimals: 3) ?? "0"
    }

    private static func error(_ index: Int, _ reason: String) -> FileError {
        FileError("step \(index + 1) \(reason)")
    }
}
