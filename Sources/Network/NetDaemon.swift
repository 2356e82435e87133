import Domain
import Glibc
import HTTP
import Linux
import Servers
import Weather
import Wire

/// `paced-net`: fetches data from the internet for paced, and publishes it as topics. Answers requests on net.sock.
package final class NetDaemon {
    private typealias Failure = ServiceStart.Failure

    /// Requests of users that wait for a response.
    private static let requestLimit = 16
    private static let socketName = "net"

    private let loop: EventLoop
    private var weather: WeatherService?
    private var routes: RouteService?
    private var places: PlacesService?
    private var transit: TransitService?
    private var paced: PacedConnection?
    private var server: ControlServer?
    private var signals: [CallbackSource] = []
    private var watchdog: TimerSource?
    private var nextToken = 0
    private var waiting = 0

    /// - Returns: the exit status of the program.
    package static func main(_ arguments: [String]) -> Int32 {
        blockSignals([SIGTERM, SIGINT])
        Machine.returnLargeBlocks()
        do {
            switch try NetOptions.read(arguments) {
            case .print(let text):
                print(text, terminator: "")
                return 0
            case .run(let options): return try start(options)
            }
        } catch let error as NetOptions.UsageError {
            log(.error, error.line)
            return 2
        } catch let error as ConfigurationFile.Failure {
            log(.error, error.line)
            return 2
        } catch let failure as Failure {
            log(.error, failure.line)
            return 1
        } catch {
            log(.error, "\(error)")
            return 1
        }
    }

    private static func log(_ level: LogLevel, _ text: String) {
        level.write(text, of: "paced-net")
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    private static func start(_ options: NetOptions) throws -> Int32 {
        let configuration = try NetConfiguration.read(options.configuration)
        if configuration.exposesHome {
            log(
                .warning,
                "\(options.configuration ?? NetConfiguration.path) has your home and every user can read it: "
                    + "give it to root:paced-net with mode 0640")
        }
        let notifier = NotifySocket.fromEnvironment()
        let handed = try handedSocket()
        let isSystem = geteuid() == 0 || variable("SYSTEMD_EXEC_PID").flatMap { Int32($0) } == getpid()
        let directories = try NetDirectories(
            options, isSystem: isSystem, hasSocket: handed != nil, environment: variable)
        try ServiceStart.prepare(directories.cache, option: "--cache-dir")
        let lock = try directories.runtime.map { try ServiceStart.lock($0, of: "paced-net") }
        let socket =
            try handed.map { FileDescriptor(owning: $0) }
            ?? ServiceStart.listen(socketName, in: directories.runtime ?? "")
        let daemon = try NetDaemon(configuration, directories, socket: socket, notifier)
        log(.notice, "paced-net \(Release.version) serves \(directories.runtime ?? "the socket of systemd")")
        _ = notifier?.send("READY=1")
        let status = try daemon.loop.run()
        daemon.server?.close()
        switch lock {
        case .some(let lock): lock.directory.remove(socketName + ".sock")
        case .none: break
        }
        _ = consume lock
        log(.notice, "stopped")
        return status
    }

    private static func handedSocket() throws(Failure) -> Int32? {
        do throws(ActivationSockets.Failure) {
            return try ActivationSockets(named: [socketName]).numbers[socketName]
        } catch {
            throw Failure(line: "cannot use the socket of systemd (paced-net.socket): \(error)")
        }
    }

    private init(
        _ configuration: NetConfiguration, _ directories: NetDirectories, socket: consuming FileDescriptor,
        _ notifier: NotifySocket?
    ) throws {
        loop = try EventLoop()
        let contact = configuration.contact.map { " (\($0))" } ?? ""
        let client = try HTTPClient(
            loop: loop, userAgent: "paced-net/\(Release.version)\(contact)", authorities: configuration.authorities)
        let fetcher = Fetcher(
            client, cache: ResponseCache(in: directories.cache), timeout: configuration.timeout, log: Self.log)
        let provider = configuration.weatherServer.map { AviationWeather(server: $0) }
        let authorization = try Self.credential("weather-authorization", in: directories.credentials)
        weather = try WeatherService(
            fetcher, provider, headers: authorization.map { ["Authorization: \($0)"] } ?? [], loop: loop
        ) { [unowned self] data, end in
            paced?.publish(WeatherTopic.name, data, validUntil: end, source: provider?.name ?? "paced-net")
        }
        let routeAuthorization = try Self.credential("route-authorization", in: directories.credentials)
        routes = try RouteService(
            client, configuration.routeEngine, timeout: configuration.timeout,
            headers: routeAuthorization.map { ["Authorization: \($0)"] } ?? [], loop: loop, log: Self.log)
        places = try PlacesService(
            in: directories.maps, configuration.places, loop: loop, log: Self.log,
            publish: { [unowned self] in
                paced?.publish(PlacesTopic.name, $0, validUntil: $1, source: "OpenStreetMap")
            },
            notify: { [unowned self] in paced?.notice(PlacesTopic.name, key: "water", $0) })
        let transitAuthorization = try Self.credential("transit-authorization", in: directories.credentials)
        transit = try TransitService(
            in: directories.maps, configuration.transit, fetcher,
            headers: transitAuthorization.map { ["Authorization: \($0)"] } ?? [], loop: loop, log: Self.log,
            publish: { [unowned self] in paced?.publish(TransitTopic.name, $0, validUntil: $1, source: "paced-net") },
            notify: { [unowned self] in paced?.notice(TransitTopic.name, key: $0, $1) })
        paced = try PacedConnection(directories.paced, loop: loop, log: Self.log) { [unowned self] in receive($0) }
        server = try ControlServer(socket: socket, .network, loop: loop) { [unowned self] request, _, _ in
            answer(request)
        }
        for signal in [SIGTERM, SIGINT] {
            signals.append(try loop.onSignal(signal) { [unowned self] in loop.stop(0) })
        }
        if let notifier, let interval = notifier.watchdog {
            watchdog = try loop.timer { [unowned self] in
                _ = notifier.send("WATCHDOG=1")
                watchdog?.arm(at: Clock.now() + interval / 3)
            }
            watchdog?.arm(at: Clock.now())
        }
    }

    /// The first line of a credential; nil without one.
    private static func credential(_ name: String, in directory: String?) throws(Failure) -> String? {
        guard let directory else { return nil }
        do throws(SystemError) {
            let text = try FileDescriptor.open("\(directory)/\(name)", O_RDONLY).readText(limit: 4096)
            let line = text.prefix { !$0.isNewline }
            guard !line.isEmpty, line.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw SystemError("read", code: EINVAL)
            }
            return String(line)
        } catch {
            if error.code == ENOENT { return nil }
            throw Failure(line: "the credential \(name) must be one line of printable ASCII characters: \(error)")
        }
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

    private func answer(_ request: ControlRequest) -> ControlServer.Reply {
        switch request {
        case .network(.weather(let place)):
            return later { [weather] completed in weather?.answer(place, completed: completed) }
        case .network(.route(let search)):
            return later { [routes, weather] completed in
                routes?.find(search, position: weather?.position?.place, completed: completed)
            }
        case .network(.routeCourse(let search, let route, let offset)):
            return .now(routes?.piece(search: search, route: route, offset: offset) ?? .failure(.methodNotFound))
        case .network(.departures(let request)):
            return later { [transit] completed in transit?.answer(request, completed: completed) }
        case .network(.wayHome(let request)):
            return later { [transit] completed in transit?.answer(request, completed: completed) }
        case .network(.linePath(let line)):
            return later { [transit] completed in transit?.answer(pathOf: line, completed: completed) }
        default: return .now(.failure(.methodNotFound))
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
