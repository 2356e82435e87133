package import Domain
import JSONCoding

/// A file format for a course.
package enum CourseFormat: String, CaseIterable, Sendable {
    case fit, gpx, tcx, geojson, kml
}

extension CourseFormat {
    /// The bytes of a file with a course.
    ///
    /// - FIT and TCX need times: without those of the course they are those of a constant 10 km/h. FIT cuts the names of
    ///   points to 15 bytes, as devices do.
    /// - TCX has few kinds of points: turns become left or right, other unknown kinds generic. Names are complete in the
    ///   notes; the name of the course is cut to 15 characters.
    /// - Derived turns are written as turns.
    ///
    /// - The uuid is in GPX, TCX and GeoJSON. FIT has none: the developer field for it needs version 2 of FIT, which older
    ///   bike computers do not load.
    ///
    /// - Parameters:
    ///   - course: a valid course, with two vertices or more.
    ///   - uuid: nil to leave it out.
    ///   - origin: its time of writing is the start of the times.
    package func bytes(
        _ course: CourseData, name: SanitizedText?, uuid: UUID? = nil, origin: ExportMetadata
    ) -> [UInt8] {
        let times = CourseTimes(course, origin)
        switch self {
        case .fit: return FitCourseExport.bytes(course, name, times, origin)
        case .gpx: return CourseText.gpx(course, name, uuid, times)
        case .tcx: return CourseText.tcx(course, name, uuid, times)
        case .geojson: return CourseText.geoJSON(course, name, uuid)
        case .kml: return CourseText.kml(course, name)
        }
    }
}

/// The distances and times of the vertices for a file.
struct CourseTimes {
    /// 10 km/h in metres per second.
    private static let speed = 10 / 3.6

    let start: UTC
    /// Metres from the first vertex.
    private(set) var distances: [Double] = [0]
    /// Milliseconds from the first vertex.
    private(set) var elapsed: [Int64] = [0]
    /// Whether the times are those of the course.
    let areStated: Bool

    init(_ course: CourseData, _ origin: ExportMetadata) {
        start = origin.written ?? UTC(year: 2020, month: 1, day: 1)
        areStated = course.vertices.allSatisfy { $0.elapsedMilliseconds != nil }
        for (one, next) in zip(course.vertices, course.vertices.dropFirst()) {
            let distance = distances[distances.count - 1] + one.coordinate.metres(to: next.coordinate)
            distances.append(distance)
            elapsed.append(
                areStated ? next.elapsedMilliseconds ?? 0 : Int64((distance / Self.speed * 1000).rounded()))
        }
    }

    func time(at vertex: Int) -> UTC {
        UTC(milliseconds: start.milliseconds + elapsed[vertex])
    }
}

/// Writes a FIT course: file, course, lap, the timer's start, course points, records, the timer's end.
enum FitCourseExport {
    private enum Local {
        static let fileID: UInt8 = 0
        static let course: UInt8 = 1
        static let lap: UInt8 = 2
        static let event: UInt8 = 3
        static let point: UInt8 = 4
        static let record: UInt8 = 5
    }

