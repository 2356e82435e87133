package import Domain
import Formats
package import JSONCoding
import Pipeline

/// What `[OwnTracks]` of the configuration says.
package struct OwnTracksSettings: Equatable, Sendable {
    package enum Mode: String, Sendable {
        case off, mqtt, http
    }

    package var mode = Mode.off
    /// Nil for the uuid of the device.
    package var user: String?
    package var device = "paced"
    /// Nil for the end of the uuid.
    package var tracker: String?
    /// Where locations are posted.
    package var url: String?
    package var isPlain = false
    package var regions: [OwnTracksRegion] = []

    package init() {}
}

/// A place whose entering and leaving is told.
package struct OwnTracksRegion: Equatable, Sendable {
    package let name: String
    package let centre: Coordinate
    /// Metres.
    package let radius: Double

    /// - Parameter text: `NAME LATITUDE,LONGITUDE METRES`.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count >= 3, let radius = Double(words[words.count - 1]), (10...100_000).contains(radius) else {
            return nil
        }
        let place = words[words.count - 2].split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        let name = words.dropLast(2).joined(separator: " ")
        guard place.count == 2, let latitude = place[0], let longitude = place[1], latitude.magnitude <= 90,
            longitude.magnitude <= 180, let text = SanitizedText(name)
        else { return nil }
        self.name = text.text
        centre = Coordinate(latitude: latitude, longitude: longitude)
        self.radius = radius
    }
}

/// Decides which positions become locations of OwnTracks, and when a region is entered or left.
///
/// Source: OwnTracks Booklet, "JSON".
package struct OwnTracks {
    /// A fresh position of the receiver.
    package struct Fix: Equatable, Sendable {
        package var place: Coordinate
        /// Metres, the radius of 95 %.
        package var accuracy: Double
        package var altitude: Double?
        /// Metres per second.
        package var speed: Double?
        package var track: Double?
        package var time: UTC
        /// Percent of the board's battery, and whether it charges.
        package var battery: Int?
        package var isCharging: Bool?

        package init(place: Coordinate, accuracy: Double, time: UTC) {
            self.place = place
            self.accuracy = accuracy
            self.time = time
        }

        /// The position of a STATE line; nil if it is old, or the time is not known.
        package init?(_ state: JSON) {
            guard let position = state["position"], position["stale"]?.bool == false,
                let latitude = position["latitude"]?.number, let longitude = position["longitude"]?.number,
                latitude.magnitude <= 90, longitude.magnitude <= 180, let age = position["age_ms"]?.integer,
                state["clock"]?.string != "unset", let time = state["time"]?.string.flatMap({ UTC(iso8601: $0) })
            else { return nil }
            place = Coordinate(latitude: latitude, longitude: longitude)
            accuracy = position["accuracy_m"]?.number ?? 30
            altitude = position["altitude_m"]?.number
            speed = position["speed_mps"]?.number
            track = position["track_deg"]?.number
            self.time = UTC(milliseconds: time.milliseconds - Int64(age))
            battery = state["power"]?["battery_percent"]?.integer
            isCharging = state["power"]?["charging"]?.bool
        }
    }

    package enum Message: Equatable, Sendable {
        case location([UInt8])
        case transition([UInt8])
    }

    /// Android's accuracy is the radius of 68 %: of a circular error 0.62 of that of 95 %.
    private static let accuracyFactor = 0.62
    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(60)
    /// Metres of movement after which a location is sent at once.
    private static let movement = 10.0
    /// A region is left this far beyond its border, so that the noise of a receiver at the border is no visit.
    private static let margin = 1.2

    private let settings: OwnTracksSettings
    private let tracker: String
    private var last: (fix: Fix, at: Instant)?
    /// The regions that the board is in; nil while that is not told.
    private var inside: Set<Int>?
    /// The member `topic`, by which a server knows the device if it gets no other; nil over MQTT.
    private let topic: String?

    package init(_ settings: OwnTracksSettings, device: UUID, topic: String? = nil) {
        self.settings = settings
        self.topic = topic
        tracker = settings.tracker ?? String(device.description.suffix(2))
    }

    /// The messages of a position.
    package mutating func ingest(_ fix: Fix, at now: Instant) -> [Message] {
        var messages: [Message] = []
        let known = inside
        var inside = known ?? []
        for (index, region) in settings.regions.enumerated() {
            let distance = fix.place.metres(to: region.centre)
            let was = inside.contains(index)
            if !was, distance <= region.radius {
                inside.insert(index)
                messages.append(.transition(transition(fix, region, "enter")))
            } else if was && distance > region.radius * Self.margin || !was && known == nil {
                // One whose leaving was not told would ignore all locations.
                inside.remove(index)
                messages.append(.transition(transition(fix, region, "leave")))
            }
        }
        self.inside = inside
        if let last {
            let moved = fix.place.metres(to: last.fix.place)
            let isDue = now - last.at >= Self.shortest && moved >= max(Self.movement, fix.accuracy / 2)
            guard isDue || now - last.at >= Self.longest, fix.time > last.fix.time else { return messages }
        }
        last = (fix, now)
        messages.append(.location(location(fix)))
        return messages
    }

    /// The location and the regions are told again: to a broker that has started anew, or that may not have got the last ones.
    package mutating func begin() { (last, inside) = (nil, nil) }

    /// Numbers are numbers, and all but the coordinates are integers. `acc` is never 0: Home Assistant would ignore the location.
    private func location(_ fix: Fix) -> [UInt8] {
        var line = JSONWriter(capacity: 256)
        line.object {
            $0.member("_type", "location")
            members(of: fix, &$0)
            $0.member("alt", fix.altitude.flatMap { Self.whole($0) })
            $0.member("vel", fix.speed.flatMap { Self.whole($0 * 3.6) })
            $0.member("cog", fix.track.flatMap { Self.whole($0) })
            $0.member("batt", fix.battery)
            $0.member("bs", fix.isCharging.map { $0 ? 2 : 1 })
            $0.member("t", "t")
        }
        return line.bytes
    }

    private func transition(_ fix: Fix, _ region: OwnTracksRegion, _ event: String) -> [UInt8] {
        var line = JSONWriter(capacity: 256)
        line.object {
            $0.member("_type", "transition")
            $0.member("event", event)
            $0.member("desc", region.name)
            members(of: fix, &$0)
            $0.member("wtst", fix.time.milliseconds / 1000)
            $0.member("t", "c")
        }
        return line.bytes
    }

    private func members(of fix: Fix, _ line: inout JSONWriter) {
        line.member("lat", fix.place.latitude, decimals: 7)
        line.member("lon", fix.place.longitude, decimals: 7)
        line.member("acc", max(Self.whole(fix.accuracy * Self.accuracyFactor) ?? 1, 1))
        line.member("tst", fix.time.milliseconds / 1000)
        line.member("tid", tracker)
        line.member("topic", topic)
    }

    private static func whole(_ value: Double) -> Int? {
        value.isFinite && value.magnitude < 1e9 ? Int(value.rounded()) : nil
    }
}
