import Domain
import Formats
import JSONCoding
import Linux
import Storage
import Wire

extension Command {
    static let course = [
        Command(
            "course", words: [.optional("list", .words(["list"]))], options: [Options.trash],
            "list the courses, newest first", read: { $0.has(Options.trash) ? RecordPlace.trash : .lists },
            run: { try $0.courseList(in: $1) }),
        command(
            "course show",
            "show the profile, the climbs and the points of a course; REF is its number, its name, last, or loaded",
            run: { try $0.courseText($1) }),
        Command(
            "course import", words: [.some("FILE...", "a file", .files)], options: [Options.name, Options.load],
            "store courses: FIT, TCX, GPX, KML or GeoJSON; --load follows the last one",
            read: { arguments in
                let name = arguments[Options.name]
                guard name == nil || arguments.words.count == 1 else {
                    throw Failure.usage("--name names one course: import one file")
                }
                return (paths: arguments.words, name: name, loads: arguments.has(Options.load))
            }, run: { try $0.importCourses($1.paths, name: $1.name, loads: $1.loads) }),
        Command(
            "course export", words: [reference], options: [Options.courseFormat, Options.output, Options.anonymous],
            others: [Options.force],
            "write a course as fit, gpx, tcx, geojson or kml",
            read: { arguments in
                (try CourseReference(word: arguments.words[0]), try CourseExportRequest(arguments))
            }, run: { try $0.export($1.0, $1.1) }),
        command(
            "course load", "follow a course in the next run, or from now on in the present one",
            run: { try $0.load($1) }),
        Command("course unload", "follow none", run: { try $0.unloadCourse() }),
        Command(
            "course from", words: [.activity], options: [Options.name],
            "make a course of an activity",
            read: { arguments in
                (try ActivityReference(word: arguments.words[0]), arguments[Options.name])
            }, run: { try $0.course(from: $1.0, name: $1.1) }),
        command("course reverse", "make a course in the other direction", run: { try $0.reverse($1) }),
        Command(
            "course rename", words: [reference, .some("NAME", "a name after the course")], "name a course",
            read: { arguments in
                (try CourseReference(word: arguments.words[0]), arguments.words.dropFirst().joined(separator: " "))
            }, run: { try $0.rename($1.0, $1.1) }),
        Command(
            "course delete", words: [reference], options: [Options.atOnce],
            "put a course in the trash; activities on it keep it; --now erases it for good",
            read: { (try CourseReference(word: $0.words[0]), $0.has(Options.atOnce)) },
            run: { try $0.deleteCourse($1.0, isNow: $1.1) }),
        Command(
            "course restore", words: [.one("ID", "the number of a course in the trash")],
            "take a course out of the trash",
            read: { arguments in try CourseReference(word: arguments.words[0]) }, run: { try $0.restore($1) }),
        Command(
            "course partner", words: [.optional("PACE|ID|off", .words(["off", ActivityReference.lastWord]))],
            options: [Options.onCourse],
            "show the partner, or run against a pace such as 5:00/km, or against an activity, by distance or by place "
                + "on the course",
            read: { arguments -> NewPartner? in
                let isOnCourse = arguments.has(Options.onCourse)
                if arguments.words.isEmpty, !isOnCourse { return nil }
                return try NewPartner(arguments.words.first, isOnCourse: isOnCourse)
            },
            run: { invocation, partner -> String in
                if let partner { try invocation.choose(partner) } else { try invocation.partnerText() }
            }),
    ]

    private static let reference = CommandArgument.one(
        "REF", "the number or the name of a course, last or loaded",
        .words([ActivityReference.lastWord, CourseReference.loadedWord]))

    /// A command about one course.
    private static func command(
        _ name: String, _ text: String,
        run: @escaping @Sendable (Invocation, CourseReference) throws -> String
    ) -> Command {
        Command(
            name, words: [reference], text,
            read: { arguments in try CourseReference(word: arguments.words[0]) }, run: run)
    }
}

extension Options {
    fileprivate static let load = CommandOption.flag("--load", "follow it")
    fileprivate static let onCourse = CommandOption.flag("--on-course", "compare by place on the course")
    static let courseFormat = CommandOption<CourseFormat>.choice("--format", "the format of the file", word: "F")
}

/// Whom `course partner` runs against.
package enum NewPartner: Equatable {
    case off
    /// Seconds for a kilometre or a mile; nil for the user's unit.
    case pace(seconds: Int, isMetric: Bool?)
    case activity(ActivityReference, isOnCourse: Bool)
}

