import Domain

/// A parser that makes a course from the elements of an XML file.
package protocol CourseParser: ElementParser {
    /// Ends a well-formed file.
    mutating func finish() throws(FileError) -> ImportedCourse
}

/// The parser for an XML file with a course.
///
/// - Parameter root: the name of its first element.
package func courseParser(for root: String) throws(FileError) -> any CourseParser {
    switch root {
    case "gpx": return GPXCourse()
    case "TrainingCenterDatabase": return TCXCourse()
    case "kml": return KMLCourse()
    default:
        throw FileError("not a GPX, TCX or KML file: its first element is <\(SanitizedText(root)?.text ?? "")>")
    }
}

/// A point of a file while its elements are read.
struct ParsedCoursePoint {
    var latitude: Double?
    var longitude: Double?
    var altitude: Double?
    /// Milliseconds of UTC.
    var time: Int64?
    var texts: [Text: String] = [:]

    enum Text {
        case name, symbol, type, comment, description, turn, notes
    }

    init() {}

    /// The position.
    ///
    /// - Throws: ``FileError`` if a number is missing or is not one.
    func coordinate() throws(FileError) -> Coordinate {
        guard let latitude, let longitude else {
            throw FileError("a point has no latitude and longitude that are numbers: correct or remove it")
        }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    mutating func set(time text: String) {
        time = UTC(iso8601: text.trimmed)?.milliseconds
    }

    /// The first kind other than generic that one of the texts means.
    func kind(_ order: [Text], isName: Bool = false) -> CoursePointKind? {
        order.lazy.compactMap { texts[$0] }.compactMap { CoursePointKind(words: $0, isName: isName) }
            .first { $0 != .generic }
    }
}
