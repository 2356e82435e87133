import Domain
import Glibc
import Linux

/// The terminal at standard output. Between ``enter()`` and ``restore()`` it shows the alternate
/// screen, hides the cursor and delivers each key at once. Ctrl-C still sends its signal; Ctrl-Z is a key
/// (``suspendKey``), so that the terminal is restored before the shell uses it.
final class Terminal {
    /// Standard input, for keys; see ``hasKeys``.
    let input: FileDescriptor
    /// The terminal, opened again: its non-blocking mode does not affect other processes.
    let output: FileDescriptor
    let hasKeys: Bool
    let palette: Palette
    /// SIGTSTP, which must be blocked: ``suspend(wholeJob:)`` delivers it.
    let stopSignal: PendingSignal

    /// The key that suspends the job, as `stty susp` has set it; nil if there is none.
    private(set) var suspendKey: UInt8?

    private var decoder = KeyDecoder()
    private var before: termios?
    /// Bytes that the terminal has not accepted yet.
    private var waiting: ArraySlice<UInt8> = []

    /// Nil if standard output is not a terminal, or one that cannot be drawn on (`TERM` is `dumb` or unset).
    init?() throws(SystemError) {
        let kind = environment("TERM") ?? "dumb"
        guard isatty(STDOUT_FILENO) == 1, kind != "dumb" else { return nil }
        hasKeys = isatty(STDIN_FILENO) == 1
        input = try Self.copy(of: STDIN_FILENO)
        output = try Self.opened()
        stopSignal = try PendingSignal(SIGTSTP)
        palette = Palette(terminal: kind)
    }

    private static func opened() throws(SystemError) -> FileDescriptor {
        if let path = ttyname(STDOUT_FILENO) {
            let terminal = try? FileDescriptor.open(String(cString: path), O_WRONLY | O_NOCTTY | O_NONBLOCK)
            if let terminal { return terminal }
        }
        // The terminal belongs to another user (su): it may be written to, but not opened.
        return try copy(of: STDOUT_FILENO)
    }

    private static func copy(of number: Int32) throws(SystemError) -> FileDescriptor {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        if copy == -1 { throw SystemError("fcntl", code: errno) }
        return FileDescriptor(owning: copy)
    }

    /// The size from the kernel; 80 by 24 if it is unknown, as on serial lines.
    var size: Size {
        var window = winsize()
        if ioctl(output.number, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 {
            return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
        }
        return Size(columns: 80, rows: 24)
    }

    func enter() {
        if hasKeys, before == nil {
            // In the background, the modes are those of the shell. The job waits until it is in the foreground.
            if isInBackground { kill(0, SIGTTOU) }
            var settings = termios()
            if tcgetattr(input.number, &settings) == 0 {
                before = settings
                settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
                // Otherwise Ctrl-S would freeze the screen without any hint.
                settings.c_iflag &= ~tcflag_t(IXON)
                suspendKey = withUnsafeMutableBytes(of: &settings.c_cc) { keys in
                    let key = keys[Int(VSUSP)]
                    keys[Int(VSUSP)] = 0
                    return key == 0 ? nil : key
                }
                tcsetattr(input.number, TCSANOW, &settings)
            }
        }
        // Alternate screen, no cursor, no wrapping at the right edge.
        send("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    }

    /// Restores the terminal's modes. Discards pending bytes.
    func restore() {
        waiting = []
        // CAN first: the discarded bytes may have ended inside an escape sequence.
        send("\u{18}\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        for _ in 0..<10 where !waiting.isEmpty {
            var room = pollfd(fd: output.number, events: Int16(POLLOUT), revents: 0)
            _ = poll(&room, 1, 100)
            flush()
        }
        // In the background, a change of modes would stop the whole job, and the shell has set its own.
        if var before, !isInBackground { tcsetattr(input.number, TCSANOW, &before) }
        before = nil
    }

    /// Whether another job of the shell owns the terminal. False on a terminal without jobs.
    private var isInBackground: Bool {
        let owner = tcgetpgrp(input.number)
        return owner != -1 && owner != getpgrp()
    }

    /// Restores the terminal, stops the process until the shell continues it, and enters again. Does not stop if
    /// SIGCONT has arrived since the stop signal.
    ///
    /// `wholeJob`: also stops the other processes of the job, as the terminal does at Ctrl-Z.
    func suspend(wholeJob: Bool) {
        restore()
        if wholeJob { kill(0, SIGTSTP) }
        stopSignal.deliver()
        enter()
    }

    /// Whether all bytes have been accepted.
    var isReady: Bool { waiting.isEmpty }

    /// Sends a text; bytes that are not accepted at once wait for ``flush()``. Send more only if ``isReady``.
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
                // The terminal is gone; the loop receives the hang-up.
                waiting = []
            }
        }
    }

    /// The pressed keys; nil at the end of input.
    func keys() -> [Key]? {
        var bytes = [UInt8](repeating: 0, count: 64)
        guard let count = try? bytes.withUnsafeMutableBytes({ try input.read(into: $0) }), count > 0 else { return nil }
        return decoder.keys(of: bytes[..<count])
    }
}
