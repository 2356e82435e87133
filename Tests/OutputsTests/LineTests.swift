import Domain
import JSONCoding
import TestKit
import Testing
import Wire

private func line(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

private let at = Instant(milliseconds: 123_456_700)
private let time = UTC(milliseconds: 1_772_350_212_300)
private let head = #""seq":5,"time":"2026-03-01T07:30:12.300Z","boot_ms":123456700"#

/// The example of docs/protocol.md without trailing zeros, and with an average pace.
@Test func stateLineMatchesTheExampleOfTheProtocol() {
    let expected =
        #"{"class":"STATE","seq":1042,"time":"2026-03-01T07:30:12.300Z","boot_ms":123456700,"#
        + #""clock":"system","run":"active","activity":17,"sport":"run","elapsed_ms":12300,"moving_ms":12300,"#
        + #""distance_m":41.23,"pace_s_per_m":0.3124,"average_pace_s_per_m":0.2983,"average_moving_pace_s_per_m":0.2983,"speed_mps":3.2,"max_speed_mps":3.6,"#
        + #""lap":{"number":1,"elapsed_ms":12300,"moving_ms":12300,"distance_m":41.23,"average_pace_s_per_m":0.2983,"average_moving_pace_s_per_m":0.2983,"average_bpm":131},"#
        + #""heart":{"link":"connected","address":"A0:9E:1A:00:00:01","name":"Polar H10 00000001","bpm":140,"age_ms":312,"average_bpm":131,"max_bpm":141,"#
        + #""stale":false,"contact":true,"battery_percent":80,"zone":3,"zone_name":"Zone 3","zone_fraction":0.475},"#
        + #""position":{"latitude":52.5,"longitude":13.4,"altitude_m":34.1,"accuracy_m":4.1,"speed_mps":2.9,"track_deg":87,"#
        + #""mode":3,"satellites":9,"age_ms":180,"stale":false},"#
        + #""gpsd":{"link":"connected","device":"/dev/ttyACM0"},"#
        + #""bluetooth":{"backend":"kernel","adapter":"00:1A:7D:DA:71:13"},"#
        + #""recorder":{"state":"writing","lag_ms":0,"sync_age_ms":800,"free_mib":20113},"ticks":{"late":0,"worst_ms":0.4},"#
        + #""faults":[{"fault":"recorder-stalled","since_boot_ms":123450000,"message":"the disk completes no writes, keeping up to 10 min in memory"}]}"#
        + "\n"
    #expect(line { $0.stateLine(.example, sequence: 1042) } == expected)
}

@Test func idleStateHasNoMembersOfAnActivity() {
    let expected =
        #"{"class":"STATE","seq":1,"boot_ms":5,"clock":"unset","run":"idle","#
        + #""heart":{"link":"disconnected","reason":"searching"},"gpsd":{"link":"disconnected","reason":"not-running"},"#
        + #""bluetooth":{"backend":"off"},"recorder":{"state":"off"},"ticks":{"late":0,"worst_ms":0},"faults":[]}"#
        + "\n"
    #expect(line { $0.stateLine(.idle(at: Instant(milliseconds: 5)), sequence: 1) } == expected)
}

@Test(arguments: [
    (PowerStatus(batteryPercent: 62, isCharging: true), #""power":{"battery_percent":62,"charging":true},"#),
    (PowerStatus(batteryPercent: 0, isUnderVoltage: true), #""power":{"battery_percent":0},"#),
    (PowerStatus(isCharging: false), #""power":{"charging":false},"#), (PowerStatus(isUnderVoltage: false), ""),
])
func powerIsWrittenOnlyInTheLiveStateLine(power: PowerStatus, member: String) {
    var state = State.example
    state.power = power
    #expect(line { $0.stateLine(state, sequence: 1) }.contains(#""free_mib":20113},"# + member + #""ticks""#))
    #expect(line { $0.stateLine(state, sequence: nil) } == line { $0.stateLine(.example, sequence: nil) })
}

@Test func equalStatesGiveEqualBytes() {
    #expect(line { $0.stateLine(.example, sequence: 7) } == line { $0.stateLine(.example, sequence: 7) })
}

@Test func replayOmitsMembersOfTheMachine() {
    let expected =
        #"{"class":"STATE","time":"2026-03-01T07:30:12.300Z","clock":"system","run":"active","sport":"run","#
        + #""elapsed_ms":12300,"moving_ms":12300,"#
        + #""distance_m":41.23,"pace_s_per_m":0.3124,"average_pace_s_per_m":0.2983,"average_moving_pace_s_per_m":0.2983,"speed_mps":3.2,"max_speed_mps":3.6,"#
        + #""lap":{"number":1,"elapsed_ms":12300,"moving_ms":12300,"distance_m":41.23,"average_pace_s_per_m":0.2983,"average_moving_pace_s_per_m":0.2983,"average_bpm":131},"#
        + #""heart":{"link":"connected","address":"A0:9E:1A:00:00:01","name":"Polar H10 00000001","bpm":140,"age_ms":312,"average_bpm":131,"max_bpm":141,"#
        + #""stale":false,"contact":true,"battery_percent":80,"zone":3,"zone_name":"Zone 3","zone_fraction":0.475},"#
        + #""position":{"latitude":52.5,"longitude":13.4,"altitude_m":34.1,"accuracy_m":4.1,"speed_mps":2.9,"track_deg":87,"#
        + #""mode":3,"satellites":9,"age_ms":180,"stale":false}}"# + "\n"
    #expect(line { $0.stateLine(.example, sequence: nil) } == expected)
    let start = Event(at: Instant(milliseconds: 5), activity: 17, kind: .start(.run))
    #expect(line { $0.event(start, sequence: nil) } == #"{"class":"EVENT","event":"start","sport":"run"}"# + "\n")
}

@Test func hostileNameStaysOneLineOfHarmlessText() {
    var state = State.example
    state.heart.link.name = SanitizedText("\u{1B}[2J\"},\n</script>\u{202E}\u{9B}m")
    let written = line { $0.stateLine(state, sequence: 1) }
    #expect(written.utf8.filter { $0 == 10 }.count == 1)
    #expect(written.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    #expect(!written.contains("</"))
    #expect(written.contains(#""name":"\#u{FFFD}[2J\"},\#u{FFFD}\u003c/script>\#u{FFFD}\#u{FFFD}m""#))
}

private func event(_ kind: Event.Kind, activity: Int? = 17) -> String {
    line { $0.event(Event(at: at, time: time, activity: activity, kind: kind), sequence: 5) }
}

private let figures = State.example.activity!.total

private let events: [(Event.Kind, String)] = [
    (.start(.hike), #""event":"start","activity":17,"sport":"hike""#),
    (
        .start(.run, back: .milliseconds(100_500)),
        #""event":"start","activity":17,"sport":"run","ago_ms":100500"#
    ),
    (
        .course(.loaded(LoadedCourse(hash: CourseHash(7), number: 3, name: SanitizedText("Teufelsberg")))),
        #""event":"course","activity":17,"change":"loaded","id":3,"name":"Teufelsberg""#
    ),
    (.course(.unloaded), #""event":"course","activity":17,"change":"unloaded""#),
    (
        .course(.on(progressMetres: 1200.26, skippedMetres: 80)),
        #""event":"course","activity":17,"change":"on","progress_m":1200.3,"skipped_m":80"#
    ),
    (
        .course(.on(progressMetres: 0, skippedMetres: 0)),
        #""event":"course","activity":17,"change":"on","progress_m":0"#
    ),
    (
        .course(.off(progressMetres: 5, metres: 41.26)),
        #""event":"course","activity":17,"change":"off","progress_m":5,"off_m":41.3"#
    ),
    (
        .course(.wrongWay(progressMetres: 5)),
        #""event":"course","activity":17,"change":"wrong-way","progress_m":5"#
    ),
    (.course(.done), #""event":"course","activity":17,"change":"done""#),
    (
        .cue(
            CueReport(
                .soon,
                CueAhead(.left, name: SanitizedText("Mill Lane"), isDerived: true, metres: 20.26, seconds: 5))),
        #""event":"cue","activity":17,"stage":"soon","type":"left","name":"Mill Lane","derived":true,"#
            + #""distance_m":20.3,"in_s":5"#
    ),
    (
        .climb(ClimbReport(isTop: false, number: 1, count: 3, Climb(start: 100, top: 6400, ascent: 435))),
        #""event":"climb","activity":17,"change":"foot","number":1,"count":3,"length_m":6300,"ascent_m":435,"#
            + #""average_grade_percent":6.9"#
    ),
    (
        .light(.example),
        #""event":"light","activity":17,"light_left_s":1800,"set":"2026-03-01T16:52:33.123Z","#
            + #""dusk":"2026-03-01T17:25:54.000Z""#
    ),
    (
        .notice(topic: "x-tyres", key: "low", SanitizedText("Front tyre <\u{1B}")!),
        #""event":"notice","activity":17,"topic":"x-tyres","key":"low","text":"Front tyre \u003c"#
            + "\u{FFFD}\""
    ),
    (.start(.run, resumed: true), #""event":"start","activity":17,"sport":"run","resumed":true"#),
    (
        .recorder(.failed, message: "the disk is full"),
        #""event":"recorder","activity":17,"state":"failed","message":"the disk is full""#
    ),
    (.recorder(.writing, message: nil), #""event":"recorder","activity":17,"state":"writing""#),
    (
        .pause(elapsedMilliseconds: 12_300, distanceMetres: 41.2345, .command),
        #""event":"pause","activity":17,"elapsed_ms":12300,"distance_m":41.23,"trigger":"command""#
    ),
    (
        .resume(elapsedMilliseconds: 12_300, distanceMetres: 0, .auto),
        #""event":"resume","activity":17,"elapsed_ms":12300,"distance_m":0,"trigger":"auto""#
    ),
    (
        .lap(figures, number: 3, .distance),
        #""event":"lap","activity":17,"trigger":"distance","lap":{"number":3,"elapsed_ms":12300,"moving_ms":12300,"distance_m":41.23,"#
            + #""average_pace_s_per_m":0.2983,"average_moving_pace_s_per_m":0.2983,"max_speed_mps":3.6,"average_bpm":131,"max_bpm":141}"#
    ),
    (
        .stop(.example),
        #""event":"stop","activity":17,"summary":{"id":17,"sport":"run","open":false,"started":"2026-03-01T07:30:00.000Z","#
            + #""ended":"2026-03-01T08:01:00.000Z","elapsed_ms":1800100,"total_ms":1860000,"moving_ms":1790000,"#
            + #""distance_m":5012.35,"average_pace_s_per_m":0.3591,"average_moving_pace_s_per_m":0.3571,"#
            + #""laps":6,"gaps":1,"average_bpm":148,"max_bpm":171,"demo":true}"#
    ),
    (
        .link(
            .heart,
            LinkStatus(
                .connecting, reason: .silent, address: BluetoothAddress("A0:9E:1A:00:00:01"), name: SanitizedText("H10")
            ),
            after: .milliseconds(1500)),
        #""event":"link","activity":17,"link_of":"heart","link":"connecting","reason":"silent","after_ms":1500,"address":"A0:9E:1A:00:00:01","name":"H10""#
    ),
    (
        .link(.gpsd, LinkStatus(.connected), after: .zero),
        #""event":"link","activity":17,"link_of":"gpsd","link":"connected","after_ms":0"#
    ),
    (
        .fix(.stale, mode: 3, after: .seconds(5)),
        #""event":"fix","activity":17,"fix":"stale","mode":3,"after_ms":5000"#
    ),
    (
        .gap(.position, seconds: 12.3456, metres: 40, counted: true),
        #""event":"gap","activity":17,"cause":"position","gap_s":12.346,"distance_m":40,"counted":true"#
    ),
    (
        .gap(.sleep, seconds: 60, metres: nil, counted: false),
        #""event":"gap","activity":17,"cause":"sleep","gap_s":60,"counted":false"#
    ),
    (
        .clock(.receiver, stepMilliseconds: -1500), #""event":"clock","activity":17,"clock":"receiver","step_ms":-1500"#
    ),
    (.clock(.system, stepMilliseconds: nil), #""event":"clock","activity":17,"clock":"system""#),
    (
        .fault(Fault(name: .positionRejected, since: at, message: "wait"), raised: false),
        #""event":"fault","activity":17,"fault":"position-rejected","active":false,"message":"wait""#
    ),
]

@Test(arguments: events)
func eventsHaveTheFieldsOfTheirKind(kind: Event.Kind, fields: String) {
    #expect(event(kind) == #"{"class":"EVENT",\#(head),\#(fields)}"# + "\n")
}

@Test func discardEventHasASummary() {
    #expect(event(.discard(.example)).contains(#""event":"discard","activity":17,"summary":{"id":17,"#))
}

@Test func eventOutsideARunHasNoActivity() {
    #expect(!event(.link(.gpsd, LinkStatus(.connected), after: .zero), activity: nil).contains("activity"))
}

@Test func settingsEventHasTheNewValue() throws {
    var settings = Settings()
    #expect(
        event(.settings(.zones, settings), activity: nil)
            == #"{"class":"EVENT",\#(head),"event":"settings","key":"zones"}"# + "\n")
    settings.zones = try Zones([100, 120, 140, 160, 180])
    settings.sensors = ["H10", "a\"b"]
    #expect(event(.settings(.zones, settings)).hasSuffix(#""key":"zones","value":[100,120,140,160,180]}"# + "\n"))
    #expect(event(.settings(.sensors, settings)).hasSuffix(#""key":"sensors","value":["H10","a\"b"]}"# + "\n"))
    #expect(event(.settings(.metric, settings)).hasSuffix(#""key":"metric"}"# + "\n"))
    settings.metric = false
    #expect(event(.settings(.metric, settings)).hasSuffix(#""key":"metric","value":false}"# + "\n"))
}

@Test func heartLineHasTheValuesOfTheStrap() {
    let reading = HeartRateSample(
        at: at, time: time,
        measurement: HeartRateMeasurement(
            beatsPerMinute: 140, contact: true, energyKilojoules: 65535, rrIntervals: [438, 441]),
        quality: .good, gap: true, beatAt: Instant(milliseconds: 123_456_650))
    #expect(
        line { $0.heart(reading, sequence: 5) }
            == #"{"class":"HEART",\#(head),"bpm":140,"quality":"good","contact":true,"rr_1024":[438,441],"#
            + #""energy_kj":65535,"gap":true,"beat_boot_ms":123456650}"# + "\n")
}

@Test(arguments: [HeartRateQuality.zero, .noContact, .outOfRange, .frozen])
func invalidHeartRateSampleHasNoBPM(quality: HeartRateQuality) {
    let reading = HeartRateSample(
        at: at, time: nil, measurement: HeartRateMeasurement(beatsPerMinute: 255), quality: quality, gap: false,
        beatAt: nil)
    #expect(
        line { $0.heart(reading, sequence: 1) }
            == #"{"class":"HEART","seq":1,"boot_ms":123456700,"quality":"\#(quality.rawValue)"}"# + "\n")
}

@Test func stateLineOfAnIndoorRunSaysSo() {
    var state = State.example
    #expect(!line { $0.stateLine(state, sequence: 1) }.contains("indoor"))
    state.activity?.isIndoor = true
    #expect(line { $0.stateLine(state, sequence: 1) }.contains(#""sport":"run","indoor":true,"#))
}

@Test func fixLineHasThePositionAtTopLevel() {
    let fix = AcceptedFix(
        at: at, time: time, receiverTime: UTC(milliseconds: 1_772_350_212_000), device: SanitizedText("/dev/ttyACM0"),
        position: State.example.position!.value)
    #expect(
        line { $0.fix(fix, sequence: 5) }
            == #"{"class":"FIX",\#(head),"gnss_time":"2026-03-01T07:30:12.000Z","device":"/dev/ttyACM0","#
            + #""latitude":52.5,"longitude":13.4,"altitude_m":34.1,"accuracy_m":4.1,"speed_mps":2.9,"track_deg":87,"mode":3,"satellites":9}"#
            + "\n")
}

@Test func settingsLineIsOneObject() throws {
    var settings = Settings()
    let defaults =
        #""twelve_hour_clock":false,"use_heart_rate_zones":false,"sport":"run","auto_lap_m":0,"auto_lap_s":0,"auto_stop_minutes":0,"#
        + #""auto_pause":["ride"],"sensors":[],"#
    let heartRates =
        #""max_heart_rate":0,"resting_heart_rate":0,"age":0,"weight_kg":0,"ftp":0,"wheel_mm":0,"stride_permille":0,"#
        + #""climb_score":3500,"climb_laps":false,"record_all_sensors":false,"alerts":[],"workout":[],"#
    // A run of other pages, because the default ones are of ScreensTests.
    for sport in Sport.allCases { settings.screens[sport] = [[ScreenField(.time)]] }
    settings.screens[.run] = [
        [ScreenField(.time, size: 54), ScreenField(.pace)],
        [ScreenField(.zone, title: "\"<", visible: false, titleVisible: false, colour: .mint)],
    ]
    let time = #"[{"fields":["time"]}]"#
    let screens =
        heartRates + #""screens":{"run":[{"fields":[{"field":"time","size":54},"pace"]},"#
        + #"{"fields":[{"field":"zone","title":"\"\u003c","visible":false,"title_visible":false,"colour":"mint"}]}],"#
        + #""walk":\#(time),"hike":\#(time),"ride":\#(time),"other":\#(time)}"#
    #expect(line { $0.settingsLine(settings) } == #"{"class":"SETTINGS",\#(defaults)\#(screens)}"# + "\n")
    settings.zones = try Zones([1, 2, 3, 4, 5])
    #expect(line { $0.settings(settings) } == #"{\#(defaults)"zones":[1,2,3,4,5],\#(screens)}"#)
    settings.metric = false
    #expect(line { $0.settings(settings) }.hasPrefix(#"{"metric":false,"twelve_hour_clock":false,"#))
}

@Test func versionWatchDroppedAndErrorLinesHaveTheirMembers() {
    #expect(
        line { $0.version(release: "0.1.0", protocol: 1, bootID: "b", instance: "i", events: 1..<1) }
            == #"{"class":"VERSION","program":"paced","release":"0.1.0","protocol":1,"boot_id":"b","instance":"i","events":{"first":1,"last":0}}"#
            + "\n")
    #expect(
        line { $0.version(release: "0.1.0", protocol: 1, bootID: "", instance: "i", events: 3..<8) }
            == #"{"class":"VERSION","program":"paced","release":"0.1.0","protocol":1,"instance":"i","events":{"first":3,"last":7}}"#
            + "\n")
    #expect(
        line { $0.watch(Subscription()) } == #"{"class":"WATCH","classes":["STATE","EVENT"],"interval_ms":100}"# + "\n")
    #expect(
        line { $0.dropped(DroppedCounts(states: 3, fixes: 1)) }
            == #"{"class":"DROPPED","states":3,"events":0,"hearts":0,"fixes":1}"# + "\n")
    #expect(line { $0.error("no \"such\" thing") } == #"{"class":"ERROR","message":"no \"such\" thing"}"# + "\n")
}
