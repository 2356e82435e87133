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

    /// Values of the fields target_type and secondary_target_type.
    private enum TargetType: Int64 {
        case speed, heartRate, open, cadence, power, grade, resistance, power3s, power10s, power30s, powerLap
        case swimStroke, speedLap, heartRateLap

        /// An average over some seconds or the lap is in the range if each value is.
        var quantity: TargetQuantity? {
            switch self {
            case .speed, .speedLap: .speed
            case .heartRate, .heartRateLap: .heartRate
            case .cadence: .cadence
            case .power, .power3s, .power10s, .power30s, .powerLap: .power
            case .open, .grade, .resistance, .swimStroke: nil
            }
        }

        /// As in the profile.
        var name: String {
            switch self {
            case .speed: "speed"
            case .heartRate: "heart_rate"
            case .open: "open"
            case .cadence: "cadence"
            case .power: "power"
            case .grade: "grade"
            case .resistance: "resistance"
            case .power3s: "power_3s"
            case .power10s: "power_10s"
            case .power30s: "power_30s"
            case .powerLap: "power_lap"
            case .swimStroke: "swim_stroke"
            case .speedLap: "speed_lap"
            case .heartRateLap: "heart_rate_lap"
            }
        }
    }

    private struct Target {
        var type: Int64
        /// A zone; 0 for one from `low` to `high`.
        var zone: Int64
        /// 0 for a range without this end.
        var low: Int64
        var high: Int64

        var quantity: TargetQuantity? { TargetType(rawValue: type)?.quantity }

        /// Why no target of a step can say it; nil if one can.
        var obstacle: String? {
            guard let quantity else { return "paced has no such target" }
            if zone > 0 { return quantity == .speed || quantity == .cadence ? "paced does not know its zones" : nil }
            return low <= 0 && high <= 0 ? "it has no values" : nil
        }

        var name: String {
            (TargetType(rawValue: type)?.name ?? "target_type \(type)")
                + (zone > 0 && quantity != nil ? " zone \(zone)" : "")
        }
    }

    private struct Step {
        var name: SanitizedText?
        var durationType: Int64?
        var duration: Int64
        /// Of a repetition, the number of times.
        var count: Int64
        /// Without `open`.
        var targets: [Target]

        /// The place of the first target that a step can have.
        var followed: Int? { targets.firstIndex { $0.obstacle == nil } }
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
                    duration: message[Fit.WorkoutStep.duration] ?? 0, count: message[Fit.WorkoutStep.target] ?? 0,
                    targets: Self.targets(message)))
        default: break
        }
    }

    private static func targets(_ message: FitMessage) -> [Target] {
        typealias Field = Fit.WorkoutStep
        let fields = [
            (Field.targetType, Field.target, Field.customLow, Field.customHigh),
            (Field.secondTargetType, Field.secondTarget, Field.secondCustomLow, Field.secondCustomHigh),
        ]
        return fields.compactMap { type, zone, low, high in
            guard let type = message[type], type != TargetType.open.rawValue else { return nil }
            return Target(type: type, zone: message[zone] ?? 0, low: message[low] ?? 0, high: message[high] ?? 0)
        }
    }

    /// The targets that the steps of ``texts(_:)`` lack, each with its step and the reason.
    package var omissions: [String] {
        steps.enumerated().flatMap { index, step -> [String] in
            if step.durationType == Duration.repeatUntilStepsComplete { return [] }
            let followed = step.followed
            return step.targets.enumerated().filter { $0.offset != followed }.map { _, target in
                let reason = target.obstacle ?? "a step has one target"
                return "step \(index + 1): the target \(target.name) is left out: \(reason)"
            }
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
                guard step.duration < index, step.count > 0 else {
                    throw Self.error(index, "repeats steps that are not before it")
                }
                let repeated = texts[places[Int(step.duration)]...]
                // The steps have been done once when the repetition is read.
                let copies = Int(step.count) - 1
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
        guard let target = step.followed.map({ step.targets[$0] }) else { return nil }
        func range(_ text: (Int64) -> String) -> String {
            (target.low > 0 ? text(target.low) : "") + ".." + (target.high > 0 ? text(target.high) : "")
        }
        switch target.quantity {
        case .heartRate:
            if target.zone > 0 { return "zone \(target.zone)" }
            return "heart_rate "
                + (try ends(target, index, "heart rate", offset: 100, of: settings.maxHeartRate, "max_heart_rate"))
        case .power:
            if target.zone > 0 { return "power_zone \(target.zone)" }
            return "power " + (try ends(target, index, "power", offset: 1000, of: settings.ftp, "ftp"))
        case .cadence: return "cadence " + range { "\($0)" }
        case .speed:
            if isByPace {
                let (fast, slow) = (target.high, target.low)
                return "pace \(fast > 0 ? Self.pace(fast) : "")..\(slow > 0 ? Self.pace(slow) : "") /km"
            }
            return "speed " + range { Self.number(Double($0) / 1000) } + " m/s"
        case .zone, .powerZone, .pace, nil: return nil
        }
    }

    /// The ends of a range, in percent of a setting up to `offset`, above it absolute.
    private func ends(
        _ target: Target, _ index: Int, _ what: String, offset: Int64, of whole: Int, _ setting: String
    ) throws(FileError) -> String {
        var ends: [String] = []
        for value in [target.low, target.high] {
            if value <= 0 {
                ends.append("")
            } else if value > offset {
                ends.append("\(value - offset)")
            } else {
                guard whole > 0 else {
                    throw Self.error(
                        index, "has a \(what) in percent; set \(setting) with 'pacectl settings set' first")
                }
                ends.append("\((value * Int64(whole) + 50) / 100)")
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
