import Console
import Testing

struct UsageErrorTests {
    @Test(arguments: [
        ([], "a command is missing"),
        (["dance"], "unknown command 'dance'"),
        (["exprot"], "unknown command 'exprot' (did you mean 'export'?)"),
        (["statsu"], "unknown command 'statsu' (did you mean 'status'?)"),
        (["activties", "--limit", "3"], "unknown command 'activties' (did you mean 'activities'?)"),
        (["help", "watchh"], "unknown command 'watchh' (did you mean 'watch'?)"),
        (["watch", "--imperail"], "unknown option '--imperail' (did you mean '--imperial'?)"),
        (
            ["start", "hikee"],
            "unknown sport 'hikee' (did you mean 'hike'?); the sports are run, walk, hike, ride, other"
        ),
        (["activities", "--since", "yesterday"], "--since needs a day, such as 2026-03-01"),
        (["activities", "--until", "2026-02-30"], "--until needs a day, such as 2026-03-01"),
        (["activities", "--totals", "day"], "--totals needs one of week, month, year"),
        (["delete", "3", "--demo"], "unexpected argument '3' after 'delete'"),
        (["delete"], "delete needs the number or the uuid of an activity, or last"),
        (["rename", "3"], "rename needs a name after the number of the activity"),
        (["edit", "3"], "edit needs --sport, --name or --start"),
        (["edit", "3", "--start", "noon"], "--start needs a time from 2000 to 2099, such as '2026-03-01 07:30'"),
        (
            ["edit", "3", "--start", "1970-01-01Z"],
            "--start needs a time from 2000 to 2099, such as '2026-03-01 07:30'"
        ),
        (["show", "3", "--start", "2026-03-01 07:30"], "--start is an option of 'edit' only"),
        (["export", "1", "2", "--format", "fit"], "several activities need a directory: -o DIR"),
        (["export", "--all", "1", "--format", "fit", "-o", "x"], "export takes --all or the numbers of activities"),
        (
            ["import", "--force", "x"],
            "--force is an option of 'course export', 'delete', 'trash empty', 'export', 'report', 'places import', 'map import', 'region', 'transit lines' only"
        ),
        (["publish"], "publish needs a topic: weather, places, transit, or x- and 1 to 30 of a-z, 0-9 and -"),
        (["publish", "wether"], "a topic is weather, places, transit, or x- and 1 to 30 of a-z, 0-9 and -"),
        (["publish", "x-a", "--valid-for", "0"], "--valid-for needs a number of seconds from 1 to 604800"),
        (["scan", "--source", "a"], "--source is an option of 'publish' only"),
        (["weather", "EDDB"], "unexpected argument 'EDDB' after 'weather'"),
        (["weather", "--at", "EDDB", "--at", "52.5,13.4"], "--at names one place"),
        (["weather", "--raw", "--json"], "--raw and --json exclude each other"),
        (["status", "--raw"], "--raw is an option of 'weather' only"),
        (["metar", "EGLL"], "unexpected argument 'EGLL' after 'metar'"),
        (["taf", "--now", "noon"], "--now needs a time from 2000 to 2099, such as '2026-03-01 07:30'"),
        (
            ["status", "--now", "2026-03-01 07:30"],
            "--now is an option of 'course delete', 'delete', 'metar', 'taf' only"
        ),
        (["scan", "H10"], "unexpected argument 'H10' after 'scan'"),
        (["scan", "--seconds", "61"], "--seconds needs a number from 1 to 60"),
        (["scan", "--seconds"], "--seconds needs a number from 1 to 60"),
        (["start", "--seconds", "5"], "--seconds is an option of 'scan' only"),
        (["strap", "auto"], "'strap' is now called 'sensors'; 'pacectl help sensors' lists its commands"),
        (["sensors", "use"], "sensors use needs the address or the name of a sensor"),
        (["sensors", "use", "a", "b"], "unexpected argument 'b' after 'sensors use'"),
        (
            ["workout", "show"],
            "use 'workout', 'workout load FILE' or 'workout unload'"
        ),
        (["--quick", "watch"], "unknown option '--quick'"),
        (["status", "now"], "unexpected argument 'now' after 'status'"),
        (["start", "run", "ride"], "unexpected argument 'ride' after 'start'"),
        (["start", "swim"], "unknown sport 'swim'; the sports are run, walk, hike, ride, other"),
        (["pause", "--indoor"], "--indoor is an option of 'start' only"),
        (["stop", "--ago=5"], "--ago is an option of 'start' only"),
        (["start", "--ago", "121"], "--ago needs a number of seconds from 0 to 120"),
        (["start", "--ago"], "--ago needs a number of seconds from 0 to 120"),
        (["show"], "show needs the number or the uuid of an activity, or last"),
        (["show", "0"], "'0' is neither the number nor the uuid of an activity"),
        (["show", "-1"], "'-1' is neither the number nor the uuid of an activity"),
        (["show", "99999999999999999999"], "'99999999999999999999' is neither the number nor the uuid of an activity"),
        (["show", "1", "2"], "unexpected argument '2' after 'show'"),
        (["activities", "--limit", "0"], "--limit needs a number from 1 to 1000"),
        (
            ["export", "1"],
            "export needs --format (fit, gpx, tcx, geojson, kml, csv), or a file whose name ends in one of these"
        ),
        (["export", "1", "--format", "doc"], "--format needs one of fit, gpx, tcx, geojson, kml, csv"),
        (["export", "--format", "fit"], "export needs the number or the uuid of an activity, last, or --all"),
        (["export", "1", "--format", "fit", "-o", ""], "-o needs a file"),
        (["show", "1", "-o", "x"], "-o is an option of 'course export', 'export', 'report', 'transit lines' only"),
        (["import"], "import needs a file"),
        (["replay"], "replay needs a file, or the number or uuid of an activity"),
        (["replay", "1", "2"], "unexpected argument '2' after 'replay'"),
        (["replay", "1", "--speed", "0"], "--speed needs a number from 0.001 to 1000000"),
        (["replay", "1", "--speed", "nan"], "--speed needs a number from 0.001 to 1000000"),
        (["replay", "1", "--interval-ms", "150"], "--interval-ms needs a multiple of 100 from 100 to 60000"),
        (["replay", "1", "--sport", "swim"], "unknown sport 'swim'; the sports are run, walk, hike, ride, other"),
        (["watch", "--speed", "2"], "--speed of watch needs --replay"),
        (["watch", "--loop"], "--loop needs --replay"),
        (["watch", "--replay", ""], "--replay needs a file, or the number or uuid of an activity"),
        (["watch", "--replay", "a.fit", "--speed", "61"], "--speed of watch takes a number from 0.1 to 60"),
        (["status", "--replay", "a.fit"], "--replay is an option of 'watch' only"),
        (["status", "--speed", "2"], "--speed is an option of 'watch', 'replay' only"),
        (["rows"], "rows needs a file, or the number or uuid of an activity"),
        (["status", "--runtime-dir"], "--runtime-dir needs a directory"),
        (["status", "--runtime-dir="], "--runtime-dir needs a directory"),
        (["status", "--state-dir", ""], "--state-dir needs a directory"),
        (["settings", "set", "metric"], "settings set needs a value"),
        (
            ["settings", "colour"],
            "use 'settings', 'settings get [KEY]', 'settings set KEY VALUE' or 'settings reset KEY'"
        ),
        (
            ["settings", "get", "colour"],
            "unknown setting 'colour'; the settings are metric, twelve_hour_clock, use_heart_rate_zones, sport, auto_lap_m, auto_lap_s, "
                + "auto_stop_minutes, auto_pause, sensors, zones, max_heart_rate, resting_heart_rate, age, sex, weight_kg, ftp, power_zones, "
                + "wheel_mm, stride_permille, climb_score, climb_laps, record_all_sensors, alerts, workout, screens"
        ),
    ])
    func usageErrorHasStatusTwoAndOneLine(_ arguments: [String], _ message: String) {
        #expect(throws: Failure(status: .usage, message: message + "; see 'pacectl --help'")) {
            try Invocation(arguments)
        }
    }
}
