import Console
import Domain
import Formats
import Storage
import Testing
import Wire

struct InvocationTests {
    @Test(arguments: [
        Parsed(["status"], "status"),
        Parsed(["pause"], "pause", RunCommand.pause),
        Parsed(["resume"], "resume", RunCommand.resume),
        Parsed(["lap"], "lap", RunCommand.lap),
        Parsed(["stop"], "stop", RunCommand.stop),
        Parsed(["discard"], "discard", RunCommand.discard),
        Parsed(["schema"], "schema"),
        Parsed(["doctor"], "doctor", ""),
        Parsed(["start"], "start", StartRequest(.start(nil, indoor: false))),
        Parsed(["start", "ride"], "start", StartRequest(.start(.ride, indoor: false))),
        Parsed(["start", "--ago", "90"], "start", StartRequest(.start(nil, indoor: false, back: .seconds(90)))),
        Parsed(["--indoor", "start", "walk"], "start", StartRequest(.start(.walk, indoor: true))),
        Parsed(["start", "--wait"], "start", StartRequest(.start(nil, indoor: false), waitsForPosition: true)),
        Parsed(["watch"], "watch", (WatchedReplay?.none, WatchOptions())),
        Parsed(["watch", "--replay", "a.fit"], "watch", (WatchedReplay?(.init(recording: "a.fit")), WatchOptions())),
        Parsed(
            ["watch", "--replay", "17", "--speed", "2.5", "--loop"], "watch",
            (WatchedReplay?(.init(recording: "17", speed: 2.5, loops: true)), WatchOptions())),
        Parsed(["panel"], "panel", (String?.none, Panel.Paths())),
        Parsed(["panel", "--config=p", "--leds", "l"], "panel", (String?("p"), Panel.Paths(leds: "l"))),
        Parsed(["scan"], "scan", 10),
        Parsed(["scan", "--seconds", "60"], "scan", 60),
        Parsed(["scan", "--seconds=1"], "scan", 1),
        Parsed(["sensors"], "sensors"),
        Parsed(["sensors", "status"], "sensors"),
        Parsed(["sensor", "use", "9AD13824"], "sensors use", "9AD13824"),
        Parsed(["sensors", "add", "Polar H10 9AD13824"], "sensors add", "Polar H10 9AD13824"),
        Parsed(["sensors", "auto"], "sensors auto"),
        Parsed(["sensors", "off"], "sensors off"),
        Parsed(["sensors", "pair", "9AD13824"], "sensors pair", "9AD13824"),
        Parsed(["sensors", "zero"], "sensors zero", String?.none),
        Parsed(["sensors", "zero", "Assioma"], "sensors zero", String?("Assioma")),
        Parsed(["sensors", "forget"], "sensors forget", String?.none),
        Parsed(["sensors", "forget", "9AD13824"], "sensors forget", String?("9AD13824")),
        Parsed(["workout"], "workout"),
        Parsed(["workout", "unload"], "workout unload"),
        Parsed(["workout", "load", "a.fit"], "workout load", "a.fit"),
        Parsed(["settings"], "settings"),
        Parsed(["settings", "get"], "settings get", SettingKey?.none),
        Parsed(["settings", "get", "zones"], "settings get", SettingKey?(.zones)),
        Parsed(["settings", "set", "auto_lap_m", "-5"], "settings set", (SettingKey.autoLapMetres, "-5")),
        Parsed(["settings", "reset", "zones"], "settings reset", SettingKey.zones),
        Parsed(["publish", "x-a"], "publish", PublishRequest(topic: TopicName("x-a")!)),
        Parsed(
            ["publish", "x-a", "--valid-for", "60", "--source", "valve"], "publish",
            PublishRequest(topic: TopicName("x-a")!, validFor: 60, source: "valve")),
        Parsed(["help"], "help", String?.none),
        Parsed(["--help"], "help", String?.none),
        Parsed(["-h"], "help", String?.none),
        Parsed(["help", "export"], "help", String?("export")),
        Parsed(["export", "--help"], "help", String?("export")),
        Parsed(["export", "--colour", "--help"], "help", String?("export")),
        Parsed(["--version"], "version"),
        Parsed(["export", "--format", "doc", "--version"], "version"),
    ])
    func commandsParse(expected: Parsed) throws {
        try expected.check()
    }

