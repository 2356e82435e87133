import Board
import Console
import JSONCoding
import Testing

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

    @Test func `The end of the light is a banner`() throws {
        var view = try Views.view(Views.run)
        let event = #"{"event":"light","light_left_s":1799.4,"dusk":"2026-03-01T17:25:54.000Z"}"#
        view.received(event: try JSON(parsing: event.utf8), isReplayed: false)
        #expect(view.banner == .text("30 min of light left"))
        #expect(Beep(event: try JSON(parsing: #"{"class":"EVENT","event":"light"}"#.utf8)) == .notice)
    }

    @Test func badgeIsABanner() throws {
        var view = try Views.view(Views.run)
        let event = #"{"event":"badge","badge":"The Moon","distance_m":1609.344}"#
        view.received(event: try JSON(parsing: event.utf8), isReplayed: false)
        #expect(view.banner == .text("Badge earned: The Moon"))
    }

    @Test func noticeOfAnotherProgramIsABanner() throws {
        var view = try Views.view(Views.run)
        let event = #"{"event":"notice","topic":"x-tyres","key":"low","text":"Front tyre is low"}"#
        view.received(event: try JSON(parsing: event.utf8), isReplayed: false)
        #expect(view.banner == .text("Front tyre is low"))
    }

    @Test(arguments: [
        (#""event":"cue","stage":"soon","type":"generic","name":"The ford","distance_m":40"#, "The ford in 40 m"),
        (#""event":"cue","stage":"soon","type":"generic","distance_m":40"#, "Point in 40 m"),
        (#""event":"course","change":"loaded","id":3,"name":"Teufelsberg""#, "Course loaded: Teufelsberg"),
        (#""event":"course","change":"unloaded""#, "Course unloaded"),
        (#""event":"course","change":"off","progress_m":1200,"off_m":60.2"#, "Off course: 60 m, go NE"),
        (#""event":"course","change":"wrong-way","progress_m":1200"#, "Wrong way: turn around"),
        (#""event":"course","change":"on","progress_m":1200"#, "On the course"),
        (#""event":"course","change":"done""#, "End of the course"),
        (
            #""event":"climb","change":"foot","number":1,"count":3,"length_m":6300,"ascent_m":435,"#
                + #""average_grade_percent":6.9"#, "Climb 1 of 3: 6.3 km, 435 m, 6.9 %"
        ),
        (#""event":"climb","change":"top","number":1,"count":3,"length_m":6300,"ascent_m":435"#, "Climb 1 of 3: top"),
    ])
    func eventOfACourseIsABanner(members: String, text: String) throws {
        var view = try Views.courseView((#""status":"on""#, #""status":"off","return_bearing_deg":40"#))
        view.metric = true
        view.received(event: try JSON(parsing: "{\(members)}".utf8), isReplayed: false)
        #expect(view.banner == .text(text))
    }

    @Test func turnIsNotHiddenByAnotherPointAtItsPlace() throws {
        var view = try Views.courseView((#""status":"on""#, #""status":"on""#))
        view.metric = true
        func cue(_ members: String) throws -> WatchModel.Banner? {
            view.received(event: try JSON(parsing: "{\"event\":\"cue\",\(members)}".utf8), isReplayed: false)
            return view.banner
        }
        let turn = try cue(#""stage":"ahead","type":"left","name":"Mill Lane","distance_m":120,"in_s":14"#)
        #expect(turn == .turn("Left in 120 m: Mill Lane"))
        #expect(try cue(#""stage":"ahead","type":"generic","name":"The ford","distance_m":121"#) == turn)
        #expect(try cue(#""stage":"here","type":"u-turn","distance_m":1.4"#) == .turn("U-turn here"))
        view.banner = nil
        #expect(try cue(#""stage":"here","type":"water","distance_m":1.4"#) == .text("Water here"))
    }

    @Test(arguments: [
        (#""event":"cue","stage":"ahead""#, Optional(Beep.cueAhead)), (#""event":"cue","stage":"soon""#, .cueNow),
        (#""event":"cue","stage":"here""#, .cueNow), (#""event":"course","change":"off""#, .high),
        (#""event":"course","change":"wrong-way""#, .high), (#""event":"course","change":"on""#, .notice),
        (#""event":"course","change":"loaded""#, nil), (#""event":"climb","change":"foot""#, .notice),
    ])
    func eventOfACourseBeeps(members: String, beep: Beep?) throws {
        #expect(Beep(event: try JSON(parsing: #"{"class":"EVENT",\#(members)}"#.utf8)) == beep)
    }

    @Test(arguments: [(45.0, "45 m", "150 ft"), (998, "998 m", "0.6 mi"), (999.6, "1.0 km", "0.6 mi")])
    func distanceAlongACourseHasAUnitThatFits(metres: Double, metric: String, imperial: String) {
        #expect(CourseWords(metric: true).distance(metres) == metric)
        #expect(CourseWords(metric: false).distance(metres) == imperial)
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
