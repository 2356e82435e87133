import Domain
import Testing
import Weather

@Suite struct WeatherIconTests {
    /// Groups of a report with the cover of the sky after a slash, by their drawing.
    private static let drawn = [
        "clear-sky": "/SKC /CLR /NSC /NCD", "few-clouds-sky": "/FEW", "partly-cloudy-sky": "/SCT /FEW,SCT",
        "cloudy": "/BKN /FEW,BKN,SCT", "overcast": "/OVC /BKN,OVC", "drizzle": "DZ -DZ DZ/BKN", "drizzle-sky": "DZ/SCT",
        "rain": "RA SH VCSH SHRA -SHRA/OVC UP", "rain-sky": "RA/FEW SHRA/SCT", "heavy-rain": "+RA +SHRA/OVC",
        "heavy-rain-sky": "+RA/SCT", "sleet": "RASN SNRA SHRASN PL SHPL RASN/FEW",
        "snow": "SN SG IC SHSN BLSN DRSN +SN/OVC", "snow-sky": "SN/SCT",
        "hail": "GR GS SHGR SHGS", "ice": "FZDZ FZRA FZUP -FZRA/FEW", "thunder": "TS VCTS TSSN TSPL TSGS TSGR",
        "thunder-sky": "VCTS/FEW", "thunder-rain": "TSRA +TSRAGR", "thunder-rain-sky": "TSRA/SCT",
        "fog": "BR FG FZFG FU VA MIFG /VV FG/FEW", "haze-sky": "HZ HZ/OVC", "dust": "DU SA BLSA BLDU SS DS/FEW",
        "tornado": "PO FC +FC", "wind": "SQ",
        // What matters most is drawn.
        " thunder": "VCTS_RA_BR", " hail": "-RA_GR", " snow": "BR_-SN/OVC", " rain": "BR_-RA", " clear-sky": "RERA/SKC",
    ]

    private static func conditions(_ text: String) -> WeatherConditions {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        var conditions = WeatherConditions()
        conditions.weather = parts[0].split(separator: "_").compactMap { WeatherPhenomenon(Array($0.utf8)[...]) }
        conditions.clouds = (parts.count > 1 ? parts[1] : "").split(separator: ",").map {
            var layer = CloudLayer()
            layer.cover = CloudLayer.Cover(rawValue: String($0))
            return layer
        }
        return conditions
    }

    @Test func conditionsHaveTheirDrawing() {
        var kinds: Set<WeatherIcon.Kind> = []
        for (name, texts) in Self.drawn {
            for text in texts.split(separator: " ") {
                let icon = Self.conditions(String(text)).icon
                #expect(icon?.name == name.filter { $0 != " " }, "\(text)")
                if let icon { kinds.insert(icon.kind) }
            }
        }
        #expect(kinds == Set(WeatherIcon.Kind.allCases))
        #expect(WeatherConditions().icon == nil && Self.conditions("").icon == nil)
    }
}
