import Domain

/// Reads the course of a GPX file, 1.0 or 1.1.
///
/// All tracks with all segments are joined in the order of the file. Without a track, all routes are. A route point whose
/// symbol, type or text means a turn or another kind of point becomes a point, and so does each waypoint near the track.
/// The points of routes beside a track are used only if there are no waypoints: they are the same in files that have both.
struct GPXCourse: CourseParser {
    private enum Place {
        case document, file, metadata, track, segment, route
        case point(Holder)
        /// Extensions of a route point. Garmin's hold the shape of the way to the next one.
        case extensions
        case text(ParsedCoursePoint.Text)
        case altitude, time, fileName, lineName, type
        /// The extensions of a track, and the uuid in them.
        case identity, uuid
        case skipped
    }

    private enum Holder {
        case segment, route, file
    }

    private var places: [Place] = [.document]
    /// With the waypoints.
    private var track = CourseBuilder()
    private var route = CourseBuilder()
    private var point = ParsedCoursePoint()
    /// Whether the route point is a vertex already.
    private var isAdded = false
    private var fileName: SanitizedText?
    private var lineName: SanitizedText?
    private var lines = 0
    private var sport: Sport?
    private var uuid: UUID?

    mutating func begin(_ name: String, _ attributes: [XMLAttribute]) throws(FileError) -> XMLText {
        let place = try next(name, attributes)
        places.append(place)
        switch place {
        case .text, .altitude, .time, .fileName, .lineName, .type, .uuid: return .whole
        default: return .none
        }
    }

    private mutating func next(_ name: String, _ attributes: [XMLAttribute]) throws(FileError) -> Place {
        switch (places.last, name) {
        case (.document, "gpx"): return .file
        case (.file, "metadata"): return .metadata
        case (.file, "name"), (.metadata, "name"): return .fileName
        case (.file, "trk"):
            lines += 1
            return .track
        case (.file, "rte"): return .route
        case (.track, "name"), (.route, "name"): return .lineName
        case (.track, "type"), (.route, "type"): return .type
        case (.track, "extensions"): return .identity
        case (.identity, Identity.course): return .uuid
        case (.track, "trkseg"):
            track.beginPart()
            return .segment
        case (.segment, "trkpt"): return begin(.segment, attributes)
        case (.route, "rtept"): return begin(.route, attributes)
        case (.file, "wpt"): return begin(.file, attributes)
        case (.point, "ele"): return .altitude
        case (.point, "time"): return .time
        case (.point(.route), "extensions"), (.extensions, "RoutePointExtension"): return .extensions
        case (.extensions, "turn"): return .text(.turn)
        case (.extensions, "rpt"):
            try addRoutePoint()
            var shape = ParsedCoursePoint()
            shape.set(attributes)
            try route.add(shape.coordinate(), altitude: nil, time: nil)
            return .skipped
        case (.point(.segment), _): return .skipped
        case (.point, _): return Self.texts[name].map { .text($0) } ?? .skipped
        default: return .skipped
        }
    }

    private mutating func begin(_ holder: Holder, _ attributes: [XMLAttribute]) -> Place {
        point = ParsedCoursePoint()
        point.set(attributes)
        isAdded = false
        return .point(holder)
    }

    mutating func end(_ text: String) throws(FileError) {
        switch places.popLast() {
        case .altitude: point.altitude = ParsedTrackPoint.number(text)
        case .time: point.set(time: text)
        case .text(let name): point.texts[name] = text
        case .fileName: fileName = fileName ?? SanitizedText(String(text.trimmed))
        case .lineName: lineName = lineName ?? SanitizedText(String(text.trimmed))
        case .type: sport = sport ?? Sport(knownName: text)
        case .uuid: uuid = uuid ?? UUID(text.trimmed)
        case .point(.segment):
            try track.add(point.coordinate(), altitude: point.altitude, time: point.time)
        case .point(.route):
            try addRoutePoint()
            if let kind = point.kind([.symbol, .type, .turn, .comment, .description])
                ?? point.kind([.name], isName: true)
            {
                try route.add(cue(kind, note: point.texts[.description] ?? point.texts[.comment]))
            }
        case .point(.file):
            let kind = point.kind([.symbol, .type, .comment]) ?? point.kind([.name], isName: true)
            try track.add(cue(kind ?? .generic, note: point.texts[.description]))
        default: break
        }
    }

    private mutating func addRoutePoint() throws(FileError) {
        guard !isAdded else { return }
        isAdded = true
        try route.add(point.coordinate(), altitude: point.altitude, time: point.time)
    }

    private func cue(_ kind: CoursePointKind, note: String?) throws(FileError) -> CourseBuilder.Cue {
        CourseBuilder.Cue(
            coordinate: try point.coordinate(), kind: kind, name: SanitizedText(name: point.texts[.name], note: note))
    }

    mutating func finish() throws(FileError) -> ImportedCourse {
        let (others, isRoute) = track.vertices.isEmpty ? (track.cues, true) : (route.cues, false)
        var course = isRoute ? route : track
        if isRoute || course.cues.isEmpty {
            for cue in others { try course.add(cue) }
        }
        let name = lines > 1 ? fileName ?? lineName : lineName ?? fileName
        var imported = try course.finish(
            name: name, sport: sport,
            missing: "the file has no track and no route: waypoints alone are no course")
        // Several joined tracks are another course.
        imported.uuid = lines == 1 ? uuid : nil
        return imported
    }

    private static let texts: [String: ParsedCoursePoint.Text] = [
        "name": .name, "sym": .symbol, "type": .type, "cmt": .comment, "desc": .description,
    ]
}

extension ParsedCoursePoint {
    fileprivate mutating func set(_ attributes: [XMLAttribute]) {
        latitude = attributes["lat"].flatMap(ParsedTrackPoint.number)
        longitude = attributes["lon"].flatMap(ParsedTrackPoint.number)
    }
}

extension Sport {
    /// Nil for a name that no sport has.
    init?(knownName text: String) {
        self.init(named: text)
        if self == .other { return nil }
    }
}
