import Domain
import HTTP
import JSONCoding
import Linux
import Weather
import Wire

/// Looks up the weather: for the topic while somebody uses it, and for requests of users.
final class WeatherService {
    /// The position of the daemon.
    struct Position: Equatable {
        var place: Coordinate
        /// Metres above the sea; nil if it is unknown.
        var altitude: Double?
    }

    typealias WeatherResult = Result<StationWeather, WeatherFollower.Reason>

    /// Lists of stations change seldom.
    private static let stationReuse = Duration.seconds(7 * 86_400)
    private static let stationFallback = Duration.seconds(90 * 86_400)
    private static let emptyReuse = Duration.seconds(3600)
    /// No station reports more often.
    private static let reportReuse = Duration.seconds(240)
    private static let reportFallback = Duration.seconds(7200)
    /// The clock of a board without a battery starts before this release until it is set.
    private static var isClockSet: Bool { Clock.systemTime() >= Release.date }

    private let fetcher: Fetcher
    private let provider: (any WeatherProvider)?
    /// Header lines for the provider.
    private let headers: [String]
    private let publish: ([UInt8], UTC?) -> Void
    private var timer: TimerSource?
    private var follower = WeatherFollower()
    private var budget = StationBudget()
    private(set) var position: Position?

    /// - Parameters:
    ///   - provider: nil if the weather is off.
    ///   - publish: publishes the data of the topic, valid until a time; nil while the clock is not set.
    init(
        _ fetcher: Fetcher, _ provider: (any WeatherProvider)?, headers: [String], loop: EventLoop,
        publish: @escaping ([UInt8], UTC?) -> Void
    ) throws(SystemError) {
        self.fetcher = fetcher
        self.provider = provider
        self.headers = headers
        self.publish = publish
        timer = try loop.timer { [unowned self] in perform { $0.tick(at: $1, $2) } }
    }

    // MARK: The topic

    func want(_ isWanted: Bool) {
        perform { $0.want(isWanted, at: $1, $2) }
    }

    func move(to position: Position) {
        self.position = position
        perform { $0.move(to: position.place, altitude: position.altitude, at: $1, $2) }
    }

    func reconnected() {
        perform { $0.reconnected(at: $1, $2) }
    }

    private func perform(_ change: (inout WeatherFollower, Instant, UTC) -> [WeatherFollower.Action]) {
        for action in change(&follower, Clock.now(), Clock.systemTime()) {
            switch action {
            case .publish(let data, let end): publish(data, Self.isClockSet ? end : nil)
            case .lookUp(let place, let altitude):
                let lookup = WeatherLookup(at: place, altitude: altitude)
                lookUp(lookup, .periodic) { [unowned self] result, failure, retryAt in
                    perform { $0.receive(result, failure: failure, retryAt: retryAt, at: $1, $2) }
                }
            }
        }
        timer?.arm(at: follower.deadline)
    }

    // MARK: Requests

    /// Looks up the weather for a user. The result is that of `weather.at`.
    func answer(
        _ place: NetworkRequest.WeatherPlace, completed: @escaping (Result<ControlResult, RPCError>) -> Void
    ) {
        let lookup: WeatherLookup
        switch place {
        case .station(let name): lookup = WeatherLookup(station: name)
        case .at(let place): lookup = WeatherLookup(at: place)
        case .here:
            guard let position else {
                return completed(
                    .failure(.unavailable("paced has no position: wait for one, or name a place or a station")))
            }
            lookup = WeatherLookup(at: position.place, altitude: position.altitude)
        }
        lookUp(lookup, .command) { result, failure, _ in
            completed(
                result.map { .encoded(Self.encode($0, reason: failure?.text)) }.mapError { .unavailable($0.text) })
        }
    }

    /// The most bytes of the reports' texts.
    private static let textLimit = 24 * 1024

