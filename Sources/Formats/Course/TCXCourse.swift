import Domain

/// Reads the first course of a Training Center Database, version 1 or 2, or the track of its first activity.
///
/// Trackpoints without a position are skipped. A point's notes are its name if they are the whole of a name that was cut
/// off, as those of Ride with GPS.
struct TCXCourse: CourseParser {
    private enum Place {
        case document, container, course, lap, track
        case trackPoint, coursePoint, position
        case latitude, longitude, altitude, time, name, courseNotes
        case identity, uuid
        case text(ParsedCoursePoint.Text)
        case skipped
    }

    private var places: [Place] = [.document]
    private var course = CourseBuilder()
    private var courses = 0
    private var isActivity = false
    private var tracksOfLap = 0
    private var point = ParsedCoursePoint()
    private var hasPosition = false
    private var name: SanitizedText?
    private var sport: Sport?
    private var uuid: UUID?

    mutating func begin(_ name: String, _ attributes: [XMLAttribute]) throws(FileError) -> XMLText {
        let place = next(name, attributes)
        places.append(place)
        switch place {
        case .latitude, .longitude, .altitude, .time, .name, .courseNotes, .uuid, .text: return .whole
        default: return .none
        }
    }

    private mutating func next(_ name: String, _ attributes: [XMLAttribute]) -> Place {
        switch (places.last, name) {
        case (.document, "TrainingCenterDatabase"), (.container, "Courses"), (.container, "Activities"),
            (.container, "MultiSportSession"), (.container, "FirstSport"), (.container, "NextSport"):
            return .container
        case (.container, "Course"), (.container, "Activity"):
            courses += 1
            guard courses == 1 else {
                course.skipped.count(name)
                return .skipped
            }
            isActivity = name == "Activity"
            sport = attributes["Sport"].flatMap { Sport(knownName: $0) }
            return .course
        case (.course, "Name"): return .name
        case (.course, "Notes"): return .courseNotes
        case (.course, "Extensions"): return .identity
        case (.identity, Identity.course): return .uuid
        case (.course, "Lap"):
            tracksOfLap = 0
            return .lap
        case (.course, "Track"), (.lap, "Track"):
            tracksOfLap += 1
            if tracksOfLap > 1 { course.beginPart() }
            return .track
        case (.track, "Trackpoint"): return begin(.trackPoint)
        case (.course, "CoursePoint"): return begin(.coursePoint)
        case (.trackPoint, "Position"), (.coursePoint, "Position"):
            hasPosition = true
            return .position
        case (.position, "LatitudeDegrees"): return .latitude
        case (.position, "LongitudeDegrees"): return .longitude
        case (.trackPoint, "Time"), (.coursePoint, "Time"): return .time
        case (.trackPoint, "AltitudeMeters"): return .altitude
        case (.coursePoint, "Name"): return .text(.name)
        case (.coursePoint, "PointType"): return .text(.type)
        case (.coursePoint, "Notes"): return .text(.notes)
        default: return .skipped
        }
    }

    private mutating func begin(_ place: Place) -> Place {
        point = ParsedCoursePoint()
        hasPosition = false
        return place
    }

    mutating func end(_ text: String) throws(FileError) {
        switch places.popLast() {
        case .latitude: point.latitude = ParsedTrackPoint.number(text)
        case .longitude: point.longitude = ParsedTrackPoint.number(text)
        case .altitude: point.altitude = ParsedTrackPoint.number(text)
        case .time: point.set(time: text)
        case .text(let field): point.texts[field] = text
        case .uuid: uuid = UUID(text.trimmed)
        case .name: name = SanitizedText(String(text.trimmed))
        case .courseNotes: if isActivity { name = name ?? SanitizedText(String(text.trimmed)) }
        case .trackPoint:
            guard hasPosition else { return course.skipped.count("points without position") }
            try course.add(point.coordinate(), altitude: point.altitude, time: point.time)
        case .coursePoint:
            let kind =
                point.kind([.type]) ?? point.kind([.notes, .name], isName: true) ?? .generic
            let coordinate = hasPosition ? try point.coordinate() : nil
            try course.add(
                CourseBuilder.Cue(
                    coordinate: coordinate, kind: kind,
                    name: SanitizedText(name: point.texts[.name], note: point.texts[.notes]), time: point.time))
        default: break
        }
    }

    mutating func finish() throws(FileError) -> ImportedCourse {
        guard courses > 0 else { throw FileError("the file has no course and no activity") }
        var imported = try course.finish(
            name: name, sport: sport, missing: "the course has no track with positions")
        imported.uuid = uuid
        return imported
    }
}
