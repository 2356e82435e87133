import Board
import Daemon
import Domain
import Formats
import JSONCoding
import Linux
import Pipeline
import Program
import Sensors
import TestKit
import Testing

private let recordingKeys = Configuration.table.names(in: "Recording").joined(separator: " ")
private let clientKeys = Configuration.table.names(in: "Clients").joined(separator: " ")

@Suite struct ConfigurationTests {
    private func read(_ text: String, _ arguments: String...) throws -> Configuration {
        let directory = TemporaryDirectory()
        try AtomicFile(in: directory.path, name: "paced.conf").replace(with: Array(text.utf8))
        guard case .run(let options) = try Options.description.read(["--config", directory("paced.conf")] + arguments)
        else {
            return Configuration()
        }
        do {
            return try Configuration.read(options)
        } catch {
            throw UsageError(line: error.line.replacing(directory.path + "/", with: ""))
        }
    }

    @Test func dropInChangesTheFileAndIsNamedByItsErrors() throws {
        let directory = TemporaryDirectory()
        let file = directory("paced.conf")
        try makeDirectories(file + ".d")
        func write(_ text: String, to name: String, in path: String = "") throws {
            try AtomicFile(in: directory.path + path, name: name).replace(with: Array(text.utf8))
        }
        try write("[Power]\nWarnAtPercent=20\nCloseAtPercent=3\n", to: "paced.conf")
        try write("[Power]\nWarnAtPercent=30\n", to: "10.conf", in: "/paced.conf.d")
        var options = Options()
        options.configuration = file
        let configuration = try Configuration.read(options)
        #expect(configuration.warnAtPercent == 30 && configuration.closeAtPercent == 3)
        try write("[Power]\nWarnAtPercent=x\n", to: "20.conf", in: "/paced.conf.d")
        let line = "\(file).d/20.conf:2: WarnAtPercent takes a whole number from 0 to 100"
        #expect(throws: UsageError(line: line)) { try Configuration.read(options) }
    }

    @Test func emptyFileGivesTheDefaults() throws {
        let configuration = try read("# nothing\n")
        #expect(configuration == Configuration())
        #expect(configuration.syncSeconds == nil)
        #expect(configuration.resumeLimitSeconds == 900)
        #expect(configuration.exportAtStop == [.fit])
        #expect(configuration.exportDirectory == nil)
        #expect(configuration.settings == Settings())
    }

    @Test func everyKeyIsApplied() throws {
        let configuration = try read(
            """
            [Recording]
            SyncIntervalSec=5
            ResumeLimitSec=0
            ExportAtStop=gpx fit, gpx
            ExportDirectory=/srv/runs
            AutoStart=yes
            [Position]
            Gpsd=[::1]:2948
            [Bluetooth]
            Backend=kernel
            Adapter=hci1
            Sensors=9AD13824,A0:9E:1A:00:00:01/public
            [Clients]
            MaxStateClients=4096
            MaxStateClientsPerUser=1
            MaxControlClients=256
            MaxControlClientsPerUser=2
            [Power]
            WarnAtPercent=20
            CloseAtPercent=0
            [Panel]
            Toggle=KEY_ENTER
            """)
        var expected = Configuration()
        expected.syncSeconds = 5
        expected.resumeLimitSeconds = 0
        expected.exportAtStop = [.gpx, .fit]
        expected.exportDirectory = "/srv/runs"
        expected.startsAutomatically = true
        expected.gpsd = .at(host: "::1", port: 2948, device: nil)
        expected.bluetooth = .kernel
        expected.adapter = .index(1)
        expected.sensors = .ours(["9AD13824", "A0:9E:1A:00:00:01/public"])
        expected.maxStateClients = 4096
        expected.maxStateClientsPerUser = 1
        expected.maxControlClients = 256
        expected.maxControlClientsPerUser = 2
        expected.warnAtPercent = 20
        expected.closeAtPercent = 0
        expected.settings.sensors = ["9AD13824", "A0:9E:1A:00:00:01/public"]
        expected.settings.autoStopMinutes = 30
        expected.panel = configuration.panel
        #expect(configuration == expected && configuration.panel.toggle == [KeyCode(name: "KEY_ENTER")])
        #expect(try read("[Recording]\nExportAtStop=\n").exportAtStop == [])
    }

