import Domain
import Formats
import HTTP
import Import
import Linux
import MapStorage
import Transit

/// The live data of public transport: fetches the feeds of paced-net.conf, and keeps the newest data of each.
package final class LiveFeeds {
    package struct Sources: Equatable {
        /// The addresses of GTFS-Realtime feeds. Each may have trips, vehicles and alerts.
        package internal(set) var feeds: [String] = []
        /// The address of a server with InfoPoint; nil for none.
        var infoPoint: String?

        var isEmpty: Bool { feeds.isEmpty && infoPoint == nil }
    }

    /// What a server has sent, and when it was made.
    private struct Timed<Value> {
        var value: Value
        var time: UTC
    }

    /// In milliseconds. Older data is not live.
    static let largestAge: Int64 = 90_000
    private static let bodyLimit = 4 << 20
    private static let alertInterval = Duration.seconds(300)
    /// After the first failure of an address, and at most.
    private static let pauses = (first: Duration.seconds(20), longest: Duration.seconds(900))
    private static let lineReuse = Duration.seconds(86_400)

    private let fetcher: Fetcher
    private let log: (LogLevel, String) -> Void
    private let sources: Sources
    private let infoPoint: InfoPoint?
    private let headers: [String]
    /// By the address.
    private var feeds: [String: Timed<RealtimeFeed>] = [:]
    private var infoVehicles: Timed<[LiveVehicle]>?
    private var infoAlerts: [LiveAlert] = []
    private var alertsFetchedAt: Instant?
    private var linesFetchedAt: Instant?
    /// By the stop.
    private var infoDepartures: [String: Timed<[LiveDeparture]>] = [:]
    /// The lines of InfoPoint.
    private(set) var lines: [InfoPointLine] = []
    /// Why the newest fetch of an address failed, and when it may be tried again.
    private var failures: [String: (text: String, isOfAddress: Bool, count: Int, until: Instant)] = [:]
    private var pending = 0
    private var completed: (() -> Void)?

    /// - Parameter headers: header lines for the servers.
    init(
        _ fetcher: Fetcher, _ sources: Sources, headers: [String], log: @escaping (LogLevel, String) -> Void
    ) {
        self.fetcher = fetcher
        self.log = log
        self.sources = sources
        self.headers = headers
        infoPoint = sources.infoPoint.map { InfoPoint(server: $0) }
    }

    var isRefreshing: Bool { pending > 0 }

    /// Fetches all sources.
    ///
    /// - Parameters:
    ///   - lines: the IDs of the lines whose vehicles InfoPoint sends.
    ///   - stops: the IDs of the stops whose departures InfoPoint sends.
    ///   - completed: called once, when the last response is there.
    func refresh(lines: [String], stops: [String], completed: @escaping () -> Void) {
        self.completed = completed
        pending = 1
        for address in sources.feeds {
            fetch(address, parse: RealtimeFeed.init(from:)) { [unowned self] feed, time in
                feeds[address] = Timed(value: feed, time: feed.time ?? time)
            }
        }
        if let infoPoint { refresh(infoPoint, lines: lines, stops: stops) }
        end()
    }

    private func refresh(_ infoPoint: InfoPoint, lines: [String], stops: [String]) {
        if isDue(linesFetchedAt, after: Self.lineReuse) {
            let isFirst = lines.isEmpty && self.lines.isEmpty
            fetch(infoPoint.addressOfLines, parse: InfoPoint.lines) { [unowned self] lines, _ in
                (self.lines, linesFetchedAt) = (lines, Clock.now())
                if isFirst { refreshVehicles(infoPoint, on: []) }
            }
        }
        refreshVehicles(infoPoint, on: lines)
        if isDue(alertsFetchedAt, after: Self.alertInterval) {
            fetch(infoPoint.addressOfAlerts, parse: InfoPoint.alerts) { [unowned self] alerts, _ in
                (infoAlerts, alertsFetchedAt) = (alerts, Clock.now())
            }
        }
        for stop in stops { refresh(infoPoint, stop: stop) }
        infoDepartures = infoDepartures.filter { stops.contains($0.key) }
    }

    /// - Parameter lines: their IDs; empty for all lines that are known.
    private func refreshVehicles(_ infoPoint: InfoPoint, on lines: [String]) {
        let wanted = lines.isEmpty ? self.lines.prefix(Self.vehicleLineLimit).map(\.line.id) : lines
        guard !wanted.isEmpty else { return }
        fetch(infoPoint.address(ofVehiclesOn: wanted), parse: InfoPoint.vehicles) { [unowned self] in
            infoVehicles = Timed(value: $0, time: $1)
        }
    }

    /// The address of the request names each of them.
    private static let vehicleLineLimit = 100

    /// Fetches the departures that InfoPoint announces from stops.
    ///
    /// - Parameter completed: receives nil without InfoPoint, and if a stop has no response.
    func announced(from stops: [String], completed: @escaping ([LiveDeparture]?) -> Void) {
        let addresses = stops.compactMap { infoPoint?.address(ofDeparturesFrom: $0) }
        guard !addresses.isEmpty, addresses.count == stops.count, stops.count <= Self.stopLimit else {
            return completed(nil)
        }
        var found: [LiveDeparture] = []
        var (rest, hasFailed) = (addresses.count, false)
        for address in addresses {
            fetch(address, isStored: false, parse: InfoPoint.departures) { result in
                rest -= 1
                if case .success(let departures) = result { found += departures } else { hasFailed = true }
                if rest == 0 { completed(hasFailed ? nil : found) }
            }
        }
    }

    /// The most stops of a request: each is a request to the server.
    private static let stopLimit = 8

    private func isDue(_ last: Instant?, after interval: Duration) -> Bool {
        last.map { $0 + interval <= Clock.now() } ?? true
    }

    private func refresh(_ infoPoint: InfoPoint, stop: String) {
        guard let address = infoPoint.address(ofDeparturesFrom: stop) else { return }
        fetch(address, parse: InfoPoint.departures) { [unowned self] departures, time in
            infoDepartures[stop] = Timed(value: departures, time: time)
        }
    }

    /// Fetches live data, which is old within seconds and has names of drivers: it is not kept on disk.
    private func fetch<Value>(
        _ address: String, parse: @escaping ([UInt8]) -> Value?, _ received: @escaping (Value, UTC) -> Void
    ) {
        if let failure = failures[address], Clock.now() < failure.until { return }
        pending += 1
        var request = FetchRequest(
            url: address, purpose: .live, reuse: .zero, fallback: .zero, headers: headers + [Self.accept])
        request.isStored = false
        request.bodyLimit = Self.bodyLimit
        fetcher.fetch(request, parse: parse) { [unowned self] result in
            switch result {
            case .success(let fetched):
                if failures.removeValue(forKey: address)?.isOfAddress == true {
                    log(.notice, "\(Self.name(of: address)) responds again")
                }
                received(fetched.value, fetched.fetchedAt)
            case .failure(let failure): pause(address, failure)
            }
            end()
        }
    }

    /// Waits longer after each failure of an address, and logs a change.
    private func pause(_ address: String, _ failure: FetchFailure) {
        let (text, count) = ("\(failure)", failures[address]?.count ?? 0)
        let isOfAddress = failure.cause.isOfAddress
        // The failure of a host is logged once for all its addresses.
        if isOfAddress, failures[address]?.text != text { log(.warning, "\(text): \(Self.name(of: address))") }
        let wait = min(Self.pauses.first * (1 << min(count, 8)), Self.pauses.longest)
        // The first retry comes with the next refresh.
        failures[address] = (text, isOfAddress, count + 1, Clock.now() + (count == 0 ? .zero : wait))
    }

    /// The path of an address. Its query may have a key.
    private static func name(of address: String) -> String {
        let path = address.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }.prefix { $0 != "?" }
        return SanitizedText(String(path))?.text ?? "/"
    }

    private func end() {
        pending -= 1
        guard pending == 0 else { return }
        completed?()
        completed = nil
    }

    /// Why there is no trace of a line, for users.
    struct TraceFailure: Error {
        var reason: String
    }

    /// Fetches the way of a line from InfoPoint.
    func way(ofLine id: String, completed: @escaping (Result<LineWay, TraceFailure>) -> Void) {
        guard let infoPoint, let address = infoPoint.address(ofLine: id) else {
            return completed(.failure(TraceFailure(reason: "there is no line \(id) in the timetable")))
        }
        // The response has names of drivers.
        fetch(address, isStored: false, parse: InfoPoint.line) { [unowned self] result in
            let line: InfoPointLine
            switch result {
            case .failure(let failure): return completed(.failure(failure))
            case .success(let found): line = found
            }
            let stops = line.stops.map { LineWay.Stop(id: $0.id, name: $0.name, position: $0.position) }
            guard let trace = line.trace.flatMap({ infoPoint.address(ofTrace: $0) }) else {
                return completed(
                    stops.isEmpty
                        ? .failure(TraceFailure(reason: "line \(id) has no trace"))
                        : .success(LineWay(paths: [], stops: stops)))
            }
            fetch(trace, isStored: true, parse: { try? readTrace($0).paths }) { paths in
                completed(paths.map { LineWay(paths: $0, stops: stops) })
            }
        }
    }

    private func fetch<Value>(
        _ address: String, isStored: Bool, parse: @escaping ([UInt8]) -> Value?,
        completed: @escaping (Result<Value, TraceFailure>) -> Void
    ) {
        var request = FetchRequest(
            url: address, purpose: isStored ? .command : .live, reuse: Self.lineReuse, fallback: Self.lineReuse * 30,
            headers: headers + [Self.accept])
        request.isStored = isStored
        fetcher.fetch(request, parse: parse) { result in
            completed(result.map(\.value).mapError { TraceFailure(reason: "\($0)") })
        }
    }

    /// InfoPoint also sends XML.
    private static let accept = "Accept: application/json, */*;q=0.5"

    /// Forgets all data, because nobody uses it.
    func clear() {
        (feeds, infoVehicles, infoAlerts, infoDepartures, failures) = ([:], nil, [], [:], [:])
        alertsFetchedAt = nil
    }

    // MARK: The newest data

    /// Whether there is live data, or why not.
    func status(at time: UTC) -> LiveStatus {
        guard !sources.isEmpty else { return .schedule(reason: "no live data is configured in paced-net.conf") }
        let times =
            feeds.values.map(\.time) + [infoVehicles?.time].compactMap(\.self) + infoDepartures.values.map(\.time)
        if let age = times.compactMap({ Self.age(of: $0, at: time) }).min() {
            if age <= Self.largestAge { return .live(age: Int(age / 1000)) }
            return .schedule(reason: failure ?? "the live data is \(age / 1000) s old")
        }
        return .schedule(reason: failure ?? "there is no live data yet")
    }

    private var failure: String? { failures.min { $0.key < $1.key }?.value.text }

    /// Milliseconds; nil for data of the future, which a wrong clock makes.
    private static func age(of data: UTC, at time: UTC) -> Int64? {
        let age = time.milliseconds - data.milliseconds
        return age >= -largestAge ? max(age, 0) : nil
    }

    private static func isLive<Value>(_ timed: Timed<Value>, at time: UTC) -> Bool {
        age(of: timed.time, at: time).map { $0 <= largestAge } ?? false
    }

    /// The feeds whose data is live.
    func liveFeeds(at time: UTC) -> [RealtimeFeed] {
        sources.feeds.compactMap { feeds[$0] }.filter { Self.isLive($0, at: time) }.map(\.value)
    }

    func vehicles(at time: UTC) -> [LiveVehicle] {
        let info = infoVehicles.flatMap { Self.isLive($0, at: time) ? $0.value : nil } ?? []
        return liveFeeds(at: time).flatMap(\.vehicles) + info
    }

    func alerts(at time: UTC) -> [LiveAlert] {
        (feeds.values.flatMap(\.value.alerts) + infoAlerts).filter { $0.holds(at: time) }
    }

    /// The departures that InfoPoint announces from a stop; nil without live ones.
    func departures(from stop: String, at time: UTC) -> [LiveDeparture]? {
        infoDepartures[stop].flatMap { Self.isLive($0, at: time) ? $0.value : nil }
    }
}

extension RealtimeFeed {
    /// Nil for bytes that are no feed.
    fileprivate init?(from bytes: [UInt8]) {
        guard let feed = try? RealtimeFeed(bytes) else { return nil }
        self = feed
    }
}
