// The rows of courses. The titles are those of bike computers.
extension DataField {
    var courseRow: Row {
        switch self {
        case .courseProgress:
            (
                "Course Distance", .metres, .distance, .course, Self.all, "Metres along the course from its start."
            )
        case .courseRemaining:
            ("Dist Remaining", .metres, .distance, .course, Self.all, "Metres along the course to its end.")
        case .offCourse: ("Off Course", .metres, .height, .course, Self.all, "Metres beside the course.")
        case .nextCueDistance:
            ("Dist to Next", .metres, .height, .course, Self.all, "Metres along the course to the next course point.")
        case .nextCueTime:
            (
                "Time to Next", .seconds, .duration, .course, Self.all,
                "Time to the next course point at the present speed."
            )
        case .arrival: ("ETA", .none, .clock, .course, Self.all, "The estimated time of arrival in UTC.")
        case .timeToEnd:
            (
                "Time to End", .seconds, .duration, .course, Self.all,
                "Time to the end of the course, by the moving pace of the run and the grades ahead."
            )
        case .courseRemainingAscent:
            ("Ascent Remaining", .metres, .height, .course, Self.all, "Metres to climb to the end of the course.")
        default: ("Course Grade", .percent, .integer, .course, Self.all, "The grade of the course here.")
        }
    }

    var climbRow: Row {
        switch self {
        case .climbRemaining:
            (
                "Dist to Top", .metres, .distance, .course, Self.all,
                "Metres along the course to the top of the climb, or of the next one."
            )
        case .climbRemainingAscent:
            (
                "Ascent to Top", .metres, .height, .course, Self.all,
                "Metres to climb to the top of the climb, or of the next one from its foot."
            )
        case .climbAverageGrade:
            (
                "Climb Grade", .percent, .integer, .course, Self.all,
                "The average grade of the climb, or of the next one."
            )
        case .climbGradeAhead:
            ("Grade Ahead", .percent, .integer, .course, Self.all, "The grade of the next 200 m in the climb.")
        case .partnerTime:
            (
                "Time Ahead", .seconds, .difference, .partner, Self.all,
                "The time by which the run is ahead of the virtual partner, negative behind it."
            )
        default:
            (
                "Dist Ahead", .metres, .height, .partner, Self.all,
                "Metres by which the run is ahead of the virtual partner, negative behind it."
            )
        }
    }
}

extension DataField {
    /// The value of a time of day; nil for other fields, and if it is unknown.
    package func time(in state: State) -> UTC? {
        switch self {
        case .timeOfDay: return state.time
        case .sunrise: return state.sun?.rise
        case .sunset: return state.sun?.set
        case .arrival:
            guard let time = state.time, let seconds = state.course?.arrivalSeconds else { return nil }
            // A year is longer than any course. The limit keeps the conversion safe.
            return UTC(milliseconds: time.milliseconds + Int64(min(max(seconds, 0), 31_536_000) * 1000))
        default: return nil
        }
    }

    func courseValue(in state: State) -> Double? {
        guard let course = state.course else { return nil }
        return switch self {
        case .courseProgress: course.progressMetres
        case .courseRemaining: course.remainingMetres
        case .offCourse: course.returnMetres ?? course.crossTrackMetres.map(abs)
        case .nextCueDistance: course.cue?.metres
        case .nextCueTime: course.cue?.seconds
        case .timeToEnd: course.arrivalSeconds
        case .courseRemainingAscent: course.remainingAscentMetres
        case .courseGrade: course.grade
        case .climbRemaining: course.climb?.topMetres
        case .climbRemainingAscent: course.climb?.ascentMetres
        case .climbAverageGrade: course.climb?.averageGrade
        case .climbGradeAhead: course.climb?.gradeAhead
        default: nil
        }
    }
}
