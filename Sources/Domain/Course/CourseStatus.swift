/// Where the receiver is on the loaded course: the block `course` of STATE; nil if unknown.
package struct CourseStatus: Equatable, Sendable {
    /// Its number in the list of courses.
    package var number: Int?
    package var name: SanitizedText?
    /// Nil in what a client reads, for a status of a later release.
    package var status: CourseProgressStatus? = .off
    /// Metres from the start of the course to its end.
    package var lengthMetres: Double
    /// Metres from the start of the course to the place of the run on it; nil before the run has reached the course.
    package var progressMetres: Double?
    /// Metres beside the course, positive on its right; nil without a position.
    package var crossTrackMetres: Double?
    /// While the run is not on the course: metres to its nearest place that is wanted, and the bearing there in degrees
    /// from true north.
    package var returnMetres: Double?
    package var returnBearing: Double?
    /// The next two course points.
    package var cue: CueAhead?
    package var secondCue: CueAhead?
    /// Seconds to the end of the course, by the run's own moving pace and the grades ahead.
    package var arrivalSeconds: Double?
    /// Metres climbed from start to end, and from here to the end.
    package var ascentMetres: Double?
    package var remainingAscentMetres: Double?
    /// Percent, of the course here.
    package var grade: Double?
    /// The climb in progress, or the next one.
    package var climb: ClimbAhead?
    /// Metres that the run has measured as climbed on the course, minus those of the course; nil unless both are known.
    package var ascentDifference: Double?

    package init(number: Int? = nil, name: SanitizedText? = nil, lengthMetres: Double) {
        self.number = number
        self.name = name
        self.lengthMetres = lengthMetres
    }

    /// Metres to the end of the course.
    package var remainingMetres: Double? {
        progressMetres.map { max(lengthMetres - $0, 0) }
    }
}

package enum CourseProgressStatus: String, CaseIterable, Sendable {
    case on
    /// Beside the course, or not on it yet.
    case off
    /// Beside the course, and coming nearer.
    case rejoining
    /// On the course, against its direction.
    case wrongWay = "wrong-way"
    /// The end has been reached.
    case done
}

/// A course point that is ahead.
package struct CueAhead: Equatable, Sendable {
    package var kind: CoursePointKind
    package var name: SanitizedText?
    /// Whether the turn was computed from the track.
    package var isDerived: Bool
    /// Metres along the course.
    package var metres: Double
    /// Seconds at the present speed; nil while standing.
    package var seconds: Double?

    package init(_ kind: CoursePointKind, name: SanitizedText?, isDerived: Bool, metres: Double, seconds: Double?) {
        self.kind = kind
        self.name = name
        self.isDerived = isDerived
        self.metres = metres
        self.seconds = seconds
    }
}

/// The climb in progress, or the next one.
package struct ClimbAhead: Equatable, Sendable {
    /// From 1.
    package var number: Int
    /// The climbs of the course.
    package var count: Int
    /// Metres to its foot; 0 in the climb.
    package var startMetres: Double
    /// Metres along the course to its top.
    package var topMetres: Double
    /// Metres to climb from here to its top, or from its foot.
    package var ascentMetres: Double
    /// Percent, of the whole climb.
    package var averageGrade: Double
    /// Percent, of the next 200 m in it.
    package var gradeAhead: Double

    package init(
        number: Int, count: Int, startMetres: Double, topMetres: Double, ascentMetres: Double, averageGrade: Double,
        gradeAhead: Double
    ) {
        self.number = number
        self.count = count
        self.startMetres = startMetres
        self.topMetres = topMetres
        self.ascentMetres = ascentMetres
        self.averageGrade = averageGrade
        self.gradeAhead = gradeAhead
    }
}

/// The run compared with its virtual partner: the block `partner` of STATE. Positive values: the run is ahead.
package struct PartnerStatus: Equatable, Sendable {
    /// Nil for a partner of constant pace.
    package var name: SanitizedText?
    /// Seconds per metre of a partner of constant pace.
    package var pace: Double?
    /// Nil beyond the end of the partner's distance.
    package var secondsAhead: Double?
    package var metresAhead: Double

    package init(name: SanitizedText? = nil, pace: Double? = nil, secondsAhead: Double?, metresAhead: Double) {
        self.name = name
        self.pace = pace
        self.secondsAhead = secondsAhead
        self.metresAhead = metresAhead
    }
}

/// A change on the course, published as EVENT `course`.
package enum CourseEvent: Equatable, Sendable {
    case loaded(LoadedCourse)
    case unloaded
    /// The run has reached the course, or is back on it after it left it.
    case on(progressMetres: Double, skippedMetres: Double)
    /// The run has left the course; metres beside it.
    case off(progressMetres: Double, metres: Double)
    case wrongWay(progressMetres: Double)
    case done
}

/// The announcement of a course point, published as EVENT `cue`. Each stage comes once at most.
package struct CueReport: Equatable, Sendable {
    package enum Stage: String, CaseIterable, Sendable {
        /// About 20 s before it.
        case ahead
        /// About 5 s before it.
        case soon
        /// At it.
        case here
    }

    package var stage: Stage
    package var cue: CueAhead

    package init(_ stage: Stage, _ cue: CueAhead) {
        self.stage = stage
        self.cue = cue
    }
}

/// The foot or the top of a climb, published as EVENT `climb`.
package struct ClimbReport: Equatable, Sendable {
    package var isTop: Bool
    /// From 1.
    package var number: Int
    package var count: Int
    package var climb: Climb

    package init(isTop: Bool, number: Int, count: Int, _ climb: Climb) {
        self.isTop = isTop
        self.number = number
        self.count = count
        self.climb = climb
    }
}
