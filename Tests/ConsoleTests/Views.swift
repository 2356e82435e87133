import Console
import Domain
import JSONCoding

/// The models of the tests' screens, from lines in the daemon's format.
enum Views {
    static let run = #"""
        {"class":"STATE","seq":1042,"time":"2026-03-01T07:30:12.300Z","boot_ms":123456700,"clock":"system","run":"active",
        "activity":17,"sport":"run","elapsed_ms":1632300,"moving_ms":1610000,"distance_m":5034.2,"pace_s_per_m":0.3124,
        "average_pace_s_per_m":0.3243,"speed_mps":3.2,"max_speed_mps":3.6,"ascent_m":41.6,
        "lap":{"number":3,"elapsed_ms":192300,"moving_ms":192300,"distance_m":603.1,"average_bpm":151},
        "heart":{"link":"connected","address":"A0:9E:1A:00:00:01","name":"Polar H10 00000001","bpm":148,"age_ms":312,
        "average_bpm":141,"max_bpm":163,"stale":false,"contact":true,"battery_percent":80,"zone":2,"zone_name":"Zone 2",
        "zone_fraction":0.489},
        "position":{"latitude":52.5,"longitude":13.4,"altitude_m":34.1,"accuracy_m":4.1,"speed_mps":2.9,"track_deg":87.0,
        "mode":3,"satellites":9,"age_ms":180,"stale":false},
        "gpsd":{"link":"connected","device":"/dev/ttyACM0"},"bluetooth":{"backend":"kernel","adapter":"00:1A:7D:DA:71:13"},
        "recorder":{"state":"off"},"ticks":{"late":0,"worst_ms":0.4},"faults":[]}
        """#

    static let idle = #"""
        {"class":"STATE","seq":1,"boot_ms":123456700,"clock":"unset","run":"idle",
        "heart":{"link":"disconnected","reason":"searching"},"gpsd":{"link":"disconnected","reason":"not-running"},
        "bluetooth":{"backend":"kernel"},"recorder":{"state":"off"},"ticks":{"late":0,"worst_ms":0},"faults":[]}
        """#

    static let settings = #"""
        {"class":"SETTINGS","metric":true,"twelve_hour_clock":false,"use_heart_rate_zones":true,"sport":"run",
        "auto_lap_m":0,"auto_lap_s":0,"auto_stop_minutes":0,"auto_pause":["ride"],"sensors":[],"zones":[114,133,152,171,180]}
        """#

    /// The EVENT lines of the two ended laps of ``run``.
    static let laps = [
        #"""
        {"class":"EVENT","seq":2,"boot_ms":1,"activity":17,"event":"lap","trigger":"command","lap":{"number":1,
        "elapsed_ms":720000,"moving_ms":720000,"distance_m":2210.4,"average_bpm":138}}
        """#,
        #"""
        {"class":"EVENT","seq":3,"boot_ms":1,"activity":17,"event":"lap","trigger":"command","lap":{"number":2,
        "elapsed_ms":720000,"moving_ms":698000,"distance_m":2220.7,"average_bpm":142}}
        """#,
    ]

    /// The EVENT line of the end of ``run``.
    static let stop = #"""
        {"class":"EVENT","seq":4,"boot_ms":1,"activity":17,"event":"stop","summary":{"id":17,"sport":"run","open":false,
        "elapsed_ms":1632300,"total_ms":1700000,"distance_m":5034.2,"average_pace_s_per_m":0.3243,"laps":3,"gaps":0,
        "average_bpm":141,"max_bpm":163}}
        """#

    /// The model of a STATE line and of ``settings``, after `changes` have replaced text.
    static func view(_ line: String, _ changes: (was: String, is: String)...) throws -> WatchModel {
        var text = line
        for change in changes {
            precondition(text.contains(change.was), "no \(change.was) in the line")
            text = text.split(separator: change.was, omittingEmptySubsequences: false).joined(separator: change.is)
        }
        text = text.replacing(
            #""faults":"#, with: #""blocks":{"fields":\#(fields(of: try JSON(parsing: text.utf8)))},"faults":"#)
        let state = ReceivedState(try JSON(parsing: text.utf8))
        let settings = Settings(line: try JSON(parsing: Self.settings.utf8))
        var view = WatchModel()
        view.state = state!
        view.settings = settings!
        view.directory = "/run/paced"
        view.mayCommand = true
        return view
    }

    /// The block `fields` for the members of a STATE line.
    private static func fields(of state: JSON) -> String {
        let lapSpeed: Double? = state["lap"].flatMap { lap in
            guard let metres = lap["distance_m"]?.number, let milliseconds = lap["moving_ms"]?.number else {
                return nil
            }
            return metres / milliseconds * 1000
        }
        let values: [(DataField, Double?)] = [
            (.time, state["elapsed_ms"]?.number.map { $0 / 1000 }),
            (.movingTime, state["moving_ms"]?.number.map { $0 / 1000 }),
            (.lapTime, state["lap"]?["elapsed_ms"]?.number.map { $0 / 1000 }),
            (.distance, state["distance_m"]?.number), (.lapDistance, state["lap"]?["distance_m"]?.number),
            (.pace, state["pace_s_per_m"]?.number), (.averagePace, state["average_pace_s_per_m"]?.number),
            (.speed, state["speed_mps"]?.number), (.maxSpeed, state["max_speed_mps"]?.number),
            (.averageSpeed, state["average_pace_s_per_m"]?.number.map { 1 / $0 }),
            (.lapPace, lapSpeed.map { 1 / $0 }), (.lapSpeed, lapSpeed),
            (.maxPace, state["max_speed_mps"]?.number.map { 1 / $0 }),
            (.lapHeartRate, state["lap"]?["average_bpm"]?.number), (.laps, state["lap"]?["number"]?.number),
            (.averageHeartRate, state["heart"]?["average_bpm"]?.number),
            (.maxHeartRate, state["heart"]?["max_bpm"]?.number),
            (.timeInZone, state["heart"]?["zone"].map { _ in 612 }),
            (.altitude, state["position"]?["altitude_m"]?.number),
        ]
        let isIndoor = state["indoor"]?.bool ?? false
        let known = values.filter { !isIndoor || $0.0.source != .position }
        return "{"
            + known.compactMap { field, value in value.map { "\"\(field.rawValue)\":\($0)" } }.joined(separator: ",")
            + "}"
    }

    /// The block `course` of a run in its first climb.
    static let course = #"""
        {"id":3,"name":"Teufelsberg","status":"on","length_m":9876.5,"progress_m":1200.1,"remaining_m":8676.4,
        "cross_track_m":-3.2,"cue":{"type":"slight-left","name":"Mill Lane","distance_m":120,"in_s":14.5},
        "second_cue":{"type":"summit","distance_m":940.3},"arrival_s":3021,"ascent_m":312,"remaining_ascent_m":290.5,
        "grade_percent":7.5,"climb":{"number":1,"count":2,"start_m":0,"top_m":940.3,"ascent_m":44.1,
        "average_grade_percent":6.9,"grade_ahead_percent":8.2}}
        """#

    /// The answer of `course.profile` for ``course``.
    static let profile = #"""
        {"length_m":9876.5,"distance_m":[0,1000,2140,3500,5000,6000,7400,8200,9876.5],
        "altitude_m":[34,40,112,60,52,58,96,50,34],
        "climbs":[{"start_m":1000,"top_m":2140.4,"ascent_m":72},{"start_m":6000,"top_m":7400,"ascent_m":38}]}
        """#

    /// ``run`` on ``course``, on the page of the course, after `changes` have replaced text of the course.
    static func courseView(_ changes: (was: String, is: String)...) throws -> WatchModel {
        var text = course
        for change in changes { text = text.replacing(change.was, with: change.is) }
        var view = try view(run)
        view.state?.course = CourseStatus(try JSON(parsing: text.utf8))
        let partner = #"{"name":"Morning run","ahead_s":-12.3,"ahead_m":-41.3}"#
        view.state?.partner = PartnerStatus(try JSON(parsing: partner.utf8))
        view.profile = CourseProfile(try JSON(parsing: profile.utf8))
        view.page = view.pageCount - 1
        return view
    }

    /// ``run`` in a step of a workout, after `changes` have replaced text of its block.
    static func workoutView(_ changes: (was: String, is: String)...) throws -> WatchModel {
        var text = #"""
            {"steps":5,"step":2,"text":"5 min pace 4:50..5:10 /km # Steady","elapsed_ms":60000,"distance_m":190.2,
            "remaining_ms":240000,"target":"pace","target_state":"low","next":"0.2 km speed 25..30 km/h # Fast"}
            """#
        for change in changes { text = text.replacing(change.was, with: change.is) }
        var view = try view(run)
        view.state?.workout = ReceivedState.Workout(try JSON(parsing: text.utf8))
        return view
    }

    /// The data of the topic `weather`: all figures, clouds of another station, and a forecast.
    static let weather = #"""
        {"station":"EDDB","distance_m":12400,"observed_at":"2026-03-01T07:16:00Z","site":"Berlin Brandenburg",
        "bearing_deg":134,"elevation_m":46,"temperature_c":8,"temperature_here_c":7.4,"dew_point_c":5.5,
        "humidity_percent":84,"feels_like_c":4.6,"pressure_hpa":1013,"wind_from_deg":240,"wind_speed_mps":8.2,
        "wind_gust_mps":17.5,"wind_range_deg":[200,280],"visibility_m":10000,"visibility_bound":"at_least",
        "weather":[{"code":"-SHRA","intensity":"light","descriptors":["SH"],"phenomena":["RA"]}],
        "clouds":[{"cover":"SCT","base_m":460},{"cover":"BKN","base_m":914,"type":"CB"}],"ceiling_m":914,
        "other_stations":[{"station":"EDAZ","distance_m":31000,"observed_at":"2026-03-01T06:50:00Z",
        "figures":["clouds"]}],"rain_from":"2026-03-01T08:00:00Z","wind_shift_at":"2026-03-01T10:00:00Z",
        "forecast":{"station":"EDDB","distance_m":12400,"issued_at":"2026-03-01T05:30:00Z","periods":[
        {"from":"2026-03-01T06:00:00Z","to":"2026-03-01T08:00:00Z","wind_from_deg":240,"wind_speed_mps":7.2,
        "visibility_m":10000,"visibility_bound":"at_least","weather":[],"clouds":[{"cover":"BKN","base_m":900}],
        "overlays":[]},
        {"from":"2026-03-01T08:00:00Z","to":"2026-03-01T10:00:00Z","wind_from_deg":250,"wind_speed_mps":9.3,
        "wind_gust_mps":18.5,"visibility_m":4000,"weather":[{"code":"RA"}],"clouds":[{"cover":"OVC","base_m":500}],
        "overlays":[{"kind":"possible","probability_percent":30,"from":"2026-03-01T09:00:00Z",
        "to":"2026-03-01T11:00:00Z","weather":[{"code":"TSRA"}],"wind_from_deg":250,"wind_speed_mps":9.3,
        "wind_gust_mps":23.1}]},
        {"from":"2026-03-01T10:00:00Z","to":"2026-03-02T06:00:00Z","wind_from_deg":300,"wind_speed_mps":6.2,
        "weather":[],"clouds":[{"cover":"FEW","base_m":1200}],"overlays":[]}]}}
        """#

    /// The block `wind` of ``weather`` for a rider to the west.
    static let wind = #"""
        {"headwind_mps":4.29,"crosswind_mps":-2.48,"relative_deg":-30,"speed_mps":4.95,"from_deg":240,"station":"EDDB",
        "distance_m":12400,"age_s":860}
        """#

    /// ``run`` on the page of the weather, after `changes` have replaced text of the data.
    static func weatherView(data: String = weather, _ changes: (was: String, is: String)...) throws -> WatchModel {
        var text = data
        for change in changes { text = text.replacing(change.was, with: change.is) }
        var view = try view(run)
        view.received(data: try JSON(parsing: #"{"topic":"weather","age_ms":180000,"data":\#(text)}"#.utf8))
        view.state?.wind = WindStatus(try JSON(parsing: wind.utf8))
        let sun = #"{"state":"day","rise":"2026-03-01T05:52:33.123Z","set":"2026-03-01T10:31:33.123Z"}"#
        view.state?.sun = SunStatus(try JSON(parsing: sun.utf8))
        view.page = view.pageCount - 1
        return view
    }

    /// A hostile strap name: clears the screen, sets the title, sets red, reverses the text direction, and is wide.
    static let hostileName = #"\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e日本語👩‍👩‍👧e\u0301\u200b"#
}
