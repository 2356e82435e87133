import Domain
import JSONCoding

// The course and the virtual partner, in blocks of STATE and in EVENTs.
extension JSONWriter {
    /// Where the receiver is on the loaded course; nothing without a course.
    mutating func courseBlock(_ state: State) {
        guard let course = state.course else { return }
        object { line in
            line.member("id", number: course.number)
            line.member("name", course.name?.text)
            line.member("status", course.status.rawValue)
            line.member("length_m", course.lengthMetres, decimals: 1)
            line.member("progress_m", course.progressMetres, decimals: 1)
            line.member("remaining_m", course.remainingMetres, decimals: 1)
            line.member("cross_track_m", course.crossTrackMetres, decimals: 1)
            line.member("return_m", course.returnMetres, decimals: 1)
            line.member("return_bearing_deg", course.returnBearing, decimals: 1)
            if let cue = course.cue { line.object("cue") { $0.members(of: cue) } }
            if let cue = course.secondCue { line.object("second_cue") { $0.members(of: cue) } }
            line.member("arrival_s", course.arrivalSeconds, decimals: 0)
            line.member("ascent_m", course.ascentMetres, decimals: 1)
            line.member("remaining_ascent_m", course.remainingAscentMetres, decimals: 1)
            line.member("grade_percent", course.grade, decimals: 1)
            if let climb = course.climb { line.object("climb") { $0.members(of: climb) } }
            line.member("ascent_difference_m", course.ascentDifference, decimals: 1)
        }
    }

    /// The run compared with its virtual partner; nothing without one.
    mutating func partnerBlock(_ state: State) {
        guard let partner = state.partner else { return }
        object { line in
            line.member("name", partner.name?.text)
            line.member("pace_s_per_m", partner.pace, decimals: 4)
            line.member("ahead_s", partner.secondsAhead, decimals: 1)
            line.member("ahead_m", partner.metresAhead, decimals: 1)
        }
    }

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
        members(of: report.cue)
    }

    mutating func members(of report: ClimbReport) {
        member("change", report.isTop ? "top" : "foot")
        member("number", report.number)
        member("count", report.count)
        member("length_m", report.climb.length, decimals: 1)
        member("ascent_m", report.climb.ascent, decimals: 1)
        member("average_grade_percent", report.climb.averageGrade, decimals: 1)
    }

    private mutating func members(of cue: CueAhead) {
        member("type", cue.kind.rawValue)
        member("name", cue.name?.text)
        if cue.isDerived { member("derived", true) }
        member("distance_m", cue.metres, decimals: 1)
        member("in_s", cue.seconds, decimals: 1)
    }

    private mutating func members(of climb: ClimbAhead) {
        member("number", climb.number)
        member("count", climb.count)
        member("start_m", climb.startMetres, decimals: 1)
        member("top_m", climb.topMetres, decimals: 1)
        member("ascent_m", climb.ascentMetres, decimals: 1)
        member("average_grade_percent", climb.averageGrade, decimals: 1)
        member("grade_ahead_percent", climb.gradeAhead, decimals: 1)
    }
}
