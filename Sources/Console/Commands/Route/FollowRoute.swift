import Client
import Domain
import Glibc
import JSONCoding
import Linux
import Maps
import Transit

extension Command {
    static let route = [
        Command(
            "route",
            options: [
                Options.to, Options.via, Options.loop, Options.from, Options.profile, Options.engine,
                Options.loadRoute, Options.follow, Options.netDirectory,
            ], others: [Options.mapsDirectory],
            "show several routes to a position, or to a place by its name or ID, or round trips of a length, the "
                + "flattest first, from the route engine of paced-net.conf or at URL; --load makes route N the course "
                + "of the daemon; --follow asks again whenever the run leaves it",
            read: { arguments in
                let options = RouteOptions(
                    start: arguments[Options.from], via: arguments.all(Options.via),
                    profile: arguments[Options.profile] ?? .walk,
                    engine: arguments[Options.engine], loaded: arguments[Options.loadRoute],
                    follows: arguments.has(Options.follow), netDirectory: arguments[Options.netDirectory],
                    mapsDirectory: arguments[Options.mapsDirectory])
                return (try destination(arguments, options), options)
            }, run: { try $0.route(to: $1.0, $1.1) })
    ]

    private static func destination(
        _ arguments: Arguments, _ options: RouteOptions
    ) throws(Failure) -> RouteDestination {
        guard options.via.count <= RouteGoal.viaLimit else {
            throw .usage("--via names at most \(RouteGoal.viaLimit) places")
        }
        switch (arguments[Options.to], arguments[Options.loop]) {
        case (let destination?, nil): return destination
        case (nil, let metres?):
            guard options.via.isEmpty, !options.follows else {
                throw .usage("--via and --follow belong to --to: nobody knows where a round trip goes on")
            }
            return .loop(metres: metres)
        case (nil, nil):
            throw .usage(
                "route needs a destination, such as --to 52.5163,13.3777 or --to 'Plaza Mayor', or --loop 10km")
        case (_?, _?): throw .usage("--to leads to a place, --loop back to the start: use one of them")
        }
    }
}

extension Options {
    fileprivate static let to = CommandOption<RouteDestination>(
        "--to", word: "LAT,LON|PLACE", "the destination",
        needs: "a position such as 52.5163,13.3777, or the name or ID of a place",
        parse: { RouteDestination(argument: $0) })
    fileprivate static let via = position("--via", such: "52.5163,13.3777", "a place on the way; once for each")
    fileprivate static let loop = CommandOption<Double>(
        "--loop", word: "LENGTH", "the length of a round trip",
        needs: "a length from 500m to 200km, such as 10km or 6mi",
        parse: { RouteGoal.metres(of: $0, in: RouteGoal.loopLengths) })
    fileprivate static let from = position("--from", such: "52.5163,13.3777", "the start")
    fileprivate static let profile = CommandOption<RouteProfile>.choice("--profile", "how you travel")
    fileprivate static let engine = CommandOption.text("--engine", "URL", "the route engine", needs: "an address")
    fileprivate static let loadRoute = CommandOption.number(
        "--load", "N", "make it the course", 1...32, needs: "the number of a route")
    fileprivate static let follow = CommandOption.flag("--follow", "ask again when off it")
}

extension Invocation {
    /// Prints the routes, and makes one the course of the daemon if the options say so.
    func route(to destination: RouteDestination, _ options: RouteOptions) throws(Failure) {
        let request = try request(to: destination, options)
        var net = try ControlClient(path: RuntimeDirectory.netSocket(options.netDirectory), of: .pacedNet)
        let text = try request.find(&net)
        guard let result = try? JSON(parsing: text.utf8), let search = result["search"]?.integer,
            let count = result["routes"]?.array?.count, count > 0
        else { throw .failed("the response of paced-net has no route; see its log") }
        try writeOut(isJSON ? text + "\n" : routeText(result))
        guard let chosen = options.loaded ?? (options.follows ? 1 : nil) else { return }
        guard chosen <= count else {
            throw .failed("--load \(chosen): there \(count == 1 ? "is one route" : "are \(count) routes") only")
        }
        let course = try load(request, search: search, route: chosen - 1, &net)
        if options.follows { try follow(request, course: course) }
    }

