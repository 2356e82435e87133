import Domain
import JSONCoding
import Linux
import Storage
import Wire

extension Invocation {
    /// Commands about courses.
    package enum CourseCommand: Equatable {
        case list, unload
        /// Each file becomes a course; the last one is loaded if wanted.
        case importFiles([String], name: String?, loads: Bool)
        case export(CourseReference, CourseExportRequest)
        case show(CourseReference)
        case load(CourseReference)
        case delete(CourseReference)
        case rename(CourseReference, name: String)
        case reverse(CourseReference)
        /// Makes a course of an activity.
        case from(ActivityReference, name: String?)
        case partner(NewPartner)
        case showPartner

        package enum NewPartner: Equatable {
            case off
            /// Seconds for a kilometre or a mile; nil for the user's unit.
            case pace(seconds: Int, isMetric: Bool?)
            case activity(ActivityReference, isOnCourse: Bool)
        }

        init(_ words: [String], _ options: CommandOptions) throws(Failure) {
            let rest = words.dropFirst(2)
            let word = words.dropFirst().first
            switch words.first {
            case nil,
                "list" where words.count == 1:
                self = .list
            case "import":
                let files = Array(words.dropFirst())
                guard !files.isEmpty else { throw .usage("course import needs a file") }
                guard options.name == nil || files.count == 1 else {
                    throw .usage("--name names one course: import one file")
                }
                self = .importFiles(files, name: options.name, loads: options.loads)
            case "export" where rest.isEmpty:
                self = .export(
                    try CourseReference(word, after: "course export"), try CourseExportRequest(options))
            case "unload" where words.count == 1: self = .unload
            case "rename" where !rest.isEmpty:
                self = .rename(try CourseReference(word, after: "course rename"), name: rest.joined(separator: " "))
            case "show" where rest.isEmpty: self = .show(try CourseReference(word, after: "course show"))
            case "load" where rest.isEmpty: self = .load(try CourseReference(word, after: "course load"))
            case "delete" where rest.isEmpty: self = .delete(try CourseReference(word, after: "course delete"))
            case "reverse" where rest.isEmpty: self = .reverse(try CourseReference(word, after: "course reverse"))
            case "from" where rest.isEmpty:
                self = .from(try ActivityReference(word, after: "course from"), name: options.name)
            case "partner" where words.count == 1 && !options.isOnCourse: self = .showPartner
            case "partner" where rest.isEmpty:
                self = .partner(try NewPartner(word, isOnCourse: options.isOnCourse))
            default:
                throw .usage(
                    "use 'course list', 'course show REF', 'course import FILE', 'course export REF', 'course load REF', "
                        + "'course unload', 'course rename REF NAME', 'course delete REF', 'course reverse REF', "
                        + "'course from ID' or 'course partner [PACE|ID|off]'")
            }
        }
    }

    /// - Returns: the text to print.
    func perform(_ command: CourseCommand) throws(Failure) -> String {
        switch command {
        case .list: return try courseList()
        case .show(let reference): return try courseText(reference)
        case .importFiles(let paths, let name, let loads): return try importCourses(paths, name: name, loads: loads)
        case .export(let reference, let request): return try export(reference, request)
        case .reverse(let reference): return try reverse(reference)
        case .from(let activity, let name): return try course(from: activity, name: name)
        case .load(let reference): return try load(reference)
        case .rename(let reference, let name):
            var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
            let id = try control.number(of: reference)
            let parameters = "{\"id\":\(id),\"name\":\(JSONText.string(name))}"
            return try answer(try control.call("course.rename", parameters), "Renamed", &control)
        case .unload:
            var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
            let result = try control.call("course.unload")
            return isJSON ? result + "\n" : "The course is unloaded.\n"
        case .delete(let reference):
            var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
            let id = try control.number(of: reference)
            let result = try control.call("course.delete", "{\"id\":\(id)}")
            return isJSON ? result + "\n" : "Deleted: course \(id).\n"
        case .partner(let partner): return try choose(partner)
        case .showPartner: return try partnerText()
        }
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

    private func partnerText() throws(Failure) -> String {
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

    private func choose(_ partner: CourseCommand.NewPartner) throws(Failure) -> String {
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

extension Invocation.CourseCommand.NewPartner {
    /// - Parameter word: a pace as `5:00/km` or `8:00/mi`, an activity, or off.
    init(_ word: String?, isOnCourse: Bool) throws(Failure) {
        guard let word else { throw .usage("course partner needs a pace such as 5:00/km, an activity, or off") }
        guard word == "off" || word.contains("/") || word.contains(":") else {
            self = .activity(try ActivityReference(word, after: "course partner"), isOnCourse: isOnCourse)
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
