import Domain
import Pipeline
import TestKit
import Testing

@Suite struct PartnerTests {
    /// 3 m/s for 100 s, then 5 m/s for 100 s: 800 m in 200 s.
    private static func curve(on course: CourseHash? = nil) -> Partner {
        let seconds = Array(0...200)
        let curve = PartnerCurve(
            hash: CourseHash(2), course: course, elapsedMilliseconds: seconds.map { Int32($0 * 1000) },
            metres: seconds.map { Float($0 <= 100 ? 3 * $0 : 300 + 5 * ($0 - 100)) })
        return .recorded(LoadedPartner(hash: curve.hash, name: SanitizedText("last week"), curve: curve))
    }

    @Test func `A partner of constant pace is compared by distance and time`() throws {
        var run = ScriptedRun()
        run.receive(.partner(.pace(0.25)))
        #expect(run.state.partner == nil)
        run.fix(speed: 5)
        try run.begin()
        run.run(seconds: 100, speed: 5)
        let partner = try #require(run.state.partner)
        let metres = try #require(run.activity).total.distanceMetres
        #expect(partner.pace == 0.25)
        #expect(abs(partner.metresAhead - (metres - 400)) < 0.01)
        #expect(abs(try #require(partner.secondsAhead) - (metres / 4 - 100)) < 0.01)
    }

    @Test func `A recorded partner is compared along its curve, and has no time beyond its end`() {
        let partner = Self.curve()
        let behind = partner.status(milliseconds: 150_000, metres: 400, followed: nil)
        // The partner was at 400 m after 120 s, and is at 550 m now.
        #expect(behind?.secondsAhead == -30)
        #expect(behind?.metresAhead == -150)
        #expect(behind?.name?.text == "last week")
        let ahead = partner.status(milliseconds: 10_000, metres: 60, followed: nil)
        #expect(ahead?.secondsAhead == 10)
        #expect(ahead?.metresAhead == 30)
        let beyond = partner.status(milliseconds: 190_000, metres: 900, followed: nil)
        #expect(beyond?.secondsAhead == nil)
        #expect(beyond?.metresAhead == 150)
    }

    @Test func `A partner on the course is compared from where the run came onto it`() {
        func followed(_ first: Double, _ progress: Double, seconds: Int64, on course: UInt128 = 1) -> FollowedDistance {
            FollowedDistance(
                course: CourseHash(course), first: first, progress: progress, milliseconds: seconds * 1000)
        }
        let partner = Self.curve(on: CourseHash(1))
        #expect(partner.status(milliseconds: 1000, metres: 5, followed: nil) == nil)
        #expect(partner.status(milliseconds: 1000, metres: 5, followed: followed(0, 5, seconds: 1, on: 3)) == nil)
        // The partner was at 300 m after 100 s, and is at 600 m 60 s later. The run needed 80 s to reach the course.
        let status = partner.status(milliseconds: 140_000, metres: 900, followed: followed(300, 550, seconds: 60))
        #expect(status?.secondsAhead == -10)
        #expect(status?.metresAhead == -50)
        let pace = Partner.pace(0.5)
            .status(milliseconds: 140_000, metres: 900, followed: followed(300, 420, seconds: 60))
        #expect(pace?.metresAhead == 0)
        #expect(pace?.secondsAhead == 0)
    }

    @Test func `A run that takes a while to reach its course is level with a partner of its own pace`() throws {
        let course = CourseScenario.course([(0, 200), (0, 900)])
        var run = ScriptedRun()
        run.receive(.course(LoadedCourse(hash: course.hash, number: 1, course: course)))
        run.receive(.partner(.pace(0.2)))
        run.follow([(0, 0)], speed: 0)
        try run.begin()
        run.follow(CourseScenario.along([(0, 5), (0, 500)], step: 5), speed: 5)
        let partner = try #require(run.state.partner)
        #expect(abs(partner.metresAhead) < 10)
    }
}

@Suite struct PartnerRecorderTests {
    private static let corners: [CourseScenario.Point] = [(0, 0), (0, 1000), (500, 1000)]
    private static let course = CourseScenario.course(corners)

    private static func recorder(_ positions: [CourseScenario.Point], on course: Course?) -> PartnerRecorder {
        var recorder = PartnerRecorder(on: course)
        for (second, point) in positions.enumerated() {
            var sample = RecordingSample(at: Int64(second) * 1000, elapsedMilliseconds: Int64(second) * 1000)
            sample.coordinate = CourseScenario.coordinate(point)
            sample.distanceMetres = Double(second) * 4
            recorder.receive(sample)
        }
        return recorder
    }

    @Test func `On bare distance the curve is that of the activity`() {
        let recorder = Self.recorder(CourseScenario.along(Self.corners, step: 4), on: nil)
        let points = recorder.points
        #expect(recorder.isUsable && points.count == 376 && points[0] == (0, 0) && points[100] == (100_000, 400))
    }

    @Test func `On the course the curve is the progress from where the activity came onto it`() throws {
        // 200 m to the start, the course with a detour of 400 m in its middle, and 200 m after its end.
        let way: [CourseScenario.Point] = [
            (-200, 0), (0, 0), (0, 400), (200, 400), (200, 600), (0, 600), (0, 1000), (500, 1000), (500, 1200),
        ]
        let recorder = Self.recorder(CourseScenario.along(way, step: 4), on: Self.course)
        let points = recorder.points
        #expect(recorder.isUsable)
        #expect(points[0] == (0, 0))
        #expect(points[1].elapsedMilliseconds == 1 && points[1].metres < 30)
        for (before, after) in zip(points, points.dropFirst()) {
            #expect(after.elapsedMilliseconds > before.elapsedMilliseconds && after.metres >= before.metres)
        }
        let middle = try #require(points.first { $0.metres >= 700 })
        // 1,100 m of 4 m/s from the start, the first fixes on the course before it.
        #expect(abs(Double(middle.elapsedMilliseconds) / 1000 - 1100 / 4) < 10)
        let end = try #require(points.last)
        #expect(end.metres == Self.course.length)
        #expect(abs(Double(end.elapsedMilliseconds) / 1000 - 1900 / 4) < 15)
    }

    @Test func `An activity in the other direction is no partner on the course`() {
        let recorder = Self.recorder(CourseScenario.along(Self.corners.reversed(), step: 4), on: Self.course)
        #expect(!recorder.isUsable)
    }

    @Test func `A long activity has fewer points, and its curve ends where the activity ends`() throws {
        var recorder = PartnerRecorder(on: nil)
        for second in 0..<Int64(250_000) {
            var sample = RecordingSample(at: second * 1000, elapsedMilliseconds: second * 1000)
            sample.distanceMetres = Double(second) * 3
            recorder.receive(sample)
        }
        #expect(recorder.points.count <= PartnerCurve.limit && recorder.points.count > PartnerCurve.limit / 2)
        let last = try #require(recorder.points.last)
        #expect(last.elapsedMilliseconds >= 249_996_000)
        #expect(recorder.points.allSatisfy { Double($0.elapsedMilliseconds) / 1000 * 3 == $0.metres })
    }
}
