/// gpsd's stream of bytes cut into lines.
///
/// A line ends with LF or CR LF. One that is longer than ``limit`` is skipped to its end, whatever it says; empty ones are skipped
/// too. What is kept never grows beyond the limit and what was appended since the last line was taken.
package struct GpsdLines: Sendable {
    /// The longest line that gpsd sends, in bytes without the line end (`GPS_JSON_RESPONSE_MAX`).
    package static let limit = 10_240

    private var bytes: [UInt8] = []
    /// Where the next line begins.
    private var start = 0
    /// How far there is no line end.
    private var scanned = 0
    /// The line that is coming in has been too long already.
    private var isSkipping = false

    package init() {
        bytes.reserveCapacity(2 * Self.limit)
    }

    /// Takes bytes as they come, cut anywhere. Take the lines with ``next()`` before appending more.
    package mutating func append(_ more: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeSubrange(..<start)
            scanned -= start
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next whole line without its end; nil when it is not there yet.
    ///
    /// It is a view of what is kept: let go of it before more bytes are appended, and nothing is copied.
    package mutating func next() -> ArraySlice<UInt8>? {
        while let end = bytes[scanned...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = start..<(end > start && bytes[end - 1] == UInt8(ascii: "\r") ? end - 1 : end)
            let isWhole = !isSkipping
            isSkipping = false
            start = end + 1
            scanned = start
            if isWhole, !line.isEmpty, line.count <= Self.limit { return bytes[line] }
        }
        scanned = bytes.endIndex
        // The CR of a line of exactly the limit may be here without its LF.
        if scanned - start > Self.limit + 1 {
            isSkipping = true
        }
        if isSkipping {
            start = scanned
        }
        return nil
    }
}
