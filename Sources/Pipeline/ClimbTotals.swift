package import Domain

/// Ascent and descent of a stretch, by source.
package struct ClimbTotals {
    private struct Part {
        var ascent = 0.0
        var descent = 0.0
        var seconds = 0
    }

    private var barometer = Part()
    private var receiver = Part()

    package init() {}

    /// The error of a source: a part of its ascent, and metres. Source: docs/accuracy.md.
    private static let barometerError = (part: 0.08, metres: 3.0)
    private static let receiverError = (part: 0.3, metres: 12.0)

    package mutating func add(_ step: ElevationMeter.Step) {
        switch step.source {
        case .barometer: Self.add(step, to: &barometer)
        case .receiver: Self.add(step, to: &receiver)
        case nil: break
        }
    }

    private static func add(_ step: ElevationMeter.Step, to part: inout Part) {
        part.ascent += step.ascent
        part.descent += step.descent
        part.seconds += 1
    }

    /// Metres; nil if nothing has measured.
    package var ascent: Double? {
        source == nil ? nil : barometer.ascent + receiver.ascent
    }

    package var descent: Double? {
        source == nil ? nil : barometer.descent + receiver.descent
    }

    /// What has measured most seconds.
    package var source: AscentSource? {
        if barometer.seconds == 0, receiver.seconds == 0 { return nil }
        return barometer.seconds >= receiver.seconds ? .barometer : .receiver
    }

    /// Metres.
    private var error: Double? {
        func error(_ part: Part, _ error: (part: Double, metres: Double)) -> Double {
            guard part.seconds > 0 else { return 0 }
            let share = error.part * part.ascent
            return share * share + error.metres * error.metres
        }
        guard source != nil else { return nil }
        return (error(barometer, Self.barometerError) + error(receiver, Self.receiverError)).squareRoot()
    }

    func write(to figures: inout Totals) {
        figures.ascent = ascent
        figures.descent = descent
        figures.ascentError = error
        figures.ascentSource = source
    }
}
