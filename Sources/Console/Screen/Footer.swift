import Board
import Domain

/// The last rows of a screen: how to start a run, faults, links, keys.
struct Footer {
    typealias Part = (text: String, style: Style)

    static let leaveHint = "q leaves"

    private(set) var lines: [[Part]] = []
    private let size: Size
    private let hasKeyRow: Bool

    init(_ view: WatchModel, _ state: ReceivedState, in size: Size) {
        self.size = size
        hasKeyRow = view.mayCommand && size.rows >= (state.run == .idle ? 8 : 12)
        if state.run == .idle, size.rows >= 8, !hasKeyRow {
            let sports = size.columns >= 60 ? "pacectl start [run|walk|hike|ride|other]" : "pacectl start"
            lines.append([("Start a run: ", .quiet), (sports, Style(isBold: true))])
        }
        lines += faults(state)
        if size.rows >= 8 { lines += links(state, metric: view.isMetric) }
        if hasKeyRow { lines.append(keys(view, state)) }
    }

    /// The most important keys that fit.
    private func keys(_ view: WatchModel, _ state: ReceivedState) -> [Part] {
        var keys = Self.hints(view, state).compactMap { $0.isInFooter ? ($0.key, $0.short) : nil }
        func width(_ space: Int) -> Int {
            keys.reduce(-space) { $0 + $1.0.count + 1 + $1.1.count + space }
        }
        while keys.count > 1, width(2) > size.columns - 2 { keys.removeLast() }
        let space = width(3) <= size.columns - 2 ? "   " : "  "
        return keys.enumerated().flatMap { index, key -> [Part] in
            [((index > 0 ? space : "") + key.0, Style(isBold: true)), (" " + key.1, .quiet)]
        }
    }

    struct Hint {
        var key: String
        var short: String
        var long: String
        var isInFooter = true
    }

    /// The keys that have a meaning, the most important first.
    static func hints(_ view: WatchModel, _ state: ReceivedState) -> [Hint] {
        var hints: [Hint] = []
        if view.mayCommand {
            switch state.run {
            case .idle:
                let run = view.settings.sport == .other ? "an activity" : "a \(view.settings.sport.rawValue)"
                hints.append(Hint(key: "Space", short: "starts " + run, long: "starts \(run)"))
            case .active:
                hints.append(Hint(key: "Space", short: "pauses", long: "pauses the run"))
                hints.append(Hint(key: "l", short: "lap", long: "closes the lap"))
            case .paused: hints.append(Hint(key: "Space", short: "resumes", long: "resumes the run"))
            }
            if state.run != .idle {
                hints.append(Hint(key: "m", short: "mark", long: "marks the present place", isInFooter: false))
                hints.append(Hint(key: "s", short: "stops", long: "stops the run; asks whether to keep it"))
            }
        }
        hints.append(Hint(key: "?", short: "help", long: "shows this help"))
        if view.pageCount > 1 {
            hints.append(Hint(key: "Arrows", short: "page", long: "show the other pages"))
        }
        if view.hasPage {
            hints.append(Hint(key: "a", short: "address", long: "shows the address of the page with a code"))
        }
        let leaves = view.endsWhenLeft.map { "leaves, and ends the \($0)" } ?? "leaves; the run continues"
        hints.append(Hint(key: "q", short: "leaves", long: leaves))
        hints.append(Hint(key: "Ctrl-L", short: "", long: "draws the screen again", isInFooter: false))
        return hints
    }

    /// Each fault with its remedy, wrapped if there is room. If they do not all fit, the last row counts the others.
    private func faults(_ state: ReceivedState) -> [[Part]] {
        let style = Style(colour: .red)
        var left = size.rows >= 16 ? 3 : size.rows >= 8 ? 2 : 1
        var lines: [[Part]] = []
        for (index, fault) in state.faults.enumerated() where left > 0 {
            let others = state.faults.count - index - 1
            guard left > 1 || others == 0 else {
                lines.append([("! \(others) more; " + fault, style)])
                break
            }
            let rows = TerminalText.wrapped(fault, to: size.columns - 4, lines: max(left - others, 1))
            lines += rows.enumerated().map { [(($0.offset == 0 ? "! " : "  ") + $0.element, style)] }
            left -= rows.count
        }
        return lines
    }

    private func links(_ state: ReceivedState, metric: Bool) -> [[Part]] {
        let strap: [Part] = [
            ("● ", Style(colour: Self.colour(ofStrap: state))), ("Strap " + StatusText.strapInShort(state), .quiet),
        ]
        let receiver: [Part] = [
            ("● ", Style(colour: Self.colour(ofPosition: state))),
            (StatusText.positionInShort(state, metric: metric), .quiet),
        ]
        let space: Part = ("   ", .plain)
        let room = size.columns - 2
        var together = strap + [space] + receiver
        if let battery = StatusText.battery(state) {
            let all = together + [space, ("Battery " + battery, .quiet)]
            if Self.width(of: all) <= room { together = all }
        }
        let spare = room - Self.width(of: together) - Self.leaveHint.count
        if spare >= 3, !hasKeyRow {
            let hint: [Part] = [(String(repeating: " ", count: spare), .plain), (Self.leaveHint, .quiet)]
            return [together + hint]
        }
        return Self.width(of: together) <= room || size.rows < 12 ? [together] : [strap, receiver]
    }

    private static func width(of parts: [Part]) -> Int {
        parts.reduce(0) { $0 + TerminalText.width(of: $1.text) }
    }

    private static func colour(ofStrap state: ReceivedState) -> Style.Colour {
        switch state.heart.link.state {
        case .connected: .green
        case .connecting: .yellow
        case .disconnected, nil: .red
        }
    }

    private static func colour(ofPosition state: ReceivedState) -> Style.Colour {
        if state.gpsd.state == .connected { return StatusText.positionProblem(state) == nil ? .green : .yellow }
        return state.gpsd.state == .connecting ? .yellow : .red
    }

    /// Draws the lines at the bottom of the canvas.
    func draw(on canvas: inout Canvas) {
        for (index, parts) in lines.enumerated() {
            var column = 1
            for part in parts {
                let text = TerminalText.cut(part.text, to: size.columns - 1 - column)
                canvas.put(text, row: size.rows - lines.count + index, column: column, part.style)
                column += TerminalText.width(of: part.text)
            }
        }
    }
}