    @Test(arguments: [
        Parsed(["course"], "course", RecordPlace.lists),
        Parsed(["course", "list"], "course", RecordPlace.lists),
        Parsed(["course", "--trash"], "course", RecordPlace.trash),
        Parsed(["course", "show", "last"], "course show", CourseReference.last),
        Parsed(["course", "show", "loaded"], "course show", CourseReference.loaded),
        Parsed(["course", "load", "7"], "course load", CourseReference.number(7)),
        Parsed(["course", "load", "Round the lake"], "course load", CourseReference.name("Round the lake")),
        Parsed(
            ["course", "import", "a.gpx", "--name", "Home", "--load"], "course import",
            (paths: ["a.gpx"], name: String?("Home"), loads: true)),
        Parsed(
            ["course", "import", "a.gpx", "b.fit"], "course import",
            (paths: ["a.gpx", "b.fit"], name: String?.none, loads: false)),
        Parsed(["course", "unload"], "course unload"),
        Parsed(["course", "delete", "7"], "course delete", (CourseReference.number(7), false)),
        Parsed(["course", "delete", "--now", "7"], "course delete", (CourseReference.number(7), true)),
        Parsed(["course", "rename", "7", "To", "work"], "course rename", (CourseReference.number(7), "To work")),
        Parsed(["course", "reverse", "7"], "course reverse", CourseReference.number(7)),
        Parsed(["course", "from", "last", "--name", "Home"], "course from", (ActivityReference.last, String?("Home"))),
        Parsed(["course", "partner", "5:00/km"], "course partner", NewPartner?(.pace(seconds: 300, isMetric: true))),
        Parsed(["course", "partner", "8:00/mi"], "course partner", NewPartner?(.pace(seconds: 480, isMetric: false))),
        Parsed(["course", "partner", "8:00"], "course partner", NewPartner?(.pace(seconds: 480, isMetric: nil))),
        Parsed(["course", "partner", "12"], "course partner", NewPartner?(.activity(.number(12), isOnCourse: false))),
        Parsed(
            ["course", "partner", "12", "--on-course"], "course partner",
            NewPartner?(.activity(.number(12), isOnCourse: true))),
        Parsed(["course", "partner", "off"], "course partner", NewPartner?(.off)),
        Parsed(["course", "partner"], "course partner", NewPartner?.none),
        Parsed(["weather"], "weather", WeatherRequest()),
        Parsed(
            ["weather", "--at", "eddb", "--raw"], "weather", WeatherRequest(place: .station("EDDB"), output: .reports)),
        Parsed(
            ["--at=-33.95,151.2", "weather", "--net-dir", "/n"], "weather",
            WeatherRequest(place: .position(latitude: -33.95, longitude: 151.2), netDirectory: "/n")),
        Parsed(["metar"], "metar", WeatherCommand(kind: .metar)),
        Parsed(
            ["taf", "--now", "2026-03-01T07:30:00Z"], "taf",
            WeatherCommand(kind: .taf, now: UTC(iso8601: "2026-03-01T07:30:00Z"))),
    ])
    func commandsOfTheWorldParse(expected: Parsed) throws {
        try expected.check()
    }

    @Test(arguments: [
        Parsed(["activities"], "activities", ActivityFilter()),
        Parsed(["badges"], "badges"),
        Parsed(["bests"], "bests", ActivityFilter()),
        Parsed(
            ["bests", "--sport", "run", "--since=2026-03-01", "--before", "2026-04-01"], "bests",
            ActivityFilter(sport: .run, since: LocalDay("2026-03-01"), beforeDay: LocalDay("2026-04-01"))),
        Parsed(
            ["activities", "--limit", "5", "--before=17"], "activities", ActivityFilter(limit: 5, before: .number(17))),
        Parsed(
            ["activities", "--sport", "ride", "--since", "2026-03-01", "--until=2026-03-31", "--totals", "week"],
            "activities",
            ActivityFilter(sport: .ride, since: LocalDay("2026-03-01"), until: LocalDay("2026-03-31"), period: .week)),
        Parsed(["show", "17"], "show", ActivityReference.number(17)),
        Parsed(["show", "last"], "show", ActivityReference.last),
        Parsed(["report", "last"], "report", ReportChoice.activity(ReportRequest(activity: .last))),
        Parsed(
            ["report", "17", "-o", "run.html", "--force", "--hide", "0"], "report",
            ReportChoice.activity(ReportRequest(activity: .number(17), output: "run.html", isForced: true, hide: 0))),
        Parsed(
            ["report", "--since", "2026-03-01", "--sport", "run", "-o", "march.html"], "report",
            ReportChoice.period(
                PeriodReportRequest(
                    filter: ActivityFilter(sport: .run, since: LocalDay("2026-03-01")), output: "march.html"))),
        Parsed(
            ["export", "17", "--format", "gpx", "--hide=300"], "export",
            ExportRequest(activities: [.number(17)], format: .gpx, hide: 300)),
        Parsed(
            ["export", "--format=fit", "-o", "run.gpx", "17"], "export",
            ExportRequest(activities: [.number(17)], format: .fit, output: "run.gpx")),
        Parsed(
            ["export", "last", "-o", "dir/run.GPX"], "export",
            ExportRequest(activities: [.last], format: .gpx, output: "dir/run.GPX")),
        Parsed(
            ["export", "17", "--format", "gpx", "-o", "-"], "export",
            ExportRequest(activities: [.number(17)], format: .gpx)),
        Parsed(
            ["export", "17", "--format", "geojson", "--output=a=b"], "export",
            ExportRequest(activities: [.number(17)], format: .geojson, output: "a=b")),
        Parsed(
            ["export", "1", "2", "--format", "csv", "-o", "dir", "--force"], "export",
            ExportRequest(activities: [.number(1), .number(2)], format: .csv, output: "dir", isForced: true)),
        Parsed(
            ["export", "--all", "--format", "csv", "-o", "dir", "--verbose"], "export",
            ExportRequest(activities: [], format: .csv, output: "dir", isVerbose: true)),
        Parsed(
            ["delete", "3"], "delete",
            (activities: [ActivityReference]?([.number(3)]), deletion: Deletion(isNow: false, asks: true))),
        Parsed(
            ["delete", "--demo"], "delete",
            (activities: [ActivityReference]?.none, deletion: Deletion(isNow: false, asks: true))),
        Parsed(
            ["delete", "--demo", "--force"], "delete",
            (activities: [ActivityReference]?.none, deletion: Deletion(isNow: false, asks: false))),
        Parsed(
            ["delete", "3", "last", "--force"], "delete",
            (activities: [ActivityReference]?([.number(3), .last]), deletion: Deletion(isNow: false, asks: false))),
        Parsed(
            ["rename", "last", "Morning", "run"], "rename", (ActivityReference.last, ActivityEdit(name: "Morning run"))),
        Parsed(["edit", "3", "--sport", "hike"], "edit", (ActivityReference.number(3), ActivityEdit(sport: .hike))),
        Parsed(
            ["edit", "3", "--start", "2026-03-01T07:30:00Z"], "edit",
            (ActivityReference.number(3), ActivityEdit(started: UTC(milliseconds: 1_772_350_200_000)))),
        Parsed(["import", "a.fit", "b.gpx"], "import", (["a.fit", "b.gpx"], ImportOptions())),
        Parsed(["import", "--", "--json"], "import", (["--json"], ImportOptions())),
        Parsed(
            ["import", "--sport", "ride", "--again", "--verbose", "a.fit"], "import",
            (["a.fit"], ImportOptions(sport: .ride, again: true, isVerbose: true))),
        Parsed(["rows", "17"], "rows", (ReplaySource.activity(.number(17)), Sport?.none)),
        Parsed(["rows", "--sport", "ride", "a.fit"], "rows", (ReplaySource.file("a.fit"), Sport?(.ride))),
        Parsed(["replay", "last"], "replay", (ReplaySource.activity(.last), ReplayPace())),
        Parsed(["replay", "./17"], "replay", (ReplaySource.file("./17"), ReplayPace())),
        Parsed(
            ["replay", "a.tcx", "--speed", "2.5", "--interval-ms", "1000", "--sport", "hike"], "replay",
            (ReplaySource.file("a.tcx"), ReplayPace(speed: 2.5, every: 1000, sport: .hike))),
    ])
    func commandsOfActivitiesParse(expected: Parsed) throws {
        try expected.check()
    }

