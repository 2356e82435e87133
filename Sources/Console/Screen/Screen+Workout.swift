import Domain

// The step of the workout, above the data fields.
extension Screen {
    /// What is left in digits of three rows; beside it the words, the gauge and the next step; a blank row.
    static let stepRows = BlockDigits.minimumRows + 1
    /// The seconds before the end of a step that are counted down.
    private static let countdown = 5.0

    /// Whether the step has rows of its own. A small screen has its words in the header.
    func showsStep(_ view: WatchModel, _ state: ReceivedState) -> Bool {
        guard state.workout != nil, size.rows >= 16, size.columns >= 40 else { return false }
        switch view.overlay {
        case .none, .stopQuestion: break
        case .help, .summary, .page: return false
        }
        switch view.shownPage {
        case .fields, nil: return true
        case .course, .weather: return false
        }
    }

    func drawStep(
        _ workout: ReceivedState.Workout, _ state: ReceivedState, of view: WatchModel, from top: Int,
        on canvas: inout Canvas
    ) {
        let digits = BlockDigits(rows: BlockDigits.minimumRows)
        let left = rest(of: workout, state, metric: view.isMetric)
        for (index, line) in digits.draw(left.figures).enumerated() {
            canvas.put(line, row: top + index, column: 2, Style(isBold: true))
        }
        let width = digits.width(of: left.figures)
        canvas.put(left.unit, row: top + digits.rows - 1, column: 3 + width, .quiet)
        // The words keep their place while the figures become fewer.
        let column = max(width, digits.width(of: "00:00")) + left.unit.count + 5
        let room = size.columns - column - 2
        guard room > 0 else { return }
        let words = "\(workout.step)/\(workout.steps) " + WorkoutStep.words(of: workout.text)
        canvas.put(TerminalText.cut(words, to: room), row: top, column: column, Style(isBold: true))
        if let step = WorkoutStep(workout.text), let gauge = WorkoutGauge(step, state) {
            draw(gauge, workout.target, row: top + 1, column: column, room: room, on: &canvas)
        }
        if let next = workout.next {
            let text = "Next: " + WorkoutStep.words(of: next)
            canvas.put(TerminalText.cut(text, to: room), row: top + 2, column: column, .quiet)
        }
    }

    /// What is left of a step, as large figures and their unit; the last seconds are counted.
    private func rest(
        of workout: ReceivedState.Workout, _ state: ReceivedState, metric: Bool
    ) -> (figures: String, unit: String) {
        switch workout.remaining {
        case .milliseconds(let milliseconds):
            // Rounded up, so that the step ends at 0.
            let seconds = (milliseconds + 999) / 1000
            if milliseconds > 0, Double(milliseconds) <= Self.countdown * 1000 { return (String(seconds), "") }
            if seconds < 60 { return (seconds < 10 ? "0:0\(seconds)" : "0:\(seconds)", "") }
            return (RunFormat.elapsed(milliseconds: seconds * 1000), "")
        case .metres(let metres):
            if let speed = state.speed, metres > 0, metres <= speed * Self.countdown {
                return (String(Int((metres / speed).rounded(.up))), "")
            }
            return (RunFormat.distance(metres: metres, metric: metric), RunFormat.distanceUnit(metric: metric))
        case nil: return ("", "")
        }
    }

    /// The range is filled, the value is a disc.
    private func draw(
        _ gauge: WorkoutGauge, _ state: TargetState?, row: Int, column: Int, room: Int, on canvas: inout Canvas
    ) {
        let words: String
        let colour: Style.Colour
        switch gauge.place == nil ? nil : state {
        case .low: (words, colour) = (gauge.text + " below", .yellow)
        case .within: (words, colour) = (gauge.text, .green)
        case .high: (words, colour) = (gauge.text + " above", .yellow)
        case nil: (words, colour) = (gauge.text, .secondary)
        }
        // The text of the value changes, the gauge keeps its length.
        let length = min(room - 18, 40)
        guard length >= 9 else {
            return canvas.put(TerminalText.cut(words, to: room), row: row, column: column, Style(colour: colour))
        }
        func cell(_ part: Double) -> Int { min(Int((part * Double(length)).rounded()), length) }
        let (low, high) = (cell(gauge.low), cell(gauge.high))
        canvas.put(String(repeating: "░", count: length), row: row, column: column, .quiet)
        canvas.put(
            String(repeating: "█", count: max(high - low, 1)), row: row, column: column + min(low, length - 1),
            Style(colour: .green))
        if let place = gauge.place {
            canvas.put(
                "●", row: row, column: column + min(cell(place), length - 1), Style(colour: colour, isBold: true))
        }
        canvas.put(
            TerminalText.cut(words, to: room - length - 1), row: row, column: column + length + 1,
            Style(colour: colour))
    }
}
