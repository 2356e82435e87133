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
        if isShown, let words = Self.words(of: line) { show(words) }
    }

    /// `reading 12 of 462` of `Store size 2G | Block 12/462 ways 0 relations 0`, and `writing 1300 of 9000` of
    /// `Zoom level 14, writing tile 1300 of 9000`.
    private static func words(of line: String) -> String? {
        let words = line.split { $0 == " " || $0 == "," || $0 == "/" }
        if let block = words.firstIndex(of: "Block"), words.count > block + 2 {
            return "reading \(words[block + 1]) of \(words[block + 2])"
        }
        if words.count == 8, words[0] == "Zoom" { return "writing \(words[5]) of \(words[7])" }
        return nil
    }

    /// Rewrites the line. ESC [ K erases the rest of it.
    private func show(_ words: String) {
        let bytes = Array("\r\(words)\u{1B}[K".utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    /// Ends the line.
    func end() {
        if isShown { show("") }
    }
}
