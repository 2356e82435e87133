import Domain
import JSONCoding
import Linux
import MapStorage
import Maps
import Wire

/// Publishes the topic `places` from `places.db`, and announces drinking water. It asks no server.
final class PlacesService {
    package struct Settings: Equatable {
        var kinds = PlaceKind.common
        /// Metres.
        var radius = 2000.0
        /// Metres; nil for no notices.
        var waterNotice: Double?
    }

    /// Of each kind.
    private static let placesPerKind = 4
    /// Data is valid until the next search, and a little longer.
    private static let validity = PlacesFollower.interval + .seconds(300)
    private static let reason = "no places: run 'pacectl places import FILE.osm.pbf'"

    /// The directory of `places.db`.
    private let directory: String
    private let settings: Settings
    private let log: (LogLevel, String) -> Void
    private let publish: ([UInt8], UTC) -> Void
    private let notify: (String) -> Void
    private var follower: PlacesFollower
    private var timer: TimerSource?
    private var isWatched = false
    /// The newest result.
    private var newest: (data: [UInt8], validUntil: UTC)?
    /// The failure that was logged last.
    private var failure: String?

    /// - Parameters:
    ///   - publish: publishes the data of the topic, valid until a time.
    ///   - notify: announces a text to the user.
    init(
        in directory: String, _ settings: Settings, loop: EventLoop, log: @escaping (LogLevel, String) -> Void,
        publish: @escaping ([UInt8], UTC) -> Void, notify: @escaping (String) -> Void
    ) throws(SystemError) {
        self.directory = directory
        self.settings = settings
        self.log = log
        self.publish = publish
        self.notify = notify
        follower = PlacesFollower(radius: settings.radius, notice: settings.waterNotice)
        timer = try loop.timer { [unowned self] in perform { $0.tick(at: $1) } }
    }

    /// - Parameters:
    ///   - isWatched: whether a client watches the topic.
    ///   - isRunningOutdoors: whether notices are of use.
    func want(isWatched: Bool, isRunningOutdoors: Bool) {
        let isNew = isWatched && !self.isWatched
        self.isWatched = isWatched
        if isNew { publishNewest() }
        let isWanted = isWatched || isRunningOutdoors && settings.waterNotice != nil
        perform { $0.want(isWanted, at: $1) }
    }

    func move(to place: Coordinate) {
        perform { $0.move(to: place, at: $1) }
    }

    /// Publishes the newest result while a client watches the topic. The daemon does not have that result: the search is
    /// new, nobody watched when it ended, or the daemon restarted since.
    private func publishNewest() {
        guard isWatched, let newest, newest.validUntil > Clock.systemTime() else { return }
        publish(newest.data, newest.validUntil)
    }

    private func perform(_ change: (inout PlacesFollower, Instant) -> [PlacesFollower.Action]) {
        for action in change(&follower, Clock.now()) {
            switch action {
            case .search(let place, let radius):
                let water = search(around: place, radius: radius)
                perform { $0.received(water, at: $1) }
            case .waterIsNear(let water, let metres):
                notify(Self.notice(water, metres: metres))
            }
        }
        timer?.arm(at: follower.deadline)
    }

    /// Such as `drinking water in 0.4 km: Font del Prat`.
    private static func notice(_ water: PlacesFollower.Water, metres: Double) -> String {
        let tenths = max(Int((metres / 100).rounded()), 1)
        let text = "drinking water in \(tenths / 10).\(tenths % 10) km"
        let named = water.name.map { text + ": " + $0 } ?? text
        return SanitizedText.line(named, limit: SanitizedText.characterLimit) ?? text
    }

    /// Publishes the places around a position.
    ///
    /// - Returns: those with drinking water; nil if `places.db` cannot be read.
    private func search(around position: Coordinate, radius: Double) -> [PlacesFollower.Water]? {
        let found: [(place: Place, metres: Double)]
        let water: [PlacesFollower.Water]
        do {
            // Opened for each search, because an import replaces the file. The path is without symbolic links.
            let database = try PlacesDatabase(in: (try? Directory(directory).path) ?? directory)
            found = try settings.kinds.flatMap {
                try database.near(position, radius: radius, kinds: [$0], limit: Self.placesPerKind)
            }
            water =
                settings.waterNotice == nil
                ? []
                : try database.near(position, radius: radius, kinds: [.water], limit: PlacesFollower.waterLimit).map {
                    PlacesFollower.Water(id: $0.place.id.stored, place: $0.place.position, name: $0.place.name)
                }
        } catch {
            report("\(error)")
            var writer = JSONWriter()
            writer.object { $0.member("reason", Self.reason) }
            send(writer.bytes)
            return nil
        }
        failure = nil
        let time = Clock.systemTime()
        let local = CivilTime(time, offset: Machine.localOffset(at: time))
        send(PlacesReport(position: position, radius: radius, places: found).data(at: local))
        return water
    }

    /// Logs a failure, once until another one or a search that succeeds.
    private func report(_ failure: String) {
        guard failure != self.failure else { return }
        self.failure = failure
        log(.warning, failure)
    }

    private func send(_ data: [UInt8]) {
        let end = UTC(milliseconds: Clock.systemTime().milliseconds + Self.validity.wholeMilliseconds)
        newest = (data, end)
        publishNewest()
    }
}
