import Console
import Testing
import Weather

@Suite struct WeatherDrawingTests {
    @Test func drawingsHaveFiveLinesOfASCIIAndDiffer() {
        var drawings: [[String]] = []
        for kind in WeatherIcon.Kind.allCases {
            for isNight in [false, true] {
                for showsSky in [false, true] {
                    let lines = WeatherDrawing.lines(of: WeatherIcon(kind, showsSky: showsSky), isNight: isNight)
                    #expect(lines.count == 5)
                    #expect(
                        lines.allSatisfy {
                            $0.count <= WeatherDrawing.columns && $0.utf8.allSatisfy { 0x20...0x7E ~= $0 }
                        })
                    if !isNight { drawings.append(lines) }
                }
            }
            let sky = WeatherIcon(kind, showsSky: true)
            if [.clear, .fewClouds, .rain, .thunder, .haze].contains(kind) {
                #expect(WeatherDrawing.lines(of: sky, isNight: true) != WeatherDrawing.lines(of: sky, isNight: false))
            }
        }
        #expect(Set(drawings.map { $0.joined(separator: "\n") }).count >= WeatherIcon.Kind.allCases.count)
    }
}
