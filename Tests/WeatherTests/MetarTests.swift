import Domain
import Testing
import Weather

@Suite struct MetarTests {
    @Test func `A whole report is decoded in SI units`() throws {
        let report = try metar(
            """
            METAR COR KTTN 151153Z AUTO 11011G23KT 080V150 1 1/2SM R06L/2600VP6000FT/U -VCTSRA +SN FZFG BKN003 OVC010CB M02/M03 \
            A3006 RESHRA WS R24 RMK AO2 SLP181 T10171028
            """)
        #expect(report.station == "KTTN")
        #expect(report.time == (try date("2026-03-15T11:53:00Z")))
        #expect(report.isAutomatic && report.isCorrected && !report.isSpecial && !report.isMissing)
        let wind = try #require(report.conditions.wind)
        #expect(wind.fromDegrees == 110 && !wind.isVariable && wind.range == .init(fromDegrees: 80, toDegrees: 150))
        #expect(isNear(wind.metresPerSecond, 11 * knot) && isNear(wind.gustMetresPerSecond, 23 * knot))
        #expect(report.conditions.visibility == Visibility(metres: 1.5 * mile))
        #expect(
            report.runwayVisualRanges == [
                RunwayVisualRange(
                    runway: "06L", visibility: Visibility(metres: 2600 * foot),
                    maximum: Visibility(metres: 6000 * foot, bound: .atLeast))
            ])
        let weather = try #require(report.conditions.weather)
        #expect(weather.map(\.code) == ["-VCTSRA", "+SN", "FZFG"])
        #expect(weather[0].intensity == .light && weather[0].isInVicinity)
        #expect(weather[0].descriptors == [.thunderstorm] && weather[0].kinds == [.rain])
        #expect(report.recentWeather.map(\.code) == ["RESHRA"])
        #expect(
            report.conditions.clouds == [
                CloudLayer(cover: .broken, baseMetres: 300 * foot),
                CloudLayer(cover: .overcast, baseMetres: 1000 * foot, kind: .cumulonimbus),
            ])
        #expect(isNear(report.conditions.ceilingMetres, 300 * foot))
        #expect(report.celsius == -1.7 && report.dewPointCelsius == -2.8)
        #expect(isNear(report.hectopascals, 1017.95, within: 0.01))
        #expect(report.unread.count == 0)
    }

    @Test(
        arguments: [
            ("24015KT", 240, 15 * knot, nil, false), ("24015G25KT", 240, 15 * knot, 25 * knot, false),
            ("24008MPS", 240, 8, nil, false), ("24008G12MPS", 240, 8, 12, false), ("24036KMH", 240, 10, nil, false),
            ("VRB02KT", nil, 2 * knot, nil, true), ("VRB05G15KT", nil, 5 * knot, 15 * knot, true),
            ("00000KT", nil, 0, nil, false), ("00000MPS", nil, 0, nil, false), ("36005KT", 360, 5 * knot, nil, false),
            ("120100G115KT", 120, 100 * knot, 115 * knot, false), ("240P99KT", 240, 99 * knot, nil, false),
            // As stations write them.
            ("09004", 90, 4 * knot, nil, false), ("000000KT", nil, 0, nil, false),
            ("07004 KT", 70, 4 * knot, nil, false),
            ("00000KTS", nil, 0, nil, false), ("E33009G15KT", 330, 9 * knot, 15 * knot, false),
            ("///05KT", nil, 5 * knot, nil, false), ("280//KT", 280, nil, nil, false),
            ("32020G//KT", 320, 20 * knot, nil, false),
        ] as [(String, Int?, Double?, Double?, Bool)])
    func `Winds of all forms are decoded`(
        group: String, from: Int?, speed: Double?, gust: Double?, isVariable: Bool
    ) throws {
        let report = try metar("EGLL 151150Z \(group) 9999 10/05 Q1016")
        let wind = try #require(report.conditions.wind)
        #expect(wind.fromDegrees == from && wind.isVariable == isVariable)
        #expect(isNear(wind.metresPerSecond, speed) && isNear(wind.gustMetresPerSecond, gust))
        #expect(report.conditions.visibility == .tenKilometres && report.celsius == 10 && report.unread.count == 0)
    }

    @Test(arguments: ["/////KT", "/////", "/////MPS"])
    func `A missing wind is no wind, and not a calm`(group: String) throws {
        let report = try metar("EGLL 151150Z \(group) 9999 10/05 Q1016")
        #expect(report.conditions.wind == nil && report.unread.count == 0)
    }

    @Test(arguments: ["00013K", "00a013KT", "0001KT", "37005KT", "24005MPH"])
    func `A wrong wind is no wind`(group: String) throws {
        let report = try metar("K19S 141535Z AUTO \(group) 2 1/2SM -SN BR OVC003 01/ A3045 RMK AO2 P0002 T0014////")
        #expect(report.conditions.wind == nil)
        #expect(report.unread.texts.map(\.text) == [group])
        #expect(report.celsius == 1.4 && report.dewPointCelsius == nil)
    }

    @Test(arguments: [
        ("9999", Visibility.tenKilometres), ("0400", Visibility(metres: 400)), ("4000NDV", Visibility(metres: 4000)),
        ("10SM", Visibility(metres: 10 * mile)), ("P6SM", Visibility(metres: 6 * mile, bound: .atLeast)),
        ("1/2SM", Visibility(metres: mile / 2)), ("M1/4SM", Visibility(metres: mile / 4, bound: .lessThan)),
        ("1 1/2SM", Visibility(metres: 1.5 * mile)), ("11/2SM", Visibility(metres: 1.5 * mile)),
        ("11/16SM", Visibility(metres: mile * 11 / 16)), ("1 1/16SM", Visibility(metres: mile * 17 / 16)),
        ("10 SM", Visibility(metres: 10 * mile)), ("8KM", Visibility(metres: 8000)),
        ("M0050", Visibility(metres: 50, bound: .lessThan)), ("0000", Visibility(metres: 0)),
    ])
    func `Visibilities of all forms are decoded`(group: String, expected: Visibility) throws {
        let report = try metar("EGLL 151150Z 09011KT \(group) OVC010 10/05 Q1016")
        let visibility = try #require(report.conditions.visibility)
        #expect(isNear(visibility.metres, expected.metres) && visibility.bound == expected.bound)
        #expect(report.unread.count == 0)
    }

    @Test(arguments: ["////", "////SM", ""])
    func `A missing visibility has no value`(group: String) throws {
        #expect(try metar("EGLL 151150Z 09011KT \(group) OVC010 10/05 Q1016").conditions.visibility == nil)
    }

    @Test func `Visibilities in a direction do not replace the prevailing one`() throws {
        let conditions = try metar("EGLL 151150Z 09011KT 4000 0600NE 1200S FG 10/05 Q1016").conditions
        #expect(conditions.visibility == Visibility(metres: 4000))
        #expect(
            conditions.directionalVisibilities == [
                DirectionalVisibility(visibility: Visibility(metres: 600), direction: .northEast),
                DirectionalVisibility(visibility: Visibility(metres: 1200), direction: .south),
            ])
    }

    @Test func `CAVOK is a visibility, no weather and no cloud`() throws {
        let report = try metar("LFPG 151150Z 09003MPS CAVOK M00/M12 Q0998 NOSIG")
        #expect(report.conditions.isCavok && report.conditions.visibility == .tenKilometres)
        #expect(report.conditions.weather == [] && report.conditions.clouds == [])
        #expect(report.celsius == 0 && report.dewPointCelsius == -12 && report.hectopascals == 998)
    }

    @Test func `What an automatic station cannot see is missing`() throws {
        let report = try metar("ETNT 151120Z AUTO ///07KT //// // ////// ///// Q//// ///")
        #expect(report.conditions.weather == nil && report.conditions.clouds == nil)
        #expect(report.conditions.visibility == nil && report.hectopascals == nil)
        #expect(report.celsius == nil && report.dewPointCelsius == nil && report.unread.count == 0)
        // No group of weather, which a person or a sensor looked for: there is none.
        #expect(try metar("ETNT 151120Z 27007KT 9999").conditions.weather == [])
    }

    @Test(
        arguments: [
            ("10/05", 10, 5), ("M01/M03", -1, -3), ("01/", 1, nil), ("27///", 27, nil), ("///22", nil, 22),
            ("/////", nil, nil), ("25/XX", 25, nil), ("NSC17/05", 17, 5), ("OVC010M01/M02", -1, -2),
        ] as [(String, Double?, Double?)])
    func `Temperatures of all forms are decoded`(group: String, air: Double?, dewPoint: Double?) throws {
        let report = try metar("EGLL 151150Z 09011KT 9999 \(group) Q1016")
        #expect(report.celsius == air && report.dewPointCelsius == dewPoint && report.unread.count == 0)
        #expect(report.conditions.clouds?.count == (group.contains("C") ? 1 : nil))
    }

    @Test func `Tenths that contradict the whole degrees are not used`() throws {
        let report = try metar("ETOU 151055Z 13005KT 9999 BKN110 15/12 A2993 RMK AO2A T01451272 $")
        #expect(report.celsius == 14.5 && report.dewPointCelsius == 12)
    }

    @Test(arguments: [
        ("VV001", CloudLayer(cover: .obscured, baseMetres: 100 * foot)), ("VV///", CloudLayer(cover: .obscured)),
        ("NCD", CloudLayer(cover: .noCloudDetected)), ("CLR", CloudLayer(cover: .clear)),
        ("BKN014///", CloudLayer(cover: .broken, baseMetres: 1400 * foot)), ("FEW///", CloudLayer(cover: .few)),
        ("//////CB", CloudLayer(kind: .cumulonimbus)), ("///CB", CloudLayer(kind: .cumulonimbus)),
        ("///015", CloudLayer(baseMetres: 1500 * foot)),
        ("SCT025TCU", CloudLayer(cover: .scattered, baseMetres: 2500 * foot, kind: .toweringCumulus)),
    ])
    func `Clouds of all forms are decoded`(group: String, expected: CloudLayer) throws {
        let report = try metar("KCBX 151150Z 09011KT 9999 \(group) 10/05 Q1016")
        let layer = try #require(report.conditions.clouds?.first)
        #expect(layer.cover == expected.cover && layer.kind == expected.kind)
        #expect(isNear(layer.baseMetres, expected.baseMetres) && report.unread.count == 0)
    }

    @Test func `All weather of RunFree's table is decoded, and nothing with a letter before`() throws {
        let codes = """
            DZ RA SN SG IC PL GR GS TS VCTS TSRA TSSN TSPL TSGS TSGR SH VCSH SHRA SHSN RASN SNRA SHPL SHGR SHGS FZDZ FZRA \
            FZFG BR FG FU VA DU SA HZ BLSN BLSA BLDU PO FC RASNPL VCFG MIFG BCFG PRFG UP SQ DS SS TSRAGR
            """
        for code in codes.split(separator: " ") {
            for sign in ["", "+", "-"] {
                let word = Array("\(sign)\(code)".utf8)
                #expect(WeatherPhenomenon(word[...])?.code == sign + code)
            }
            #expect(WeatherPhenomenon(Array("a\(code)".utf8)[...]) == nil)
        }
        #expect(WeatherPhenomenon(Array("HZ/-RA".utf8)[...]) == nil)
        let conditions = try metar("VEPT 151150Z 09011KT 4500 HZ/-RA 10/05 Q1016").conditions
        #expect(conditions.weather?.map(\.code) == ["HZ", "-RA"])
    }

    @Test func `Trends and remarks change nothing`() throws {
        let report = try metar(
            "YBBN 141130Z 15010KT 9999 22/19 Q1018 FM1130 16011KT 3000 RA INTER 1130/1300 16020G30KT TEMPO TS RMK 25/24 Q0990"
        )
        #expect(report.conditions.wind?.fromDegrees == 150 && report.conditions.weather == [])
        #expect(report.celsius == 22 && report.hectopascals == 1018 && report.unread.count == 0)
    }

    @Test(arguments: [
        "TEMP0 3000 RA", "TEMP 3000 RA", "TEMPO3000 RA", "TEMPOTL1300 3000 RA", "BECMGFM1130 3000 RA", "BECM 3000 RA",
        "PROB30 3000 RA", "FM 1130 3000 RA", "FN1130 3000 RA", "INTER1130/1300 3000 RA", "1NTER1130/1300 3000 RA",
        "1130/1300 3000 RA", "XX1130/1300 3000 RA",
    ])
    func `A trend with a glued, misspelt or missing word changes nothing`(trend: String) throws {
        let report = try metar("YBBN 141130Z 15010KT 9999 22/19 Q1018 \(trend) OVC002 W15/S3 RMK T02210190")
        #expect(report.conditions.visibility == .tenKilometres)
        #expect(report.conditions.weather == [] && report.conditions.clouds == nil)
        #expect(report.celsius == 22.1 && report.hectopascals == 1018 && report.unread.count == 0)
    }

    @Test func `States of runways, the sea, colours and wind shear are skipped`() throws {
        let report = try metar(
            "ENZV 151150Z 09011KT 9999 M01/M03 Q1018 W15/S3 BLU+ R24/290062 24250593 R/SNOCLO R34/////N WS ALL RWY RF00.0/000.2"
        )
        #expect(report.unread.count == 0 && report.runwayVisualRanges == [])
    }

    @Test(arguments: [
        ("", "expected a station at byte 0"), ("abcdeavawfwefwfee", "expected a station at byte 0"),
        ("METAR ", "expected a station at byte 6"), ("METAR EGLL", "expected the day and the time at byte 10"),
        ("EGLL 321150Z 09011KT", "expected the day and the time at byte 5"),
        ("EGLL 152460Z 09011KT", "expected the day and the time at byte 5"),
        ("EGLL 151150X 09011KT", "expected Z and a space at byte 11"),
        ("EGLL 151150Z HELLO", "expected a wind, a visibility or another group of a report at byte 13"),
        (" EGLL 151150Z =", "expected a wind, a visibility or another group of a report at byte 14"),
        (String(repeating: "A", count: 2049), "expected the end of the report at byte 2048"),
    ])
    func `What is no report is an error with its place`(text: String, expected: String) {
        #expect(failure { _ = try metar(text) } == expected)
    }

    @Test func `A report that says that there is none is missing`() throws {
        let report = try metar("SPECI MRLB COR 151150Z NIL=")
        #expect(report.isMissing && report.isSpecial && report.isCorrected && report.conditions == WeatherConditions())
    }

    @Test func `Lists and unread words are bounded`() throws {
        let many = { (word: String) in String(repeating: word + " ", count: 20) }
        let report = try metar(
            "EGLL 151150Z 09011KT 9999 \(many("RA"))\(many("FEW010"))\(many("0600N"))\(many("RERA"))\(many("R06/0600"))\(many("X"))"
        )
        let limit = WeatherConditions.listLimit
        #expect(report.conditions.weather?.count == limit && report.conditions.clouds?.count == limit)
        #expect(report.conditions.directionalVisibilities.count == limit && report.recentWeather.count == limit)
        #expect(report.runwayVisualRanges.count == limit)
        #expect(report.unread.texts.count == UnreadWords.limit && report.unread.count == 20)
    }
}
