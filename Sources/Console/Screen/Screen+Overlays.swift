import Domain

// What covers the run screen, or a part of it, for a while.
extension Screen {
    /// What has just happened, across the first row, as much of it as fits.
    func draw(_ banner: WatchModel.Banner, of view: WatchModel, _ state: ReceivedState, on canvas: inout Canvas) {
        let style = Style(isBold: true, isInverse: true)
        canvas.put(String(repeating: " ", count: size.columns), row: 0, column: 0, style)
        switch banner {
        case .lap(let lap): put(text(of: lap, in: view, state), 0, 0, size.columns, style, on: &canvas)
        case .text(let text), .turn(let text): put(text, 0, 0, size.columns, style, on: &canvas)
        }
    }

    private func text(of lap: ReceivedState.Lap, in view: WatchModel, _ state: ReceivedState) -> String {
        let words = StatusText(metric: view.isMetric)
        var texts = ["Lap \(lap.number) done", words.duration(lap.figures), words.distance(lap.figures)]
        if let pace = lap.figures.averagePace { texts.append(words.rate(secondsPerMetre: pace, state.sport)) }
        if let beats = lap.figures.averageBPM { texts.append("\(beats) bpm") }
        func text() -> String { texts.joined(separator: "   ") }
        while texts.count > 1, TerminalText.width(of: text()) > size.columns - 2 { texts.removeLast() }
        return text()
    }

    /// What a stopped run came to, and its laps.
    func draw(_ summary: RunSummary, of view: WatchModel, from top: Int, on canvas: inout Canvas) {
        let words = StatusText(metric: view.isMetric)
        var lines: [Canvas.Line] = []
        let title = [summary.sport.map(Self.title), summary.activity.map { "activity \($0)" }].compactMap(\.self)
        lines.append(((["Stopped"] + title).joined(separator: ", "), Style(isBold: true)))
        let room = size.rows - top - 1
        if room >= 9 { lines.append(("", .plain)) }
        lines += summary.lines(words).map { ($0, .plain) }
        let laps = summary.lapLines(words, limit: room - lines.count - 1)
        if !laps.isEmpty { lines += [("", .plain)] + laps.map { ($0, .plain) } }
        draw(lines, from: top, hint: ["any key returns to the run screen", "any key returns"], on: &canvas)
    }

    func drawHelp(_ view: WatchModel, _ state: ReceivedState, from top: Int, on canvas: inout Canvas) {
        let hints = Footer.hints(view, state)
        let width = hints.map(\.key.count).max() ?? 0
        var lines = hints.map { hint -> Canvas.Line in
            (hint.key + String(repeating: " ", count: width - hint.key.count + 2) + hint.long, .plain)
        }
        if !view.mayCommand, view.state != nil {
            lines.append(("", .plain))
            let reason = "Keys that change the run need a connection to control.sock: see 'pacectl pause'."
            lines += TerminalText.wrapped(reason, to: size.columns - 3, lines: 3).map { ($0, .quiet) }
        }
        draw(lines, from: top, hint: ["any key returns to the run screen", "any key returns"], on: &canvas)
    }

    /// The address of the page with a code, and the QR code if there is room for the whole.
    func draw(_ code: PageCode?, from top: Int, on canvas: inout Canvas) {
        guard let code else {
            return draw([("paced-web makes a code…", .quiet)], from: top, hint: ["any key returns"], on: &canvas)
        }
        var lines: [Canvas.Line] = code.addresses.map { ($0, Style(isBold: true)) }
        lines += ((code.tunnel.map { [$0] } ?? []) + code.rights).flatMap {
            TerminalText.wrapped($0, to: size.columns - 3, lines: 3)
        }.map { ($0, .quiet) }
        let drawing = code.drawing
        let room = size.rows - top - 2 - lines.count
        if drawing.count <= room, drawing.allSatisfy({ TerminalText.width(of: $0) <= size.columns - 3 }) {
            lines += drawing.map { ($0, .plain) }
        }
        draw(lines, from: top, hint: ["any key returns to the run screen", "any key returns"], on: &canvas)
    }

    private func draw(_ lines: [Canvas.Line], from top: Int, hint: [String], on canvas: inout Canvas) {
        let room = max(size.rows - top - 1, 0)
        let start = top + (room > lines.count + 1 ? 1 : 0)
        for (index, line) in lines.prefix(room).enumerated() {
            canvas.put(TerminalText.cut(line.text, to: size.columns - 3), row: start + index, column: 2, line.style)
        }
        let text = Self.lines(hint, in: Size(columns: size.columns - 1, rows: 1))[0]
        if size.rows > top { canvas.put(text, row: size.rows - 1, column: 1, .quiet) }
    }

    /// The question of the key s, or the outcome of a command, over the last rows.
    func drawNotice(_ view: WatchModel, on canvas: inout Canvas) {
        let texts: [String]
        let style: Style
        if view.overlay == .stopQuestion {
            texts = [
                "Stop the run? k keeps it, d discards it, c cancels",
                "Stop? k keep, d discard, c cancel", "Stop? k / d / c",
            ]
            style = Style(colour: .yellow, isBold: true)
        } else if let message = view.message {
            texts = [message.text]
            style = Style(colour: message.isError ? .red : .primary, isBold: true)
        } else {
            return
        }
        let rows = view.overlay == .stopQuestion ? 1 : max(min(size.rows / 4, 3), 1)
        let lines = Self.lines(texts, in: Size(columns: size.columns - 2, rows: rows))
        for (index, line) in lines.enumerated() {
            let row = size.rows - lines.count + index
            canvas.put(String(repeating: " ", count: size.columns), row: row, column: 0)
            canvas.put(line, row: row, column: 1, style)
        }
    }

    private static func title(_ sport: Sport) -> String {
        sport == .other ? "activity" : sport.rawValue
    }
}

extension Canvas {
    typealias Line = (text: String, style: Style)
}
