/// A step of a structured workout, as the setting `workout` has it: its length, its target and its name.
///
///     10 min zone 2 # Warm-up
///     1 km pace 4:00..4:15 /km
///     lap
package struct WorkoutStep: Equatable, Sendable {
    package enum Length: Equatable, Sendable {
        /// Milliseconds of active time.
        case time(Int64)
        /// Metres.
        case distance(Double)
        /// The step ends with the next lap.
        case lap
    }

    private enum Word: String {
        case lap
    }

    /// The words of the step, with single spaces.
    package let text: String
    package let length: Length
    package let target: TargetRange?
    package let name: String?

    /// The most steps of a workout.
    package static let countLimit = 100

    /// What words that are no step should be, for errors.
    package static func rule(for text: String) -> String {
        var words = TargetText(text)
        if let seconds = words.seconds() {
            if !times.contains(seconds) { return "a length and a target; a time is 1 s to 24 h" }
        } else if let metres = words.metres() {
            if !distances.contains(metres) { return "a length and a target; a distance is 10 m to 1000 km" }
        } else {
            _ = words.word(Word.self)
        }
        if let quantity = words.word(TargetQuantity.self) { return "a length and " + quantity.rule }
        return """
            a length (10 min, 1 km, or lap), then a target (as alerts have it), then # and a name; \
            target and name may be left out
            """
    }

    /// Of a step, in seconds.
    private static let times = 1.0...86_400
    /// Of a step, in metres.
    private static let distances = 10.0...1_000_000

    /// Nil if the words are no step.
    package init?(_ text: String) {
        guard text.utf8.count <= TargetText.limit else { return nil }
        var words = TargetText(text)
        if let seconds = words.seconds() {
            guard Self.times.contains(seconds) else { return nil }
            length = .time(Int64((seconds * 1000).rounded()))
        } else if let metres = words.metres() {
            guard Self.distances.contains(metres) else { return nil }
            length = .distance(metres)
        } else {
            guard words.word(Word.self) != nil else { return nil }
            length = .lap
        }
        if let quantity = words.word(TargetQuantity.self) {
            guard let range = words.range(of: quantity) else { return nil }
            target = range
        } else {
            target = nil
        }
        name = words.name()
        guard words.isAtEnd, SanitizedText(text)?.text == text else { return nil }
        self.text = text.split(separator: " ").joined(separator: " ")
    }
}

/// The progress of a workout.
package struct WorkoutStatus: Equatable, Sendable {
    /// The step in progress, from 0; the number of steps when all are over.
    package var step: Int
    package var steps: Int
    /// Active time of the step.
    package var elapsedMilliseconds: Int64
    /// Distance of the step.
    package var metres: Double
    /// Where the value of the step's target is; nil without a target or without a value.
    package var target: TargetState?

    package init(step: Int, steps: Int, elapsedMilliseconds: Int64, metres: Double, target: TargetState?) {
        self.step = step
        self.steps = steps
        self.elapsedMilliseconds = elapsedMilliseconds
        self.metres = metres
        self.target = target
    }

    package var isDone: Bool { step >= steps }
}
