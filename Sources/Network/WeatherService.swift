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

    /// The end of a lookup: the weather, why there is none or no newer one, and when to try again after a failure.
    fileprivate struct Outcome {
        var weather: StationWeather?
        var failure: WeatherFollower.Reason?
        var retryAt: Instant?
    }

    /// Lists of stations change seldom.
    private static let stationReuse = Duration.seconds(7 * 86_400)
    private static let stationFallback = Duration.seconds(90 * 86_400)
    /// No station reports more often.
    private static let reportReuse = Duration.seconds(240)
    private static let reportFallback = Duration.seconds(7200)
    /// The clock of a board without a battery starts before this release until it is set.
    private static let earliestTime = Release.date

    private let fetcher: Fetcher
    private let provider: (any WeatherProvider)?
    /// Header lines for the provider.
    private let headers: [String]
    private let publish: ([UInt8], UTC) -> Void
    private var timer: TimerSource?
    private var follower = WeatherFollower()
    private(set) var position: Position?

    /// - Parameters:
    ///   - provider: nil if the weather is off.
    ///   - publish: publishes the data of the topic, valid until a time.
    init(
        _ fetcher: Fetcher, _ provider: (any WeatherProvider)?, headers: [String], loop: EventLoop,
        publish: @escaping ([UInt8], UTC) -> Void
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
            case .publish(let data, let end): publish(data, end)
            case .lookUp(let place, let altitude):
                lookUp(WeatherLookup(at: place, altitude: altitude), .periodic) { [unowned self] outcome in
                    perform { $0.receive(outcome.weather, outcome.failure, retryAt: outcome.retryAt, at: $1, $2) }
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
        lookUp(lookup, .command) { outcome in
            guard let weather = outcome.weather else {
                return completed(.failure(.unavailable(outcome.failure?.text ?? "no weather")))
            }
            completed(.success(.encoded(Self.encode(weather, reason: outcome.failure?.text))))
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

    private func lookUp(
        _ lookup: WeatherLookup, _ purpose: HostSchedule.Purpose, completed: @escaping (Outcome) -> Void
    ) {
        guard let provider else {
            return completed(Outcome(failure: .init("the weather is off in paced-net.conf")))
        }
        guard Clock.systemTime() >= Self.earliestTime else {
            return completed(Outcome(failure: .init("the clock is not set"), retryAt: Clock.now() + .seconds(10)))
        }
        var lookup = lookup
        switch lookup.step {
        case .found(let weather): completed(Outcome(weather: weather))
        case .failed(let reason): completed(Outcome(failure: .init(reason)))
        case .stations(let box):
            let request = FetchRequest(
                url: provider.address(ofStationsIn: box), purpose: purpose, reuse: Self.stationReuse,
                fallback: Self.stationFallback, headers: headers)
            fetcher.fetch(request, parse: provider.stations) { [unowned self] result in
                switch result {
                case .success(let fetched):
                    lookup.receive(fetched.value)
                    lookUp(lookup, purpose, completed: completed)
                case .failure(let failure): completed(Outcome(failure))
                }
            }
        case .reports(let names):
            let request = FetchRequest(
                url: provider.address(ofReportsFrom: names), purpose: purpose, reuse: Self.reportReuse,
                fallback: Self.reportFallback, headers: headers)
            func reports(_ body: [UInt8]) -> [StationReport]? {
                provider.reports(body, receivedAt: Clock.systemTime())
            }
            fetcher.fetch(request, parse: reports) { [unowned self] result in
                switch result {
                case .success(let fetched):
                    lookup.receive(fetched.value, at: Clock.systemTime())
                    guard let failure = fetched.failure else {
                        return lookUp(lookup, purpose, completed: completed)
                    }
                    var outcome = Outcome(failure)
                    if case .found(let weather) = lookup.step { outcome.weather = weather }
                    completed(outcome)
                case .failure(let failure): completed(Outcome(failure))
                }
            }
        }
    }
}

extension WeatherService.Outcome {
    fileprivate init(_ failure: FetchFailure) {
        self.init(failure: .init("\(failure)", isPause: failure.cause == .limited), retryAt: failure.retryAt)
    }
}
