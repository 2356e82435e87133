import Domain
import Glibc

/// What tilemaker prints of its progress, for a terminal: it rewrites one line of standard error.
///
/// Source: the output of tilemaker 2.2.0, whose lines end in carriage returns.
struct MapProgress {
    /// The bytes after the last end of a line.
    private var rest: [UInt8] = []
    private let isShown = isatty(STDERR_FILENO) == 1
    /// Whether the profile has met a coast.
    private(set) var hasCoast = false

    private static let lineLimit = 1024

    mutating func ingest(_ bytes: [UInt8]) {
        for byte in bytes {
            guard byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") else {
                if rest.count < Self.lineLimit { rest.append(byte) }
                continue
            }
            take(String(decoding: rest, as: UTF8.self))
            rest.removeAll(keepingCapacity: true)
        }
    }

    private mutating func take(_ line: String) {
        if line.hasPrefix("coast") { hasCoast = true }
        guard isShown, let words = Self.words(of: line) else { return }
        // ESC [ K erases the rest of the line.
        fputs("\r\(words)\u{1B}[K", stderr)
    }

    /// `reading 12 of 462` of `Block 12/462`, `writing 1300 of 9000` of `Zoom level 14, writing tile 1300 of 9000`.
    private static func words(of line: String) -> String? {
        let numbers = line.split { !$0.isNumber }
        if line.hasPrefix("Block "), numbers.count == 2 { return "reading \(numbers[0]) of \(numbers[1])" }
        if line.hasPrefix("Zoom level "), numbers.count == 3 { return "writing \(numbers[1]) of \(numbers[2])" }
        return nil
    }

    /// Ends the line.
    func end() {
        if isShown { fputs("\r\u{1B}[K", stderr) }
    }
}
