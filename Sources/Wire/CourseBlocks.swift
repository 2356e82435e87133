package import Domain
package import JSONCoding

// The blocks `course` and `partner` of STATE.

extension CourseStatus: JSONObject {
    package init() { self.init(lengthMetres: 0) }

    package mutating func members(_ list: inout JSONMembers) {
        var remaining = remainingMetres
        list.member("id", &number, in: 1...Int64(Int32.max))
        list.member("name", &name)
        list.member("status", word: &status)
        list.member("length_m", &lengthMetres, decimals: 1)
        list.member("progress_m", &progressMetres, decimals: 1)
        list.member("remaining_m", &remaining, decimals: 1)
        list.member("cross_track_m", &crossTrackMetres, decimals: 1)
        list.member("return_m", &returnMetres, decimals: 1)
        list.member("return_bearing_deg", &returnBearing, decimals: 1)
        list.member("cue", &cue)
        list.member("second_cue", &secondCue)
        list.member("arrival_s", &arrivalSeconds, decimals: 0)
        list.member("ascent_m", &ascentMetres, decimals: 1)
        list.member("remaining_ascent_m", &remainingAscentMetres, decimals: 1)
        list.member("grade_percent", &grade, decimals: 1)
        list.member("climb", &climb)
        list.member("ascent_difference_m", &ascentDifference, decimals: 1)
    }
}

extension CueAhead: JSONObject {
    package init() {
        self.init(.generic, name: nil, isDerived: false, metres: 0, seconds: nil)
    }

    package mutating func members(_ list: inout JSONMembers) {
        // A kind of a later release is a point like any other.
        var word: CoursePointKind? = kind
        list.member("type", word: &word)
        kind = word ?? .generic
        list.member("name", &name)
        list.member("derived", onlyTrue: &isDerived)
        list.member("distance_m", &metres, decimals: 1)
        list.member("in_s", &seconds, decimals: 1)
    }
}

extension ClimbAhead: JSONObject {
    package init() {
        self.init(
            number: 0, count: 0, startMetres: 0, topMetres: 0, ascentMetres: 0, averageGrade: 0, gradeAhead: 0)
    }

    package mutating func members(_ list: inout JSONMembers) {
        list.member("number", &number, in: 1...9999)
        list.member("count", &count, in: 1...9999)
        list.member("start_m", &startMetres, decimals: 1)
        list.member("top_m", &topMetres, decimals: 1)
        list.member("ascent_m", &ascentMetres, decimals: 1)
        list.member("average_grade_percent", &averageGrade, decimals: 1)
        list.member("grade_ahead_percent", &gradeAhead, decimals: 1)
    }
}

extension PartnerStatus: JSONObject {
    package init() { self.init(secondsAhead: nil, metresAhead: 0) }

    package mutating func members(_ list: inout JSONMembers) {
        list.member("name", &name)
        list.member("pace_s_per_m", &pace, decimals: 4)
        list.member("ahead_s", &secondsAhead, decimals: 1)
        list.member("ahead_m", &metresAhead, decimals: 1)
    }
}

// EVENTs of the course.
extension JSONWriter {
    mutating func members(of event: CourseEvent) {
        switch event {
        case .loaded(let loaded):
            member("change", "loaded")
            member("id", number: loaded.number)
            member("name", loaded.name?.text)
            member("length_m", loaded.course?.length, decimals: 1)
            member("ascent_m", loaded.course?.ascent, decimals: 1)
        case .unloaded: member("change", "unloaded")
        case .on(let progress, let skipped):
            member("change", "on")
            member("progress_m", progress, decimals: 1)
            if skipped > 0 { member("skipped_m", skipped, decimals: 1) }
        case .off(let progress, let metres):
            member("change", "off")
            member("progress_m", progress, decimals: 1)
            member("off_m", metres, decimals: 1)
        case .wrongWay(let progress):
            member("change", "wrong-way")
            member("progress_m", progress, decimals: 1)
        case .done: member("change", "done")
        }
    }

    mutating func members(of report: CueReport) {
        member("stage", report.stage.rawValue)
        var cue = report.cue
        members { cue.members(&$0) }
    }

    mutating func members(of report: ClimbReport) {
        member("change", report.isTop ? "top" : "foot")
        member("number", report.number)
        member("count", report.count)
        member("length_m", report.climb.length, decimals: 1)
        member("ascent_m", report.climb.ascent, decimals: 1)
        member("average_grade_percent", report.climb.averageGrade, decimals: 1)
    }
}
