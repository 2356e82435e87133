package import Domain
package import JSONCoding

/// The data of an upload of kind `course`: a course as JSON lines, as docs/protocol.md describes them.
///
///     {"format":"paced-course","version":1,"name":"Round the lake","sport":"ride"}    header
///     {"row":"vertex","latitude":52.5,"longitude":13.4,"altitude_m":34.5}             the track, in order
///     {"row":"course-point","vertex":0,"type":"left","name":"Main street"}            after the track, in order
///     {"row":"course","vertices":1,"points":1}                                        the last line
package enum CourseUpload {
    package static let format = "paced-course"
    package static let version = 1
}

extension JSONWriter {
    /// Writes all lines of a course.
    package mutating func upload(_ course: CourseData, name: SanitizedText?, uuid: UUID? = nil) {
        object { line in
            line.member("format", CourseUpload.format)
            line.member("version", CourseUpload.version)
            line.member("name", name?.text)
            line.member("uuid", uuid)
            line.member("sport", course.sport?.rawValue)
        }
        newline()
        for vertex in course.vertices {
            object { line in
                line.member("row", "vertex")
                var vertex = vertex
                line.members { vertex.members(&$0) }
            }
            newline()
        }
        for point in course.points {
            object { line in
                line.member("row", "course-point")
                line.member("vertex", point.vertex)
                line.member("type", point.kind.rawValue)
                line.member("name", point.name?.text)
                if point.isDerived { line.member("derived", true) }
            }
            newline()
        }
        object { line in
            line.member("row", "course")
            line.member("vertices", course.vertices.count)
            line.member("points", course.points.count)
        }
        newline()
    }
}

extension CourseVertex {
    fileprivate mutating func members(_ list: inout JSONMembers) {
        list.member("latitude", &coordinate.latitude, decimals: nil, in: -90...90)
        list.member("longitude", &coordinate.longitude, decimals: nil, in: -180...180)
        list.member("altitude_m", &altitude, decimals: nil, in: -1e5...1e5)
        list.member("elapsed_ms", &elapsedMilliseconds, in: 0...ActivityUploadReader.longest)
    }
}

/// Reads the lines of a ``CourseUpload``, which any client may have written: each value is validated.
package struct CourseUploadReader: Sendable {
    package typealias Failure = ActivityUploadReader.Failure

    package private(set) var name: SanitizedText?
    package private(set) var uuid: UUID?
    private var data = CourseData()
    private var lines = 0
    private var isComplete = false

    package init() {}

    /// - Parameter line: without its newline.
    package mutating func read(_ line: some Collection<UInt8>) throws(Failure) {
        lines += 1
        do throws(Failure) {
            guard !isComplete else { throw Failure("nothing may follow the row course") }
            guard line.count <= ActivityUpload.lineLimit else {
                throw Failure("a line is at most \(ActivityUpload.lineLimit) bytes")
            }
            try read(ActivityUploadReader.parse(line))
        } catch {
            throw Failure("line \(lines): \(error)")
        }
    }

    /// Checks that the data is complete.
    package func finish() throws(Failure) -> CourseData {
        guard isComplete else { throw Failure("line \(lines + 1): the row course is missing: the data is cut") }
        return data
    }

    private mutating func read(_ json: JSON) throws(Failure) {
        if lines == 1 {
            guard json["format"]?.string == CourseUpload.format, json["version"]?.integer == CourseUpload.version
            else { throw Failure("the format must be \(CourseUpload.format), version \(CourseUpload.version)") }
            try json.read {
                $0.member("name", &name)
                $0.member("uuid", &uuid)
                $0.member("sport", word: &data.sport)
            }
            return
        }
        switch json["row"]?.string {
        case "vertex":
            guard data.points.isEmpty else { throw Failure("a vertex follows a course point") }
            guard data.vertices.count < CourseData.vertexLimit else {
                throw Failure("more than \(CourseData.vertexLimit) vertices")
            }
            guard json["latitude"] != nil, json["longitude"] != nil else {
                throw Failure("latitude or longitude is missing")
            }
            var vertex = CourseVertex(Coordinate(latitude: 0, longitude: 0))
            try json.read { vertex.members(&$0) }
            data.vertices.append(vertex)
        case "course-point":
            guard data.points.count < CourseData.pointLimit else {
                throw Failure("more than \(CourseData.pointLimit) course points")
            }
            guard !data.vertices.isEmpty else { throw Failure("a course point is before the track") }
            let vertex = try json.needed(
                "vertex", in: Int64(data.points.last?.vertex ?? 0)...Int64(data.vertices.count - 1))
            var point = CoursePoint(vertex: Int(vertex), try json.token("type"))
            try json.read {
                $0.member("name", &point.name)
                $0.member("derived", onlyTrue: &point.isDerived)
            }
            data.points.append(point)
        case "course":
            guard json["vertices"]?.integer == data.vertices.count, json["points"]?.integer == data.points.count else {
                throw Failure("vertices and points must be the numbers of the rows: the data is cut")
            }
            isComplete = true
        default: throw Failure("row must be vertex, course-point or course")
        }
    }
}
