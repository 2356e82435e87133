import Domain
import Testing
import Weather

@Suite struct AviationWeatherTests {
    private let provider = AviationWeather(server: "http://a.example/api/data")

    @Test func addressesAreThoseOfTheService() {
        let box = GeographicBox(south: -18.5, west: -180, north: -17, east: -178.5)
        #expect(
            provider.address(ofStationsIn: box)
                == "http://a.example/api/data/stationinfo?bbox=-18.5,-180.0,-17.0,-178.5&format=json")
        #expect(
            provider.address(ofReportsFrom: ["EDDB", "EDDF"])
                == "http://a.example/api/data/metar?ids=EDDB,EDDF&format=json&taf=true")
    }

    /// Elements as the service sends them.
    @Test func stationsAreThoseThatReport() throws {
        let body = #"""
            [{"id":"EGLL","icaoId":"EGLL","iataId":"LHR","faaId":null,"wmoId":"03772","site":"London/Heathrow Intl","lat":51.477,
            "lon":-0.461,"elev":26,"state":"EN","country":"GB","priority":0,"siteType":["METAR","TAF"]},
            {"id":"KNUQ","site":"Moffett Fed Airfld","lat":37.4161,"lon":-122.0492,"elev":null,"siteType":["METAR"]},
            {"id":"AAMC1","site":"Alameda","lat":37.772,"lon":-122.298,"elev":6,"siteType":[]},
            {"id":"62050","icaoId":"","site":"North Sea Platform","lat":30.0,"lon":19.0,"siteType":["METAR"]},
            {"icaoId":"EDXX","lat":91,"lon":0,"siteType":["METAR"]},{"icaoId":"EDXY","siteType":["METAR"]},
            {"icaoId":"EDXZ","lat":"1","lon":0,"siteType":["METAR"]},7]
            """#
        let stations = try #require(provider.stations(Array(body.utf8)))
        #expect(stations.map(\.name) == ["EGLL", "KNUQ"])
        #expect(stations[0].site?.text == "London/Heathrow Intl")
        #expect(stations[0].elevation == 26)
        #expect(stations.map(\.hasForecast) == [true, false])
        #expect(stations[1].elevation == nil)
    }

    @Test func reportsHaveTheirTexts() throws {
        let seconds = halfPastSeven.milliseconds / 1000 - 600
        let body = """
            [{"icaoId":"EDDB","obsTime":\(seconds),"rawOb":"METAR EDDB 010720Z 24010KT 9999 10/08 Q1010",
            "rawTaf":"TAF EDDB 010500Z 0106/0212 24010KT 9999\\n  FM011000 27010KT","lat":52.36,"lon":13.5,"elev":47,"name":"Berlin"},
            {"icaoId":"EDDF","rawOb":"garbage","lat":50,"lon":8},
            {"icaoId":"EDDH","rawOb":"METAR EDDH 010650Z 24010KT 9999 10/08 Q1010","lat":53,"lon":10},
            {"icaoId":"EDDH","rawOb":"METAR EDDH 010720Z 25010KT 9999 10/08 Q1010","lat":53,"lon":10}]
            """
        let reports = try #require(provider.reports(Array(body.utf8), receivedAt: halfPastSeven))
        #expect(reports.map(\.station.name) == ["EDDB", "EDDF", "EDDH"])
        #expect(reports[0].metar?.time.milliseconds == seconds * 1000)
        #expect(reports[0].taf?.groups.count == 2)
        #expect(reports[0].tafText == "TAF EDDB 010500Z 0106/0212 24010KT 9999 FM011000 27010KT")
        #expect(reports[1].metar == nil)
        #expect(reports[1].metarText == "garbage")
        #expect(reports[2].metar?.conditions.wind?.fromDegrees == 250)
    }

    /// A board whose clock is a month behind decodes the day of the month by the time that the service states.
    @Test func dayOfAReportIsThatOfTheService() throws {
        let seconds = halfPastSeven.milliseconds / 1000 - 600
        let body = """
            [{"icaoId":"EDDB","obsTime":\(seconds),"rawOb":"EDDB 010720Z 24010KT 9999 10/08 Q1010","lat":52.36,"lon":13.5}]
            """
        let reports = try #require(provider.reports(Array(body.utf8), receivedAt: UTC(year: 2026, month: 1, day: 20)))
        #expect(reports[0].metar?.time.milliseconds == seconds * 1000)
    }

    @Test func hostileTextsAreHarmless() throws {
        let body =
            #"[{"icaoId":"EDDB","rawOb":"\u001b[2J \u202e 24010KT","rawTaf":"\#(String(repeating: "x", count: 9000))","site":"a\u0007b","lat":52.36,"lon":13.5}]"#
        let report = try #require(provider.reports(Array(body.utf8), receivedAt: halfPastSeven)?.first)
        #expect(report.metarText == "[2J \u{FFFD} 24010KT")
        #expect(report.tafText?.utf8.count == Taf.lengthLimit)
        #expect(report.station.site?.text == "a\u{FFFD}b")
    }

    @Test(arguments: [
        "{}", "null", "1", "<html>", #"{"status":"error"}"#, "[", String(repeating: "[", count: 100_000), "\"\"", nil,
    ])
    func anotherFormatIsNoResponse(text: String?) {
        let body = text.map { Array($0.utf8) } ?? [0xFF, 0xFE] + Array("[]".utf8)
        #expect(provider.stations(body) == nil)
        #expect(provider.reports(body, receivedAt: halfPastSeven) == nil)
    }

    @Test func anEmptyBodyHasNoStations() {
        #expect(provider.stations([]) == [])
        #expect(provider.reports([], receivedAt: halfPastSeven) == [])
    }
}
