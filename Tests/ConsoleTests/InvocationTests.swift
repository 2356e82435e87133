import Domain
import Formats
import Testing

@testable import Console

struct InvocationTests {
    @Test(arguments: [
        (["status"], Invocation.Command.status),
        (["watch"], .watch),
        (["start"], .run(.start(nil, indoor: false))),
        (["start", "ride"], .run(.start(.ride, indoor: false))),
        (["start", "--ago", "90"], .run(.start(nil, indoor: false, back: .seconds(90)))),
        (["--indoor", "start", "walk"], .run(.start(.walk, indoor: true))),
        (["pause"], .run(.pause)),
        (["resume"], .run(.resume)),
        (["lap"], .run(.lap)),
        (["stop"], .run(.stop)),
        (["discard"], .run(.discard)),
        (["schema"], .schema),
        (["doctor"], .doctor(root: "")),
        (["panel"], .panel(nil, Panel.Paths())),
        (["panel", "--config=p", "--leds", "l"], .panel("p", Panel.Paths(leds: "l"))),
        (["scan"], .scan(seconds: 10)),
        (["scan", "--seconds", "60"], .scan(seconds: 60)),
        (["scan", "--seconds=1"], .scan(seconds: 1)),
        (["strap"], .strap(.status)),
        (["strap", "status"], .strap(.status)),
        (["strap", "use", "9AD13824"], .strap(.use("9AD13824", isAdded: false))),
        (["strap", "--add", "use", "Polar H10 9AD13824"], .strap(.use("Polar H10 9AD13824", isAdded: true))),
        (["strap", "auto"], .strap(.auto)),
        (["strap", "off"], .strap(.off)),
        (["strap", "pair", "9AD13824"], .strap(.pair("9AD13824"))),
        (["strap", "forget"], .strap(.forget(nil))),
        (["strap", "forget", "9AD13824"], .strap(.forget("9AD13824"))),
        (["settings"], .allSettings),
        (["settings", "get", "zones"], .getSetting(.zones)),
        (["settings", "set", "auto_lap_m", "-5"], .setSetting(.autoLapMetres, value: "-5")),
        (["activities"], .activities(limit: 20, before: nil)),
        (["activities", "--limit", "5", "--before=17"], .activities(limit: 5, before: 17)),
        (["show", "17"], .show(17)),
        (["export", "17", "--format", "gpx"], .export(17, .gpx, file: nil)),
        (["export", "--format=fit", "-o", "run.fit", "17"], .export(17, .fit, file: "run.fit")),
        (["export", "17", "--format", "geojson", "--output=a=b"], .export(17, .geojson, file: "a=b")),
        (["import", "a.fit", "b.gpx"], .importFiles(["a.fit", "b.gpx"])),
        (["import", "--", "--json"], .importFiles(["--json"])),
        (["replay", "17"], .replay(.activity(17), Invocation.Pace())),
        (["replay", "./17"], .replay(.file("./17"), Invocation.Pace())),
        (
            ["replay", "a.tcx", "--speed", "2.5", "--interval-ms", "1000", "--sport", "hike"],
            .replay(.file("a.tcx"), Invocation.Pace(speed: 2.5, every: 1000, sport: .hike))
        ),
        (["--help"], .help),
        (["start", "--help"], .help),
        (["-h"], .help),
        (["--version"], .version),
    ])
    func commandsParse(_ arguments: [String], _ command: Invocation.Command) throws {
        #expect(try Invocation(arguments).command == command)
    }

    @Test func optionsMayBeAnywhere() throws {
        let invocation = try Invocation([
            "--runtime-dir", "/run/a", "watch", "--json", "--state-dir", "/var/b", "--metric",
        ])
        #expect(invocation.runtimeDirectory == "/run/a")
        #expect(invocation.stateDirectory == "/var/b")
        #expect(invocation.isJSON)
        #expect(invocation.metric == true)
        #expect(try Invocation(["watch", "--imperial"]).metric == false)
        #expect(try Invocation(["--runtime-dir=/run/a=b", "watch"]).runtimeDirectory == "/run/a=b")
        #expect(try Invocation(["watch"]).metric == nil)
    }

