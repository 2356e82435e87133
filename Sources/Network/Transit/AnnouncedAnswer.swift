import Domain
import JSONCoding
import Transit

/// The departures that an agency announces, as the result of `transit.departures`.
struct AnnouncedAnswer {
    var rows: [TransitReport.Row]
    /// The local time of the agency.
    var clock: AgencyClock
    var agency: String?

    /// The most bytes of an answer, and of a departure.
    private static let (sizeLimit, rowSize) = (56 * 1024, 2048)

    var data: [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.member("agency", agency)
            $0.member("live", true)
            $0.member("live_age_s", 0)
            $0.array("departures") { list in
                for row in rows where list.bytes.count < Self.sizeLimit - Self.rowSize { write(row, into: &list) }
            }
        }
        return writer.bytes
    }

    private func write(_ row: TransitReport.Row, into writer: inout JSONWriter) {
        func time(_ time: UTC?) -> String? { time.map { clock.text(Int($0.milliseconds / 1000)) } }
        writer.object {
            $0.member("line", row.line.id)
            $0.member("code", row.line.code.isEmpty ? nil : row.line.code)
            $0.member("name", row.line.name.isEmpty ? nil : row.line.name)
            $0.member("color", row.line.color.map { "#" + $0.text })
            $0.member("headsign", row.headsign)
            $0.member("stop", row.stop)
            $0.member("stop_name", row.stopName)
            $0.member("departure", time(row.departure))
            $0.member("scheduled", time(row.scheduled))
            $0.member("live", row.isLive)
            $0.member("text", row.text)
        }
    }
}
