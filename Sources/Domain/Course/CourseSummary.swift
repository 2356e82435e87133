/// One course of the list.
package struct CourseSummary: Equatable, Sendable {
    /// Its number. Numbers are not reused.
    package var id: Int
    package var hash: CourseHash
    /// Nil in a journal of an earlier release that cannot be written.
    package var uuid: UUID?
    package var name: SanitizedText?
    package var sport: Sport?
    /// When it was stored.
    package var added: UTC
    package var vertices: Int
    package var points: Int
    /// Metres.
    package var length: Double
    /// Metres; nil if the altitude is unknown.
    package var ascent: Double?
    /// Those that count by the default of the setting `climb_score`.
    package var climbs: Int
    /// Set if the course is in the trash.
    package var trashed: TrashMark?

    /// The summary of a course.
    package init(id: Int = 0, _ course: Course, name: SanitizedText?, added: UTC) {
        self.init(
            id: id, hash: course.hash, name: name, sport: course.sport, added: added, vertices: course.distances.count,
            points: course.points.count, length: course.length, ascent: course.ascent,
            climbs: course.climbs(leastScore: Settings().climbScore).count)
    }

    package init(
        id: Int, hash: CourseHash, name: SanitizedText?, sport: Sport?, added: UTC, vertices: Int, points: Int,
        length: Double, ascent: Double?, climbs: Int
    ) {
        self.id = id
        self.hash = hash
        self.name = name
        self.sport = sport
        self.added = added
        self.vertices = vertices
        self.points = points
        self.length = length
        self.ascent = ascent
        self.climbs = climbs
    }
}