extension Invocation {
    fileprivate func rename(_ reference: CourseReference, _ name: String) throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let id = try control.number(of: reference)
        let parameters = "{\"id\":\(id),\"name\":\(JSONText.string(name))}"
        return try answer(try control.call("course.rename", parameters), "Renamed", &control)
    }

    fileprivate func unloadCourse() throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let result = try control.call("course.unload")
        return isJSON ? result + "\n" : "The course is unloaded.\n"
    }

    fileprivate func deleteCourse(_ reference: CourseReference, isNow: Bool) throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let id = try control.number(of: reference)
        let result = try control.call(isNow ? "course.delete" : "course.trash", "{\"id\":\(id)}")
        if isJSON { return result + "\n" }
        if isNow { return "Erased: course \(id).\n" }
        return "In the trash: course \(id). 'pacectl course restore \(id)' takes it out.\n"
    }

    fileprivate func restore(_ reference: CourseReference) throws(Failure) -> String {
        guard case .number(let id) = reference else {
            throw .usage("course restore needs a number: 'pacectl trash' lists them")
        }
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        return try answer(try control.call("course.restore", "{\"id\":\(id)}"), "Restored", &control)
    }

    func load(_ reference: CourseReference) throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let id = try control.number(of: reference)
        return try answer(try control.call("course.load", "{\"id\":\(id)}"), "Loaded", &control)
    }

    private func answer(_ result: String, _ verb: String, _ control: inout ControlClient) throws(Failure) -> String {
        if isJSON { return result + "\n" }
        let course = try? JSON(parsing: result.utf8)
        let words = StatusText(metric: metric ?? control.metricSetting())
        let text = words.joined(
            "course \(course?["id"]?.integer ?? 0)", course?["name"]?.harmlessText(),
            course?["length_m"]?.number.map { words.courseDistance($0) },
            course?["ascent_m"]?.number.map { words.courseClimb($0) + " up" })
        return "\(verb): \(text).\n"
    }

    fileprivate func partnerText() throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let result = try control.call("partner.get")
        if isJSON { return result + "\n" }
        let partner = try? JSON(parsing: result.utf8)
        if let pace = partner?["pace_s_per_m"]?.number {
            return Self.text(ofPace: pace, isMetric: metric ?? control.metricSetting())
        }
        if partner?["kind"]?.string == "activity" {
            return "The partner moves as in \(partner?["name"]?.harmlessText() ?? "an activity")"
                + (partner?["on_course"] == nil ? ".\n" : ", on the course.\n")
        }
        return Self.noPartner
    }

    private static let noPartner = "There is no partner.\n"

    private static func text(ofPace pace: Double, isMetric: Bool) -> String {
        "The partner keeps a pace of \(StatusText(metric: isMetric).pace(pace)).\n"
    }

    fileprivate func choose(_ partner: NewPartner) throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let parameters: String
        let text: String
        switch partner {
        case .off: (parameters, text) = ("{}", Self.noPartner)
        case .pace(let seconds, let unit):
            let isMetric = unit ?? metric ?? control.metricSetting()
            let pace = Double(seconds) / (isMetric ? 1000 : RunFormat.metresPerMile)
            parameters = "{\"pace_s_per_m\":\(pace)}"
            text = Self.text(ofPace: pace, isMetric: isMetric)
        case .activity(let reference, let isOnCourse):
            let id = try control.number(of: reference)
            parameters = "{\"activity\":\(id),\"on_course\":\(isOnCourse)}"
            text = "The partner moves as in activity \(id)" + (isOnCourse ? ", on the course.\n" : ".\n")
        }
        let result = try control.call("course.partner", parameters, lasting: .seconds(30))
        return isJSON ? result + "\n" : text
    }
}

extension NewPartner {
    /// - Parameter word: a pace as `5:00/km` or `8:00/mi`, an activity, or off.
    init(_ word: String?, isOnCourse: Bool) throws(Failure) {
        guard let word else { throw .usage("course partner needs a pace such as 5:00/km, an activity, or off") }
        guard word == "off" || word.contains("/") || word.contains(":") else {
            self = .activity(try ActivityReference(word: word), isOnCourse: isOnCourse)
            return
        }
        if isOnCourse { throw .usage("--on-course needs an activity; a pace is on the course that is loaded anyway") }
        if word == "off" {
            self = .off
            return
        }
        let parts = word.split(separator: "/", omittingEmptySubsequences: false)
        let times = parts[0].split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        let isMetric = parts.count == 2 ? ["km": true, "mi": false][parts[1]] : nil
        guard parts.count == 1 || isMetric != nil, times.count == 2, let minutes = times[0], let seconds = times[1],
            (0...600).contains(minutes), (0...59).contains(seconds)
        else { throw .usage("'\(word)' is not a pace such as 5:00/km or 8:00/mi") }
        // Nobody keeps 120 km/h, and whoever types that means another unit.
        guard minutes * 60 + seconds >= 30 else { throw .usage("a pace of \(word) is too fast: at least 0:30") }
        self = .pace(seconds: minutes * 60 + seconds, isMetric: isMetric)
    }
}

extension StatusText {
    /// A distance with its unit.
    func courseDistance(_ metres: Double) -> String {
        let unit = metric ? 1000 : 1609.344
        return (DecimalFormat.text(metres / unit, decimals: 1) ?? "--") + (metric ? " km" : " mi")
    }

    /// A height with its unit.
    func courseClimb(_ metres: Double) -> String {
        (DecimalFormat.text(metric ? metres : metres / 0.3048, decimals: 0) ?? "--") + (metric ? " m" : " ft")
    }
}
