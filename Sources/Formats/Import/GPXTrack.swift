package import Domain

/// Reads the tracks of a GPX file, 1.0 or 1.1.
///
/// All tracks of a file form one recording. Each segment but the first follows a pause; GPX has no other way to express
/// one. Values in extensions are matched by local name, because every vendor has another namespace.
package struct GPXTrack: TrackParser {
    private enum Place {
        case document, file, track, segment, point
        /// An element in a point's extensions; without a child element it is an unknown value.
        case extensions(String, isEmpty: Bool)
        case value(ParsedTrackPoint.Field, String)
        case name, type
        /// A waypoint and its children.
        case waypoint, waypointTime, waypointName, waypointKind
        /// The extensions of the track, and a uuid in them.
        case identity, uuid
        case skipped
    }

    private var places: [Place] = [.document]
    private var track = TrackRows()
    private var point = ParsedTrackPoint()
    private var creator: SanitizedText?
    private var name: SanitizedText?
    private var sport: Sport?
    private var uuid: UUID?
    private var isSwim = false
    private var points = 0
    private var waypoint = Waypoint()

    private struct Waypoint {
        var latitude: Double?
        var longitude: Double?
        var time: UTC?
        var name: SanitizedText?
        var kind: CoursePointKind?
    }

    package init() {}

    package mutating func begin(_ name: String, _ attributes: [XMLAttribute]) throws(FileError) -> XMLText {
        let place = next(name, attributes)
        places.append(place)
        switch place {
        case .extensions, .value, .name, .type, .uuid, .waypointTime, .waypointName, .waypointKind: return .whole
        default: return .none
        }
    }

    private mutating func next(_ name: String, _ attributes: [XMLAttribute]) -> Place {
        switch (places.last, name) {
        case (.document, "gpx"):
            creator = attributes["creator"].flatMap { SanitizedText($0) }
            return .file
        case (.file, "trk"): return .track
        case (.file, "wpt"):
            waypoint = Waypoint(latitude: Double(attributes["lat"] ?? ""), longitude: Double(attributes["lon"] ?? ""))
            return .waypoint
        case (.waypoint, "time"): return .waypointTime
        case (.waypoint, "name"): return .waypointName
        case (.waypoint, "sym"), (.waypoint, "type"): return .waypointKind
        case (.track, "name"): return .name
        case (.track, "type"): return .type
        case (.track, "extensions"): return .identity
        case (.identity, Identity.activity), (.identity, Identity.track): return .uuid
        case (.identity, Identity.device): return .skipped
        case (.track, "trkseg"):
            track.beginPart()
            return .segment
        case (.segment, "trkpt"):
            points += 1
            point = ParsedTrackPoint()
            _ = point.set(.latitude, attributes["lat"] ?? "")
            _ = point.set(.longitude, attributes["lon"] ?? "")
            return .point
        case (.point, "extensions"): return .extensions(name, isEmpty: false)
        case (.point, "ele"): return .value(.altitude, name)
        case (.point, "time"): return .value(.time, name)
        case (.point, "speed"): return .value(.speed, name)
        case (.extensions(let outer, _), _):
            places[places.count - 1] = .extensions(outer, isEmpty: false)
            return Self.fields[name].map { .value($0, name) } ?? .extensions(name, isEmpty: true)
        case (.file, _), (.track, _), (.identity, _), (.segment, _), (.point, _):
            track.skipped.count(name)
            return .skipped
        default: return .skipped
        }
    }

    package mutating func end(_ text: String) throws(FileError) {
        switch places.popLast() {
        case .point: try endPoint()
        case .waypoint: endWaypoint()
        case .waypointTime: waypoint.time = UTC(iso8601: String(text.trimmed))
        case .waypointName: waypoint.name = SanitizedText(String(text.trimmed))
        case .waypointKind: waypoint.kind = waypoint.kind ?? CoursePointKind(rawValue: String(text.trimmed))
        case .value(let field, let name):
            if !point.set(field, text) { track.skipped.count("unreadable \(name)") }
        case .extensions(let name, isEmpty: true): track.skipped.count(name)
        case .uuid: uuid = uuid ?? UUID(text.trimmed)
        case .name: name = name ?? SanitizedText(String(text.trimmed))
        case .type:
            if sport == nil { isSwim = Sport.isSwim(named: text) }
            sport = sport ?? Sport(named: text)
        default: break
        }
    }

    /// A waypoint with a time is a place that the user marked.
    private mutating func endWaypoint() {
        guard let time = waypoint.time, let latitude = waypoint.latitude, let longitude = waypoint.longitude,
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else { return track.skipped.count("wpt") }
        let mark = RecordedMark(
            waypoint.kind ?? .generic, text: waypoint.name, at: 0, elapsedMilliseconds: 0, distanceMetres: 0,
            coordinate: Coordinate(latitude: latitude, longitude: longitude))
        track.marks.append(mark, at: time)
    }

    private mutating func endPoint() throws(FileError) {
        guard let coordinate = point.coordinate else {
            track.skipped.count("points without a valid position")
            return
        }
        guard let time = point.time else {
            track.skipped.count("points without time")
            return
        }
        point.sample.coordinate = coordinate
        try track.add(point.sample, at: time)
    }

    package mutating func drainRows() -> [RecordingRow] {
        track.drainRows()
    }

    package mutating func finish() throws(FileError) -> ImportedRecording {
        guard points > 0 else { throw FileError("the file has no track: routes and waypoints have no times") }
        var recording = try track.finish(sport: sport ?? .other, needs: "both a time and a position")
        recording.isSwim = isSwim
        recording.uuid = uuid
        recording.name = name
        recording.sourceTotals = track.sourceTotals(creator: creator)
        return ImportedRecording(recording: recording, skipped: track.skipped)
    }

    /// The names of TrackPointExtension v1 and v2, PowerExtension, Cluetrust, Strava and OpenTracks.
    private static let fields: [String: ParsedTrackPoint.Field] = [
        "hr": .heartRate, "heartrate": .heartRate, "cad": .cadence, "cadence": .cadence, "RunCadence": .cadence,
        "atemp": .temperature, "temp": .temperature, "temperature": .temperature, "power": .power,
        "PowerInWatts": .power, "watts": .power, "Watts": .power, "speed": .speed, "Speed": .speed,
        "distance": .distance,
    ]
}