    @Test func settingsAreAppliedByTheirKeys() throws {
        let settings = try read(
            """
            [Settings]
            metric=true
            twelve_hour_clock=1
            use_heart_rate_zones=on
            sport=ride
            auto_lap_m=1000
            auto_stop_minutes=7
            auto_pause=ride, run
            climb_score=8000
            climb_laps=yes
            record_all_sensors=yes
            zones=100, 120 140 160,180
            screens={"run":[{"fields":["time",{"field":"heart_rate","title_visible":false,"size":54,"colour":"red"}]}]}
            """
        ).settings
        var expected = Settings()
        expected.metric = true
        expected.twelveHourClock = true
        expected.useHeartRateZones = true
        expected.sport = .ride
        expected.autoLapMetres = 1000
        expected.autoStopMinutes = 7
        expected.autoPause = [.run, .ride]
        expected.climbScore = 8000
        expected.climbLaps = true
        expected.recordAllSensors = true
        expected.zones = try Zones([100, 120, 140, 160, 180])
        expected.screens[.run] = [
            [ScreenField(.time), ScreenField(.heartRate, titleVisible: false, size: 54, colour: .red)]
        ]
        #expect(settings == expected)
        // An explicit auto_stop_minutes has precedence, before and after AutoStart.
        let late = try read("[Settings]\nauto_stop_minutes=0\n[Recording]\nAutoStart=on")
        #expect(late.settings.autoStopMinutes == 0)
    }

    @Test func optionOverridesTheFile() throws {
        let text = "[Position]\nGpsd=off\n[Bluetooth]\nBackend=off\nAdapter=hci3\nSensors=H10\n"
        let configuration = try read(
            text, "--gpsd", "127.0.0.1:3000", "--bluetooth", "auto", "--adapter", "hci0", "--sensors", "auto")
        #expect(configuration.gpsd == .at(host: "127.0.0.1", port: 3000, device: nil))
        #expect(configuration.bluetooth == .auto)
        #expect(configuration.adapter == .index(0))
        #expect(configuration.sensors == .auto && configuration.settings.sensors == [])
        #expect(try read(text).gpsd == .off)
        #expect(try read(text).settings.sensors == ["H10"])
    }

