import Domain
import Pipeline
import Storage
import TestKit
import Testing

/// Which course the FIT file of an activity names.
struct FollowedCourseTests {
    private let stage: JournalFixture
    private let courses: [StoredCourse]

    /// The run goes north. Three courses do too, by different lengths; one begins at the run's start and goes east, and
    /// one goes south along its way.
    init() throws {
        stage = try JournalFixture()
        stage.turn()
        let ends = [(52.51, 13.4), (52.52, 13.4), (52.53, 13.4), (52.5, 13.41), (52.49, 13.4)]
        courses = try ends.enumerated().map { index, end in
            let start = index == 4 ? 52.51 : 52.5
            let data = CourseData(vertices: [
                CourseVertex(Coordinate(latitude: start, longitude: 13.4)),
                CourseVertex(Coordinate(latitude: end.0, longitude: end.1)),
            ])
            return try StoredCourse(data, name: SanitizedText("Course \(index)"), added: SyntheticRun.began)
        }
        for course in courses {
            stage.journal.perform(.course(course)) { _ in }
            stage.turn()
        }
    }

    /// The name of the course of a run with these loaded, nil for unloaded, one after the other.
    private func followed(_ loaded: [Int?]) throws -> String? {
        stage.begin()
        for course in loaded {
            stage.record(20)
            stage.journal.write(
                InputLogEntry(
                    at: stage.clock.now, .input(.course(course.map { LoadedCourse(hash: courses[$0].summary.hash) }))),
                at: stage.clock.now)
        }
        stage.record(200)
        stage.end()
        let reader = try stage.reader()
        let number = try #require(try reader.list(limit: 1).first?.id)
        let followed = try reader.followedCourse(ofActivity: number)
        #expect(followed.map { $0.course?.hash == $0.hash } != false)
        return followed?.name?.text
    }

    @Test(
        arguments: [
            ([], nil), ([0], "Course 0"), ([0, 1, 2], "Course 2"), ([2, 1, 0], "Course 0"), ([0, 1, 0], "Course 0"),
            ([1, nil], "Course 1"), ([1, 3], "Course 1"), ([1, 4, 3], "Course 1"), ([3], nil), ([4], nil),
        ] as [([Int?], String?)]) func lastLoadedOfTheFollowedOnes(_ loaded: [Int?], name: String?) throws
    {
        #expect(try followed(loaded) == name)
    }

    @Test func courseOffTheListIsNamedToo() throws {
        #expect(try followed([1]) == "Course 1")
        stage.journal.append(.course(.delete(2)), at: stage.clock.now)
        stage.turn()
        #expect(try stage.reader().course(2) == nil)
        #expect(try stage.reader().followedCourse(ofActivity: 1)?.name?.text == "Course 1")
    }
}
