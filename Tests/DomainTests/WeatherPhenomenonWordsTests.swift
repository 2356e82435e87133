import Domain
import Testing

struct WeatherPhenomenonWordsTests {
    private func words(_ code: String) throws -> String {
        try #require(WeatherPhenomenon(Array(code.utf8)[...]), "\(code)").words
    }

    @Test(arguments: [
        ("RA", "rain"), ("-RA", "light rain"), ("+RA", "heavy rain"), ("SHRA", "showers of rain"),
        ("-SHRA", "light showers of rain"), ("+SHSN", "heavy showers of snow"), ("RASN", "rain and snow"),
        ("-RASNPL", "light rain, snow and ice pellets"), ("TS", "thunderstorm"), ("-TS", "light thunderstorm"),
        ("TSRA", "thunderstorm with rain"), ("+TSRAGR", "thunderstorm with heavy rain and hail"),
        ("-TSSHRA", "thunderstorm with light showers of rain"), ("SH", "showers"), ("+SH", "heavy showers"),
        ("VCSH", "showers in the vicinity"), ("VCTS", "thunderstorm in the vicinity"),
        ("VCFG", "fog in the vicinity"), ("FZRA", "freezing rain"), ("-FZDZ", "light freezing drizzle"),
        ("FZFG", "freezing fog"), ("MIFG", "shallow fog"), ("BCFG", "patches of fog"), ("PRFG", "partial fog"),
        ("BLSN", "blowing snow"), ("DRSA", "low drifting sand"), ("+FC", "tornado or waterspout"),
        ("FC", "funnel cloud"), ("+SS", "heavy sandstorm"), ("RERA", "recent rain"), ("UP", "precipitation"),
        ("FZUP", "freezing precipitation"), ("RETS", "recent thunderstorm"),
    ])
    func codesAreWords(code: String, text: String) throws {
        #expect(try words(code) == text)
    }

    @Test func eachCodeHasItsOwnWords() throws {
        let kinds = try WeatherPhenomenon.Kind.allCases.map { try words($0.rawValue) }
        let descriptors = try WeatherPhenomenon.Descriptor.allCases.map { try words($0.rawValue) }
        #expect(Set(kinds + descriptors).count == kinds.count + descriptors.count)
        for kind in WeatherPhenomenon.Kind.allCases {
            let plain = try words(kind.rawValue)
            #expect(plain.allSatisfy { $0.isLowercase || $0 == " " } && !plain.isEmpty)
            var all: Set<String> = []
            for descriptor in WeatherPhenomenon.Descriptor.allCases {
                let text = try words(descriptor.rawValue + kind.rawValue)
                #expect(text.hasSuffix(" " + plain))
                all.insert(text)
            }
            #expect(all.count == WeatherPhenomenon.Descriptor.allCases.count)
        }
    }
}
