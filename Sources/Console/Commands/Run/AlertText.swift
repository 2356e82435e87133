import Domain
import JSONCoding

/// The banner of an EVENT `alert`, `workout`, `badge`, `course`, `cue`, `climb`, `light` or `notice`, for users.
struct AlertText {
    let metric: Bool
    /// The course at the moment of the event.
    var course: CourseStatus?

    /// Nil for an event that needs no banner.
    func text(_ event: JSON) -> String? {
        switch event["event"]?.string {
        case "alert": alert(event)
        case "workout": workout(event)
        case "badge": event["badge"]?.harmlessText().map { "Badge earned: " + $0 }
        case "light": light(event)
        case "notice": event["text"]?.harmlessText()
        case "course", "cue", "climb": CourseWords(metric: metric).text(event, course: course)
        default: nil
        }
    }

    private func light(_ event: JSON) -> String? {
        event["light_left_s"]?.number.flatMap { (0...86_400).contains($0) ? $0 : nil }.map {
            "\(Int(($0 / 60).rounded())) min of light left"
        }
    }

    private func workout(_ event: JSON) -> String? {
        guard let steps = event["steps"]?.integer(in: 1...WorkoutStep.countLimit) else { return nil }
        guard let step = event["step"]?.integer(in: 1...steps), let text = event["text"]?.harmlessText() else {
            return "Workout done"
        }
        return "Step \(step) of \(steps): \(WorkoutStep.words(of: text))"
    }

    private func alert(_ event: JSON) -> String? {
        guard let kind = event["alert"]?.string.flatMap(Alert.Kind.init),
            let state = event["state"]?.string.flatMap(AlertReport.State.init)
        else { return nil }
        switch kind {
        case .positionLost: return "Position " + state.rawValue
        case .sensorLost:
            let sensor = event["sensor"]?.harmlessText().map { ": " + SensorLine.words($0) }
            return "Sensor " + state.rawValue + (sensor ?? "")
        case .distance: return event["value"]?.number.map { value(.distance, $0) + " done" }
        case .time: return event["value"]?.number.map { value(.time, $0) + " done" }
        case .heartRate, .zone, .power, .powerZone, .cadence, .speed, .pace:
            guard let now = event["value"]?.number else { return nil }
            let name: String
            switch kind {
            case .heartRate: name = "Heart rate"
            case .powerZone: name = "Power zone"
            default: name = kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst()
            }
            let reading = name + " " + value(kind, now)
            let limit: String?
            switch state {
            case .low:
                limit = event["low"]?.number.map { (kind == .pace ? ", slower than " : ", below ") + value(kind, $0) }
            case .high:
                limit = event["high"]?.number.map { (kind == .pace ? ", faster than " : ", above ") + value(kind, $0) }
            default: limit = ", within the target"
            }
            return reading + (limit ?? "")
        }
    }

    private func value(_ kind: Alert.Kind, _ number: Double) -> String {
        guard abs(number) < 1e9 else { return "?" }
        let whole = String(Int(number.rounded()))
        switch kind {
        case .heartRate: return whole + " bpm"
        case .power: return whole + " W"
        case .cadence: return whole + " rpm"
        case .speed:
            return RunFormat.speed(metresPerSecond: number, metric: metric) + " " + RunFormat.speedUnit(metric: metric)
        case .pace: return StatusText(metric: metric).pace(number)
        case .distance:
            return RunFormat.distance(metres: number, metric: metric) + " " + RunFormat.distanceUnit(metric: metric)
        case .time: return StatusText.duration(Int64(number * 1000))
        case .zone, .powerZone, .sensorLost, .positionLost: return whole
        }
    }
}
