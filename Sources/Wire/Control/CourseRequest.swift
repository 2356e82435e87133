package import Domain
import JSONCoding

/// A request about courses and the virtual partner.
package enum CourseRequest: Equatable, Sendable {
    /// Summaries, newest first, of the courses with a number below `before`: of the list or of the trash.
    case list(limit: Int, before: Int?, ofTrash: Bool = false)
    case load(Int)
    case unload
    case trash(Int)
    case restore(Int)
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

    static let methods: [RPCMethod<ControlRequest>] = [
        RPCMethod(
            "course.list", "Returns the courses, the newest first.",
            [ActivityRequest.limit.optional, before.optional, ActivityRequest.ofTrash.optional], "courses",
            .array(of: course, #""maxItems":100"#), [.busy, .invalid], .read
        ) {
            .courses(
                .list(
                    limit: try $0[ActivityRequest.limit] ?? 20, before: try $0[before],
                    ofTrash: try $0[ActivityRequest.ofTrash] ?? false))
        },
        RPCMethod(
            "course.load", "Loads a course, also during a run. The answer comes when that is on the disk.",
            [id.required], "course", course, [.busy, .invalid, .notFound], .change,
            log: .numbered("load course")
        ) { .courses(.load(try $0.value(of: id))) },
        RPCMethod(
            "course.unload", "Unloads the course. The answer comes when that is on the disk.", [], "nothing", .null,
            [.refused, .busy], .change, log: "unload the course"
        ) { _ in .courses(.unload) },
        RPCMethod(
            "course.trash",
            "Puts a course that is not loaded in the trash, which erases it after 30 days. Activities on it keep it.",
            [id.required], "nothing", .null, [.busy, .invalid, .refused, .notFound], .change,
            log: .numbered("trash course")
        ) { .courses(.trash(try $0.value(of: id))) },
        RPCMethod(
            "course.restore", "Takes a course out of the trash.", [id.required], "course", course,
            [.busy, .invalid, .notFound], .change, log: .numbered("restore course")
        ) { .courses(.restore(try $0.value(of: id))) },
        RPCMethod(
            "course.delete", "Deletes a course that is not loaded, also one in the trash. Activities on it keep it.",
            [id.required],
            "nothing", .null, [.busy, .invalid, .refused, .notFound], .change,
            log: .numbered("delete course")
        ) { .courses(.delete(try $0.value(of: id))) },
        RPCMethod(
            "course.rename", "Renames a course.", [id.required, ActivityRequest.name.required], "course", course,
            [.busy, .invalid, .notFound], .change, log: .numbered("rename course")
        ) { .courses(.rename(try $0.value(of: id), try $0.value(of: ActivityRequest.name))) },
        RPCMethod(
            "course.partner", "Sets the virtual partner; without a parameter there is none.",
            [pace.optional, activity.optional, onCourse.optional], "nothing", .null,
            [.refused, .busy, .invalid, .notFound], .change, log: "set the partner"
        ) { .courses(.partner(try newPartner($0))) },
        RPCMethod(
            "partner.get", "Returns the virtual partner.", [], "partner",
            .object(
                required: ["kind"],
                [
                    "kind": .oneOf(["none", "pace", "activity"]), "pace_s_per_m": .number, "name": .text,
                    "on_course": .onlyTrue,
                ]), [.invalid], .read
        ) { _ in .courses(.currentPartner) },
        RPCMethod(
            "course.profile", "Returns samples of the loaded course at equal distances.", [points.optional], "profile",
            profile, [.refused, .invalid], .live
        ) { .courses(.profile(points: try $0[points] ?? 200)) },
    ]

    private static let id = RPCParameter.record("id", .course, "The course's number or uuid.")
    private static let before = RPCParameter.record(
        "before", .course, "The number or uuid of a course: only lower numbers.")
    private static let points = RPCParameter.integer("points", 2...500, "The number of samples, 2 to 500. Default 200.")
    private static let activity = RPCParameter.record(
        "activity", .activity, "The number or uuid of the activity that it repeats.")
    private static let onCourse = RPCParameter.flag(
        "on_course",
        "The activity is repeated by its progress on the loaded course, not by distance. Default false.")
    private static let pace = RPCParameter(
        "pace_s_per_m", .number("0.01", "36"), "The pace that it keeps, 0.01 to 36."
    ) { value, name in
        guard let number = value.number, paces.contains(number) else {
            throw RPCError.invalidValue(name, "\(name) must be a number of 0.01 to 36")
        }
        return number
    }

    private static func newPartner(_ parameters: RPCParameters) throws(RPCError) -> NewPartner? {
        let isOnCourse = try parameters[onCourse] ?? false
        let hasActivity = parameters.members["activity"] != nil
        guard !isOnCourse || hasActivity else {
            throw .invalidParameters("on_course", "on_course needs an activity")
        }
        guard !hasActivity || parameters.members["pace_s_per_m"] == nil else {
            throw .invalidParameters("activity", "give pace_s_per_m or activity, not both")
        }
        if let pace = try parameters[pace] { return .pace(pace) }
        return try parameters[activity].map { .activity($0, isOnCourse: isOnCourse) }
    }

    private static let course = JSONSchema.object(
        required: ["id", "added", "length_m", "climbs", "points", "vertices"],
        [
            "id": .id, "uuid": .uuid, "name": .text, "sport": .sport, "added": .time, "length_m": .number,
            "ascent_m": .number,
            "climbs": .integer, "points": .integer, "vertices": .integer, "loaded": .onlyTrue, "trashed": .time,
        ])
    private static let profile = JSONSchema.object(
        required: ["length_m", "distance_m", "climbs"],
        [
            "length_m": .number, "distance_m": .array(of: .number), "altitude_m": .array(of: .number),
            "climbs": .array(
                of: .object(
                    required: ["start_m", "top_m", "ascent_m"],
                    ["start_m": .number, "top_m": .number, "ascent_m": .number])),
        ])
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
            line.member("uuid", course.uuid)
            line.member("name", course.name?.text)
            line.member("sport", course.sport?.rawValue)
            line.member("added", course.added)
            line.member("length_m", course.length, decimals: 1)
            line.member("ascent_m", course.ascent, decimals: 1)
            line.member("climbs", course.climbs)
            line.member("points", course.points)
            line.member("vertices", course.vertices)
            if isLoaded { line.member("loaded", true) }
            if let trashed = course.trashed { line.member("trashed", trashed.at) }
        }
    }
}