    @Test(arguments: [
        ("[Recording]\nSyncIntervalSec=0", "paced.conf:2: SyncIntervalSec takes a whole number from 1 to 60"),
        ("[Recording]\nSyncIntervalSec=soon", "paced.conf:2: SyncIntervalSec takes a whole number from 1 to 60"),
        ("[Recording]\n\nResumeLimitSec=86401", "paced.conf:3: ResumeLimitSec takes a whole number from 0 to 86400"),
        ("[Recording]\nAutoStart=maybe", "paced.conf:2: AutoStart takes yes or no"),
        (
            "[Recording]\nExportAtStop=pdf",
            "paced.conf:2: ExportAtStop takes any of fit gpx tcx geojson kml csv, or nothing"
        ),
        ("[Recording]\nExportDirectory=runs", "paced.conf:2: ExportDirectory takes a path that begins with /"),
        (
            "[Recording]\nSyncSecond=1",
            "paced.conf:2: there is no key SyncSecond in [Recording]; the keys are \(recordingKeys)"
        ),
        (
            "[Recorder]\nSyncIntervalSec=1",
            "paced.conf:2: there is no section [Recorder]; the sections are [Recording] [Position] [Bluetooth] [Sensors] [Clients] "
                + "[Power] [Settings] [Panel]"
        ),
        (
            "SyncIntervalSec=1",
            "paced.conf:1: SyncIntervalSec is outside a section; the sections are [Recording] [Position] [Bluetooth] [Sensors] [Clients] "
                + "[Power] [Settings] [Panel]"
        ),
        ("[Recording]\nSyncIntervalSec=1\nSyncIntervalSec=1", "paced.conf:3: SyncIntervalSec is already set in line 2"),
        (
            "[Recording]\nAutoStart=maybe\nSyncIntervalSec=1\nSyncIntervalSec=1",
            "paced.conf:2: AutoStart takes yes or no\npaced.conf:4: SyncIntervalSec is already set in line 3"
        ),
        (
            "[Position]\nGpsd=gps.example.com:2947",
            "paced.conf:2: Gpsd takes a numeric address or localhost: a name would need a look-up that blocks"
        ),
        ("[Bluetooth]\nBackend=usb", "paced.conf:2: Backend takes auto, kernel, bluetoothd or off"),
        ("[Bluetooth]\nSensors=a,,b", "paced.conf:2: Sensors takes sensors with commas between, none empty"),
        (
            "[Bluetooth]\nSensors=unix:strap.sock",
            "paced.conf:2: Sensors takes no unix:PATH; that is for tests, as --sensors"
        ),
        (
            "[Bluetooth]\nSensors=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q",
            "paced.conf:2: sensors must be at most 16"
        ),
        ("[Clients]\nMaxControlClients=257", "paced.conf:2: MaxControlClients takes a whole number from 1 to 256"),
        ("[Power]\nCloseAtPercent=-1", "paced.conf:2: CloseAtPercent takes a whole number from 0 to 100"),
        ("[Settings]\nmetric=km", "paced.conf:2: metric takes yes or no"),
        ("[Settings]\nsport=swim", "paced.conf:2: sport must be one of run, walk, hike, ride, other"),
        (
            "[Settings]\nzones=1 2 3 4",
            "paced.conf:2: zones takes five whole numbers with spaces or commas between, or nothing"
        ),
        (
            "[Settings]\nzones=120 120 140 160 150",
            "paced.conf:2: zone 2 begins at 120, must be above zone 1 at 120, zone 5 begins at 150, must be above "
                + "zone 4 at 160"
        ),
        (
            "[Settings]\nauto_lap_m=1000\nauto_lap_s=60",
            "paced.conf:3: only one of auto_lap_m and auto_lap_s can be on: set auto_lap_m, which is 1000, to 0 first"
        ),
        ("[Settings]\nscreens=[]", "paced.conf:2: screens must be an object with any of run, walk, hike, ride, other"),
        (
            "[Settings]\ncomponents=[1]",
            "paced.conf:2: screens must be an object with any of run, walk, hike, ride, other"
        ),
        (
            "[Settings]\nscreens=Time",
            "paced.conf:2: screens takes JSON in one line: expected valid JSON at byte 4"
        ),
        (
            "[Settings]\nsensors=[]",
            "paced.conf:2: there is no key sensors in [Settings]; the keys are metric twelve_hour_clock "
                + "use_heart_rate_zones sport auto_lap_m auto_lap_s auto_stop_minutes auto_pause zones "
                + "max_heart_rate resting_heart_rate age sex weight_kg ftp power_zones wheel_mm stride_permille "
                + "climb_score climb_laps record_all_sensors alerts workout screens"
        ),
        (
            "[Panel]\nReadyLED=../x",
            "paced.conf:2: ReadyLED needs names of LEDs in /sys/class/leds, not ../x"
        ),
        (
            "[Panel]\nStart=KEY_A",
            "paced.conf:2: there is no key Start in [Panel]; the keys are Toggle Lap Mark Stop Devices Beeper SearchingLED "
                + "ReadyLED RecordingLED FaultLED AlertLED"
        ),
    ])
    func errorHasItsFileAndLine(text: String, complaint: String) {
        #expect(throws: UsageError(line: complaint)) { try read(text) }
    }

