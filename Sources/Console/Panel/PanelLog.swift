import Glibc

/// One line for each decision of the panel, on standard error; systemd's journal takes the level from the prefix.
enum PanelLog {
    enum Level: Int {
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6
    }

    static func write(_ level: Level, _ text: String) {
        let bytes = Array(((isJournal ? "<\(level.rawValue)>" : "pacectl: ") + text + "\n").utf8)
        // A line that standard error does not take is lost.
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private static let isJournal = environment("JOURNAL_STREAM") != nil
}
