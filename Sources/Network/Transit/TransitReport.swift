package import Domain
import JSONCoding
package import MapStorage
import SQLite
package import Transit
import Wire

/// The data of the topic `transit`.
package struct TransitReport {
    /// A departure of the timetable or of InfoPoint.
    package struct Row {
        var line: TransitLine
        var stop: String
        var stopName: String?
        var headsign: String?
        var departure: UTC?
        var scheduled: UTC?
        var isLive = false
        var isCanceled = false
        var headway: Int?
        var text: String?

        package init(
            line: TransitLine, stop: String, stopName: String? = nil, headsign: String? = nil, departure: UTC? = nil,
            scheduled: UTC? = nil, isLive: Bool = false, isCanceled: Bool = false, headway: Int? = nil,
            text: String? = nil
        ) {
            self.line = line
            self.stop = stop
            self.stopName = stopName
            self.headsign = headsign
            self.departure = departure
            self.scheduled = scheduled
            self.isLive = isLive
            self.isCanceled = isCanceled
            self.headway = headway
            self.text = text
        }
    }

    var status: LiveStatus
    var isMissingTimetable = false
    var agency: String?
    /// The nearest first.
    package var vehicles: [(vehicle: LiveVehicle, line: TransitLine)] = []
    /// In the order of time.
    package var departures: [Row] = []
    package var alerts: [LiveAlert] = []
    /// The IDs of the lines whose vehicles are followed; empty for all.
    package var lines: [String] = []

    package init(
        status: LiveStatus, isMissingTimetable: Bool = false, agency: String? = nil,
        vehicles: [(vehicle: LiveVehicle, line: TransitLine)] = [], departures: [Row] = [], alerts: [LiveAlert] = []
    ) {
        self.status = status
        self.isMissingTimetable = isMissingTimetable
        self.agency = agency
        self.vehicles = vehicles
        self.departures = departures
        self.alerts = alerts
    }

    private static let missingTimetable = "no timetable: run 'pacectl transit import GTFS.zip'"

    /// Below ``TopicTable/dataLimit``.
    private static let sizeLimit = 30 * 1024
    /// The most bytes of an element: eight texts of scalars with at most 4 bytes each, and the rest.
    private static let elementSize = 8 * 4 * TopicShape.textLimit + 512

    package var data: [UInt8] {
        var writer = JSONWriter(capacity: 8192)
        writer.object {
            switch status {
            case .live:
                $0.member("live", true)
                if isMissingTimetable { $0.member("reason", Self.missingTimetable) }
            case .schedule(let reason):
                $0.member("live", false)
                $0.member("reason", isMissingTimetable ? Self.missingTimetable : Self.short(reason))
            }
            $0.member("agency", Self.short(agency))
            if !lines.isEmpty {
                $0.array("lines") {
                    for line in lines.prefix(TransitTopic.followedLimit) { $0.value(Self.short(line) ?? "") }
                }
            }
            Self.write("alerts", alerts.prefix(TransitTopic.alertLimit), into: &$0, Self.write(_:into:))
            Self.write("departures", departures.prefix(TransitTopic.departureLimit), into: &$0, Self.write(_:into:))
            Self.write("vehicles", vehicles.prefix(TransitTopic.vehicleLimit), into: &$0) {
                Self.write($0.vehicle, $0.line, into: &$1)
            }
        }
        return writer.bytes
    }

    /// Writes as many elements as fit.
    private static func write<Element>(
        _ name: String, _ elements: some Sequence<Element>, into writer: inout JSONWriter,
        _ body: (Element, inout JSONWriter) -> Void
    ) {
        writer.array(name) { list in
            for element in elements {
                guard list.bytes.count < sizeLimit - elementSize else { break }
                list.object { body(element, &$0) }
            }
        }
    }

    private static func write(_ line: TransitLine, into writer: inout JSONWriter) {
        writer.member("line", short(line.id))
        writer.member("code", short(line.code))
        writer.member("color", line.color.map { "#" + $0.text })
    }

    private static func write(_ vehicle: LiveVehicle, _ line: TransitLine, into writer: inout JSONWriter) {
        writer.member("id", short(vehicle.id) ?? "?")
        write(line, into: &writer)
        writer.member("latitude", vehicle.position.latitude, decimals: 6)
        writer.member("longitude", vehicle.position.longitude, decimals: 6)
        writer.member("bearing_deg", vehicle.bearing, decimals: 0)
        writer.member("speed_mps", vehicle.speed, decimals: 1)
        writer.member("passengers", vehicle.passengers)
        writer.member("occupancy", vehicle.occupancy?.rawValue)
        writer.member("punctuality", vehicle.punctuality?.rawValue)
        writer.member("direction", short(vehicle.direction))
        writer.member("observed", vehicle.time)
    }

    private static func write(_ row: Row, into writer: inout JSONWriter) {
        write(row.line, into: &writer)
        writer.member("headsign", short(row.headsign))
        writer.member("stop", short(row.stop))
        writer.member("stop_name", short(row.stopName))
        writer.member("departure", row.departure)
        writer.member("scheduled", row.scheduled)
        writer.member("live", row.isLive)
        if row.isCanceled { writer.member("canceled", true) }
        writer.member("headway_s", row.headway)
        writer.member("text", short(row.text))
    }

    private static func write(_ alert: LiveAlert, into writer: inout JSONWriter) {
        writer.member("title", short(alert.title))
        if let text = alert.text {
            writer.array("text") { list in
                for line in lines(of: text).prefix(TransitTopic.lineLimit) { list.value(line) }
            }
        }
        for (name, ids) in [("lines", alert.lines), ("stops", alert.stops)] where !ids.isEmpty {
            writer.array(name) { list in for id in ids.prefix(16) { list.value(short(id) ?? "?") } }
        }
    }

    /// The words of a text, in lines as long as a text of a topic may be.
    private static func lines(of text: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            let word = String(word.unicodeScalars.prefix(TopicShape.textLimit))
            let longer = line.isEmpty ? word : line + " " + word
            if longer.unicodeScalars.count > TopicShape.textLimit {
                lines.append(line)
                line = word
            } else {
                line = longer
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }

    private static func short(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : String($0.unicodeScalars.prefix(TopicShape.textLimit)) }
    }
}
