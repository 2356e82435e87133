package import Domain

/// A parser of the elements of an XML file. Names come without their prefix.
package protocol ElementParser {
    /// Begins an element.
    mutating func begin(_ name: String, _ attributes: [XMLAttribute]) throws(FileError) -> XMLText

    /// Takes a piece of the text of an element that needs it in pieces.
    mutating func append(_ piece: Span<UInt8>) throws(FileError)

    /// Ends the innermost open element.
    ///
    /// - Parameter text: the text of an element that needs it whole and contains no other element; else empty.
    mutating func end(_ text: String) throws(FileError)
}

extension ElementParser {
    package mutating func append(_ piece: Span<UInt8>) {}
}

/// How a parser needs the text of an element.
package enum XMLText: Sendable {
    case none
    /// At the element's end, at most its first KiB.
    case whole
    /// All of it, while it is read.
    case pieces
}

/// A parser that makes a recording from the elements of an XML file.
///
/// Elements that are not imported are counted in the recording's ``SkippedElements``.
package protocol TrackParser: ElementParser {
    /// Returns and removes the rows that are complete.
    mutating func drainRows() -> [RecordingRow]

    /// Ends a well-formed file. Call ``drainRows()`` after it.
    mutating func finish() throws(FileError) -> ImportedRecording
}

package struct XMLAttribute: Equatable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension [XMLAttribute] {
    subscript(name: String) -> String? {
        first { $0.name == name }?.value
    }
}

/// A track point while its elements are read.
struct ParsedTrackPoint {
    enum Field {
        case time, latitude, longitude, altitude, distance, speed, heartRate, cadence, power, temperature
    }

    var time: UTC?
    var latitude: Double?
    var longitude: Double?
    /// The sample; its times are set later.
    var sample = RecordingSample(at: 0, elapsedMilliseconds: 0)

    /// Sets a value from its text; empty text sets nothing.
    ///
    /// - Returns: False if the text is invalid or the value out of range.
    mutating func set(_ field: Field, _ text: String) -> Bool {
        if field == .time {
            time = UTC(iso8601: text.trimmed)
            return time != nil || text.trimmed.isEmpty
        }
        guard let number = Self.number(text) else { return text.trimmed.isEmpty }
        switch field {
        case .time: return false
        case .latitude: latitude = number
        case .longitude: longitude = number
        case .altitude: return Self.set(&sample.altitude, number, in: -100_000...100_000)
        case .distance: return Self.set(&sample.distanceMetres, number, in: 0...1e9)
        case .speed: return Self.set(&sample.speed, number, in: 0...10_000)
        case .heartRate: return Self.set(&sample.heartRate, number, in: 1...240)
        case .cadence: return Self.set(&sample.cadence, number, in: 0...254)
        case .power: return Self.set(&sample.power, number, in: 0...65_534)
        case .temperature: return Self.set(&sample.temperature, number, in: -127...126)
        }
        return true
    }

    /// The position if it is on the Earth. 0,0 is what devices write for a lost one.
    var coordinate: Coordinate? {
        guard let latitude, let longitude, latitude.magnitude <= 90, longitude.magnitude <= 180,
            (latitude, longitude) != (0, 0)
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    private static func set(_ value: inout Double?, _ number: Double, in range: ClosedRange<Double>) -> Bool {
        guard range.contains(number) else { return false }
        value = number
        return true
    }

    private static func set(_ value: inout Int?, _ number: Double, in range: ClosedRange<Double>) -> Bool {
        guard range.contains(number.rounded()) else { return false }
        value = Int(number.rounded())
        return true
    }

    /// Parses a finite decimal number with optional white space around it.
    static func number(_ text: String) -> Double? {
        let trimmed = text.trimmed
        guard trimmed.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }), let number = Double(trimmed),
            number.isFinite
        else { return nil }
        return number
    }
}

extension String {
    /// The string without XML white space at either end.
    var trimmed: Substring {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        guard let start = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return self[start...last]
    }
}

extension Sport {
    /// Whether a file's name for a sport is that of swimming, which is `.other` for us.
    static func isSwim(named text: String) -> Bool {
        text.lowercased().containsText("swim")
    }

    /// Creates a sport from a file's name or number for it; `.other` if that is unknown.
    init(named text: String) {
        let word = text.trimmed.lowercased()
        // The numbers are Strava's.
        switch word {
        case "1": self = .ride
        case "4": self = .hike
        case "9": self = .run
        case "10": self = .walk
        default:
            let words: [(String, Sport)] = [
                ("run", .run), ("jog", .run), ("walk", .walk), ("hik", .hike), ("trek", .hike), ("rid", .ride),
                ("cycl", .ride), ("bik", .ride),
            ]
            // Riding a horse and motor cycling are no rides.
            let isOther = ["horse", "motor"].contains { word.containsText($0) }
            self = isOther ? .other : words.first { word.containsText($0.0) }?.1 ?? .other
        }
    }
}
