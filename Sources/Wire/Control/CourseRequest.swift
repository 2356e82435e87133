package import Domain
import JSONCoding

/// A request about courses and the virtual partner.
package enum CourseRequest: Equatable, Sendable {
    /// Summaries, newest first, of the courses with a number below `before`.
    case list(limit: Int, before: Int?)
    case load(Int)
    case unload
    /// Takes a course off the list.
    case delete(Int)
    case rename(Int, SanitizedText)
    /// Sets the virtual partner; nil for none.
    case partner(NewPartner?)
    case currentPartner
    /// Samples of the loaded course.
    case profile(points: Int)

    package enum NewPartner: Equatable, Sendable {
        /// Seconds per metre.
        case pace(Double)
        /// Moves as this activity did, by distance or by progress on the loaded course.
        case activity(Int, isOnCourse: Bool)
    }

    /// Seconds per metre: 100 m/s to 2.8 cm/s.
    package static let paces = 0.01...36.0
    private static let ids = 1...Int(Int32.max)

    /// Nil if the method is none of these.
    init?(method: String, parameters: JSON?) throws(RPCError) {
        func id(_ parameters: ControlRequest.Parameters) throws(RPCError) -> Int {
            guard let value = parameters.members["id"] else { throw .invalidParameters("id", "id is missing") }
            return try value.integer(in: Self.ids, field: "id")
        }
        switch method {
        case "course.list":
            let parameters = try ControlRequest.Parameters(parameters, names: ["limit", "before"])
            self = .list(
                limit: try parameters.members["limit"]?.integer(in: 1...100, field: "limit") ?? 20,
                before: try parameters.members["before"]?.integer(in: Self.ids, field: "before"))
        case "course.load": self = .load(try id(try ControlRequest.Parameters(parameters, names: ["id"])))
        case "course.unload":
            try ControlRequest.checkNoParameters(parameters)
            self = .unload
        case "course.delete": self = .delete(try id(try ControlRequest.Parameters(parameters, names: ["id"])))
        case "course.rename":
            let parameters = try ControlRequest.Parameters(parameters, names: ["id", "name"])
            let number = try id(parameters)
            guard let name = try parameters.name() else { throw .invalidParameters("name", "name is missing") }
            self = .rename(number, name)
        case "course.profile":
            let parameters = try ControlRequest.Parameters(parameters, names: ["points"])
            self = .profile(points: try parameters.members["points"]?.integer(in: 2...500, field: "points") ?? 200)
        case "partner.get":
            try ControlRequest.checkNoParameters(parameters)
            self = .currentPartner
        case "course.partner":
            let parameters = try ControlRequest.Parameters(
                parameters, names: ["pace_s_per_m", "activity", "on_course"])
            let (pace, activity) = (parameters.members["pace_s_per_m"], parameters.members["activity"])
            let isOnCourse = try parameters.members["on_course"]?.bool(field: "on_course") ?? false
            guard !isOnCourse || activity != nil else {
                throw .invalidParameters("on_course", "on_course needs an activity")
            }
            switch (pace, activity) {
            case (nil, nil): self = .partner(nil)
            case (let pace?, nil):
                guard let number = pace.number, Self.paces.contains(number) else {
                    throw .invalidValue("pace_s_per_m", "pace_s_per_m must be a number of 0.01 to 36")
                }
                self = .partner(.pace(number))
            case (nil, let activity?):
                let id = try activity.integer(in: Self.ids, field: "activity")
                self = .partner(.activity(id, isOnCourse: isOnCourse))
            case (_?, _?):
                throw .invalidParameters("activity", "give pace_s_per_m or activity, not both")
            }
        default: return nil
        }
    }
}

extension JSONWriter {
    /// Writes the first courses that fit. A client requests the others by the last one's number.
    mutating func courses(_ courses: [CourseSummary], loaded: CourseHash?) {
        array { line in
            for course in courses {
                var one = JSONWriter(capacity: 256)
                one.course(course, isLoaded: course.hash == loaded)
                if line.bytes.count + one.bytes.count > Self.listLimit { return }
                line.value(written: one.bytes)
            }
        }
    }

    mutating func partner(_ partner: Partner?) {
        object { line in
            switch partner {
            case nil: line.member("kind", "none")
            case .pace(let pace):
                line.member("kind", "pace")
                line.member("pace_s_per_m", pace, decimals: 4)
            case .recorded(let recorded):
                line.member("kind", "activity")
                line.member("name", recorded.name?.text)
                if recorded.curve?.course != nil { line.member("on_course", true) }
            }
        }
    }

    mutating func samples(_ samples: CourseSamples) {
        object { line in
            line.member("length_m", samples.length, decimals: 1)
            line.array("distance_m") { for metres in samples.distances { $0.value(metres, decimals: 1) } }
            if !samples.altitudes.isEmpty {
                line.array("altitude_m") { for metres in samples.altitudes { $0.value(metres, decimals: 1) } }
            }
            line.array("climbs") { line in
                for climb in samples.climbs {
                    line.object { line in
                        line.member("start_m", climb.start, decimals: 1)
                        line.member("top_m", climb.top, decimals: 1)
                        line.member("ascent_m", climb.ascent, decimals: 1)
                    }
                }
            }
        }
    }

    /// Writes a course of the list as an object.
    package mutating func course(_ course: CourseSummary, isLoaded: Bool) {
        object { line in
            line.member("id", course.id)
            line.member("name", course.name?.text)
            line.member("sport", course.sport?.rawValue)
            line.member("added", course.added)
            line.member("length_m", course.length, decimals: 1)
            line.member("ascent_m", course.ascent, decimals: 1)
            line.member("climbs", course.climbs)
            line.member("points", course.points)
            line.member("vertices", course.vertices)
            if isLoaded { line.member("loaded", true) }
        }
    }
}
