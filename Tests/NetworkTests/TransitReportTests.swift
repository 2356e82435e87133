import Domain
import JSONCoding
import MapStorage
import Network
import Testing
import Transit
import Wire

@Suite struct TransitReportTests {
    private let line = TransitLine(id: "43", code: "V", name: "Vairo Blvd", color: LineColor("990099"))

    private func data(_ report: TransitReport) throws -> JSON {
        let bytes = report.data
        #expect(bytes.count <= TopicTable.dataLimit)
        let json = try JSON(parsing: bytes)
        _ = try TransitTopic.check(json)
        return json
    }

    @Test func tokensAreThoseOfTheVehicles() {
        #expect(TransitTopic.occupancies == LiveVehicle.Occupancy.allCases.map(\.rawValue))
        #expect(TransitTopic.punctualities == LiveVehicle.Punctuality.allCases.map(\.rawValue))
    }

    @Test func withoutLiveDataThereIsAReason() throws {
        let json = try data(TransitReport(status: .schedule(reason: "the live data is 95 s old")))
        #expect(json["live"]?.bool == false && json["reason"]?.string == "the live data is 95 s old")
    }

    @Test func vehicleHasTheColorOfItsLine() throws {
        var vehicle = LiveVehicle(id: "7", position: Coordinate(latitude: 40.79, longitude: -77.86))
        (vehicle.bearing, vehicle.passengers, vehicle.punctuality) = (359.6, 12, .late)
        let json = try data(TransitReport(status: .live(age: 3), vehicles: [(vehicle, line)]))
        let shown = try #require(json["vehicles"]?.array?.first)
        #expect(shown["color"]?.string == "#990099" && shown["code"]?.string == "V")
        #expect(shown["bearing_deg"]?.integer == 360 && shown["passengers"]?.integer == 12)
        #expect(shown["punctuality"]?.string == "late")
    }

    @Test func longMessageIsInLines() throws {
        var alert = LiveAlert(title: String(repeating: "T", count: 99))
        alert.text = String(repeating: "a detour on College Avenue ", count: 40)
        let json = try data(TransitReport(status: .live(age: 3), alerts: [alert]))
        let lines = try #require(json["alerts"]?.array?.first?["text"]?.array)
        #expect(lines.count == TransitTopic.lineLimit && lines.allSatisfy { ($0.string ?? "").count <= 64 })
    }

    @Test(arguments: ["e\u{301}\u{301}\u{301}", "\u{1F68C}", "\"\\"])
    func whatDoesNotFitIsLeftOut(part: String) throws {
        let long = String(repeating: part, count: 100)
        var report = TransitReport(status: .live(age: 0), agency: long)
        for number in 0..<200 {
            var vehicle = LiveVehicle(id: "\(number)" + long, position: Coordinate(latitude: 1, longitude: 1))
            vehicle.direction = long
            report.vehicles.append((vehicle, TransitLine(id: long, code: long, name: long)))
            report.departures.append(
                TransitReport.Row(
                    line: line, stop: long, stopName: long, headsign: long, departure: UTC(milliseconds: 0),
                    scheduled: UTC(milliseconds: 0), text: long))
            var alert = LiveAlert(title: long)
            alert.text = long + " " + long
            report.alerts.append(alert)
        }
        let json = try data(report)
        #expect(json["alerts"]?.array?.count == TransitTopic.alertLimit)
    }
}
