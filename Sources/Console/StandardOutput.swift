import Domain
import Glibc
import JSONCoding
import Wire

/// Writes all of a text to standard output, and waits for a slow reader. A terminal gets the characters of its locale.
func writeOut(_ text: String) throws(Failure) {
    try writeOut(Array((isatty(STDOUT_FILENO) == 1 ? CharacterSet.ofTerminal.shown(text) : text).utf8))
}

/// Writes all bytes to standard output, and waits for a slow reader.
func writeOut(_ bytes: [UInt8]) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        let code = errno
        if count >= 0 {
            rest = rest.dropFirst(count)
        } else if code == EAGAIN {
            // Another process that shares the pipe has made it non-blocking.
            var waiting = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
            _ = poll(&waiting, 1, -1)
        } else if code != EINTR {
            throw .failed("cannot write to standard output: \(String(cString: strerror(code)))")
        }
    }
}

/// Writes one line to standard error, prefixed with the program's name.
/// Prints why a command failed; to `paced-web`, which asks for it, also what translates the sentence.
func complain(of failure: Failure) {
    complain(failure.message)
    guard getenv("PACECTL_SENTENCES") != nil else { return }
    var line = JSONWriter()
    line.object { $0.template(failure.sentence) }
    line.newline()
    _ = write(STDERR_FILENO, line.bytes, line.bytes.count)
}

func complain(_ message: String) {
    let text = isatty(STDERR_FILENO) == 1 ? CharacterSet.ofTerminal.shown(message) : message
    let bytes = Array("pacectl: \(text)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}
