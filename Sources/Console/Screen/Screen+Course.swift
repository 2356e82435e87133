import Domain

// The page of the course that is loaded.
extension Screen {
    func draw(
        _ course: CourseStatus, _ state: ReceivedState, of view: WatchModel, from top: Int, rows: Int,
        on canvas: inout Canvas
    ) {
        let columns = size.columns - 4
        guard columns > 0, rows > 0 else { return }
        let words = CourseWords(metric: view.isMetric)
        var lines = [title(of: course, words)]
        lines += cues(of: course, words)
        lines.append(rest(of: course, state, view, words))
        if let climb = course.climb { lines.append(text(of: climb, words)) }
        if let partner = state.partner { lines.append(text(of: partner, words)) }
        let isOff = course.returnMetres != nil && course.status != .on && course.status != .done
        var room = rows - lines.count
        var row = top
        func put(_ line: CourseLine) {
            canvas.put(Self.lines(line.texts, in: Size(columns: columns, rows: 1))[0], row: row, column: 2, line.style)
            row += 1
        }
        put(lines.removeFirst())
        if isOff, let bearing = course.returnBearing, room >= 6 {
            drawArrow(
                bearing, row: row + 1, column: (size.columns - Self.arrowColumns) / 2, .yellow, on: &canvas)
            (row, room) = (row + 6, room - 6)
        }
        if let profile = view.profile, room >= 2 {
            // Blank rows above and below if there is room.
            let margin = room >= 6 ? 1 : 0
            let height = min(room - 1 - 2 * margin, 8)
            draw(profile, course, Size(columns: columns, rows: height), row: row + margin, on: &canvas)
            row += height + 1 + 2 * margin
        } else if room >= 1 {
            row += 1
        }
        for line in lines where row < top + rows { put(line) }
    }

    /// A line in variants from long to short.
    private typealias CourseLine = (texts: [String], style: Style)

    private func title(of course: CourseStatus, _ words: CourseWords) -> CourseLine {
        let name = course.name?.text ?? "Course"
        let text: String
        let colour: Style.Colour
        switch course.status {
        case .on: (text, colour) = ("on the course", .green)
        case .off, .rejoining:
            let back =
                course.returnMetres.map { words.backToCourse($0, bearing: course.returnBearing).lowercasedFirst }
                ?? "off course"
            (text, colour) = (back + (course.status == .rejoining ? ", rejoining" : ""), .yellow)
        case .wrongWay: (text, colour) = ("wrong way: turn around", .red)
        case .done: (text, colour) = ("done", .green)
        case nil: (text, colour) = ("a course", .primary)
        }
        return ([name + ": " + text, text], Style(colour: colour, isBold: true))
    }

    private func cues(of course: CourseStatus, _ words: CourseWords) -> [CourseLine] {
        guard let cue = course.cue else { return [] }
        func text(_ cue: CueAhead, seconds: Bool, name: Bool, after lead: String) -> String {
            let time = seconds ? cue.seconds.map { ", " + Self.time($0) } : nil
            return CourseWords.text(
                of: cue.kind, "in " + words.distance(cue.metres) + (time ?? ""), name: name ? cue.name?.text : nil,
                after: lead)
        }
        let arrow = CourseWords.arrow(of: cue.kind) + " "
        var lines: [CourseLine] = [
            (
                [
                    text(cue, seconds: true, name: true, after: ""), text(cue, seconds: false, name: true, after: ""),
                    text(cue, seconds: false, name: false, after: ""), words.distance(cue.metres),
                ].map { arrow + $0 },
                Style(isBold: true)
            )
        ]
        if let second = course.secondCue {
            let arrow = CourseWords.arrow(of: second.kind) + " "
            let texts = [true, false].map { arrow + text(second, seconds: false, name: $0, after: "then ") }
            lines.append((texts, .quiet))
        }
        return lines
    }

    private func rest(
        of course: CourseStatus, _ state: ReceivedState, _ view: WatchModel, _ words: CourseWords
    ) -> CourseLine {
        let left = words.distance(course.remainingMetres ?? course.lengthMetres)
        let ascent = course.remainingAscentMetres.map(words.height)
        var arrival: String?
        if let seconds = course.arrivalSeconds, seconds >= 0 {
            arrival = "in " + Self.time(seconds)
            if let time = state.time {
                let end = UTC(milliseconds: time.milliseconds + Int64(seconds) * 1000)
                arrival = Self.clock(
                    end, minutesFromUTC: view.minutesFromUTC, twelveHour: view.settings.twelveHourClock)
            }
        }
        func text(_ parts: String?...) -> String { parts.compactMap(\.self).joined(separator: ", ") }
        return (
            [
                text(left + " left", ascent.map { $0 + " of ascent" }, arrival.map { "arrival " + $0 }),
                text(left + " left", ascent.map { $0 + " up" }, arrival.map { "ETA " + $0 }),
            ], .plain
        )
    }

