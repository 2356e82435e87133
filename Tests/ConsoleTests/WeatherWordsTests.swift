import Console
import Testing
import Weather

struct WeatherWordsTests {
    @Test func darkestCoverIsTheSky() {
        #expect(WeatherWords.sky([.few, .overcast, .broken]) == "overcast")
        #expect(WeatherWords.sky([.obscured]) == "sky obscured", "RunFree shows a clear sky")
        #expect(WeatherWords.sky([.scattered, .few]) == "partly cloudy")
        #expect(WeatherWords.sky([]) == nil)
        let all = CloudLayer.Cover.allCases.map { WeatherWords.sky([$0]) }
        #expect(!all.contains(nil) && Set(all).count == all.count - 1, "SKC and CLR are both a clear sky")
    }
}
