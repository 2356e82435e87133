/// Splits gpsd's byte stream into lines.
///
/// A line ends with LF or CR LF. Empty lines, and lines longer than ``limit``, are skipped. The buffer never exceeds
/// the limit plus the bytes appended since the last line was taken.
package struct GpsdLines: Sendable {
    /// The longest line of gpsd in bytes, without the line end (`GPS_JSON_RESPONSE_MAX`).
    package static let limit = 10_240

    private var bytes: [UInt8] = []
    /// The start of the next line.
    private var start = 0
    /// No line end comes before this index.
    private var scanned = 0
    /// The current line is too long; the rest of it is skipped.
    private var isSkipping = false

    package init() {
        bytes.reserveCapacity(2 * Self.limit)
    }

    /// Appends received bytes, split anywhere. Take the lines with ``next()`` before the next call.
    package mutating func append(_ more: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeSubrange(..<start)
            scanned -= start
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Returns the next whole line without its end. Nil if no whole line has arrived.
    ///
    /// The line is a slice of the buffer: release it before the next ``append(_:)``, or the buffer is copied.
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
        // A line of exactly the limit may have its CR here and its LF not yet.
        if scanned - start > Self.limit + 1 {
            isSkipping = true
        }
        if isSkipping {
            start = scanned
        }
        return nil
    }
}
