import Domain
import Glibc

/// Severity of a log line, numbered as in syslog(3).
package enum LogLevel: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6

    /// Writes one line to standard error, with a level prefix for systemd's journal or else the program's name.
    ///
    /// A line that standard error does not accept is lost: no program blocks on its log. A text with line breaks or other control
    /// characters is one line all the same, of at most ``lengthLimit`` characters.
    package func write(_ text: String, of program: String) {
        let text = SanitizedText.line(text, limit: Self.lengthLimit) ?? ""
        let line = Array(((Self.isForJournal ? "<\(rawValue)>" : program + ": ") + text + "\n").utf8)
        _ = unsafe line.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private static let lengthLimit = 4096

    /// Whether standard error goes to systemd's journal, which sets this variable.
    private static let isForJournal = unsafe getenv("JOURNAL_STREAM") != nil
}