    static func bytes(
        _ course: CourseData, _ name: SanitizedText?, _ times: CourseTimes, _ origin: ExportMetadata
    ) -> [UInt8] {
        var writer = FitWriter()
        let last = course.vertices.count - 1
        let began = second(times, 0)
        writer.message(
            .fileID, as: Local.fileID,
            [
                .enumeration(Fit.FileID.type, Fit.courseFile), .uint16(Fit.FileID.maker, Fit.developmentMaker),
                .uint16(Fit.FileID.product, 1),
                .uint32z(Fit.FileID.serialNumber, origin.serialNumber.map { Int64($0) }),
                .uint32(Fit.FileID.created, began), .text(Fit.FileID.productName, "paced"),
            ])
        writer.course(name, course.sport, as: Local.course)
        let (first, end) = (course.vertices[0].coordinate, course.vertices[last].coordinate)
        writer.message(
            .lap, as: Local.lap,
            [
                .uint32(Fit.timestamp, second(times, last)), .uint32(Fit.Lap.start, began),
                .int32(Fit.Lap.startLatitude, Fit.semicircles(degrees: first.latitude)),
                .int32(Fit.Lap.startLongitude, Fit.semicircles(degrees: first.longitude)),
                .int32(Fit.Lap.endLatitude, Fit.semicircles(degrees: end.latitude)),
                .int32(Fit.Lap.endLongitude, Fit.semicircles(degrees: end.longitude)),
                .uint32(Fit.Lap.elapsed, times.elapsed[last]), .uint32(Fit.Lap.timer, times.elapsed[last]),
                .uint32(Fit.Lap.distance, centimetres(times.distances[last])),
            ])
        timer(&writer, began, Fit.Event.start)
        for (index, point) in course.points.enumerated() {
            let place = course.vertices[point.vertex].coordinate
            writer.coursePoint(
                index, point, at: place, metres: times.distances[point.vertex], second: second(times, point.vertex),
                as: Local.point)
        }
        for (index, vertex) in course.vertices.enumerated() {
            writer.message(
                .record, as: Local.record,
                [
                    .uint32(Fit.timestamp, second(times, index)),
                    .int32(Fit.Record.latitude, Fit.semicircles(degrees: vertex.coordinate.latitude)),
                    .int32(Fit.Record.longitude, Fit.semicircles(degrees: vertex.coordinate.longitude)),
                    .uint32(Fit.Record.distance, centimetres(times.distances[index])),
                    vertex.altitude.flatMap { .uint16(Fit.Record.altitude, Int64((($0 + 500) * 5).rounded())) },
                ])
        }
        timer(&writer, second(times, last), Fit.Event.stopDisableAll)
        let file = FitWriter.header(dataSize: writer.bytes.count) + writer.bytes
        var checksum = Fit.Checksum()
        for byte in file { checksum.add(byte) }
        return file + [UInt8(truncatingIfNeeded: checksum.value), UInt8(checksum.value >> 8)]
    }

    private static func timer(_ writer: inout FitWriter, _ time: Int64, _ type: Int64) {
        writer.message(
            .event, as: Local.event,
            [
                .uint32(Fit.timestamp, time), .enumeration(Fit.Event.event, Fit.Event.timer),
                .enumeration(Fit.Event.type, type),
            ])
    }

    private static func second(_ times: CourseTimes, _ vertex: Int) -> Int64 {
        let seconds = times.time(at: vertex).milliseconds.flooredDivision(by: 1000) - Fit.epoch
        return min(max(seconds, Fit.firstTime), Fit.lastTime)
    }

    private static func centimetres(_ metres: Double) -> Int64 {
        Int64((metres * 100).rounded())
    }
}

extension FitWriter {
    /// Writes the name and the sport of a course.
    mutating func course(_ name: SanitizedText?, _ sport: Sport?, as local: UInt8) {
        message(
            .course, as: local,
            [
                sport.flatMap { .enumeration(Fit.Course.sport, Fit.number(of: $0)) },
                .text(Fit.Course.name, name?.text ?? "Course"),
            ])
    }

    /// Writes a point of a course, with at most 15 bytes of its name: devices reject longer ones.
    ///
    /// - Parameters:
    ///   - metres: from the start of the course.
    ///   - second: FIT time; nil in an activity.
    mutating func coursePoint(
        _ index: Int, _ point: CoursePoint, at place: Coordinate, metres: Double, second: Int64?, as local: UInt8
    ) {
        var name = point.name?.text
        while let text = name, text.utf8.count > 15 { name = String(text.dropLast()) }
        message(
            .coursePoint, as: local,
            [
                .uint16(Fit.messageIndex, Int64(index)), .uint32(Fit.CoursePoint.time, second),
                .int32(Fit.CoursePoint.latitude, Fit.semicircles(degrees: place.latitude)),
                .int32(Fit.CoursePoint.longitude, Fit.semicircles(degrees: place.longitude)),
                .uint32(Fit.CoursePoint.distance, Int64((metres * 100).rounded())),
                .enumeration(Fit.CoursePoint.type, point.kind.fitNumber), .text(Fit.CoursePoint.name, name),
            ])
    }
}

