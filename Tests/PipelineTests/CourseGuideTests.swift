import Domain
import Pipeline
import TestKit
import Testing

/// A run that follows a course through the whole pipeline.
@Suite struct CourseGuideTests {
    /// A square of 4 km with turns at its corners and a climb of 6 % on its second side.
    private static let corners: [CourseScenario.Point] = [(0, 0), (1000, 0), (1000, 1000), (0, 1000), (0, 0)]

    private static func altitude(_ metres: Double) -> Double {
        100 + 0.06 * min(max(metres - 1000, 0), 1000)
    }

    private static func course(isHilly: Bool = true) -> Course {
        CourseScenario.course(
            corners,
            points: [50, 100, 150].map { CoursePoint(vertex: $0, .left, name: SanitizedText("turn \($0 / 50)")) },
            altitude: { isHilly ? altitude($0) : nil })
    }

    private static func loaded(_ course: Course) -> LoadedCourse {
        LoadedCourse(hash: course.hash, number: 7, name: SanitizedText("Square"), course: course)
    }

    private static func cues(_ run: ScriptedRun) -> [(report: CueReport, at: Int64)] {
        run.events.compactMap { event in
            guard case .cue(let report) = event.kind else { return nil }
            return (report, (event.at.milliseconds - ScriptedRun.start.milliseconds) / 1000)
        }
    }

    @Test(arguments: [1, 5]) func `Each cue comes once, 20 s and 5 s before its place and within 15 m of it`(every: Int)
        throws
    {
        for speed in [3.0, 9] {
            var run = ScriptedRun()
            let points = CourseScenario.along(Self.corners, step: speed)
            run.follow([points[0]], speed: 0)
            run.receive(.course(Self.loaded(Self.course())))
            try run.begin(.ride)
            run.follow(points.indices.map { $0.isMultiple(of: every) ? points[$0] : nil }, speed: speed)
            let cues = Self.cues(run)
            #expect(cues.map(\.report.stage) == [.ahead, .soon, .here, .ahead, .soon, .here, .ahead, .soon, .here])
            #expect(cues.map { $0.report.cue.name?.text } == [1, 1, 1, 2, 2, 2, 3, 3, 3].map { "turn \($0)" })
            for (index, cue) in cues.enumerated() {
                // The first fix is at the start, one second after it the follower is at `speed` metres.
                let metres = Double(cue.at - 1) * speed
                let ahead = Double(index / 3 + 1) * 1000 - metres
                switch cue.report.stage {
                case .ahead: #expect(abs(ahead - 20 * speed) <= 15 + speed * Double(every), "\(index)")
                case .soon: #expect(abs(ahead - 5 * speed) <= 15 + speed, "\(index)")
                case .here: #expect(abs(ahead) <= 15, "\(index) at \(speed) m/s, one of \(every)")
                }
            }
        }
    }

    @Test func `The climb, its foot and its top are reported, and close laps if set`() throws {
        var settings = Settings()
        settings.climbLaps = true
        var run = ScriptedRun(settings)
        let points = CourseScenario.along(Self.corners, step: 4)
        run.receive(.course(Self.loaded(Self.course())))
        try run.begin()
        run.follow(Array(points.prefix(200)), speed: 4)
        let before = try #require(run.state.course)
        let climb = try #require(before.climb)
        #expect(climb.number == 1 && climb.count == 1)
        #expect(abs(climb.startMetres - 200) < 60)
        #expect(abs(climb.ascentMetres - 60) < 3)
        #expect(abs(climb.averageGrade - 6) < 0.5)
        run.follow(Array(points[200..<375]), speed: 4)
        let inside = try #require(run.state.course)
        // 1500 m: in the middle of the climb.
        #expect(abs(try #require(inside.grade) - 6) < 0.3)
        #expect(abs(try #require(inside.climb?.ascentMetres) - 30) < 3)
        #expect(abs(try #require(inside.climb?.gradeAhead) - 6) < 0.3)
        #expect(abs(try #require(inside.remainingAscentMetres) - 30) < 3)
        run.follow(Array(points[375...]), speed: 4)
        let climbs = run.events.compactMap { if case .climb(let report) = $0.kind { report } else { nil } }
        #expect(climbs.map(\.isTop) == [false, true])
        let laps = run.events.compactMap { if case .lap(_, _, let trigger) = $0.kind { trigger } else { nil } }
        #expect(laps == [.distance, .distance])
    }