    private func request(to destination: RouteDestination, _ options: RouteOptions) throws(Failure) -> RouteRequest {
        switch destination {
        case .position(let end): return RouteRequest(options: options, to: end, name: nil)
        case .loop(let metres): return RouteRequest(options: options, goal: .loop(metres: metres), name: nil)
        case .stop(let id):
            var transit = TransitOptions()
            transit.maps.directory = options.mapsDirectory
            let stop = try stop(id: id, transit)
            return RouteRequest(options: options, to: stop.position, name: stop.name)
        case .place(let reference):
            var search = PlacesOptions()
            search.position = options.start
            search.directory = options.mapsDirectory
            let place = try place(reference, search)
            return RouteRequest(options: options, to: place.position, name: place.name)
        }
    }

    private func routeText(_ result: JSON) -> String {
        let settings = (try? presentState())?.settings
        var text = RouteText(words: StatusText(metric: metric ?? settings?.isMetric ?? LocaleUnits.isMetric))
        if isatty(STDOUT_FILENO) == 1 { text.palette = Palette(terminal: environment("TERM") ?? "dumb") }
        let engine = result["engine"]?.harmlessText() ?? ""
        let host = result["host"]?.harmlessText() ?? ""
        return (text.table(result) ?? "") + "From \(engine) at \(host).\n"
    }

    private func load(
        _ request: RouteRequest, search: Int, route: Int, _ net: inout ControlClient
    ) throws(Failure) -> NewCourse {
        let data = try request.course(&net, search: search, route: route)
        let stored = try store(data, name: request.courseName, in: StateDirectory(stateDirectory))
        try writeOut(try load(.number(stored.id)))
        return stored
    }

    /// Keeps a route to the destination loaded, until the run is there or another course is loaded.
    private func follow(_ request: RouteRequest, course: NewCourse) throws(Failure) {
        var (request, course) = (request, course)
        var follower = RouteFollower(course: course.id)
        var problem: String?
        var connection = try watchCourse()
        while true {
            switch connection.line(by: nil) {
            case .line(let line):
                guard let json = try? JSON(parsing: line), json["class"]?.string == "STATE",
                    let state = ReceivedState(json)
                else { continue }
                if let here = state.here { request.pass(here) }
                switch follower.receive(state.course, position: state.here, at: Clock.now()) {
                case .wait: break
                case .end(.arrived): return try say("You have arrived.")
                case .end(.replaced): return try say("Another course is loaded: the route is no longer followed.")
                case .ask(let position):
                    do throws(Failure) {
                        course = try replace(course, request, from: position)
                        follower.follow(course.id)
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
                try connection.send(
                    #"{"class":"WATCH","classes":["STATE"],"interval_ms":1000,"blocks":["course"]}"#.utf8)
                return connection
            } catch {
                if Clock.now() > deadline { throw error }
                sleep(1)
            }
        }
    }

    /// Loads the flattest route from the position. Deletes the course that it replaces, unless the list had that course before.
    private func replace(
        _ course: NewCourse, _ request: RouteRequest, from position: Coordinate
    ) throws(Failure) -> NewCourse {
        var net = try ControlClient(path: RuntimeDirectory.netSocket(request.options.netDirectory), of: .pacedNet)
        let text = try request.find(&net, from: position)
        guard let search = (try? JSON(parsing: text.utf8))?["search"]?.integer else {
            throw .failed("the response of paced-net has no route; see its log")
        }
        let new = try load(request, search: search, route: 0, &net)
        if new.id != course.id, !course.isPresent {
            var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
            _ = try? control.call("course.delete", "{\"id\":\(course.id)}")
        }
        return new
    }
}
