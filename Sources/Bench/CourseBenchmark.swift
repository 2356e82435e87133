import Domain
import Linux
import Pipeline

/// A course of 300 km with 30,000 vertices: five times around a block, so that each place is near five stretches of it.
private let longCourse: (data: CourseData, course: Course) = {
    var data = CourseData(sport: .ride)
    let lap = 6000
    for index in 0..<30_000 {
        let place = Double(index % lap) / Double(lap) * 4
        let part = place - place.rounded(.down)
        let corner = [(part, 0.0), (1.0, part), (1.0 - part, 1.0), (0.0, 1.0 - part)][Int(place)]
        // North first, as the scripted run goes.
        let coordinate = Coordinate(latitude: 52.5 + corner.0 * 0.135, longitude: 13.4 + corner.1 * 0.2216)
        let altitude = 100 + 300 * abs(part - 0.5) + Double(index * 7919 % 13) / 10
        data.vertices.append(CourseVertex(coordinate, altitude: altitude))
        if index % 100 == 50 { data.points.append(CoursePoint(vertex: index, .left, name: SanitizedText("turn"))) }
    }
    return (data, Course(data, hash: CourseHash(1)))
}()

/// A tick of a ride on the course. Each tenth tick announces what is ahead.
func measureTickOnCourse() throws -> Measurement {
    var run = try ScriptedRun()
    let course = LoadedCourse(hash: CourseHash(1), number: 1, name: SanitizedText("300 km"), course: longCourse.course)
    run.receive(.course(course))
    for _ in 0..<5 { try run.second() }
    return try Measurement("tick on a course of 300 km", rounds: 600, passes: 10) {
        run.receive(.fix(run.nextFix()))
        try run.receiveNotification()
        run.discardEffects()
    } pass: {
        run.tick()
        run.discardEffects()
    }
}

/// A fix on the course, or off it: then the whole course is searched.
func measureFixOnCourse(metresBeside: Double) throws -> Measurement {
    var run = try ScriptedRun()
    run.receive(.course(LoadedCourse(hash: CourseHash(1), course: longCourse.course)))
    for _ in 0..<5 { try run.second() }
    func fix() -> Fix {
        var fix = run.nextFix()
        fix.longitude = 13.4 - metresBeside / 67_700
        return fix
    }
    for _ in 0..<30 {
        for _ in 0..<10 { run.tick() }
        run.receive(.fix(fix()))
        run.discardEffects()
    }
    var next = fix()
    let name = metresBeside == 0 ? "fix on a course of 300 km" : "fix off a course of 300 km"
    return Measurement(name, rounds: 600, passes: 1) {
        for _ in 0..<10 { run.tick() }
        next = fix()
        run.discardEffects()
    } pass: {
        run.receive(.fix(next))
    }
}

/// Seconds that the course takes to be indexed.
func measureCourseIndex() -> Double {
    let start = Clock.now()
    let course = Course(longCourse.data, hash: CourseHash(2))
    let seconds = (Clock.now() - start).inSeconds
    return course.length > 0 ? seconds : .infinity
}
