import Domain
import JSONCoding

/// A buffer for the text of a file. It is passed on in pieces, so that it does not grow with the recording.
package struct FileText {
    /// The size at which the buffer is passed on.
    static let pieceSize = 16_384

    package private(set) var bytes: [UInt8] = []

    package init() {
        bytes.reserveCapacity(2 * Self.pieceSize)
    }

    /// Passes the buffer on if it has ``pieceSize``.
    mutating func pass(to sink: (Span<UInt8>) throws -> Void) throws {
        if bytes.count >= Self.pieceSize { try end(into: sink) }
    }

    /// Passes the rest of the buffer on.
    mutating func end(into sink: (Span<UInt8>) throws -> Void) throws {
        try sink(bytes.span)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Appends the program's own text, unescaped.
    package mutating func write(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends encoded text.
    mutating func write(lines: some Collection<UInt8>) {
        bytes.append(contentsOf: lines)
    }

    mutating func write(_ value: Int) {
        bytes.append(scaled: Int64(value), decimals: 0)
    }

    /// Appends a number with at most `decimals` decimals, without trailing zeros.
    ///
    /// - Returns: False if the number has no such text (``DecimalFormat/scaled(_:decimals:)``); nothing is appended.
    @discardableResult
    package mutating func write(_ value: Double, decimals: Int) -> Bool {
        guard let scaled = DecimalFormat.scaled(value, decimals: decimals) else { return false }
        bytes.append(scaled: scaled, decimals: decimals)
        return true
    }

    /// Appends a time as `2026-03-01T07:30:12.300Z`, clamped to the years 1 to 9999 of the formats.
    mutating func write(_ time: UTC) {
        bytes.append(min(max(time, Self.earliest), Self.latest).fields)
    }

    private static let earliest = UTC(year: 1, month: 1, day: 1)
    private static let latest = UTC(milliseconds: UTC(year: 10_000, month: 1, day: 1).milliseconds - 1)
}

// XML
extension FileText {
    /// Appends external text, escaped for content or for an attribute's value.
    mutating func write(escaped text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": write("&amp;")
            case "<": write("&lt;")
            case ">": write("&gt;")
            case "\"": write("&quot;")
            // XML 1.0 cannot represent these at all.
            case "\0"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": write("\u{FFFD}")
            default: bytes.append(contentsOf: UTF8.encode(scalar)!)
            }
        }
    }

    /// Appends an element with external text; nothing for nil.
    package mutating func element(_ name: String, escaped text: String?) {
        guard let text else { return }
        element(name) { $0.write(escaped: text) }
    }

    mutating func element(_ name: String, _ value: Int?) {
        guard let value else { return }
        element(name) { $0.write(value) }
    }

    /// Appends an element with a number; nothing for nil and for a number without text.
    mutating func element(_ name: String, _ value: Double?, decimals: Int) {
        guard let value, DecimalFormat.scaled(value, decimals: decimals) != nil else { return }
        element(name) { $0.write(value, decimals: decimals) }
    }

    /// Appends an element with a time; nothing for nil.
    mutating func element(_ name: String, _ time: UTC?) {
        guard let time else { return }
        element(name) { $0.write(time) }
    }

    private mutating func element(_ name: String, _ content: (inout FileText) -> Void) {
        write("<")
        write(name)
        write(">")
        content(&self)
        write("</")
        write(name)
        write(">")
    }
}

extension FileText {
    /// Writes a number as the shortest text that reads back equal.
    mutating func write(exact value: Double) {
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 {
            write(Int(whole))
        } else {
            write(value.description)
        }
    }
}

/// The decimals of numbers in files: finer than any measurement, so that writing and reading a file keeps its numbers.
enum Decimals {
    /// 1 cm.
    static let degrees = 7
    static let metres = 3
    static let speed = 3
    static let seconds = 3
    /// Of a percent.
    static let grade = 1
}

extension RecordingSample {
    /// The position for files: a longitude of 180 becomes −180, which some schemas require.
    var position: Coordinate? {
        guard let coordinate, coordinate.latitude.magnitude <= 90, coordinate.longitude.magnitude <= 180 else {
            return nil
        }
        return coordinate.written
    }
}

extension Coordinate {
    /// This place on the Earth for files: a longitude of 180 becomes −180, which some schemas require.
    var written: Coordinate {
        var coordinate = self
        if DecimalFormat.scaled(longitude, decimals: Decimals.degrees) == 1_800_000_000 { coordinate.longitude = -180 }
        return coordinate
    }
}

extension RecordedActivity {
    /// Returns the UTC of a moment of the recording; nil if no clock was known.
    func knownTime(at moment: Int64) -> UTC? {
        isTimeUncertain ? nil : time(at: moment)
    }

    /// Returns the UTC of a moment of the recording, for formats that require one: from 1970 on if no clock was known.
    func time(at moment: Int64) -> UTC {
        UTC(milliseconds: started.milliseconds + moment)
    }
}
