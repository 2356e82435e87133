package import Domain
import JSONCoding

// The values of members.
extension InfoPoint {
    /// An ID is a number, or a text in some versions.
    static func id(_ value: JSON?) -> String? {
        value?.integer.map { String($0) } ?? text(value)
    }

    /// The words of a text as one line.
    static func text(_ value: JSON?, limit: Int = SanitizedText.characterLimit) -> String? {
        guard let text = value?.string else { return nil }
        let words = text.utf8.prefix(limit * 4).split { $0 <= UInt8(ascii: " ") }
        return SanitizedText.line(
            words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " "), limit: limit)
    }

    /// Nil for the server's empty date too, which is in the year 1.
    static func time(_ value: JSON?) -> UTC? {
        value?.string.flatMap { date($0) }.flatMap { $0.milliseconds >= 0 ? $0 : nil }
    }

    /// Nil without both coordinates, and for 0, 0, which a vehicle without a fix has.
    static func position(_ element: JSON) -> Coordinate? {
        guard let latitude = element["Latitude"]?.number, let longitude = element["Longitude"]?.number,
            (-90...90).contains(latitude), (-180...180).contains(longitude), latitude != 0 || longitude != 0
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}

/// A line with its stops and its vehicles.
package struct InfoPointLine: Equatable, Sendable {
    package var line: TransitLine
    /// The name of the KML file of its way, for ``InfoPoint/address(ofTrace:)``.
    package var trace: String?
    package var stops: [Stop]
    package var vehicles: [LiveVehicle]

    package static let stopLimit = 1024

    package struct Stop: Equatable, Sendable {
        package var id: String
        /// Empty if there is none.
        package var name: String
        package var position: Coordinate

        package init(id: String, name: String, position: Coordinate) {
            self.id = id
            self.name = name
            self.position = position
        }
    }

    init?(infoPoint element: JSON) {
        guard let id = InfoPoint.id(element["RouteId"]) else { return nil }
        line = TransitLine(
            id: id, code: InfoPoint.text(element["ShortName"]) ?? InfoPoint.text(element["RouteAbbreviation"]) ?? "",
            name: InfoPoint.text(element["LongName"]) ?? "", color: element["Color"]?.string.flatMap { LineColor($0) })
        trace = element["RouteTraceFilename"]?.string.flatMap { InfoPoint.isFileName($0) ? $0 : nil }
        stops = (element["Stops"]?.array ?? []).prefix(Self.stopLimit).compactMap { stop in
            guard let id = InfoPoint.id(stop["StopId"]), let position = InfoPoint.position(stop) else { return nil }
            return Stop(id: id, name: InfoPoint.text(stop["Name"]) ?? "", position: position)
        }
        vehicles = (element["Vehicles"]?.array ?? []).prefix(InfoPoint.vehicleLimit).compactMap {
            LiveVehicle(infoPoint: $0)
        }
    }
}

extension LiveVehicle {
    private static let metresPerSecondOfMph = 0.44704
    /// Miles per hour.
    private static let speedRange = 0.0...200
    private static let passengerRange = 0...999

    init?(infoPoint element: JSON) {
        guard let id = InfoPoint.id(element["Name"]) ?? InfoPoint.id(element["VehicleId"]),
            let position = InfoPoint.position(element)
        else { return nil }
        self.init(id: id, position: position)
        line = InfoPoint.id(element["RouteId"])
        trip = InfoPoint.id(element["TripId"])
        bearing = element["Heading"]?.number.map { heading in
            let turn = heading.truncatingRemainder(dividingBy: 360)
            let bearing = turn < 0 ? turn + 360 : turn
            return bearing < 360 ? bearing : 0
        }
        if let speed = element["Speed"]?.number, Self.speedRange.contains(speed) {
            self.speed = speed * Self.metresPerSecondOfMph
        }
        time = InfoPoint.time(element["LastUpdated"])
        if let count = element["OnBoard"]?.integer, Self.passengerRange.contains(count) { passengers = count }
        punctuality = Punctuality(element["DisplayStatus"]) ?? Punctuality(element["OpStatus"])
        direction = InfoPoint.text(element["DirectionLong"])
    }
}

extension LiveVehicle.Punctuality {
    /// `On Time`, `ON TIME` and `ONTIME` are the same.
    fileprivate init?(_ status: JSON?) {
        switch InfoPoint.text(status)?.lowercased().filter({ $0 != " " }) {
        case "ontime": self = .onTime
        case "late": self = .late
        case "early": self = .early
        default: return nil
        }
    }
}

extension LiveDeparture {
    /// Nil without a time and a text. `NextDeparture` is what a line with a headway has.
    init?(infoPoint entry: JSON, line: String, stop: String) {
        self.init(line: line, stop: stop)
        scheduled = InfoPoint.time(entry["SDT"]) ?? InfoPoint.time(entry["STA"])
        estimated =
            InfoPoint.time(entry["EDT"]) ?? InfoPoint.time(entry["ETA"]) ?? InfoPoint.time(entry["NextDeparture"])
        guard scheduled == nil, estimated == nil else { return }
        text = InfoPoint.text(entry["NextDeparture"])
        if text == nil { return nil }
    }
}

extension LiveAlert {
    private static let lineLimit = 128
    // Characters.
    private static let titleLimit = 120
    private static let textLimit = 2000

    /// Nil without a text. A header is often the start of the message.
    init?(infoPoint message: JSON) {
        guard
            let title = InfoPoint.text(message["Header"], limit: Self.titleLimit)
                ?? InfoPoint.text(message["Message"], limit: Self.titleLimit)
        else { return nil }
        self.init(title: title)
        text = InfoPoint.text(message["Message"], limit: Self.textLimit).flatMap { $0 == title ? nil : $0 }
        lines = (message["Routes"]?.array ?? []).prefix(Self.lineLimit).compactMap { InfoPoint.id($0) }
        if let period = Self.period(ofMessage: message) { periods = [period] }
    }
}

extension InfoPoint {
    /// The seconds since midnight of a text such as `12:30 PM`; nil for another text.
    package static func timeOfDay(_ text: String) -> Int? {
        let words = text.split(separator: " " as Character)
        guard words.count == 2, let half = ["AM", "PM"].firstIndex(of: words[1].uppercased()) else { return nil }
        let parts = words[0].split(separator: ":" as Character, omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            let hour = Int(parts[0]), let minute = Int(parts[1]), (1...12).contains(hour), (0...59).contains(minute)
        else { return nil }
        return (hour % 12 + 12 * half) * 3600 + minute * 60
    }
}
