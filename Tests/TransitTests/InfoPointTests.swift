import Domain
import Testing
import Transit

/// Responses in the shape of those of CATA and of other agencies; names, numbers and texts are made.
@Suite struct InfoPointTests {
    private let server = InfoPoint(server: "https://a.example/InfoPoint")

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// A vehicle with the names of its driver. The members replace others.
    private func vehicle(_ members: String = #""OnBoard":12,"DisplayStatus":"On Time","OpStatus":"ONTIME""#) -> String {
        #"""
        {"BlockFareboxId":101,"CommStatus":"GOOD","Destination":"Vairo Blvd","Deviation":0,"Direction":"O",
        "DirectionLong":"Outbound","Driver":"Zaphod","DriverName":"Beeblebrox, Zaphod","DriverFirstName":"Zaphod",
        "DriverLastName":"Beeblebrox","DriverFareboxId":4242,"GPSStatus":2,"LastStop":"Atherton St",
        "LastUpdated":"\/Date(1520119790000-0500)\/","Name":"741","RunId":5012,"PropertyName":"CATA",
        "OccupancyStatusReportLabel":"Empty","VehicleFareboxId":741,"VehicleId":17,\#(members)}
        """#
    }

    private let place = #""Latitude":40.7914,"Longitude":-77.8586,"#

    @Test func addressesAreThoseOfTheService() {
        let root = "https://a.example/InfoPoint"
        #expect(server.addressOfLines == root + "/rest/Routes/GetVisibleRoutes")
        #expect(server.address(ofLine: "55") == root + "/rest/RouteDetails/Get/55")
        #expect(
            server.address(ofVehiclesOn: ["55", "57"])
                == root + "/rest/Vehicles/GetAllVehiclesForRoutes?routeIDs=55,57")
        #expect(server.address(ofDeparturesFrom: "157") == root + "/rest/StopDepartures/Get/157")
        #expect(server.addressOfAlerts == root + "/rest/PublicMessages/GetCurrentMessages")
        #expect(server.address(ofTrace: "Route55.kml") == root + "/Resources/Traces/Route55.kml")
    }

    @Test func addressesEscapeWhatTheServerNames() {
        let root = "https://a.example/InfoPoint"
        #expect(
            server.address(ofTrace: "Route 5_ä?&#%.kml") == root + "/Resources/Traces/Route%205_%C3%A4%3F%26%23%25.kml"
        )
        #expect(server.address(ofVehiclesOn: ["1,2", "a&b=c"]).hasSuffix("?routeIDs=1%2C2,a%26b%3Dc"))
        #expect(server.address(ofLine: "1?x") == root + "/rest/RouteDetails/Get/1%3Fx")
    }

    @Test(arguments: [
        "", ".", "..", "../a", "a/b", "a\\b", "a..b", "a\nb", "a\u{0}", "a\u{202E}b",
        String(repeating: "a", count: 129),
        String(repeating: "ä", count: 65),
    ]) func namesThatAreNoComponentOfAPathHaveNoAddress(name: String) {
        #expect(server.address(ofTrace: name) == nil)
        #expect(server.address(ofLine: name) == nil)
        #expect(server.address(ofDeparturesFrom: name) == nil)
    }

    @Test func namesOf128BytesHaveAnAddress() {
        #expect(server.address(ofTrace: String(repeating: "a", count: 128)) != nil)
    }

    @Test func linesHaveTheirNamesAndColors() throws {
        let body = #"""
            [{"Color":"FFCC66","Directions":null,"GoogleDescription":"V","IsVisible":true,"LongName":"Vairo  Blvd ",
            "Messages":null,"RouteAbbreviation":"VB","RouteId":43,"RouteRecordId":9,"RouteStops":null,
            "RouteTraceFilename":"Route43.kml","ShortName":"V","SortOrder":1,"Stops":null,"TextColor":"000000",
            "Vehicles":null},
            {"RouteId":"55","ShortName":null,"RouteAbbreviation":"BL","LongName":"Blue Loop","Color":"#0000ff",
            "RouteTraceFilename":null},
            {"RouteId":57,"Color":"blue","RouteTraceFilename":"../57.kml"},{"ShortName":"X"},7]
            """#
        let lines = try #require(InfoPoint.lines(bytes(body)))
        #expect(
            lines.map(\.line) == [
                TransitLine(
                    id: "43", code: "V", name: "Vairo Blvd", color: LineColor(red: 255, green: 204, blue: 102)),
                TransitLine(id: "55", code: "BL", name: "Blue Loop", color: LineColor(red: 0, green: 0, blue: 255)),
                TransitLine(id: "57", code: "", name: ""),
            ])
        #expect(lines.map(\.trace) == ["Route43.kml", nil, nil])
        #expect(lines[0].stops.isEmpty && lines[0].vehicles.isEmpty)
    }

    @Test func aLineHasItsStopsAndVehicles() throws {
        let body = #"""
            {"RouteId":43,"ShortName":"V","Stops":[
            {"Description":"","IsTimePoint":true,"Latitude":40.7961,"Longitude":-77.8628,"Name":"Pattee","StopId":4},
            {"Latitude":0,"Longitude":0,"Name":"none","StopId":5},{"Latitude":91,"Longitude":0,"StopId":6},
            {"Latitude":40,"Longitude":-77,"Name":"","StopId":7},{"Latitude":40,"Longitude":-77,"Name":"no ID"}],
            "Vehicles":[\#(vehicle(place + #""Speed":25"#))]}
            """#
        let line = try #require(InfoPoint.line(bytes(body)))
        #expect(
            line.stops == [
                InfoPointLine.Stop(
                    id: "4", name: "Pattee", position: Coordinate(latitude: 40.7961, longitude: -77.8628)),
                InfoPointLine.Stop(id: "7", name: "", position: Coordinate(latitude: 40, longitude: -77)),
            ])
        #expect(line.vehicles.map(\.id) == ["741"])
    }

    @Test func aVehicleHasMetresPerSecondAndItsState() throws {
        let members = #""RouteId":43,"TripId":1812,"Heading":68,"Speed":25,"OnBoard":12,"DisplayStatus":"Late""#
        let vehicle = try #require(InfoPoint.vehicles(bytes("[\(vehicle(place + members))]"))?.first)
        var expected = LiveVehicle(id: "741", position: Coordinate(latitude: 40.7914, longitude: -77.8586))
        expected.line = "43"
        expected.trip = "1812"
        expected.bearing = 68
        expected.speed = 25 * 0.44704
        expected.time = UTC(milliseconds: 1_520_119_790_000)
        expected.passengers = 12
        expected.punctuality = .late
        expected.direction = "Outbound"
        #expect(vehicle == expected)
    }

    @Test(arguments: [
        (#""DisplayStatus":"On Time","OpStatus":"ONTIME""#, LiveVehicle.Punctuality.onTime),
        (#""DisplayStatus":"ON TIME""#, .onTime), (#""OpStatus":"ONTIME""#, .onTime), (#""OpStatus":"LATE""#, .late),
        (#""DisplayStatus":"Late","OpStatus":"EARLY""#, .late), (#""DisplayStatus":"EARLY""#, .early),
        (#""DisplayStatus":null,"OpStatus":"early""#, .early), (#""DisplayStatus":"Unknown""#, nil),
        (#""DisplayStatus":1"#, nil),
    ]) func spellingOfTheStatusDoesNotMatter(members: String, expected: LiveVehicle.Punctuality?) throws {
        let vehicle = try #require(InfoPoint.vehicles(bytes("[\(vehicle(place + members))]"))?.first)
        #expect(vehicle.punctuality == expected)
    }

    @Test(arguments: [
        ("0", 0.0), ("359.5", 359.5), ("360", 0), ("-90", 270), ("725", 5), ("-1e-20", 0), ("null", nil),
        (#""68""#, nil),
    ]) func bearingsAreWithinACircle(heading: String, expected: Double?) throws {
        let vehicle = try #require(
            InfoPoint.vehicles(bytes(#"[\#(vehicle(place + #""Heading":\#(heading)"#))]"#))?.first)
        #expect(vehicle.bearing == expected)
    }

    @Test(arguments: ["null", "-1", "1000", "1.5", #""12""#, "9223372036854775807"])
    func passengersBeyondTheirRangeAreUnknown(count: String) throws {
        let vehicle = try #require(InfoPoint.vehicles(bytes(#"[\#(vehicle(place + #""OnBoard":\#(count)"#))]"#))?.first)
        #expect(vehicle.passengers == nil)
    }

    @Test(arguments: ["null", "-1", "201", "1e300", #""NaN""#]) func speedsBeyondTheirRangeAreUnknown(speed: String)
        throws
    {
        let vehicle = try #require(InfoPoint.vehicles(bytes(#"[\#(vehicle(place + #""Speed":\#(speed)"#))]"#))?.first)
        #expect(vehicle.speed == nil)
    }

    @Test(arguments: [
        #""Latitude":0,"Longitude":0.0"#, #""Latitude":90.1,"Longitude":1"#, #""Latitude":1,"Longitude":-180.1"#,
        #""Latitude":null,"Longitude":1"#, #""Latitude":"40","Longitude":"-77""#, #""Latitude":1e300,"Longitude":1"#,
        #""Latitude":40"#,
    ]) func vehiclesWithoutAPlaceAreLeftOut(members: String) {
        #expect(InfoPoint.vehicles(bytes("[\(vehicle(members))]")) == [])
    }

    @Test func aVehicleWithoutANameHasItsNumber() {
        let body = #"[{"Name":" ","VehicleId":17,"Latitude":1,"Longitude":0},{"Latitude":1,"Longitude":0}]"#
        #expect(InfoPoint.vehicles(bytes(body))?.map(\.id) == ["17"])
    }

    @Test func namesOfDriversAreNowhere() throws {
        let vehicle = vehicle(place + #""RouteId":43,"TripId":1812,"Heading":68,"Speed":25,"OnBoard":12"#)
        let vehicles = try #require(InfoPoint.vehicles(bytes("[\(vehicle)]")))
        let line = try #require(InfoPoint.line(bytes(#"{"RouteId":43,"Driver":"Zaphod","Vehicles":[\#(vehicle)]}"#)))
        for text in [String(reflecting: vehicles), String(reflecting: line)] {
            #expect(text.contains("Outbound"))
            for name in ["Zaphod", "Beeblebrox", "4242"] { #expect(!text.contains(name)) }
        }
    }

    @Test(arguments: [
        "", "null", "7", "\"\"", "<html>", "[", "[NaN]", #"[{"RouteId":99999999999999999999}]"#, "[1e999]", "[}",
        String(repeating: "[", count: 100_000), String(repeating: #"[{"a":"#, count: 1000), #"[{"a":1,"a":2}]"#,
    ]) func anotherFormatIsNoResponse(body: String) {
        #expect(InfoPoint.lines(bytes(body)) == nil)
        #expect(InfoPoint.line(bytes(body)) == nil)
        #expect(InfoPoint.vehicles(bytes(body)) == nil)
        #expect(InfoPoint.departures(bytes(body)) == nil)
        #expect(InfoPoint.alerts(bytes(body)) == nil)
    }

    @Test func aListIsNoObject() {
        #expect(InfoPoint.lines(bytes("{}")) == nil)
        #expect(InfoPoint.vehicles(bytes(#"{"Message":"An error has occurred."}"#)) == nil)
        #expect(InfoPoint.departures(bytes("{}")) == nil)
        #expect(InfoPoint.alerts(bytes("{}")) == nil)
        #expect(InfoPoint.line(bytes("[]")) == nil)
    }

    @Test func membersOfOtherTypesAreNoValues() {
        let body = #"[{"RouteId":{},"VehicleId":[],"StopId":true,"RouteDirections":{},"Header":[],"Message":{}}]"#
        #expect(InfoPoint.lines(bytes(body)) == [])
        #expect(InfoPoint.vehicles(bytes(body)) == [])
        #expect(InfoPoint.departures(bytes(body)) == [])
        #expect(InfoPoint.alerts(bytes(body)) == [])
        let line = #"{"RouteId":1,"Stops":{},"Vehicles":7,"Color":{},"LongName":[],"RouteTraceFilename":{}}"#
        #expect(InfoPoint.line(bytes(line))?.stops == [])
    }

    @Test func longListsAreCut() throws {
        func list(_ element: String, _ count: Int = 100_000) -> String {
            "[" + String(repeating: element + ",", count: count - 1) + element + "]"
        }
        let vehicles = list(#"{"VehicleId":1,"Latitude":1,"Longitude":1}"#)
        #expect(InfoPoint.vehicles(bytes(vehicles))?.count == InfoPoint.vehicleLimit)
        let stops = list(#"{"StopId":1,"Latitude":1,"Longitude":1}"#)
        let line = try #require(InfoPoint.line(bytes(#"{"RouteId":1,"Vehicles":\#(vehicles),"Stops":\#(stops)}"#)))
        #expect(line.vehicles.count == InfoPoint.vehicleLimit && line.stops.count == InfoPointLine.stopLimit)
        #expect(InfoPoint.lines(bytes(list(#"{"RouteId":1}"#)))?.count == InfoPoint.lineLimit)
        let entries = list(#"{"NextDeparture":"Due"}"#, 50_000)
        let direction = #"{"RouteId":1,"Departures":\#(entries)}"#
        let departures = try #require(
            InfoPoint.departures(bytes(#"[{"StopId":1,"RouteDirections":[\#(direction),\#(direction)]}]"#)))
        #expect(departures.count == InfoPoint.departureLimit)
        let alerts = try #require(InfoPoint.alerts(bytes(list(#"{"Header":"x","Routes":\#(list("1", 200))}"#, 1000))))
        #expect(alerts.count == InfoPoint.alertLimit && alerts[0].lines.count == 128)
    }

    @Test func hostileTextsAreHarmless() throws {
        let long = String(repeating: "x ", count: 100_000)
        let body = #"""
            [{"RouteId":"\u001b[2J\u202e","ShortName":"\u0000a\u009b","LongName":"\#(long)","Header":"a\u2028b",
            "Message":"\#(long)","Routes":["\u0007\u200e"]}]
            """#
        let line = try #require(InfoPoint.lines(bytes(body))?.first?.line)
        #expect(line.id == "[2J\u{FFFD}" && line.code == "a\u{FFFD}" && line.name.count == 64)
        let alert = try #require(InfoPoint.alerts(bytes(body))?.first)
        #expect(alert.title == "a\u{FFFD}b" && alert.text?.count == 2000 && alert.lines == ["\u{FFFD}"])
    }
}
