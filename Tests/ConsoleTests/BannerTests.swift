import JSONCoding
import Testing

@testable import Console

@Suite struct BannerTests {
    @Test(arguments: [
        (#""alert":"heart_rate","state":"high","value":172,"high":165"#, "Heart rate 172 bpm, above 165 bpm"),
        (#""alert":"zone","state":"low","value":1,"low":2,"high":3"#, "Zone 1, below 2"),
        (#""alert":"power","state":"within","value":240,"low":200"#, "Power 240 W, within the target"),
        (#""alert":"pace","state":"low","value":0.33,"low":0.3"#, "Pace 5:30 min/km, slower than 5:00 min/km"),
        (#""alert":"speed","state":"high","value":10,"high":9"#, "Speed 36.0 km/h, above 32.4 km/h"),
        (#""alert":"distance","state":"reached","value":5000"#, "5.00 km done"),
        (#""alert":"time","state":"reached","value":600"#, "10:00 done"),
        (#""alert":"sensor_lost","state":"lost","sensor":"foot-pod""#, "Sensor lost: foot pod"),
        (#""alert":"position_lost","state":"back""#, "Position back"),
    ])
    func alertIsABanner(members: String, text: String) throws {
        var view = try Views.view(Views.run)
        view.metric = true
        let event = try JSON(parsing: #"{"class":"EVENT","seq":7,"event":"alert",\#(members)}"#.utf8)
        view.received(event: event, isReplayed: true)
        #expect(view.banner == nil)
        view.received(event: event, isReplayed: false)
        #expect(view.banner == .text(text))
    }

    @Test func badgeIsABanner() throws {
        var view = try Views.view(Views.run)
        let event = #"{"event":"badge","badge":"The Moon","distance_m":1609.344}"#
        view.received(event: try JSON(parsing: event.utf8), isReplayed: false)
        #expect(view.banner == .text("Badge earned: The Moon"))
    }

    @Test(arguments: [
        (#""steps":6,"step":2,"text":"1 km""#, "Step 2 of 6: 1 km"), (#""steps":6,"done":true"#, "Workout done"),
    ])
    func stepOfAWorkoutIsABanner(members: String, text: String) throws {
        var view = try Views.view(Views.run)
        view.received(event: try JSON(parsing: #"{"event":"workout",\#(members)}"#.utf8), isReplayed: false)
        #expect(view.banner == .text(text))
    }
}
