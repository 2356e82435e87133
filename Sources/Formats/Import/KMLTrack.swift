package import Domain

/// Reads the gx:Track elements of a KML file.
///
/// A gx:Track lists all times, then all positions, then an array for each other kind of value, so one track is held at
/// a time. Each but the first follows a pause. Lines have no times: they are counted as skipped.
package struct KMLTrack: TrackParser {
    /// The largest number of points in one gx:Track: more than two days at one a second.
    package static let pointLimit = 200_000

    private enum Place {
        case document, container, placemark, track
        /// ExtendedData of a track, and its SchemaData; an array in it, and a value of the array.
        case values
        case array(ParsedTrackPoint.Field)
        case item(ParsedTrackPoint.Field)
        /// ExtendedData of a placemark, and the Data with its activity type.
        case data, kind, kindValue
        case when, coordinate, name, placemarkName
        case skipped
    }

    private var places: [Place] = [.document]
    private var rows = TrackRows()
    private var times: [UTC?] = []
    private var points: [ParsedTrackPoint] = []
    /// The number of values read from the current array.
    private var itemCount = 0
    private var tracks = 0
    private var lines = 0
    private var name: SanitizedText?
    private var placemarkName: SanitizedText?
    private var trackName: SanitizedText?
    private var kind: Sport?
    private var sport: Sport?

    package init() {}

    package mutating func begin(_ name: String, _ attributes: [XMLAttribute]) throws(FileError) -> XMLText {
        let place = next(name, attributes)
        places.append(place)
        switch place {
        case .when, .coordinate, .item, .name, .placemarkName, .kindValue: return .whole
        default: return .none
        }
    }

    private mutating func next(_ name: String, _ attributes: [XMLAttribute]) -> Place {
        switch (places.last, name) {
        case (.document, "kml"), (.container, "Document"), (.container, "Folder"): return .container
        case (.container, "name"): return .name
        case (.container, "Placemark"):
            placemarkName = nil
            kind = nil
            return .placemark
        case (.placemark, "name"): return .placemarkName
        case (.placemark, "ExtendedData"): return .data
        case (.data, "Data") where attributes["name"] == "type": return .kind
        case (.kind, "value"): return .kindValue
        case (.placemark, "MultiTrack"), (.placemark, "MultiGeometry"): return .placemark
        case (.placemark, "Track"):
            tracks += 1
            trackName = trackName ?? placemarkName
            sport = sport ?? kind
            times.removeAll(keepingCapacity: true)
            points.removeAll(keepingCapacity: true)
            return .track
        case (.track, "when"): return .when
        case (.track, "coord"): return .coordinate
        case (.track, "ExtendedData"), (.values, "SchemaData"): return .values
        case (.values, "SimpleArrayData"):
            itemCount = 0
            if let field = attributes["name"].flatMap({ Self.fields[$0] }) { return .array(field) }
            rows.skipped.count(attributes["name"] ?? name)
            return .skipped
        case (.array(let field), "value"): return .item(field)
        case (.placemark, "LineString"), (.placemark, "LinearRing"), (.placemark, "Polygon"), (.placemark, "Point"):
            if name == "LineString" { lines += 1 }
            rows.skipped.count(name)
            return .skipped
        case (.container, "Style"), (.container, "StyleMap"), (.container, "Schema"), (.track, "altitudeMode"),
            (.placemark, "altitudeMode"), (.placemark, "interpolate"), (.placemark, "styleUrl"),
            (.placemark, "Style"), (.container, "open"), (.container, "visibility"):
            // Elements of style, and descriptions of what is read anyway.
            return .skipped
        case (.container, _), (.placemark, _), (.track, _), (.values, _), (.data, _):
            rows.skipped.count(attributes["name"] ?? name)
            return .skipped
        default: return .skipped
        }
    }

    package mutating func end(_ text: String) throws(FileError) {
        switch places.popLast() {
        case .when:
            guard times.count < Self.pointLimit else { throw Self.tooMany }
            times.append(UTC(iso8601: text.trimmed))
        case .coordinate:
            guard points.count < Self.pointLimit else { throw Self.tooMany }
            points.append(ParsedTrackPoint(coordinate: text))
        case .item(let field):
            if points.indices.contains(itemCount), !points[itemCount].set(field, text) {
                rows.skipped.count("unreadable \(field)")
            }
            itemCount += 1
        case .name: name = name ?? SanitizedText(String(text.trimmed))
        case .placemarkName: placemarkName = SanitizedText(String(text.trimmed))
        case .kindValue: kind = Sport(named: text)
        case .track: try endTrack()
        default: break
        }
    }

    private static let tooMany = FileError("the track has more than \(pointLimit) points")

    private mutating func endTrack() throws(FileError) {
        rows.beginPart()
        rows.skipped.count("points without time", max(points.count - times.count, 0))
        rows.skipped.count("times without position", max(times.count - points.count, 0))
        for (time, point) in zip(times, points) {
            guard let time else {
                rows.skipped.count("points without time")
                continue
            }
            var sample = point.sample
            sample.coordinate = point.coordinate
            if sample.coordinate == nil { rows.skipped.count("points without a valid position") }
            try rows.add(sample, at: time)
        }
    }

    package mutating func drainRows() -> [RecordingRow] {
        rows.drainRows()
    }

    package mutating func finish() throws(FileError) -> ImportedRecording {
        guard tracks > 0 else {
            throw FileError(lines > 0 ? "its \(lines) LineString elements have no times" : "the file has no gx:Track")
        }
        var recording = try rows.finish(sport: sport ?? .other, needs: "a time")
        recording.name = trackName ?? name
        recording.sourceTotals = rows.sourceTotals(creator: nil)
        return ImportedRecording(recording: recording, skipped: rows.skipped)
    }

    /// The names in files of My Tracks, OpenTracks and this program.
    private static let fields: [String: ParsedTrackPoint.Field] = [
        "heartrate": .heartRate, "heart_rate": .heartRate, "cadence": .cadence, "power": .power,
        "temperature": .temperature, "speed": .speed, "distance": .distance,
    ]
}

extension ParsedTrackPoint {
    /// Parses the text of a gx:coord: longitude, latitude and optional altitude, separated by white space.
    fileprivate init(coordinate text: String) {
        let parts = text.split(maxSplits: 3) { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
        guard parts.count >= 2 else { return }
        _ = set(.longitude, String(parts[0]))
        _ = set(.latitude, String(parts[1]))
        if parts.count > 2 { _ = set(.altitude, String(parts[2])) }
    }
}