/// Writes the text formats of a course.
private enum CourseText {
    /// GPX 1.1: a waypoint for each point, a route of the points, and the track. The symbol and the type of a point are
    /// the word of its kind.
    static func gpx(_ course: CourseData, _ name: SanitizedText?, _ uuid: UUID?, _ times: CourseTimes) -> [UInt8] {
        var text = FileText()
        text.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="paced" xmlns="http://www.topografix.com/GPX/1/1" \
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
            xsi:schemaLocation="http://www.topografix.com/GPX/1/1 https://www.topografix.com/GPX/1/1/gpx.xsd">
            <metadata>
            """)
        text.element("name", escaped: name?.text)
        text.write("</metadata>\n")
        for point in course.points { text.gpxPoint("wpt", course.vertices[point.vertex], point) }
        if !course.points.isEmpty {
            text.write("<rte>")
            text.element("name", escaped: name?.text)
            text.write("\n")
            text.gpxPoint("rtept", course.vertices[0], nil)
            for point in course.points { text.gpxPoint("rtept", course.vertices[point.vertex], point) }
            text.gpxPoint("rtept", course.vertices[course.vertices.count - 1], nil)
            text.write("</rte>\n")
        }
        text.write("<trk>")
        text.element("name", escaped: name?.text)
        text.element("type", escaped: course.sport.map(\.gpxType))
        text.extensions("extensions", Identity.course, uuid, device: nil)
        text.write("<trkseg>\n")
        for (index, vertex) in course.vertices.enumerated() {
            text.gpxPoint("trkpt", vertex, nil, time: times.areStated ? times.time(at: index) : nil)
        }
        text.write("</trkseg></trk>\n</gpx>\n")
        return text.bytes
    }

    /// A course of the Training Center Database v2.
    static func tcx(_ course: CourseData, _ name: SanitizedText?, _ uuid: UUID?, _ times: CourseTimes) -> [UInt8] {
        var text = FileText()
        text.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2" \
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
            xsi:schemaLocation="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2 \
            https://www8.garmin.com/xmlschemas/TrainingCenterDatabasev2.xsd">
            <Courses><Course>
            """)
        text.element("Name", escaped: token(name?.text, limit: 15) ?? "Course")
        let last = course.vertices.count - 1
        text.write("<Lap>")
        text.element("TotalTimeSeconds", Double(times.elapsed[last]) / 1000, decimals: Decimals.seconds)
        text.element("DistanceMeters", times.distances[last], decimals: Decimals.metres)
        text.tcxPosition(course.vertices[0].coordinate, "BeginPosition")
        text.tcxPosition(course.vertices[last].coordinate, "EndPosition")
        text.write("<Intensity>Active</Intensity></Lap>\n<Track>\n")
        for (index, vertex) in course.vertices.enumerated() {
            text.write("<Trackpoint>")
            text.element("Time", times.time(at: index))
            text.tcxPosition(vertex.coordinate, "Position")
            text.element("AltitudeMeters", vertex.altitude, decimals: Decimals.metres)
            text.element("DistanceMeters", times.distances[index], decimals: Decimals.metres)
            text.write("</Trackpoint>\n")
        }
        text.write("</Track>\n")
        for point in course.points {
            text.write("<CoursePoint>")
            text.element("Name", escaped: token(point.name?.text, limit: 10) ?? point.kind.tcxType)
            text.element("Time", times.time(at: point.vertex))
            text.tcxPosition(course.vertices[point.vertex].coordinate, "Position")
            text.element("PointType", escaped: point.kind.tcxType)
            text.element("Notes", escaped: point.name?.text)
            text.write("</CoursePoint>\n")
        }
        text.extensions("Extensions", Identity.course, uuid, device: nil)
        text.write("</Course></Courses>\n</TrainingCenterDatabase>\n")
        return text.bytes
    }

    /// The first words of a text without the white space that TCX forbids; nil if nothing is left.
    private static func token(_ text: String?, limit: Int) -> String? {
        let words = text?.split { $0 == " " }.joined(separator: " ") ?? ""
        var token = String(String.UnicodeScalarView(words.unicodeScalars.prefix(limit)))
        if token.last == " " { token.removeLast() }
        return token.isEmpty ? nil : token
    }

    /// A FeatureCollection: a LineString, and a Point for each point with its name and kind.
    static func geoJSON(_ course: CourseData, _ name: SanitizedText?, _ uuid: UUID?) -> [UInt8] {
        var text = FileText()
        text.write("{\"type\":\"FeatureCollection\",\"features\":[\n{\"type\":\"Feature\",\"properties\":")
        text.properties(["name": name?.text, "uuid": uuid?.description, "sport": course.sport?.rawValue])
        text.write(",\"geometry\":{\"type\":\"LineString\",\"coordinates\":[")
        for (index, vertex) in course.vertices.enumerated() {
            text.write(index > 0 ? ",\n[" : "[")
            text.position(vertex)
            text.write("]")
        }
        text.write("]}}")
        for point in course.points {
            text.write(",\n{\"type\":\"Feature\",\"properties\":")
            text.properties(["name": point.name?.text, "kind": point.kind.rawValue])
            text.write(",\"geometry\":{\"type\":\"Point\",\"coordinates\":[")
            text.position(course.vertices[point.vertex])
            text.write("]}}")
        }
        text.write("\n]}\n")
        return text.bytes
    }

    /// KML 2.2: a LineString, and a placemark for each point with its kind in the extended data.
    static func kml(_ course: CourseData, _ name: SanitizedText?) -> [UInt8] {
        var text = FileText()
        text.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2"><Document>
            """)
        text.element("name", escaped: name?.text)
        text.write("\n<Placemark>")
        text.element("name", escaped: name?.text)
        text.write("<LineString><coordinates>\n")
        for vertex in course.vertices {
            text.position(vertex)
            text.write("\n")
        }
        text.write("</coordinates></LineString></Placemark>\n")
        for point in course.points {
            text.write("<Placemark>")
            text.element("name", escaped: point.name?.text)
            text.write("<ExtendedData><Data name=\"kind\">")
            text.element("value", escaped: point.kind.rawValue)
            text.write("</Data></ExtendedData><Point><coordinates>")
            text.position(course.vertices[point.vertex])
            text.write("</coordinates></Point></Placemark>\n")
        }
        text.write("</Document></kml>\n")
        return text.bytes
    }
}

extension FileText {
    /// Longitude, latitude and, if it is known, altitude, separated by commas.
    fileprivate mutating func position(_ vertex: CourseVertex) {
        write(vertex.coordinate.longitude, decimals: Decimals.degrees)
        write(",")
        write(vertex.coordinate.latitude, decimals: Decimals.degrees)
        if let altitude = vertex.altitude {
            write(",")
            write(altitude, decimals: Decimals.metres)
        }
    }

    fileprivate mutating func properties(_ members: KeyValuePairs<String, String?>) {
        var line = JSONWriter()
        line.object { line in
            for (name, value) in members { line.member(name, value) }
        }
        write(lines: line.bytes)
    }

    fileprivate mutating func gpxPoint(
        _ name: String, _ vertex: CourseVertex, _ point: CoursePoint?, time: UTC? = nil
    ) {
        write("<")
        write(name)
        write(" lat=\"")
        write(vertex.coordinate.latitude, decimals: Decimals.degrees)
        write("\" lon=\"")
        write(vertex.coordinate.written.longitude, decimals: Decimals.degrees)
        write("\">")
        element("ele", vertex.altitude, decimals: Decimals.metres)
        element("time", time)
        if let point {
            element("name", escaped: point.name?.text)
            element("sym", escaped: point.kind.rawValue)
            element("type", escaped: point.kind.rawValue)
        }
        write("</")
        write(name)
        write(">\n")
    }

    fileprivate mutating func tcxPosition(_ coordinate: Coordinate, _ name: String) {
        write("<")
        write(name)
        write(">")
        element("LatitudeDegrees", coordinate.latitude, decimals: Decimals.degrees)
        element("LongitudeDegrees", coordinate.written.longitude, decimals: Decimals.degrees)
        write("</")
        write(name)
        write(">")
    }
}

extension CoursePointKind {
    /// One of the types that the schema of TCX allows.
    fileprivate var tcxType: String {
        switch self {
        case .summit: "Summit"
        case .valley: "Valley"
        case .water: "Water"
        case .food: "Food"
        case .danger: "Danger"
        case .left, .slightLeft, .sharpLeft, .leftFork: "Left"
        case .right, .slightRight, .sharpRight, .rightFork: "Right"
        case .straight: "Straight"
        case .firstAid: "First Aid"
        case .fourthCategory: "4th Category"
        case .thirdCategory: "3rd Category"
        case .secondCategory: "2nd Category"
        case .firstCategory: "1st Category"
        case .horsCategory: "Hors Category"
        case .sprint: "Sprint"
        default: "Generic"
        }
    }
}
