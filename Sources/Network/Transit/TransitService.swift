package import Domain
import HTTP
import JSONCoding
import Linux
import MapStorage
import Pipeline
import SQLite
import Transit
import Wire

/// Public transport: publishes the topic `transit` while somebody uses it, announces buses that come near and the last
/// bus home, and answers requests of users.
package final class TransitService {
    package struct Settings: Equatable {
        package internal(set) var sources = LiveFeeds.Sources()
        /// IDs or codes of lines.
        package internal(set) var lines: [String] = []
        /// IDs of stops.
        var stops: [String] = []
        /// Whether InfoPoint is asked for stops near the position too, which tell the agency where the user is.
        var asksForNearbyStops = false
        /// Never published.
        package internal(set) var home: Coordinate?
        var refresh = Duration.seconds(20)
        var walking = WalkingRule()
        /// The notice of the last bus home comes this many seconds before the user must leave; nil for no notice.
        package internal(set) var lastBusNotice: Int? = 45 * 60
        /// Metres to the stop of the last bus home.
        var lastBusRadius = 3000.0
    }

    typealias Completion = (Result<ControlResult, RPCError>) -> Void

    /// The service fetches live data for this long after a request of a user.
    private static let requestInterval = Duration.seconds(60)
    private static let lastBusIntervals = (shortest: Duration.seconds(60), longest: Duration.seconds(600))
    /// The delays of a vehicle that is on time, in seconds.
    private static let punctual = -60..<180

    private let settings: Settings
    private let feeds: LiveFeeds
    private let log: (LogLevel, String) -> Void
    private let publish: ([UInt8], UTC) -> Void
    private let notify: (_ key: String, _ text: String) -> Void
    private var timetable: TimetableFile
    private var timer: TimerSource?
    private var position: Coordinate?
    private var isWatched = false
    private var isRunningOutdoors = false
    /// Of the run, in metres per second; nil without a run.
    private var pace: Double?
    private var requestedUntil: Instant?
    private var nextRefresh: Instant?
    private var nextLastBus: Instant?
    private var approach = ApproachWatch()
    /// The departure of the last bus that was announced, in seconds since 1970.
    private var announcedLastBus: Int?
    /// The live data by the numbers of ``resolved``.
    private var live = LiveTimetable()
    private var resolved: TransitDatabase?
    /// By the trip, in seconds.
    private var delays: [String: Int] = [:]
    /// Requests that wait for the live data.
    private var waiting: [() -> Void] = []
    private var failure: String?
    private var newest: (data: [UInt8], validUntil: UTC)?

    /// - Parameters:
    ///   - directory: that of `transit.db`.
    ///   - headers: header lines for the servers of live data.
    init(
        in directory: String, _ settings: Settings, _ fetcher: Fetcher, headers: [String], loop: EventLoop,
        log: @escaping (LogLevel, String) -> Void, publish: @escaping ([UInt8], UTC) -> Void,
        notify: @escaping (_ key: String, _ text: String) -> Void
    ) throws(SystemError) {
        self.settings = settings
        self.log = log
        self.publish = publish
        self.notify = notify
        timetable = TimetableFile(in: directory)
        feeds = LiveFeeds(fetcher, settings.sources, headers: headers, log: log)
        timer = try loop.timer { [unowned self] in tick() }
    }

    // MARK: Demand

    /// - Parameters:
    ///   - isWatched: whether a client watches the topic.
    ///   - pace: of the run, in metres per second; nil without a run outdoors.
    func want(isWatched: Bool, isRunningOutdoors: Bool, pace: Double?) {
        let isNew = isWatched && !self.isWatched
        (self.isWatched, self.isRunningOutdoors, self.pace) = (isWatched, isRunningOutdoors, pace)
        if !isRunningOutdoors { (announcedLastBus, nextLastBus) = (nil, nil) }
        // The daemon does not have the newest data: nobody watched, or the daemon restarted since.
        if isNew, let newest, newest.validUntil > Clock.systemTime() { publish(newest.data, newest.validUntil) }
        tick()
    }

    func move(to place: Coordinate) {
        position = place
        tick()
    }

    /// Whether somebody uses the live data.
    private func isWanted(at now: Instant) -> Bool {
        isWatched || isRunningOutdoors && !settings.lines.isEmpty && !settings.sources.isEmpty
            || requestedUntil.map { now < $0 } ?? false
    }

    private var warnsOfLastBus: Bool { isRunningOutdoors && settings.home != nil && settings.lastBusNotice != nil }

    private func tick() {
        let now = Clock.now()
        if isWanted(at: now) {
            if !feeds.isRefreshing, nextRefresh.map({ $0 <= now }) ?? true { refresh() }
        } else if !feeds.isRefreshing {
            rest()
        }
        if warnsOfLastBus, nextLastBus.map({ $0 <= now }) ?? true {
            nextLastBus = now + warnOfLastBus()
        }
        let deadlines = [
            isWanted(at: now) && !feeds.isRefreshing ? nextRefresh : nil, warnsOfLastBus ? nextLastBus : nil,
        ]
        timer?.arm(at: deadlines.compactMap(\.self).min())
    }

    /// Frees the memory of what nobody uses.
    private func rest() {
        nextRefresh = nil
        feeds.clear()
        (live, delays, resolved) = (LiveTimetable(), [:], nil)
        approach = ApproachWatch()
        if !warnsOfLastBus { timetable.close() }
    }

    // MARK: Live data

    private func refresh() {
        feeds.refresh(lines: lineIDs, stops: settings.stops) { [unowned self] in
            nextRefresh = Clock.now() + settings.refresh
            adopt()
            let requests = waiting
            waiting = []
            for request in requests { request() }
            tick()
        }
    }

    /// The IDs of the lines of the settings, which may name their codes.
    private var lineIDs: [String] {
        guard !settings.lines.isEmpty else { return [] }
        let known = ((try? timetable.open().lines()) ?? []).map(\.line) + feeds.lines.map(\.line)
        let ids = settings.lines.map { name in
            known.first { $0.id == name }?.id ?? known.first { $0.code.lowercased() == name.lowercased() }?.id ?? name
        }
        return Array(Set(ids)).sorted()
    }

    /// Brings the newest live data into the timetable.
    private func resolve(_ database: TransitDatabase?, at time: UTC) {
        (live, delays, resolved) = (LiveTimetable(), [:], database)
        guard let database else { return }
        do throws(SQLiteError) {
            for feed in feeds.liveFeeds(at: time) {
                let found = try database.add(feed, to: &live, at: Int(time.milliseconds / 1000))
                delays.merge(found) { first, _ in first }
            }
        } catch {
            report("cannot read \(database.path) (\(error)): import the timetable again")
        }
    }

    /// Publishes the newest live data, and announces a vehicle that has come near.
    private func adopt() {
        let time = Clock.systemTime()
        let database = openTimetable()
        resolve(database, at: time)
        let vehicles = vehicles(database, at: time)
        announce(vehicles)
        guard isWatched else { return }
        var report = TransitReport(
            status: feeds.status(at: time), isMissingTimetable: database == nil && settings.sources.infoPoint == nil,
            agency: database?.agency, vehicles: nearestFirst(vehicles),
            departures: departures(database, at: time), alerts: alerts(database, at: time))
        report.lines = lineIDs
        let lifetime = (settings.refresh * 3).wholeMilliseconds
        let newest = (data: report.data, validUntil: UTC(milliseconds: time.milliseconds + lifetime))
        self.newest = newest
        publish(newest.data, newest.validUntil)
    }

    /// Opens the timetable. After an import, the live data has the numbers of the new one.
    private func open() throws(MapsFailure) -> TransitDatabase {
        let database = try timetable.open()
        if let resolved, resolved !== database { resolve(database, at: Clock.systemTime()) }
        return database
    }

    private func openTimetable() -> TransitDatabase? {
        do throws(MapsFailure) {
            let database = try open()
            failure = nil
            return database
        } catch {
            // Lines and departures of InfoPoint need no timetable.
            if settings.sources.infoPoint == nil { report("\(error)") }
            return nil
        }
    }

    /// Logs a failure, once until another one.
    private func report(_ failure: String) {
        guard failure != self.failure else { return }
        self.failure = failure
        log(.warning, failure)
    }

    /// The vehicles on the lines of the settings; on all lines if there are none.
    private func vehicles(_ database: TransitDatabase?, at time: UTC) -> [(vehicle: LiveVehicle, line: TransitLine)] {
        let wanted = Set(lineIDs)
        let known = Dictionary(feeds.lines.map { ($0.line.id, $0.line) }, uniquingKeysWith: { first, _ in first })
        return feeds.vehicles(at: time).compactMap { vehicle in
            var vehicle = vehicle
            let ofTrip = vehicle.trip.flatMap { trip in try? database?.line(ofTrip: trip) }
            guard let id = vehicle.line ?? ofTrip?.id, wanted.isEmpty || wanted.contains(id) else { return nil }
            vehicle.line = id
            if let delay = vehicle.trip.flatMap({ delays[$0] }) {
                vehicle.punctuality =
                    Self.punctual.contains(delay) ? .onTime : delay < 0 ? .early : .late
            }
            let line = ofTrip ?? known[id] ?? (try? database?.line(id: id)) ?? TransitLine(id: id, code: "", name: "")
            return (vehicle, line)
        }
    }

    private func nearestFirst(
        _ vehicles: [(vehicle: LiveVehicle, line: TransitLine)]
    ) -> [(vehicle: LiveVehicle, line: TransitLine)] {
        guard let position else { return vehicles }
        return vehicles.map { (row: $0, metres: position.metres(to: $0.vehicle.position)) }
            .sorted { $0.metres < $1.metres }.map(\.row)
    }

    private func departures(_ database: TransitDatabase?, at time: UTC) -> [TransitReport.Row] {
        var rows: [TransitReport.Row] = []
        for stop in settings.stops {
            if let announced = feeds.departures(from: stop, at: time) {
                rows += announced.compactMap { row($0, database, at: time) }
            } else if let database {
                rows += (try? scheduled(from: stop, database, at: time)) ?? []
            }
        }
        return inOrder(rows)
    }

    /// In the order of time; those without a time are last.
    private func inOrder(_ rows: [TransitReport.Row]) -> [TransitReport.Row] {
        rows.sorted {
            ($0.departure?.milliseconds ?? .max, $0.stop) < ($1.departure?.milliseconds ?? .max, $1.stop)
        }
    }

    private func scheduled(
        from stop: String, _ database: TransitDatabase, at time: UTC
    ) throws(SQLiteError) -> [TransitReport.Row] {
        let found = try database.departures(
            from: try database.stops(id: stop), after: Int(time.milliseconds / 1000),
            limit: TransitTopic.departureLimit, live: live)
        var rows: [TransitReport.Row] = []
        for departure in found {
            guard let line = try database.line(departure.ride.line) else { continue }
            func utc(_ seconds: Int) -> UTC { UTC(milliseconds: Int64(seconds) * 1000) }
            // One of the platforms, if the stop is a station.
            let platform = try database.stop(departure.ride.calls[departure.place].stop)
            rows.append(
                TransitReport.Row(
                    line: line, stop: platform?.id ?? stop, stopName: platform?.name,
                    headsign: try database.trip(departure.ride.trip)?.headsign, departure: utc(departure.time),
                    scheduled: utc(departure.ride.scheduledDeparture(departure.place)),
                    isLive: departure.ride.calls[departure.place].isLive, isCanceled: departure.isCanceled,
                    headway: departure.ride.headway))
        }
        return rows
    }

    /// The clock of the agency; without a timetable that of this machine.
    private func clock(_ database: TransitDatabase?, at time: UTC) -> AgencyClock {
        database?.clock ?? AgencyClock([.init(start: 0, offset: Machine.localOffset(at: time))])
    }

    /// Nil for a departure that has passed.
    private func row(_ announced: LiveDeparture, _ database: TransitDatabase?, at time: UTC) -> TransitReport.Row? {
        // Of a line with a headway InfoPoint says the hour only.
        let said = announced.text.flatMap { InfoPoint.timeOfDay($0) }.map { seconds in
            clock(database, at: time).next(seconds, after: Int(time.milliseconds / 1000))
        }.map { UTC(milliseconds: Int64($0) * 1000) }
        let departure = announced.estimated ?? announced.scheduled ?? said
        if let departure, departure < time { return nil }
        let line =
            feeds.lines.first { $0.line.id == announced.line }?.line ?? (try? database?.line(id: announced.line))
            ?? TransitLine(id: announced.line, code: "", name: "")
        let stop = feeds.lines.lazy.flatMap(\.stops).first { $0.id == announced.stop }
        return TransitReport.Row(
            line: line, stop: announced.stop, stopName: stop?.name, headsign: announced.direction,
            departure: departure, scheduled: announced.scheduled, isLive: announced.estimated != nil || said != nil,
            text: said == nil ? announced.text : nil)
    }

    private func alerts(_ database: TransitDatabase?, at time: UTC) -> [LiveAlert] {
        let lines = Set(lineIDs)
        // Those of a station are those of its platforms too.
        let platforms = settings.stops.flatMap { (try? database?.stops(id: $0)) ?? [] }
        let stops = Set(settings.stops + platforms.compactMap { (try? database?.stop($0))?.id })
        return feeds.alerts(at: time).filter { alert in
            let concernsAll = alert.lines.isEmpty && alert.stops.isEmpty || lines.isEmpty && stops.isEmpty
            return concernsAll || !lines.isDisjoint(with: alert.lines) || !stops.isDisjoint(with: alert.stops)
        }
    }

    // MARK: Notices

    private func announce(_ vehicles: [(vehicle: LiveVehicle, line: TransitLine)]) {
        // Without lines, a city would have a notice each few seconds.
        guard let position, !settings.lines.isEmpty else { return }
        guard let (vehicle, metres) = approach.update(vehicles.lazy.map(\.vehicle), around: position) else { return }
        let line = vehicles.first { $0.vehicle == vehicle }?.line
        let name = [line?.code, line?.name, vehicle.line].compactMap(\.self).first { !$0.isEmpty } ?? ""
        let direction = vehicle.direction.map { " " + $0 } ?? ""
        let text = "bus \(name)\(direction) is near: \(Int((metres / 10).rounded()) * 10) m"
        notify("bus", SanitizedText(text)?.text ?? "a bus is near")
    }

    /// Tells the user of the last bus home when it is time to leave.
    ///
    /// - Returns: how long to wait until the next look at the timetable.
    private func warnOfLastBus() -> Duration {
        guard let position, let home = settings.home, let notice = settings.lastBusNotice,
            let database = openTimetable()
        else { return Self.lastBusIntervals.shortest }
        let now = Int(Clock.systemTime().milliseconds / 1000)
        var walking = walking
        walking.radius = settings.lastBusRadius
        guard position.metres(to: home) > walking.radius,
            let last = try? database.lastJourney(
                from: position, to: home, after: now, walking: walking, needsBikes: false, live: live),
            let leg = last.legs.first, let stop = try? database.position(ofStop: leg.ride.calls[leg.board].stop)
        else { return Self.lastBusIntervals.longest }
        let rest = last.departure - now - notice
        guard rest <= 0 else {
            // The way to the stop may grow meanwhile.
            return min(max(.seconds(rest / 2), Self.lastBusIntervals.shortest), Self.lastBusIntervals.longest)
        }
        if announcedLastBus != leg.ride.scheduledDeparture(0) {
            announcedLastBus = leg.ride.scheduledDeparture(0)
            let minutes = max((leg.ride.departure(leg.board) - now) / 60, 0)
            let tenths = Int((position.metres(to: stop) / 100).rounded())
            notify(
                "last-bus", "the last bus home leaves in \(minutes) min, \(tenths / 10).\(tenths % 10) km from here")
        }
        return Self.lastBusIntervals.shortest
    }

    private var walking: WalkingRule {
        var walking = settings.walking
        if let pace { walking.speed = pace }
        return walking
    }

    // MARK: Requests

    /// The result is that of `transit.departures`: what the agency announces, else the timetable with live data.
    ///
    /// The agency is asked for the stops of the settings and for those that the user has named.
    func answer(_ request: NetworkRequest.Departures, completed: @escaping Completion) {
        let mayAsk =
            settings.asksForNearbyStops || request.areNamed || Set(request.stops).isSubset(of: settings.stops)
        withLiveData { [unowned self] in
            guard mayAsk else { return respondByTimetable(request, completed: completed) }
            feeds.announced(from: request.stops) { [unowned self] announced in
                if let announced {
                    respond(request, announced, completed: completed)
                } else {
                    respondByTimetable(request, completed: completed)
                }
            }
        }
    }

    private func respond(
        _ request: NetworkRequest.Departures, _ announced: [LiveDeparture], completed: Completion
    ) {
        let (time, database) = (Clock.systemTime(), try? timetable.open())
        let rows = announced.compactMap { row($0, database, at: time) }.filter {
            request.lines.isEmpty || request.lines.contains($0.line.id)
        }
        let answer = AnnouncedAnswer(
            rows: Array(inOrder(rows).prefix(request.limit)), clock: clock(database, at: time),
            agency: database?.agency)
        completed(.success(.encoded(answer.data)))
    }

    private func respondByTimetable(_ request: NetworkRequest.Departures, completed: Completion) {
        respond(completed) { database throws(SQLiteError) in
            var stops: [Int] = []
            for id in request.stops {
                let found = try database.stops(id: id)
                guard !found.isEmpty else {
                    return .failure(.invalidValue("stops", "no stop has the ID \(Self.shown(id))"))
                }
                stops += found
            }
            let lines = try database.lines().filter { request.lines.contains($0.line.id) }
            let missing = Set(request.lines).subtracting(lines.map(\.line.id)).min()
            if let missing { return .failure(.invalidValue("lines", "no line has the ID \(Self.shown(missing))")) }
            return .success(
                try transitAnswer(database).departures(
                    from: stops, lines: request.lines.isEmpty ? nil : Set(lines.map(\.number)),
                    after: Int(Clock.systemTime().milliseconds / 1000), limit: request.limit))
        }
    }

    private static func shown(_ id: String) -> String { SanitizedText(id)?.text ?? "" }

    /// The result is that of `transit.home`.
    func answer(_ request: NetworkRequest.WayHome, completed: @escaping Completion) {
        guard let home = request.home ?? settings.home else {
            return completed(.failure(.unavailable("set Home= in paced-net.conf, or name a home")))
        }
        guard let start = request.start ?? position else {
            return completed(.failure(.unavailable("paced has no position: wait for one, or name a place")))
        }
        withLiveData { [unowned self] in
            var walking = walking
            walking.radius = request.radius ?? walking.radius
            walking.speed = request.walkingSpeed ?? walking.speed
            respond(completed) { database throws(SQLiteError) in
                .success(
                    try transitAnswer(database).journeys(
                        from: start, to: home, after: Int(Clock.systemTime().milliseconds / 1000), walking: walking,
                        needsBikes: request.needsBikes, limit: request.limit))
            }
        }
    }

    /// The result is that of `transit.path`: the shapes and stops of the timetable, or the trace and stops of InfoPoint.
    func answer(pathOf line: String, completed: @escaping Completion) {
        if let database = try? timetable.open(), let number = try? database.lineNumber(id: line),
            let paths = try? database.paths(ofLine: number), !paths.isEmpty
        {
            let stops = ((try? database.stops(ofLine: number)) ?? []).map {
                LineWay.Stop(id: $0.id, name: $0.name, position: $0.position)
            }
            return completed(.success(.encoded(LineWay(paths: paths, stops: stops).encoded)))
        }
        feeds.way(ofLine: line) { result in
            completed(result.map { .encoded($0.encoded) }.mapError { .notFound("line", $0.reason) })
        }
    }

    private func transitAnswer(_ database: TransitDatabase) -> TransitAnswer {
        TransitAnswer(database, live: live, status: feeds.status(at: Clock.systemTime()))
    }

    /// Runs `body` when the live data is as new as the settings want it.
    private func withLiveData(_ body: @escaping () -> Void) {
        let now = Clock.now()
        requestedUntil = now + Self.requestInterval
        guard !settings.sources.isEmpty, feeds.isRefreshing || nextRefresh.map({ $0 <= now }) ?? true else {
            body()
            return tick()
        }
        waiting.append(body)
        tick()
    }

    private func respond(
        _ completed: Completion, _ body: (TransitDatabase) throws(SQLiteError) -> Result<[UInt8], RPCError>
    ) {
        let database: TransitDatabase
        do throws(MapsFailure) {
            database = try open()
        } catch {
            return completed(.failure(.unavailable("\(error)")))
        }
        do throws(SQLiteError) {
            completed(try body(database).map { .encoded($0) })
        } catch {
            completed(.failure(.unavailable("cannot read \(database.path): \(error)")))
        }
    }
}