    @Test(arguments: [
        ("max_hr", "max_heart_rate"), ("rest_hr", "resting_heart_rate"), ("FTP", "ftp"), ("weight", "weight_kg"),
        ("max-heart-rate", "max_heart_rate"), ("Zone", "zones"), ("auto_lap", "auto_lap_m"), ("hr", nil),
        ("colour", nil),
    ])
    func settingIsSuggestedForItsAbbreviation(word: String, key: String?) {
        let suggestion = key.map { " (did you mean '\($0)'?)" } ?? ""
        let names = SettingKey.allCases.map(\.rawValue).joined(separator: ", ")
        let message = "unknown setting '\(word)'\(suggestion); the settings are \(names); see 'pacectl --help'"
        #expect(throws: Failure(status: .usage, message: message)) { try Invocation(["settings", "get", word]) }
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

    @Test func helpOfACommandHasItsLinesOnly() {
        let help = CommandHelp.text(of: "settings")
        #expect(help.contains("\n  settings get [KEY]") && help.contains("'[114,133,152,171,180]'"))
        #expect(!help.contains("activities") && !help.contains("--runtime-dir"))
        let options = CommandHelp.text(of: "scan")
        #expect(options.contains("\n  --seconds N               how long\n"))
        #expect(!CommandHelp.text(of: "doctor").contains("--root"))
        #expect(Command.topics.allSatisfy { CommandHelp.text(of: $0).contains("\n  \($0)") })
    }

    @Test func helpNamesEveryCommandIn80Columns() {
        for name in [
            "status", "watch", "start", "pause", "resume", "lap", "stop", "discard", "scan", "sensors", "settings",
            "activities", "badges", "bests", "show", "rename", "edit", "delete", "export", "report", "import", "replay",
            "help",
            "schema",
        ] {
            #expect(CommandHelp.text(of: nil).contains("\n  \(name)"))
        }
        #expect(CommandHelp.text(of: nil).split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
}

/// A command line, the name of its command, and what the words and options mean.
struct Parsed: CustomTestStringConvertible {
    var arguments: [String]
    var command: String
    private var value: String

    init(_ arguments: [String], _ command: String, _ value: some Any) {
        self.arguments = arguments
        self.command = command
        self.value = String(reflecting: value)
    }

    /// A command without a meaning beside its name.
    init(_ arguments: [String], _ command: String) {
        self.init(arguments, command, ())
    }

    var testDescription: String { arguments.joined(separator: " ") }

    func check() throws {
        let invocation = try Invocation(arguments)
        #expect(invocation.command == command)
        #expect(String(reflecting: invocation.action.value) == value)
    }
}
