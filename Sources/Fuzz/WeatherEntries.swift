import Domain
import JSONCoding
import Weather
import Wire

extension FuzzTarget {
    /// Weather reports of stations: an error lies in the report, and figures are possible ones.
    static let metar = FuzzTarget(name: "metar", corpus: metars.map { Array($0.utf8) }) { bytes in
        do throws(ParseError) {
            let report = try Metar(bytes, receivedAt: receipt)
            precondition(report.time.milliseconds <= receipt.milliseconds + 86_400_000, "no report of the future")
            expectValid(report.conditions)
        } catch {
            precondition(error.offset >= 0 && error.offset <= bytes.count)
        }
    }

    /// Forecasts: the parts of the timeline follow each other without a gap.
    static let taf = FuzzTarget(name: "taf", corpus: tafs.map { Array($0.utf8) }) { bytes in
        do throws(ParseError) {
            let forecast = try Taf(bytes, receivedAt: receipt)
            precondition(forecast.groups.count <= Taf.groupLimit)
            for group in forecast.groups { expectValid(group.conditions) }
            let timeline = forecast.timeline
            for segment in timeline { precondition(segment.period.start < segment.period.end) }
            for (one, next) in zip(timeline, timeline.dropFirst()) {
                precondition(one.period.end == next.period.start, "no gap")
            }
        } catch {
            precondition(error.offset >= 0 && error.offset <= bytes.count)
        }
    }

    /// A response of the weather service: what paced-net makes of it is accepted by the topic.
    static let reports = FuzzTarget(name: "reports", corpus: [Array(response.utf8)]) { bytes in
        let provider = AviationWeather(server: AviationWeather.defaultServer)
        _ = provider.stations(bytes)
        guard let reports = provider.reports(bytes, receivedAt: receipt) else { return }
        var lookup = WeatherLookup(station: "EDDB")
        lookup.receive(reports, at: receipt)
        guard case .found(let weather) = lookup.step else { return }
        let data = weather.data(reason: "no network", at: receipt)
        precondition(data.count <= StationWeather.dataLimit)
        guard let json = try? JSON(parsing: data), (try? WeatherTopic.check(json)) != nil else {
            preconditionFailure("the topic accepts the data")
        }
    }

    private static let response = #"""
        [{"icaoId":"EDDB","obsTime":1773575400,"rawOb":"METAR EDDB 151150Z AUTO 24008G15KT 9999 -RA BKN014 06/M01 Q1009",\#
        "rawTaf":"TAF EDDB 151100Z 1512/1612 24020G30KT 2500 NSC BECMG 1514/1516 5000 SHRA PROB40 TEMPO 1518/1524 0900 DS",\#
        "lat":52.36,"lon":13.5,"elev":47,"name":"Berlin","siteType":["METAR","TAF"]}]
        """#

    private static func expectValid(_ conditions: WeatherConditions) {
        if let degrees = conditions.wind?.fromDegrees { precondition((0...360).contains(degrees)) }
        for speed in [conditions.wind?.metresPerSecond, conditions.wind?.gustMetresPerSecond] {
            precondition(speed ?? 0 >= 0)
        }
        precondition(conditions.visibility?.metres ?? 0 >= 0)
    }

    /// 2026-03-15 12:00 UTC.
    private static let receipt = UTC(milliseconds: UTC(year: 2026, month: 3, day: 15).milliseconds + 12 * 3_600_000)

    private static let metars = [
        "METAR EDDB 151150Z AUTO 24008G15MPS 200V280 9999 -RA BKN014 06/M01 Q1009 NOSIG=",
        "SPECI KJFK 151151Z VRB03KT 1 1/2SM R04R/2000V4000FT +TSRA BR FEW010CB 22/17 A2992 RMK AO2 T02220167",
        "METAR COR LFPG 151130Z 00000KT CAVOK 12/08 Q1021 REDZ", "METAR UUEE 151200Z NIL=",
    ]

    private static let tafs = [
        "TAF AMD KJFK 151140Z 1512/1618 27007KT P6SM SCT250 FM151800 32010KT 1 1/2SM BR OVC010 PROB30 1522/1603 6SM -SHRA",
        "TAF LLBG 151101Z 1512/1612 24020G30KT 2500 DU NSC BECMG 1514/1516 5000 SHRA PROB40 TEMPO 1518/1524 0900 DS TX15/1513Z",
        "TAF EDDB 151100Z 1512/1612 CNL=", "TAF COR LFPG 151100Z 151221 CAVOK BECMG 1518/1520 00000KT",
    ]
}