    private func text(of climb: ClimbAhead, _ words: CourseWords) -> CourseLine {
        let title = "Climb \(climb.number) of \(climb.count)"
        let isInClimb = climb.startMetres <= 0
        let top = words.distance(climb.topMetres - (isInClimb ? 0 : climb.startMetres))
        let ascent = words.height(climb.ascentMetres)
        let average = CourseWords.percent(climb.averageGrade)
        let place = isInClimb ? "" : " in " + words.distance(climb.startMetres)
        let head = title + place
        let short = "Climb \(climb.number)/\(climb.count)" + place
        let ahead = CourseWords.percent(climb.gradeAhead)
        return (
            [
                "\(head): \(top) and \(ascent) up to the top, \(average) average, \(ahead) ahead",
                "\(head): \(top), \(ascent) up, \(average), \(ahead) ahead",
                "\(head): \(top), \(ascent) up, \(average)",
                "\(head): \(top), \(ascent) up",
                "\(short): \(top), \(ascent) up",
            ], isInClimb ? Style(colour: .orange, isBold: true) : .plain
        )
    }

    private func text(of partner: PartnerStatus, _ words: CourseWords) -> CourseLine {
        let isAhead = partner.metresAhead >= 0
        let metres = words.distance(abs(partner.metresAhead))
        let name = partner.name?.text ?? "the partner"
        let place = isAhead ? "ahead of " : "behind "
        let time = partner.secondsAhead.map { Self.time(abs($0)) }
        return (
            [
                (time.map { "\($0) and \(metres) " } ?? metres + " ") + place + name, metres + " " + place + name,
            ], Style(colour: isAhead ? .green : .orange)
        )
    }

    /// Whole seconds, or minutes and seconds.
    private static func time(_ seconds: Double) -> String {
        seconds < 59.5
            ? "\(Int(seconds.rounded())) s" : StatusText.duration(Int64(seconds.rounded()) * 1000)
    }

    // MARK: The profile

    /// Draws the profile, and a row with the climbs and the present place below it.
    private func draw(
        _ profile: CourseProfile, _ course: CourseStatus, _ size: Size, row: Int, on canvas: inout Canvas
    ) {
        let columns = profile.columns(size.columns, rows: size.rows)
        let here = course.progressMetres.map { profile.column(at: $0, of: size.columns) }
        var numbered: Int?
        for (index, column) in columns.enumerated() {
            let style = Style(
                colour: here.map { index < $0 } == true ? .secondary : column.climb == nil ? .green : .orange)
            for step in 0..<size.rows {
                if let block = column.block(inRow: step) {
                    canvas.put(block, row: row + size.rows - 1 - step, column: 2 + index, style)
                }
            }
            if let climb = column.climb, index != here {
                let mark = climb == numbered ? "–" : String(climb % 10)
                numbered = climb
                canvas.put(mark, row: row + size.rows, column: 2 + index, Style(colour: .orange))
            }
        }
        if let here { canvas.put("▲", row: row + size.rows, column: 2 + here, Style(isBold: true)) }
    }

    // MARK: The arrow

    /// Clockwise from north, as on a map with north at the top. Each dot is two cells wide.
    private static let arrows: [[String]] = {
        let north = ["..#..", ".###.", "#.#.#", "..#..", "..#.."]
        let northEast = [".####", "...##", "..#.#", ".#..#", "#...."]
        var arrows = [north, northEast]
        while arrows.count < 8 { arrows.append(turned(arrows[arrows.count - 2])) }
        return arrows
    }()

    /// A drawing, turned to the right.
    private static func turned(_ drawing: [String]) -> [String] {
        let dots = drawing.map { Array($0) }
        return dots.indices.map { column in String(dots.indices.reversed().map { dots[$0][column] }) }
    }

    static let arrowColumns = 10
    static let arrowRows = 5

    /// Draws an arrow in one of eight directions.
    ///
    /// - Parameter degrees: clockwise from upwards.
    func drawArrow(_ degrees: Double, row: Int, column: Int, _ colour: Style.Colour, on canvas: inout Canvas) {
        for (index, dots) in Self.arrows[RunFormat.direction(ofBearing: degrees)].enumerated() {
            let text = dots.map { $0 == "#" ? "██" : "  " }.joined()
            canvas.put(text, row: row + index, column: column, Style(colour: colour, isBold: true))
        }
    }
}
