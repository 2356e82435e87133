import Domain
import Glibc
import HTTP
import Linux
import Program
import Servers
import Weather
import Wire

/// `paced-net`: fetches data from the internet for paced, and publishes it as topics. Answers requests on net.sock.
package final class NetDaemon {
    /// Requests of users that wait for a response.
    private static let requestLimit = 16
    private static let socketName = "net"

    private var weather: WeatherService?
    private var routes: RouteService?
    private var places: PlacesService?
    private var transit: TransitService?
    private var paced: PacedConnection?
    private var server: ControlServer?
    private var nextToken = 0
    private var waiting = 0

    /// - Returns: the exit status of the program.
    package static func main(_ arguments: [String]) -> Int32 {
        NetOptions.description.main(arguments, start: start)
    }

    private static func log(_ level: LogLevel, _ text: String) {
        level.write(text, of: "paced-net")
    }

    private static func start(_ options: NetOptions) throws -> Int32 {
        let configuration = try NetConfiguration.read(options.configuration)
        if let path = configuration.exposedHome {
            log(
                .warning,
                "\(path) has your home and every user can read it: give it to root:paced-net with mode 0640")
        }
        let service = try ServiceLoop()
        let handed = try ProgramSockets.handed([socketName], to: "paced-net").numbers
        let environment = ProgramEnvironment.current
        let directories = try NetDirectories(options, hasSocket: handed[socketName] != nil, environment)
        try prepareDirectory(directories.cache, option: "--cache-dir")
        var sockets = try ProgramSockets([socketName], handed, in: directories.runtime, of: "paced-net")
        for line in sockets.hardLinks { log(.warning, line) }
        guard let socket = try sockets.listen(socketName) else {
            preconditionFailure("a program without this socket has a runtime directory")
        }
        let daemon = try NetDaemon(configuration, directories, environment, socket: socket, loop: service.loop)
        log(.notice, "paced-net \(Release.version) serves \(directories.runtime ?? "the socket of systemd")")
        let status = try service.run()
        daemon.server?.close()
        sockets.close()
        log(.notice, "stopped")
        return status
    }

    private init(
        _ configuration: NetConfiguration, _ directories: NetDirectories, _ environment: ProgramEnvironment,
        socket: consuming FileDescriptor, loop: EventLoop
    ) throws {
        let contact = configuration.contact.map { " (\($0))" } ?? ""
        let client = try HTTPClient(
            loop: loop, userAgent: "paced-net/\(Release.version)\(contact)", authorities: configuration.authorities)
        let fetcher = Fetcher(
            client, cache: ResponseCache(in: directories.cache), timeout: configuration.timeout, log: Self.log)
        let provider = configuration.weatherServer.map { AviationWeather(server: $0) }
        let authorization = try environment.credential("weather-authorization")
        weather = try WeatherService(
            fetcher, provider, headers: authorization.map { ["Authorization: \($0)"] } ?? [], loop: loop
        ) { [unowned self] data, end in
            paced?.publish(WeatherTopic.name, data, validUntil: end, source: provider?.name ?? "paced-net")
        }
        let routeAuthorization = try environment.credential("route-authorization")
        routes = try RouteService(
            client, configuration.routeEngine, timeout: configuration.timeout,
            headers: routeAuthorization.map { ["Authorization: \($0)"] } ?? [], loop: loop, log: Self.log)
        places = try PlacesService(
            in: directories.maps, configuration.places, loop: loop, log: Self.log,
            publish: { [unowned self] in
                paced?.publish(PlacesTopic.name, $0, validUntil: $1, source: "OpenStreetMap")
            },
            notify: { [unowned self] in paced?.notice(PlacesTopic.name, key: "water", $0) })
        let transitAuthorization = try environment.credential("transit-authorization")
        transit = try TransitService(
            in: directories.maps, configuration.transit, fetcher,
            headers: transitAuthorization.map { ["Authorization: \($0)"] } ?? [], loop: loop, log: Self.log,
            publish: { [unowned self] in paced?.publish(TransitTopic.name, $0, validUntil: $1, source: "paced-net") },
            notify: { [unowned self] in paced?.notice(TransitTopic.name, key: $0, $1) })
        paced = try PacedConnection(directories.paced, loop: loop, log: Self.log) { [unowned self] in receive($0) }
        let methods = ControlServer.Service(NetworkRequest.table) { [unowned self] call, _, _ in answer(call.request) }
        server = try ControlServer(
            socket: socket, methods, loop: loop, spareDescriptors: ClientLimits.othersSpareDescriptors)
    }

    private func receive(_ event: PacedConnection.Event) {
        switch event {
        case .position(let position):
            weather?.move(to: position)
            places?.move(to: position.place)
            transit?.move(to: position.place)
        case .demand(let demand):
            weather?.want(demand.isRunningOutdoors || demand.topics.contains(WeatherTopic.name))
            places?.want(
                isWatched: demand.topics.contains(PlacesTopic.name), isRunningOutdoors: demand.isRunningOutdoors)
            transit?.want(
                isWatched: demand.topics.contains(TransitTopic.name), isRunningOutdoors: demand.isRunningOutdoors,
                pace: demand.pace)
        case .connected: weather?.reconnected()
        }
    }

    private func answer(_ request: NetworkRequest) -> ControlServer.Reply {
        switch request {
        case .weather(let place):
            return later { [weather] completed in weather?.answer(place, completed: completed) }
        case .route(let search):
            return later { [routes, weather] completed in
                routes?.find(search, position: weather?.position?.place, completed: completed)
            }
        case .routeCourse(let search, let route, let offset):
            return .now(routes?.piece(search: search, route: route, offset: offset) ?? .failure(.methodNotFound))
        case .departures(let request):
            return later { [transit] completed in transit?.answer(request, completed: completed) }
        case .wayHome(let request):
            return later { [transit] completed in transit?.answer(request, completed: completed) }
        case .linePath(let line):
            return later { [transit] completed in transit?.answer(pathOf: line, completed: completed) }
        }
    }

    /// Starts a request of a user, whose response may come at once.
    private func later(
        _ start: (@escaping (Result<ControlResult, RPCError>) -> Void) -> Void
    ) -> ControlServer.Reply {
        guard waiting < Self.requestLimit else {
            return .now(.failure(.busy("\(Self.requestLimit) requests wait for a response already: try again")))
        }
        let token = nextToken
        nextToken += 1
        waiting += 1
        var result: Result<ControlResult, RPCError>?
        var isDeferred = false
        start { [unowned self] outcome in
            waiting -= 1
            if isDeferred { server?.complete(token, outcome) } else { result = outcome }
        }
        isDeferred = true
        return result.map { .now($0) } ?? .later(token)
    }
}