    @Test func `A hill below the setting is no climb`() throws {
        var settings = Settings()
        settings.climbScore = 7000
        var run = ScriptedRun(settings)
        run.receive(.course(Self.loaded(Self.course())))
        try run.begin()
        run.follow(CourseScenario.along(Self.corners, step: 4), speed: 4)
        #expect(run.state.course?.climb == nil)
        #expect(!run.events.contains { if case .climb = $0.kind { true } else { false } })
    }

    @Test func `Progress, remaining distance and arrival follow the run`() throws {
        var run = ScriptedRun()
        run.receive(.course(Self.loaded(Self.course(isHilly: false))))
        try run.begin()
        let points = CourseScenario.along(Self.corners, step: 4)
        run.follow(Array(points.prefix(501)), speed: 4)
        let status = try #require(run.state.course)
        #expect(status.status == .on && status.number == 7 && status.name?.text == "Square")
        #expect(abs(try #require(status.progressMetres) - 2000) < 5)
        #expect(abs(try #require(status.remainingMetres) - 2000) < 5)
        #expect(abs(try #require(status.arrivalSeconds) - 500) < 15)
        #expect(abs(try #require(status.crossTrackMetres)) < 1)
        #expect(status.remainingAscentMetres == nil && status.grade == nil)
        run.follow(Array(points[501...]), speed: 4)
        #expect(run.state.course?.status == .done)
        #expect(run.state.course?.remainingMetres == 0)
        let changes = run.events.compactMap { if case .course(let change) = $0.kind { change } else { nil } }
        #expect(changes.count == 3)
        #expect(changes.last == .done)
    }

    @Test func `The arrival counts the climb ahead`() throws {
        var arrivals: [Double] = []
        for isHilly in [false, true] {
            var run = ScriptedRun()
            run.receive(.course(Self.loaded(Self.course(isHilly: isHilly))))
            try run.begin()
            run.follow(CourseScenario.along([(0, 0), (900, 0)], step: 4), speed: 4)
            arrivals.append(try #require(run.state.course?.arrivalSeconds))
        }
        // 1 km at 6 % costs as much as 1.4 km on level ground.
        #expect((60...140).contains(arrivals[1] - arrivals[0]))
    }

    @Test func `Before a run the way to the start is known, and off the course the way back`() throws {
        var run = ScriptedRun()
        run.follow([(0, -200)], speed: 0)
        run.receive(.course(Self.loaded(Self.course())))
        let before = try #require(run.state.course)
        #expect(before.status == .off && before.progressMetres == nil)
        #expect(abs(try #require(before.returnMetres) - 200) < 2)
        #expect(abs(try #require(before.returnBearing)) < 1)
        try run.begin()
        run.follow(CourseScenario.along([(0, 0), (500, 0), (500, -200)], step: 3), speed: 3)
        let off = try #require(run.state.course)
        #expect(off.status == .off)
        #expect(abs(try #require(off.returnMetres) - 200) < 2)
        #expect(abs(try #require(off.returnBearing)) < 1)
        #expect(abs(try #require(off.progressMetres) - 500) < 40)
    }

    @Test func `Unloading ends the block, and an indoor run follows nothing`() throws {
        var run = ScriptedRun()
        run.receive(.course(Self.loaded(Self.course())))
        try run.perform(.start(.run, indoor: true))
        run.wait(.seconds(5))
        #expect(run.state.course?.progressMetres == nil)
        run.receive(.course(nil))
        #expect(run.state.course == nil)
        let changes = run.events.compactMap { if case .course(let change) = $0.kind { change } else { nil } }
        #expect(changes.last == .unloaded)
    }

    @Test func `The ascent of the run is compared with that of the course`() throws {
        var run = ScriptedRun()
        run.receive(.course(Self.loaded(Self.course())))
        try run.begin()
        for (index, point) in CourseScenario.along(Self.corners, step: 4).prefix(600).enumerated() {
            run.receive(
                .climb(
                    StatedClimb(
                        ascent: 1.1 * (Self.altitude(Double(index) * 4) - 100), descent: 0, source: .barometer,
                        grade: nil,
                        verticalSpeed: nil)))
            run.follow([point], speed: 4)
        }
        // The run has measured 66 m where the course has 60 m.
        #expect(abs(try #require(run.state.course?.ascentDifference) - 6) < 1.5)
    }
}
