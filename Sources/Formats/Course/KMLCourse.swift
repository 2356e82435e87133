import Domain

/// Reads the course of a KML file: all LineString and gx:Track elements, joined in the order of the file. The Points of
/// placemarks near them become its points.
struct KMLCourse: CourseParser {
    private enum Place {
        case document, container, placemark, line, pin, track
        case lineCoordinates, pinCoordinates, when, coordinate
        case fileName, name
        /// ExtendedData of a placemark, and the Data with the kind of a point.
        case data, kind, kindValue
        case skipped
    }

    private var places: [Place] = [.document]
    private var course = CourseBuilder()
    private var coordinates = KMLCoordinates()
    /// Of the current gx:Track.
    private var times: [Int64?] = []
    private var coordinatesOfTrack = 0
    private var fileName: SanitizedText?
    private var name: String?
    private var kind: String?
    private var lineName: SanitizedText?
    private var lines = 0
    /// The points of the placemark.
    private var pins: [Coordinate] = []

    mutating func begin(_ name: String, _ attributes: [XMLAttribute]) throws(FileError) -> XMLText {
        let place = next(name, attributes)
        places.append(place)
        switch place {
        case .lineCoordinates, .pinCoordinates: return .pieces
        case .when, .coordinate, .fileName, .name, .kindValue: return .whole
        default: return .none
        }
    }

    private mutating func next(_ name: String, _ attributes: [XMLAttribute]) -> Place {
        switch (places.last, name) {
        case (.document, "kml"), (.container, "Document"), (.container, "Folder"): return .container
        // A file may have a placemark without a document.
        case (.container, "Placemark"):
            self.name = nil
            kind = nil
            pins = []
            return .placemark
        case (.container, "name"): return .fileName
        case (.placemark, "name"): return .name
        case (.placemark, "MultiGeometry"), (.placemark, "MultiTrack"): return .placemark
        case (.placemark, "ExtendedData"): return .data
        case (.data, "Data") where ["kind", "type"].contains(attributes["name"] ?? ""): return .kind
        case (.kind, "value"): return .kindValue
        case (.placemark, "LineString"):
            beginLine()
            return .line
        case (.placemark, "Track"):
            beginLine()
            times.removeAll(keepingCapacity: true)
            coordinatesOfTrack = 0
            return .track
        case (.placemark, "Point"): return .pin
        case (.placemark, "Polygon"), (.placemark, "LinearRing"), (.placemark, "Model"):
            course.skipped.count(name)
            return .skipped
        case (.line, "coordinates"):
            coordinates = KMLCoordinates()
            return .lineCoordinates
        case (.pin, "coordinates"):
            coordinates = KMLCoordinates()
            return .pinCoordinates
        case (.track, "when"): return .when
        case (.track, "coord"): return .coordinate
        default: return .skipped
        }
    }

    private mutating func beginLine() {
        course.beginPart()
        lines += 1
        if lineName == nil { lineName = name.flatMap { SanitizedText($0) } }
    }

    mutating func append(_ piece: Span<UInt8>) throws(FileError) {
        for index in piece.indices {
            if let (coordinate, altitude) = try coordinates.take(piece[index]) { try add(coordinate, altitude) }
        }
    }

    private mutating func add(_ coordinate: Coordinate, _ altitude: Double?) throws(FileError) {
        if case .pinCoordinates = places.last {
            guard pins.count < CourseBuilder.cueLimit else { throw FileError("a placemark has too many points") }
            pins.append(coordinate)
        } else {
            try course.add(coordinate, altitude: altitude, time: nil)
        }
    }

    mutating func end(_ text: String) throws(FileError) {
        switch places.last {
        case .lineCoordinates, .pinCoordinates:
            if let (coordinate, altitude) = try coordinates.take(UInt8(ascii: " ")) { try add(coordinate, altitude) }
        default: break
        }
        switch places.popLast() {
        case .fileName: fileName = fileName ?? SanitizedText(String(text.trimmed))
        case .name: name = String(text.trimmed)
        case .kindValue: kind = text
        case .when:
            guard times.count < CourseBuilder.vertexLimit else { throw FileError("a track has too many times") }
            times.append(UTC(iso8601: text.trimmed)?.milliseconds)
        case .coordinate: try addToTrack(text)
        case .placemark where !pins.isEmpty:
            // A MultiGeometry ends before its placemark.
            if case .placemark = places.last { break }
            for pin in pins {
                let kind =
                    kind.flatMap { CoursePointKind(words: $0) }
                    ?? name.flatMap { CoursePointKind(words: $0, isName: true) }
                try course.add(
                    CourseBuilder.Cue(coordinate: pin, kind: kind ?? .generic, name: name.flatMap { SanitizedText($0) })
                )
            }
            pins = []
        default: break
        }
    }

    /// Adds a gx:coord; an empty one is a time without position.
    private mutating func addToTrack(_ text: String) throws(FileError) {
        let parts = text.split { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
        let time = times.indices.contains(coordinatesOfTrack) ? times[coordinatesOfTrack] : nil
        coordinatesOfTrack += 1
        guard !parts.isEmpty else { return course.skipped.count("points without position") }
        var point = ParsedCoursePoint()
        point.longitude = ParsedTrackPoint.number(String(parts[0]))
        point.latitude = parts.count > 1 ? ParsedTrackPoint.number(String(parts[1])) : nil
        try course.add(
            point.coordinate(), altitude: parts.count > 2 ? ParsedTrackPoint.number(String(parts[2])) : nil, time: time)
    }

    mutating func finish() throws(FileError) -> ImportedCourse {
        try course.finish(
            name: lines > 1 ? fileName ?? lineName : lineName ?? fileName, sport: nil,
            missing: "the file has no LineString and no gx:Track with positions")
    }
}