    @Test(arguments: [
        ([], "a command is missing"),
        (["dance"], "unknown command 'dance'"),
        (["scan", "H10"], "unexpected argument 'H10' after 'scan'"),
        (["scan", "--seconds", "61"], "--seconds needs a number from 1 to 60"),
        (["scan", "--seconds"], "--seconds needs a number from 1 to 60"),
        (["start", "--seconds", "5"], "--seconds is an option of 'scan' only"),
        (["strap", "auto", "--add"], "--add is an option of 'strap use' only"),
        (
            ["strap", "use"],
            "use 'strap status', 'strap use STRAP', 'strap auto', 'strap off', 'strap pair STRAP' or 'strap forget [STRAP]'"
        ),
        (["--fast", "watch"], "unknown option '--fast'"),
        (["status", "now"], "unexpected argument 'now' after 'status'"),
        (["start", "run", "ride"], "unexpected argument 'ride' after 'start'"),
        (["start", "swim"], "unknown sport 'swim'; the sports are run, walk, hike, ride, other"),
        (["pause", "--indoor"], "--indoor is an option of 'start' only"),
        (["stop", "--ago=5"], "--ago is an option of 'start' only"),
        (["start", "--ago", "121"], "--ago needs a number of seconds from 0 to 120"),
        (["start", "--ago"], "--ago needs a number of seconds from 0 to 120"),
        (["show"], "show needs the number of an activity"),
        (["show", "0"], "'0' is not the number of an activity"),
        (["show", "-1"], "'-1' is not the number of an activity"),
        (["show", "99999999999999999999"], "'99999999999999999999' is not the number of an activity"),
        (["show", "1", "2"], "unexpected argument '2' after 'show'"),
        (["activities", "--limit", "0"], "--limit needs a number from 1 to 1000"),
        (["export", "1"], "export needs --format (fit, gpx, tcx, geojson, kml, csv)"),
        (["export", "1", "--format", "doc"], "--format needs one of fit, gpx, tcx, geojson, kml, csv"),
        (["export", "--format", "fit"], "export needs the number of an activity"),
        (["export", "1", "--format", "fit", "-o", ""], "-o needs a file"),
        (["show", "1", "-o", "x"], "-o is an option of 'export' only"),
        (["import"], "import needs a file"),
        (["replay"], "replay needs a file or the number of an activity"),
        (["replay", "1", "2"], "unexpected argument '2' after 'replay'"),
        (["replay", "1", "--speed", "0"], "--speed needs a number from 0.001 to 1000000"),
        (["replay", "1", "--speed", "nan"], "--speed needs a number from 0.001 to 1000000"),
        (["replay", "1", "--interval-ms", "150"], "--interval-ms needs a multiple of 100 from 100 to 60000"),
        (["replay", "1", "--sport", "swim"], "unknown sport 'swim'; the sports are run, walk, hike, ride, other"),
        (["watch", "--speed", "2"], "--speed is an option of 'replay' only"),
        (["status", "--runtime-dir"], "--runtime-dir needs a directory"),
        (["status", "--runtime-dir="], "--runtime-dir needs a directory"),
        (["status", "--state-dir", ""], "--state-dir needs a directory"),
        (["settings", "get"], "use 'settings', 'settings get KEY' or 'settings set KEY VALUE'"),
        (["settings", "set", "metric"], "use 'settings', 'settings get KEY' or 'settings set KEY VALUE'"),
        (
            ["settings", "get", "colour"],
            "unknown setting 'colour'; the settings are metric, twelve_hour_clock, use_heart_rate_zones, sport, auto_lap_m, auto_lap_s, "
                + "auto_stop_minutes, straps, zones, max_heart_rate, resting_heart_rate, components"
        ),
    ])
    func usageErrorHasStatusTwoAndOneLine(_ arguments: [String], _ message: String) {
        #expect(throws: Failure(status: .usage, message: message + "; see 'pacectl --help'")) {
            try Invocation(arguments)
        }
    }

    @Test func helpNamesEveryCommandIn80Columns() {
        for name in [
            "status", "watch", "start", "pause", "resume", "lap", "stop", "discard", "scan", "strap", "settings",
            "activities", "show", "export", "import", "replay", "schema",
        ] {
            #expect(helpText.contains("\n  \(name)"))
        }
        #expect(helpText.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
}
