import Domain

/// Run screen of a given size: the time of day and the run's state on top, then the data fields, then faults and links.
package struct Screen {
    let size: Size
    let palette: Palette

    package init(size: Size, palette: Palette) {
        self.size = size
        self.palette = palette
    }

    package func rows(of view: WatchModel) -> [Canvas.Row] {
        var canvas = Canvas(size)
        if let state = view.state {
            let hasHeader = size.rows >= 4
            let foot = Footer(view, state, in: size)
            if let banner = view.banner {
                draw(banner, of: view, state, on: &canvas)
            } else if hasHeader {
                drawHeader(view, state, on: &canvas)
            }
            let top = hasHeader ? 1 : 0
            switch view.overlay {
            case .help: drawHelp(view, state, from: top, on: &canvas)
            case .summary(let summary): draw(summary, of: view, from: top, on: &canvas)
            case .page(let code): draw(code, from: top, on: &canvas)
            case .none, .stopQuestion:
                let body = Size(columns: size.columns, rows: size.rows - top - foot.lines.count)
                switch view.shownPage {
                case .course:
                    if let course = state.course {
                        draw(course, state, of: view, from: top, rows: body.rows, on: &canvas)
                    }
                case .weather:
                    if let weather = view.weather {
                        draw(weather, state, of: view, from: top, rows: body.rows, on: &canvas)
                    }
                case .fields, nil:
                    var (first, room) = (top, body)
                    if showsStep(view, state), let workout = state.workout {
                        drawStep(workout, state, of: view, from: top, on: &canvas)
                        first += Self.stepRows
                        room.rows -= Self.stepRows
                    }
                    for band in Layout(FieldView.faces(of: view), in: room).bands {
                        draw(band, from: first, on: &canvas)
                    }
                }
                foot.draw(on: &canvas)
            }
        } else if view.overlay == .help {
            drawHelp(view, ReceivedState(run: .idle), from: 0, on: &canvas)
        } else if case .summary(let summary) = view.overlay {
            draw(summary, of: view, from: 0, on: &canvas)
        } else {
            drawWaiting(view, on: &canvas)
        }
        drawNotice(view, on: &canvas)
        return canvas.rows(palette)
    }

    // MARK: Header

    private func drawHeader(_ view: WatchModel, _ state: ReceivedState, on canvas: inout Canvas) {
        var right = size.columns - 1
        if let time = state.time, size.columns >= 16 {
            let text = Self.clock(time, minutesFromUTC: view.minutesFromUTC, twelveHour: view.settings.twelveHourClock)
            right -= TerminalText.width(of: text)
            canvas.put(text, row: 0, column: right, .quiet)
        }
        var column = 1
        func put(_ text: String, _ style: Style, wholly: Bool = false) {
            if wholly, TerminalText.width(of: text) > right - 1 - column { return }
            let text = TerminalText.cut(text, to: right - 1 - column)
            canvas.put(text, row: 0, column: column, style)
            column += TerminalText.width(of: text)
        }
        if let seconds = view.silentSeconds {
            return put("● no data from paced for \(seconds) s", Style(colour: .red, isBold: true))
        }
        put("● ", Style(colour: state.isAutoPaused ? .yellow : Self.colour(of: state.run)))
        put(StatusText.run(state), Style(isBold: true))
        let words = StatusText(metric: view.isMetric)
        if let workout = state.workout, !showsStep(view, state) {
            put("  " + words.workout(workout), .quiet)
        } else if let lap = state.lap, lap.number > 1 {
            let distance = !state.hasDistance ? "" : "  " + words.distance(lap.figures)
            put("  Lap \(lap.number)  \(words.elapsed(lap.figures))" + distance, .quiet, wholly: true)
        }
    }

    private static func colour(of run: RunState) -> Style.Colour {
        switch run {
        case .idle: .secondary
        case .active: .green
        case .paused: .yellow
        }
    }

    static func clock(_ time: UTC, minutesFromUTC: Int, twelveHour: Bool) -> String {
        let fields = UTC(milliseconds: time.milliseconds + Int64(minutesFromUTC) * 60_000).fields
        let minute = (fields.minute < 10 ? ":0" : ":") + String(fields.minute)
        guard twelveHour else { return String(fields.hour) + minute }
        return String((fields.hour + 11) % 12 + 1) + minute + (fields.hour < 12 ? " am" : " pm")
    }

    // MARK: Data fields

    private func draw(_ band: Layout.Band, from top: Int, on canvas: inout Canvas) {
        let width = size.columns / band.faces.count
        // The rest of the division is split between both sides.
        let margin = (size.columns - width * band.faces.count) / 2
        for (index, face) in band.faces.enumerated() {
            let left = margin + index * width
            var row = top + band.top
            if band.hasTitleRow {
                if let title = face.title { put(title, row, left, width, .quiet, on: &canvas) }
                row += 1
            }
            if !band.hasTitleRow, band.height == 1, band.faces.count == 1, let title = face.title {
                drawLine(face, title: title, row: row, on: &canvas)
            } else {
                draw(face, row: row, height: band.height, left: left, width: width, on: &canvas)
            }
        }
    }

    private func draw(_ face: FieldView, row: Int, height: Int, left: Int, width: Int, on canvas: inout Canvas) {
        switch face.content {
        case .message(let texts, let style):
            let lines = Self.lines(texts, in: Size(columns: width - 2, rows: height))
            for (index, line) in lines.enumerated() {
                put(line, row + (height - lines.count) / 2 + index, left, width, style, on: &canvas)
            }
        case .bar(let fraction, let name):
            drawBar(fraction, name, face.style, row: row, height: height, left: left, width: width, on: &canvas)
        case .figures(let text) where height >= BlockDigits.minimumRows:
            let digits = BlockDigits(rows: height)
            let unitWidth = face.unit.isEmpty ? 0 : face.unit.count + 1
            let column = left + max(width - digits.width(of: text) - unitWidth, 0) / 2
            for (index, line) in digits.draw(text).enumerated() {
                canvas.put(line, row: row + index, column: column, face.style)
            }
            canvas.put(
                face.unit, row: row + height - 1, column: column + digits.width(of: text) + 1, .quiet)
        case .figures(let text):
            let unitWidth = face.unit.isEmpty ? 0 : face.unit.count + 1
            let column = left + max(width - text.count - unitWidth, 0) / 2
            canvas.put(text, row: row, column: column, face.style)
            canvas.put(face.unit, row: row, column: column + text.count + 1, .quiet)
        }
    }

    /// The first variant that fits uncut, else the last one, cut.
    static func lines(_ texts: [String], in size: Size) -> [String] {
        var lines = [""]
        for text in texts {
            lines = TerminalText.wrapped(text, to: size.columns, lines: size.rows)
            if lines.joined(separator: " ") == text { break }
        }
        return lines
    }

    /// A field on one row of a small screen, with its title on the left.
    private func drawLine(_ face: FieldView, title: String, row: Int, on canvas: inout Canvas) {
        var text = ""
        var unit = ""
        var style = face.style
        switch face.content {
        case .figures(let figures): (text, unit) = (figures, face.unit.isEmpty ? "" : " " + face.unit)
        case .message(let texts, let messageStyle):
            let room = size.columns - TerminalText.width(of: title) - 1
            (text, style) = (Self.lines(texts, in: Size(columns: room, rows: 1))[0], messageStyle)
        case .bar(_, let name): text = name
        }
        let room = size.columns - TerminalText.width(of: unit)
        let hasTitle = TerminalText.width(of: title) + 1 + TerminalText.width(of: text) <= room
        if hasTitle { canvas.put(title, row: row, column: 0, .quiet) }
        text = TerminalText.cut(text, to: room)
        let column = room - TerminalText.width(of: text)
        canvas.put(text, row: row, column: column, style)
        canvas.put(unit, row: row, column: room, .quiet)
    }

    private func drawBar(
        _ fraction: Double, _ name: String, _ style: Style, row: Int, height: Int, left: Int, width: Int,
        on canvas: inout Canvas
    ) {
        // "Warm Up" is the longest zone name.
        let length = width - 7 - 6
        guard length >= 5 else { return put(name, row, left, width, style, on: &canvas) }
        let filled = Int((fraction * Double(length)).rounded())
        for line in 0..<height {
            canvas.put(String(repeating: "█", count: filled), row: row + line, column: left + 2, style)
            canvas.put(
                String(repeating: "░", count: length - filled), row: row + line, column: left + 2 + filled, .quiet)
        }
        canvas.put(TerminalText.cut(name, to: 9), row: row + height / 2, column: left + 2 + length + 2, style)
    }

    /// Draws one centred line.
    func put(
        _ text: String, _ row: Int, _ left: Int, _ width: Int, _ style: Style, on canvas: inout Canvas
    ) {
        let text = TerminalText.cut(text, to: width)
        canvas.put(text, row: row, column: left + (width - TerminalText.width(of: text)) / 2, style)
    }

    // MARK: Without a state

    private func drawWaiting(_ view: WatchModel, on canvas: inout Canvas) {
        let middle = size.rows / 2
        put("Waiting for paced", middle, 0, size.columns, Style(isBold: true), on: &canvas)
        put("in " + view.directory, middle + 1, 0, size.columns, .quiet, on: &canvas)
        if let error = view.error {
            put(error, middle + 2, 0, size.columns, Style(colour: .red), on: &canvas)
        }
        if size.rows >= 5 { put(Footer.leaveHint, size.rows - 1, 0, size.columns, .quiet, on: &canvas) }
    }
}
