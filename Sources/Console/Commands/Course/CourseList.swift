import Domain
import JSONCoding
import JournalCoding
import Pipeline
import Storage
import Wire

extension Invocation {
    /// The courses of the list or the trash, newest first, as a table or as objects in the wire format.
    func courseList(in place: RecordPlace = .lists) throws(Failure) -> String {
        let state = StateDirectory(stateDirectory)
        let journal = try state.journal()
        do {
            let courses = try journal.courses(climbScore: journal.climbScore, in: place)
            let loaded = try journal.loadedCourseHash()
            if isJSON {
                var lines = JSONWriter()
                for course in courses {
                    lines.course(course, isLoaded: course.hash == loaded)
                    lines.newline()
                }
                return String(decoding: lines.bytes, as: UTF8.self)
            }
            if courses.isEmpty, place == .trash { return "No course is in the trash.\n" }
            if courses.isEmpty { return "No course yet: 'pacectl course import FILE' stores one.\n" }
            let words = StatusText(metric: metric ?? journal.isMetric)
            var table = TextTable([
                TextTable.Column(head: "ID", isNumber: true), TextTable.Column(head: "NAME"),
                TextTable.Column(head: "SPORT"), TextTable.Column(head: "LENGTH", isNumber: true),
                TextTable.Column(head: "ASCENT", isNumber: true), TextTable.Column(head: "CLIMBS", isNumber: true),
                TextTable.Column(head: "POINTS", isNumber: true), TextTable.Column(head: ""),
            ])
            for course in courses {
                table.append([
                    String(course.id), course.name.map { TerminalText.cut($0.text, to: 32) } ?? "",
                    course.sport?.rawValue ?? "", words.courseDistance(course.length),
                    course.ascent.map(words.courseClimb) ?? "", String(course.climbs), String(course.points),
                    course.hash == loaded ? "loaded" : "",
                ])
            }
            return table.lines.map { $0 + "\n" }.joined()
        } catch {
            throw state.failure(reading: error)
        }
    }

    /// One course with its profile, its climbs and its course points.
    func courseText(_ reference: CourseReference) throws(Failure) -> String {
        let state = StateDirectory(stateDirectory)
        let journal = try state.journal()
        do {
            var summary = try journal.course(reference)
            guard let course = try journal.loadableCourse(summary)?.course else {
                throw Failure.failed("the data of course \(summary.id) is lost")
            }
            let isLoaded = try journal.loadedCourseHash() == summary.hash
            let samples = try course.samples(CourseProfile.points, climbScore: journal.climbScore)
            let climbs = samples.climbs
            summary.climbs = climbs.count
            if isJSON {
                var line = JSONWriter()
                line.object { line in
                    line.key("course")
                    line.course(summary, isLoaded: isLoaded)
                    line.array("climbs") { list in
                        for climb in climbs {
                            list.object { line in
                                line.member("start_m", climb.start, decimals: 1)
                                line.member("length_m", climb.length, decimals: 1)
                                line.member("ascent_m", climb.ascent, decimals: 1)
                                line.member("grade_percent", climb.averageGrade, decimals: 1)
                            }
                        }
                    }
                    line.array("points") { list in
                        for point in course.points {
                            list.object { line in
                                line.member("distance_m", course.distances[point.vertex], decimals: 1)
                                line.member("type", point.kind.rawValue)
                                line.member("name", point.name?.text)
                                if point.isDerived { line.member("derived", true) }
                            }
                        }
                    }
                }
                line.newline()
                return String(decoding: line.bytes, as: UTF8.self)
            }
            let words = StatusText(metric: metric ?? journal.isMetric)
            var lines = [
                "Course \(summary.id)" + (summary.name.map { ", \($0.text)" } ?? "") + (isLoaded ? ", loaded" : ""),
                words.joined(
                    summary.sport?.rawValue, words.courseDistance(course.length),
                    course.ascent.map { words.courseClimb($0) + " up" }, "\(summary.vertices) vertices"),
            ]
            lines += Self.profile(of: samples)
            for (number, climb) in climbs.enumerated() {
                lines.append(
                    "Climb \(number + 1): from \(words.courseDistance(climb.start)), "
                        + "\(words.courseDistance(climb.length)) long, \(words.courseClimb(climb.ascent)) up, "
                        + (DecimalFormat.text(climb.averageGrade, decimals: 1) ?? "--") + " %")
            }
            var table = TextTable([
                TextTable.Column(head: "AT", isNumber: true), TextTable.Column(head: "POINT"),
                TextTable.Column(head: "NAME"),
            ])
            for point in course.points {
                table.append([
                    words.courseDistance(course.distances[point.vertex]), point.kind.rawValue, point.name?.text ?? "",
                ])
            }
            if !course.points.isEmpty { lines += table.lines }
            return lines.map { $0 + "\n" }.joined()
        } catch {
            throw state.failure(reading: error)
        }
    }

    private static let profileSize = Size(columns: 64, rows: 4)

    /// The altitudes as block characters; empty if they are unknown, or the terminal has no such characters.
    private static func profile(of samples: CourseSamples) -> [String] {
        guard CharacterSet.ofTerminal == .utf8, let profile = CourseProfile(samples) else { return [] }
        let columns = profile.columns(profileSize.columns, rows: profileSize.rows)
        return (0..<profileSize.rows).reversed().map { row in
            columns.map { $0.block(inRow: row) ?? " " }.joined()
        }
    }
}

extension JournalReader {
    /// The setting `climb_score`, else its default.
    fileprivate var climbScore: Int {
        get throws {
            var settings = Settings()
            let stored = try self.settings().first { $0.name == SettingKey.climbScore.token }
            // A damaged setting has its default.
            if let json = stored.flatMap({ try? JSON(parsing: $0.value.utf8) }) {
                try? SettingChange(stored: .climbScore, json).apply(to: &settings)
            }
            return settings.climbScore
        }
    }

    /// The courses of the list or the trash, with the climbs that count by a score. The journal has their number by the default one.
    fileprivate func courses(climbScore: Int, in place: RecordPlace) throws -> [CourseSummary] {
        let courses = try courses(limit: .max, in: place)
        if climbScore == Settings().climbScore { return courses }
        return courses.map { course in
            var course = course
            // The list has a course whose data is damaged, too.
            let indexed = try? loadableCourse(course)?.course
            course.climbs = indexed?.climbs(leastScore: climbScore).count ?? course.climbs
            return course
        }
    }
}