    @Test(arguments: [
        ("[Recording]\nSyncSeconds=5", "[Recording]\nSyncIntervalSec=5", "SyncSeconds= is now called SyncIntervalSec="),
        ("[Recording]\nResumeMinutes=2", "[Recording]\nResumeLimitSec=120", "is read as ResumeLimitSec=120;"),
        ("[Recording]\nRecordAtBoot=yes", "[Recording]\nAutoStart=yes", "RecordAtBoot= is now called AutoStart="),
        ("[Bluetooth]\nWay=kernel", "[Bluetooth]\nBackend=kernel", "Way= is now called Backend="),
        ("[Clients]\nStateClients=9", "[Clients]\nMaxStateClients=9", "StateClients= is now called MaxStateClients="),
        (
            "[Clients]\nStateClientsPerUser=9", "[Clients]\nMaxStateClientsPerUser=9",
            "StateClientsPerUser= is now called MaxStateClientsPerUser="
        ),
        (
            "[Clients]\nControlClients=9", "[Clients]\nMaxControlClients=9",
            "ControlClients= is now called MaxControlClients="
        ),
        (
            "[Clients]\nControlClientsPerUser=9", "[Clients]\nMaxControlClientsPerUser=9",
            "ControlClientsPerUser= is now called MaxControlClientsPerUser="
        ),
    ])
    func formerKeyIsReadAsTheNewOneWithAWarning(former: String, present: String, warning: String) throws {
        var configuration = try read(former)
        #expect(configuration.warnings.count == 1)
        #expect(configuration.warnings.first?.contains("paced.conf:2: ") == true)
        #expect(configuration.warnings.first?.contains(warning) == true, "\(configuration.warnings)")
        let expected = try read(present)
        #expect(expected.warnings == [])
        #expect(
            ConfigurationDiff(from: configuration, to: expected)
                == ConfigurationDiff(from: expected, to: expected))
        configuration = Configuration()
        #expect(
            ConfigurationDiff(from: configuration, to: expected)
                != ConfigurationDiff(from: expected, to: expected))
    }

    @Test(arguments: [("", nil), ("metric=", nil), ("metric=no", false), ("metric=yes", true)] as [(String, Bool?)])
    func metricIsUnsetUnlessTheFileHasIt(line: String, metric: Bool?) throws {
        #expect(try read("[Settings]\n" + line).settings.metric == metric)
    }

    @Test func formerComponentsAreTheFirstPageOfEachSport() throws {
        let former = try read(
            """
            [Settings]
            components=[{"name":"Pace","position":0,"visible":true,"title_visible":true,"size":40,"colour":"mint"}]
            """)
        #expect(former.warnings.count == 1)
        #expect(former.warnings.first?.contains("paced.conf:2: components= is now called screens=") == true)
        #expect(former.settings.screens[.run].first == [ScreenField(.pace, size: 40, colour: .mint)])
        #expect(former.settings.screens[.ride].first == [ScreenField(.speed, size: 40, colour: .mint)])
    }

    @Test(arguments: ["SyncSeconds=5\nSyncIntervalSec=7", "SyncIntervalSec=7\nSyncSeconds=5"])
    func newKeyOverridesItsFormerName(lines: String) throws {
        let configuration = try read("[Recording]\n" + lines)
        #expect(configuration.syncSeconds == 7)
        #expect(configuration.warnings.count == 1)
        #expect(
            configuration.warnings.first?.hasSuffix("SyncSeconds= is ignored, SyncIntervalSec= replaces it") == true)
    }

    @Test(arguments: [
        ("[Recording]\nResumeMinutes=1441", "paced.conf:2: ResumeLimitSec takes a whole number from 0 to 86400"),
        (
            "[Recording]\nResumeMinutes=9223372036854775807",
            "paced.conf:2: ResumeLimitSec takes a whole number from 0 to 86400"
        ),
        ("[Recording]\nSyncSeconds=1\nSyncSeconds=2", "paced.conf:3: SyncIntervalSec is already set in line 2"),
        (
            "[Clients]\nWay=kernel",
            "paced.conf:2: there is no key Way in [Clients]; the keys are \(clientKeys)"
        ),
    ])
    func formerKeyIsValidatedLikeTheNewOne(text: String, complaint: String) {
        #expect(throws: UsageError(line: complaint)) { try read(text) }
    }

    @Test func missingConfiguredFileIsAnError() {
        var options = Options()
        options.configuration = "/nowhere/a"
        #expect(
            throws: UsageError(line: "there is no file /nowhere/a; give --config another, or leave it away")
        ) {
            try Configuration.read(options)
        }
    }
}
