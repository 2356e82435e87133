import Domain
import Glibc
import JSONCoding
import Linux

extension Invocation {
    /// Prints the ways, and makes one the course of the daemon if that is wanted.
    func route(_ request: RouteRequest) throws(Failure) {
        var net = try ControlClient(path: RuntimeDirectory.netSocket(request.netDirectory), of: .pacedNet)
        let text = try request.find(&net)
        guard let result = try? JSON(parsing: text.utf8), let route = result["route"]?.integer,
            let count = result["ways"]?.array?.count, count > 0
        else { throw .failed("the response of paced-net has no way; see its log") }
        try writeOut(isJSON ? text + "\n" : routeText(result))
        guard let chosen = request.loaded ?? (request.follows ? 1 : nil) else { return }
        guard chosen <= count else {
            throw .failed("--load \(chosen): there \(count == 1 ? "is one way" : "are \(count) ways") only")
        }
        let course = try load(request, route: route, way: chosen - 1, &net)
        if request.follows { try follow(request, course: course) }
    }

    private func routeText(_ result: JSON) -> String {
        let settings = (try? presentState())?.settings
        var text = RouteText(words: StatusText(metric: metric ?? settings?.isMetric ?? LocaleUnits.isMetric))
        if isatty(STDOUT_FILENO) == 1 { text.palette = Palette(terminal: environment("TERM") ?? "dumb") }
        let engine = result["engine"]?.harmlessText() ?? ""
        let host = result["host"]?.harmlessText() ?? ""
        return (text.table(result) ?? "") + "From \(engine) at \(host).\n"
    }

    /// - Returns: the number of the course.
    private func load(
        _ request: RouteRequest, route: Int, way: Int, _ net: inout ControlClient
    ) throws(Failure) -> Int {
        let data = try request.course(&net, route: route, way: way)
        let stored = try store(data, name: request.courseName, in: StateDirectory(stateDirectory))
        try writeOut(try load(.number(stored.id)))
        return stored.id
    }

    /// Keeps a route to the destination loaded, until the run is there or another course is loaded.
    private func follow(_ request: RouteRequest, course: Int) throws(Failure) {
        var follower = RouteFollower(course: course)
        var problem: String?
        var connection = try watchCourse()
        while true {
            switch connection.line(by: nil) {
            case .line(let line):
                guard let json = try? JSON(parsing: line), json["class"]?.string == "STATE",
                    let state = StateLine(json)
                else { continue }
                let position = state.position.flatMap { position in
                    position.isStale ? nil : Coordinate(latitude: position.latitude, longitude: position.longitude)
                }
                switch follower.receive(state.course, position: position, at: Clock.now()) {
                case .wait: break
                case .end(.arrived): return try say("You have arrived.")
                case .end(.replaced): return try say("Another course is loaded: the route is no longer followed.")
                case .ask(let position):
                    do throws(Failure) {
                        follower.follow(try replace(follower.course, request, from: position))
                        problem = nil
                    } catch {
                        // The daemon goes on guiding back to the route.
                        if error.message != problem { complain("no new route: \(error.message)") }
                        problem = error.message
                    }
                }
            case .tooLong, .late: continue
            case .ended:
                // The daemon restarts.
                sleep(1)
                connection = try watchCourse()
            }
        }
    }

    private func say(_ text: String) throws(Failure) {
        if !isJSON { try writeOut(text + "\n") }
    }

    private func watchCourse() throws(Failure) -> Connection {
        let path = RuntimeDirectory(runtimeDirectory).stateSocket
        let deadline = Clock.now() + .seconds(60)
        while true {
            do throws(Failure) {
                let connection = try Connection.needed(to: path)
                try connection.send(#"{"class":"WATCH","classes":["STATE"],"interval_ms":1000,"blocks":["course"]}"#)
                return connection
            } catch {
                if Clock.now() > deadline { throw error }
                sleep(1)
            }
        }
    }

    /// Loads the flattest way from here in the place of the course before.
    private func replace(_ course: Int, _ request: RouteRequest, from position: Coordinate) throws(Failure) -> Int {
        var net = try ControlClient(path: RuntimeDirectory.netSocket(request.netDirectory), of: .pacedNet)
        let text = try request.find(&net, from: position)
        guard let route = (try? JSON(parsing: text.utf8))?["route"]?.integer else {
            throw .failed("the response of paced-net has no route; see its log")
        }
        let new = try load(request, route: route, way: 0, &net)
        if new != course {
            var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
            _ = try? control.call("course.delete", "{\"id\":\(course)}")
        }
        return new
    }
}
