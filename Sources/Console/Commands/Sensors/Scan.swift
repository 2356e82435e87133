import Domain
import Glibc
import JSONCoding
import Linux

extension Command {
    static let scan = [
        Command(
            "scan", options: [Options.seconds], "list the sensors nearby; scans for 10 s, or N",
            read: { $0[Options.seconds] ?? 10 }, run: { try $0.scan(seconds: $1) })
    ]
}

extension Options {
    fileprivate static let seconds = CommandOption.number("--seconds", "N", "how long", 1...60)
}

extension Invocation {
    /// Lists the sensors in range. On a terminal the table is updated during the scan, else it is printed at the end.
    func scan(seconds: Int) throws(Failure) {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        if isJSON { return try writeOut(try control.scan(seconds: seconds) + "\n") }
        var table = ScanTable()
        let terminal = isatty(STDOUT_FILENO) == 1 && environment("TERM") ?? "dumb" != "dumb"
        guard terminal else {
            table.receive(try control.scanned(seconds: seconds))
            let lines = table.lines(width: .max) + [table.conclusion]
            return try writeOut(lines.map { $0 + "\n" }.joined())
        }
        // Scans in short steps to update the table. Two seconds are enough for sensors that advertise rarely.
        var left = seconds
        var drawn = 0
        while left > 0 {
            drawn = try draw(table, "Scanning, \(left) s left …", over: drawn)
            let step = min(left, 2)
            table.receive(try control.scanned(seconds: step))
            left -= step
        }
        _ = try draw(table, table.conclusion, over: drawn)
    }

    /// Draws over the previous lines.
    ///
    /// - Returns: the number of lines drawn.
    private func draw(_ table: ScanTable, _ footer: String, over drawn: Int) throws(Failure) -> Int {
        var window = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0 && window.ws_row > 0
        let (columns, rows) = isKnown ? (Int(window.ws_col), Int(window.ws_row)) : (80, 24)
        // Limited to the screen: rows that have scrolled out cannot be redrawn.
        let lines =
            table.lines(width: columns).prefix(max(rows - 3, 0))
            + TerminalText.wrapped(footer, to: columns, lines: 2)
        let back = drawn > 0 ? "\u{1B}[\(drawn)A" : ""
        try writeOut(back + "\r\u{1B}[J" + lines.map { $0 + "\n" }.joined())
        return lines.count
    }
}

extension ControlClient {
    fileprivate mutating func scan(seconds: Int) throws(Failure) -> String {
        try call("sensor.scan", #"{"seconds":\#(seconds)}"#, lasting: .seconds(seconds))
    }

    fileprivate mutating func scanned(seconds: Int) throws(Failure) -> JSON {
        let sensors = try scan(seconds: seconds)
        return (try? JSON(parsing: sensors.utf8)) ?? .null
    }
}
