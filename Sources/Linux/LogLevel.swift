import Glibc

/// How much a line on standard error matters, as syslog(3) counts it.
package enum LogLevel: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6

    /// Writes one line on standard error; systemd's journal takes the level from a prefix, people see the program's name.
    ///
    /// A line that standard error does not take is lost: no program stops for its log.
    package func write(_ text: String, of program: String) {
        let line = Array(((Self.isForJournal ? "<\(rawValue)>" : program + ": ") + text + "\n").utf8)
        _ = unsafe line.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Standard error goes to the journal: systemd says so with this variable.
    private static let isForJournal = unsafe getenv("JOURNAL_STREAM") != nil
}
