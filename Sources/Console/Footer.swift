import Board
import Domain

/// The last rows of a screen: how to start a run, faults, links.
struct Footer {
    typealias Part = (text: String, style: Style)

    static let leaveHint = "q leaves"

    private(set) var lines: [[Part]] = []
    private let size: Size

    init(_ view: WatchModel, _ state: StateLine, in size: Size) {
        self.size = size
        if state.run == .idle, size.rows >= 8 {
            let sports = size.columns >= 60 ? "pacectl start [run|walk|hike|ride|other]" : "pacectl start"
            lines.append([("Start a run: ", .quiet), (sports, Style(isBold: true))])
        }
        lines += faults(state)
        if size.rows >= 8 { lines += links(state, metric: view.isMetric) }
    }

    /// One row for each fault that fits, then the number of the others.
    private func faults(_ state: StateLine) -> [[Part]] {
        let room = size.rows >= 16 ? 3 : size.rows >= 8 ? 2 : 1
        let style = Style(colour: .red)
        if state.faults.count <= room { return state.faults.map { [("! " + $0, style)] } }
        let shown = state.faults.prefix(room)
        var lines: [[Part]] = shown.dropLast().map { [("! " + $0, style)] }
        if let last = shown.last { lines.append([("! \(state.faults.count - room) more; " + last, style)]) }
        return lines
    }

    private func links(_ state: StateLine, metric: Bool) -> [[Part]] {
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
        if spare >= 3 {
            let hint: [Part] = [(String(repeating: " ", count: spare), .plain), (Self.leaveHint, .quiet)]
            return [together + hint]
        }
        return Self.width(of: together) <= room || size.rows < 12 ? [together] : [strap, receiver]
    }

    private static func width(of parts: [Part]) -> Int {
        parts.reduce(0) { $0 + TerminalText.width(of: $1.text) }
    }

    private static func colour(ofStrap state: StateLine) -> Style.Colour {
        switch state.heart.link.state {
        case .connected: .green
        case .connecting: .yellow
        case .disconnected, nil: .red
        }
    }

    private static func colour(ofPosition state: StateLine) -> Style.Colour {
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
