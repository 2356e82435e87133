package import Domain

/// A machine that makes a recording of the elements of an XML file.
///
/// Names come without their prefix. What the file holds and the machine does not keep is counted in the recording's ``SkippedElements``.
package protocol TrackParser {
    /// An element begins.
    ///
    /// - Returns: whether its text is wanted.
    mutating func begin(_ name: String, _ attributes: [XMLAttribute]) throws(FileError) -> Bool

    /// The element that began last of those that have not ended ends.
    ///
    /// - Parameter text: of an element whose text is wanted and that holds no other element; else empty.
    mutating func end(_ text: String) throws(FileError)

    /// The rows that have become known since they were last taken.
    mutating func drainRows() -> [RecordingRow]

    /// The file is over, and was well-formed. Take the last rows afterwards.
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

/// A point of a track while its elements are read.
struct ParsedTrackPoint {
    enum Field {
        case time, latitude, longitude, altitude, distance, speed, heartRate, cadence, power, temperature
    }

    var time: UTC?
    var latitude: Double?
    var longitude: Double?
    /// Its moments are not known yet.
    var sample = RecordingSample(at: 0, elapsedMilliseconds: 0)

    /// Sets a value from its text; empty text is no value.
    ///
    /// - Returns: false for text that says no such value, or one that is out of its range.
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

    /// The place, if it is on the Earth.
    var coordinate: Coordinate? {
        guard let latitude, let longitude, latitude.magnitude <= 90, longitude.magnitude <= 180 else { return nil }
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

    /// A finite decimal number with white space around it.
    static func number(_ text: String) -> Double? {
        let trimmed = text.trimmed
        guard trimmed.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }), let number = Double(trimmed),
            number.isFinite
        else { return nil }
        return number
    }
}

extension String {
    /// Without the white space of XML before and after it.
    var trimmed: Substring {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        guard let start = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return self[start...last]
    }
}

extension Sport {
    /// From the words and numbers that files have for it; `.other` for those that are not known.
    init(said text: String) {
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
            self = words.first { word.contains($0.0) }?.1 ?? .other
        }
    }
}
