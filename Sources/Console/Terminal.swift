import Domain
import Glibc
import Linux

/// The terminal of standard output as a place for a screen: between ``enter()`` and ``leave()`` it shows its second page, hides the
/// cursor and gives keys as they are pressed. Ctrl-C and Ctrl-Z stay signals.
final class Terminal {
    /// Standard input, for keys; see ``hasKeys``.
    let input: FileDescriptor
    /// The terminal opened anew, so that it can be non-blocking without being so for everybody else who has it open.
    let output: FileDescriptor
    let hasKeys: Bool
    let palette: Palette

    private var before: termios?
    /// What the terminal has not taken yet.
    private var waiting: ArraySlice<UInt8> = []

    /// Nil where standard output is no terminal, or one that cannot be drawn on (`TERM` is `dumb` or unknown).
    init?() throws(SystemError) {
        let kind = environment("TERM") ?? "dumb"
        guard isatty(STDOUT_FILENO) == 1, kind != "dumb" else { return nil }
        hasKeys = isatty(STDIN_FILENO) == 1
        input = try Self.copy(of: STDIN_FILENO)
        output = try Self.opened()
        if environment("NO_COLOR") != nil {
            palette = .none
        } else {
            palette = kind.hasSuffix("256color") || environment("COLORTERM") != nil ? .many : .sixteen
        }
    }

    private static func opened() throws(SystemError) -> FileDescriptor {
        if let path = ttyname(STDOUT_FILENO) {
            let terminal = try? FileDescriptor.open(String(cString: path), O_WRONLY | O_NOCTTY | O_NONBLOCK)
            if let terminal { return terminal }
        }
        // The terminal is somebody else's (su): it may be written to, not opened.
        return try copy(of: STDOUT_FILENO)
    }

    private static func copy(of number: Int32) throws(SystemError) -> FileDescriptor {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        if copy == -1 { throw SystemError("fcntl", code: errno) }
        return FileDescriptor(owning: copy)
    }

    /// The size as the kernel knows it; 80 by 24 where it does not, as on serial lines.
    var size: Size {
        var window = winsize()
        if ioctl(output.number, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 {
            return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
        }
        return Size(columns: 80, rows: 24)
    }

    func enter() {
        if hasKeys, before == nil {
            var settings = termios()
            if tcgetattr(input.number, &settings) == 0 {
                before = settings
                settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
                // Without this Ctrl-S would stop the screen and leave nothing to say so.
                settings.c_iflag &= ~tcflag_t(IXON)
                tcsetattr(input.number, TCSANOW, &settings)
            }
        }
        // Second page, no cursor, no wrapping at the right edge.
        send("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    }

    /// Makes the terminal as it was. What it had not taken is forgotten.
    func restore() {
        waiting = []
        // CAN first: what was forgotten may be the end of a sequence.
        send("\u{18}\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        for _ in 0..<10 where !waiting.isEmpty {
            var room = pollfd(fd: output.number, events: Int16(POLLOUT), revents: 0)
            _ = poll(&room, 1, 100)
            flush()
        }
        if var before { tcsetattr(input.number, TCSANOW, &before) }
        before = nil
    }

    /// Whether all that was sent has been taken.
    var isReady: Bool { waiting.isEmpty }

    /// Sends a text; what the terminal does not take at once waits for ``flush()``. Send nothing else before ``isReady``.
    func send(_ text: String) {
        waiting += Array(text.utf8)
        flush()
    }

    func flush() {
        while !waiting.isEmpty {
            let count = waiting.withUnsafeBytes { write(output.number, $0.baseAddress, $0.count) }
            if count >= 0 {
                waiting = waiting.dropFirst(count)
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                // The terminal is gone; the hang-up says so to the loop.
                waiting = []
            }
        }
    }

    /// The keys that were pressed; nil when there will be none any more. What special keys send is left out.
    func keys() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 64)
        guard let count = try? bytes.withUnsafeMutableBytes({ try input.read(into: $0) }), count > 0 else { return nil }
        return Array(bytes[..<count].prefix { $0 != 0x1B })
    }
}
