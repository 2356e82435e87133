import Domain
import JSONCoding

/// Courses in words, for users.
package struct CourseWords {
    let metric: Bool

    package init(metric: Bool) {
        self.metric = metric
    }

    /// A distance along a course: whole metres or tens of feet nearby, kilometres or miles with one decimal beyond.
    package func distance(_ metres: Double) -> String {
        let feet = metres / 0.3048
        if metric, metres < 999.5 { return RunFormat.height(metres: metres, metric: true) }
        if !metric, feet < 1000 { return RunFormat.height(metres: (feet / 10).rounded() * 3.048, metric: false) }
        let far = DecimalFormat.text(metres / (metric ? 1000 : 1609.344), decimals: 1) ?? "--"
        return far + " " + RunFormat.distanceUnit(metric: metric)
    }

    func height(_ metres: Double) -> String {
        RunFormat.height(metres: metres, metric: metric)
    }

    static func percent(_ value: Double) -> String {
        (DecimalFormat.text(value, decimals: 1) ?? "--") + " %"
    }

    /// The type of a course point, such as "Slight left".
    static func name(of kind: CoursePointKind) -> String {
        switch kind {
        case .uTurn: return "U-turn"
        case .generic: return "Point"
        default: break
        }
        let words = kind.rawValue.split(separator: "-").joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// A course point with its distance, such as "Left in 120 m: Mill Lane". A point without a particular type has its name
    /// in the place of the type.
    ///
    /// - Parameter lead: words before it.
    static func text(of kind: CoursePointKind, _ place: String, name: String?, after lead: String = "") -> String {
        let word = lead.isEmpty ? Self.name(of: kind) : Self.name(of: kind).lowercasedFirst
        guard let name else { return lead + word + " " + place }
        switch kind {
        case .generic, .info: return lead + name + " " + place
        default: return lead + word + " " + place + ": " + name
        }
    }

    static func isTurn(_ kind: CoursePointKind) -> Bool {
        arrow(of: kind) != "●"
    }

    /// The arrow of a course point; a dot if it is no turn.
    static func arrow(of kind: CoursePointKind) -> String {
        switch kind {
        case .left: "←"
        case .right: "→"
        case .straight, .middleFork: "↑"
        case .slightLeft, .leftFork: "↖"
        case .slightRight, .rightFork: "↗"
        case .sharpLeft: "↙"
        case .sharpRight: "↘"
        case .uTurn: "↓"
        default: "●"
        }
    }

    func backToCourse(_ metres: Double, bearing: Double?) -> String {
        "Off course: " + distance(metres) + (bearing.map { ", go " + RunFormat.compass($0) } ?? "")
    }

    /// An EVENT `course`, `cue` or `climb`; nil if it needs no banner.
    ///
    /// - Parameter course: the course at the moment of the event.
    func text(_ event: JSON, course: CourseStatus?) -> String? {
        switch event["event"]?.string {
        case "cue":
            guard let cue = CueAhead(event) else { return nil }
            let isHere = event["stage"]?.string == CueReport.Stage.here.rawValue
            return Self.text(of: cue.kind, isHere ? "here" : "in " + distance(cue.metres), name: cue.name?.text)
        case "climb":
            guard let number = event["number"]?.integer(in: 1...9999), let count = event["count"]?.integer(in: 1...9999)
            else { return nil }
            let title = "Climb \(number) of \(count)"
            if event["change"]?.string == "top" { return title + ": top" }
            guard let length = event.metres("length_m"), let ascent = event.metres("ascent_m"),
                let grade = event["average_grade_percent"]?.number
            else { return title }
            return title + ": " + [distance(length), height(ascent), Self.percent(grade)].joined(separator: ", ")
        case "course": return text(ofChange: event, course)
        default: return nil
        }
    }

    private func text(ofChange event: JSON, _ course: CourseStatus?) -> String? {
        switch event["change"]?.string {
        case "loaded": return "Course loaded" + (event["name"]?.harmlessText().map { ": " + $0 } ?? "")
        case "unloaded": return "Course unloaded"
        case "on": return "On the course"
        case "off":
            let metres = event.metres("off_m")
            return metres.map { backToCourse($0, bearing: course?.returnBearing) } ?? "Off course"
        case "wrong-way": return "Wrong way: turn around"
        case "done": return "End of the course"
        default: return nil
        }
    }
}

extension JSON {
    /// A member in metres, below 1e9; nil for other values.
    func metres(_ name: String) -> Double? {
        self[name]?.number.flatMap { abs($0) < 1e9 ? $0 : nil }
    }
}

extension String {
    var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
