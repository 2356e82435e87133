import Domain

/// The text of a file while it is written. It is handed on in pieces, so that it never grows with the recording.
struct FileText {
    /// What is written is handed on when it is so long.
    static let pieceSize = 16_384

    private(set) var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(2 * Self.pieceSize)
    }

    /// Hands on what is written, if it is a piece.
    mutating func pass(to sink: (Span<UInt8>) throws -> Void) throws {
        if bytes.count >= Self.pieceSize { try end(into: sink) }
    }

    /// Hands on the rest.
    mutating func end(into sink: (Span<UInt8>) throws -> Void) throws {
        try sink(bytes.span)
        bytes.removeAll(keepingCapacity: true)
    }

    /// The program's own text, as it is.
    mutating func write(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// What is text already, as it is.
    mutating func write(lines: some Collection<UInt8>) {
        bytes.append(contentsOf: lines)
    }

    mutating func write(_ value: Int) {
        bytes.append(scaled: Int64(value), decimals: 0)
    }

    /// A number with at most so many decimals, zeros at its end cut; false, and nothing, for one that has no such text
    /// (``DecimalFormat/scaled(_:decimals:)``).
    @discardableResult
    mutating func write(_ value: Double, decimals: Int) -> Bool {
        guard let scaled = DecimalFormat.scaled(value, decimals: decimals) else { return false }
        bytes.append(scaled: scaled, decimals: decimals)
        return true
    }

    /// A moment as `2026-03-01T07:30:12.300Z`. Years before 1 and after 9999, which the formats cannot say, read as the first and the last
    /// moment between.
    mutating func write(_ time: UTC) {
        bytes.append(min(max(time, Self.earliest), Self.latest).fields)
    }

    private static let earliest = UTC(year: 1, month: 1, day: 1)
    private static let latest = UTC(milliseconds: UTC(year: 10_000, month: 1, day: 1).milliseconds - 1)
}

// XML.
extension FileText {
    /// Text from outside, between tags or as the value of an attribute.
    mutating func write(escaped text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": write("&amp;")
            case "<": write("&lt;")
            case ">": write("&gt;")
            case "\"": write("&quot;")
            // XML 1.0 cannot say these at all.
            case "\0"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": write("\u{FFFD}")
            default: bytes.append(contentsOf: UTF8.encode(scalar)!)
            }
        }
    }

    /// An element that holds text from outside; nothing for nil.
    mutating func element(_ name: String, escaped text: String?) {
        guard let text else { return }
        element(name) { $0.write(escaped: text) }
    }

    mutating func element(_ name: String, _ value: Int?) {
        guard let value else { return }
        element(name) { $0.write(value) }
    }

    /// An element that holds a number; nothing for nil and for a number without text.
    mutating func element(_ name: String, _ value: Double?, decimals: Int) {
        guard let value, DecimalFormat.scaled(value, decimals: decimals) != nil else { return }
        element(name) { $0.write(value, decimals: decimals) }
    }

    mutating func element(_ name: String, _ time: UTC) {
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

/// Numbers of decimals in files: each finer than what is measured, so that a file that is read and written again keeps its numbers.
enum Decimals {
    /// 1 cm.
    static let degrees = 7
    static let metres = 3
    static let speed = 3
    static let seconds = 3
}

extension RecordingSample {
    /// Where it was, as files say it: the longitude 180 is written −180, which some schemas demand.
    var position: Coordinate? {
        guard var coordinate, coordinate.latitude.magnitude <= 90, coordinate.longitude.magnitude <= 180 else {
            return nil
        }
        if DecimalFormat.scaled(coordinate.longitude, decimals: Decimals.degrees) == 1_800_000_000 {
            coordinate.longitude = -180
        }
        return coordinate
    }
}

extension RecordedActivity {
    /// The time of day of a moment of it.
    func time(at moment: Int64) -> UTC {
        UTC(milliseconds: started.milliseconds + moment)
    }
}