    private static func encode(_ weather: StationWeather, reason: String?) -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.key("weather")
            $0.value(written: weather.data(reason: reason, at: Clock.systemTime()))
            $0.array("reports") {
                var size = 0
                for report in weather.reports {
                    size += (report.metarText?.utf8.count ?? 0) + (report.tafText?.utf8.count ?? 0) + 64
                    guard size <= textLimit else { break }
                    $0.object {
                        $0.member("station", report.station.name)
                        $0.member("metar", report.metarText)
                        $0.member("taf", report.tafText)
                    }
                }
            }
        }
        return writer.bytes
    }

    // MARK: Lookups

    /// The result; why it is not of the newest data, if it is not; and when to try again after a failure.
    private typealias LookupCompletion = (WeatherResult, _ failure: WeatherFollower.Reason?, _ retryAt: Instant?) ->
        Void

    /// - Parameter failure: that of an earlier step, in whose place data on disk was used.
    private func lookUp(
        _ lookup: WeatherLookup, _ purpose: HostSchedule.Purpose, after failure: FetchFailure? = nil,
        completed: @escaping LookupCompletion
    ) {
        guard let provider else { return completed(.failure(.init("the weather is off in paced-net.conf")), nil, nil) }
        guard Self.isClockSet else {
            return completed(.failure(.init("the clock is not set")), nil, Clock.now() + .seconds(10))
        }
        let reason = failure.map(WeatherFollower.Reason.init)
        switch lookup.step {
        case .found(let weather): completed(.success(weather), reason, failure?.retryAt)
        case .failed(let text): completed(.failure(reason ?? .init(text)), nil, failure?.retryAt)
        case .stations(let box):
            fetchStations(in: box, provider, purpose, reuse: Self.stationReuse) { [unowned self] result in
                proceed(lookup, purpose, after: failure, result, completed) { $0.receive($1) }
            }
        case .reports(let wanted):
            // A station that the user names tells nothing of the position.
            let names = lookup.isOfStation ? wanted : budget.choose(wanted, at: Clock.now())
            guard !names.isEmpty else {
                let text = "8 weather stations were asked within an hour: no others yet"
                return completed(.failure(.init(text, isPause: true)), nil, Clock.now() + .seconds(600))
            }
            let request = FetchRequest(
                url: provider.address(ofReportsFrom: names), purpose: purpose, reuse: Self.reportReuse,
                fallback: Self.reportFallback, headers: headers)
            func reports(_ body: [UInt8]) -> [StationReport]? {
                provider.reports(body, receivedAt: Clock.systemTime())
            }
            fetcher.fetch(request, parse: reports) { [unowned self] result in
                proceed(lookup, purpose, after: failure, result, completed) { $0.receive($1, at: Clock.systemTime()) }
            }
        }
    }

    /// Continues a lookup with what was fetched.
    private func proceed<Value>(
        _ lookup: WeatherLookup, _ purpose: HostSchedule.Purpose, after failure: FetchFailure?,
        _ result: Result<Fetched<Value>, FetchFailure>, _ completed: @escaping LookupCompletion,
        receive: (inout WeatherLookup, Value) -> Void
    ) {
        switch result {
        case .success(let fetched):
            var lookup = lookup
            receive(&lookup, fetched.value)
            lookUp(lookup, purpose, after: failure ?? fetched.failure, completed: completed)
        case .failure(let newer):
            let failure = failure ?? newer
            completed(.failure(.init(failure)), nil, newer.retryAt)
        }
    }

    private func fetchStations(
        in box: GeographicBox, _ provider: any WeatherProvider, _ purpose: HostSchedule.Purpose, reuse: Duration,
        completed: @escaping Fetcher.Completion<[WeatherStation]>
    ) {
        let request = FetchRequest(
            url: provider.address(ofStationsIn: box), purpose: purpose, reuse: reuse, fallback: Self.stationFallback,
            headers: headers)
        fetcher.fetch(request, parse: provider.stations) { [unowned self] result in
            // An empty list may be an error of the service.
            if case .success(let fetched) = result, fetched.value.isEmpty, reuse > Self.emptyReuse,
                Clock.systemTime().milliseconds - fetched.fetchedAt.milliseconds > Self.emptyReuse.wholeMilliseconds
            {
                return fetchStations(in: box, provider, purpose, reuse: Self.emptyReuse, completed: completed)
            }
            completed(result)
        }
    }
}

extension WeatherFollower.Reason {
    fileprivate init(_ failure: FetchFailure) {
        self.init("\(failure)", isPause: failure.cause == .limited)
    }
}
