import Daemon
import Domain
import JournalCoding
import Linux
import Storage
import Testing
import Wire

@Suite struct UserSettingsTests {
    private func made(_ kept: (String, String)...) -> (UserSettings, [UserSettings.Damage]) {
        var damages: [UserSettings.Damage] = []
        let settings = kept.map { JournalSetting(name: $0.0, value: $0.1) }
        return (UserSettings(settings, damages: &damages), damages)
    }

    private static let changes: [SettingChange] = [
        SettingChange(.metric) { $0.metric = true }, SettingChange(.twelveHourClock) { $0.twelveHourClock = true },
        SettingChange(.useHeartRateZones) { $0.useHeartRateZones = true }, SettingChange(.sport) { $0.sport = .ride },
        SettingChange(.autoLapMetres) { $0.autoLapMetres = 1000 },
        SettingChange(.autoLapSeconds) { $0.autoLapSeconds = 0 },
        SettingChange(.autoStopMinutes) { $0.autoStopMinutes = 7 },
        SettingChange(.autoPause) { $0.autoPause = [.walk, .ride] },
        SettingChange(.sensors) { $0.sensors = ["9AD13824", "\"\\ é"] },
        SettingChange(.zones) { $0.zones = try? Zones([100, 120, 140, 160, 180]) },
        SettingChange(.maxHeartRate) { $0.maxHeartRate = 190 },
        SettingChange(.restingHeartRate) { $0.restingHeartRate = 48 },
        SettingChange(.age) { $0.age = 41 }, SettingChange(.sex) { $0.sex = .female },
        SettingChange(.weightKilograms) { $0.weightKilograms = 62 },
        SettingChange(.ftp) { $0.ftp = 250 },
        SettingChange(.powerZones) { $0.powerZones = PowerZones([100, 150, 200, 250, 300, 400]) },
        SettingChange(.wheelMillimetres) { $0.wheelMillimetres = 2096 },
        SettingChange(.stridePermille) { $0.stridePermille = 987 },
        SettingChange(.climbScore) { $0.climbScore = 8000 }, SettingChange(.climbLaps) { $0.climbLaps = true },
        SettingChange(.recordAllSensors) { $0.recordAllSensors = true },
        SettingChange(.alerts) { $0.alerts = ["heart_rate 120..165", "sensor_lost"].compactMap { Alert($0) } },
        SettingChange(.workout) { $0.workout = ["10 min zone 2 # \" é", "lap"].compactMap { WorkoutStep($0) } },
        SettingChange(.screens) { $0.screens[.ride] = [[ScreenField(.speed, title: "v", size: 30)]] },
    ]

    @Test func everySettingIsRestored() throws {
        #expect(Self.changes.map(\.key) == SettingKey.allCases)
        var settings = UserSettings()
        var kept: [JournalSetting] = []
        var expected = Settings()
        for change in Self.changes {
            guard case .setting(let setting) = settings.adopt(change) else { continue }
            kept.append(setting)
            try change.apply(to: &expected)
        }
        if case .setting(let setting) = settings.adopt(sensorsAreOff: true) { kept.append(setting) }
        var damages: [UserSettings.Damage] = []
        let again = UserSettings(kept, damages: &damages)
        #expect(again == settings && damages.isEmpty)
        #expect(again.over(Settings()) == expected && again.sensorsAreOff == true)
    }

    @Test func unsetSettingsFollowTheConfiguration() {
        var configured = Settings()
        configured.metric = true
        configured.sport = .hike
        let (made, damages) = made(("sport", #""ride""#))
        var expected = configured
        expected.sport = .ride
        #expect(made.over(configured) == expected && damages.isEmpty)
    }

    @Test(arguments: [("true", true), ("false", false)])
    func storedUnitStaysSet(value: String, metric: Bool) {
        let (made, damages) = made(("metric", value))
        #expect(made.over(Settings()).metric == metric && damages.isEmpty)
    }

    @Test(arguments: ["", "{", "kilometres", "1", #""yes""#])
    func damagedSettingIsUnset(value: String) {
        let (made, damages) = made(("metric", value), ("sport", #""ride""#))
        #expect(!made.has(.metric) && made.over(Settings()).sport == .ride)
        #expect(damages.map(\.repair) == [[.unset(name: "metric")]])
    }

    @Test(arguments: ["[100,120,120,160,180]", "[1,2,3]", "{", "[0,1,2,3,4]"])
    func invalidZonesAreClearedAndSwitchedOff(value: String) throws {
        let (made, damages) = made(("use_heart_rate_zones", "true"), ("zones", value))
        var configured = Settings()
        configured.zones = try Zones([100, 120, 140, 160, 180])
        configured.useHeartRateZones = true
        let settings = made.over(configured)
        #expect(settings.zones == nil && !settings.useHeartRateZones)
        #expect(
            damages.map(\.repair) == [
                [
                    .setting(JournalSetting(name: "zones", value: "null")),
                    .setting(JournalSetting(name: "use_heart_rate_zones", value: "false")),
                ]
            ])
        #expect(damages.first?.reason.contains("\n") == false)
    }

    @Test(arguments: [#"{"run":[]}"#, "[]", #"{"run":[{"fields":["pace","pace"]}]}"#])
    func invalidScreensFollowTheConfiguration(value: String) {
        let (made, damages) = made(("screens", value))
        #expect(made.over(Settings()) == Settings())
        #expect(damages.map(\.repair) == [[.unset(name: "screens")]])
    }

    private static let components = #"""
        [{"name":"Pace","position":1,"visible":true,"title_visible":false,"size":40,"colour":"mint"},
        {"name":"Zone","position":0,"visible":false,"title_visible":true,"size":24,"colour":"primary"}]
        """#

    @Test func componentsOfAnEarlierReleaseBecomeTheFirstPageOnce() throws {
        let (made, conversions) = made(("components", Self.components))
        let screens = made.over(Settings()).screens
        for sport in Sport.allCases {
            let pace = sport == .ride ? DataField.speed : .pace
            #expect(
                screens[sport].first == [
                    ScreenField(.zone, visible: false), ScreenField(pace, titleVisible: false, size: 40, colour: .mint),
                ])
            #expect(screens[sport].dropFirst() == Screens.defaultPages(for: sport).dropFirst())
        }
        let repair = try #require(conversions.first?.repair)
        #expect(conversions.count == 1 && conversions[0].level == .notice)
        guard case .setting(let stored) = repair[0] else { throw Missing() }
        #expect(repair[1...] == [.unset(name: "components")])
        let (again, none) = self.made((stored.name, stored.value))
        #expect(again == made && none.isEmpty)
    }

    @Test func screensReplaceComponentsOfAnEarlierRelease() {
        let (made, conversions) = made(("components", Self.components), ("screens", "{}"))
        #expect(made.over(Settings()).screens == Screens())
        #expect(conversions.map(\.repair) == [[.unset(name: "components")]])
    }

    @Test func damagedComponentsAreRemoved() {
        let twice = #"{"name":"Pace","position":0,"visible":true,"title_visible":true,"size":30,"colour":"red"}"#
        let (made, damages) = made(("components", "[\(twice),\(twice)]"))
        #expect(made.over(Settings()) == Settings())
        #expect(damages.map(\.repair) == [[.unset(name: "components")]])
    }

    private struct Missing: Error {}

    @Test func userSettingOverridesAConflictingDefault() {
        var configured = Settings()
        configured.autoLapMetres = 1000
        #expect(made(("auto_lap_s", "60")).0.over(configured).autoLapMetres == 0)
        #expect(made(("auto_lap_s", "60")).0.over(configured).autoLapSeconds == 60)
        #expect(made(("auto_lap_s", "0")).0.over(configured).autoLapMetres == 1000)
        #expect(made(("auto_lap_m", "0"), ("auto_lap_s", "60")).0.over(configured).autoLapSeconds == 60)
        // A daemon never stores both.
        let (both, damages) = made(("auto_lap_m", "500"), ("auto_lap_s", "60"))
        #expect(both.over(configured).autoLapMetres == 500 && both.over(configured).autoLapSeconds == 0)
        #expect(damages.map(\.repair) == [[.unset(name: "auto_lap_s")]])
    }

    @Test(arguments: SettingKey.allCases)
    func resetSettingHasTheValueOfTheConfiguration(key: SettingKey) throws {
        var configured = Settings()
        configured.metric = true
        configured.zones = try Zones([90, 100, 110, 120, 130])
        configured.sensors = ["H10"]
        configured.screens[.run] = [[ScreenField(.pace)]]
        var settings = UserSettings()
        let change = try #require(Self.changes.first { $0.key == key })
        _ = settings.adopt(change)
        #expect(settings.reset(key).first == .unset(name: key.token))
        #expect(!settings.has(key) && settings.over(configured) == configured)
    }

    @Test func resetOfStrapsForgetsThatTheyAreOff() {
        var settings = UserSettings()
        _ = settings.adopt(sensorsAreOff: true)
        #expect(settings.reset(.sensors) == [.unset(name: "straps"), .unset(name: "straps_off")])
        #expect(settings.sensorsAreOff == nil && !settings.hasSensors)
    }

    @Test func settingThatWasResetStaysSoWhenTheJournalIsRead() {
        var meanwhile = UserSettings()
        for key in [SettingKey.metric, .sensors, .zones] { _ = meanwhile.reset(key) }
        _ = meanwhile.adopt(SettingChange(.zones) { $0.zones = try? Zones([90, 100, 110, 120, 130]) })
        let (kept, _) = made(
            ("metric", "true"), ("sport", #""ride""#), ("straps", #"["H10"]"#), ("straps_off", "true"),
            ("zones", "[1,2,3,4,5]"))
        let merged = kept.merging(meanwhile)
        #expect(!merged.has(.metric) && !merged.hasSensors && merged.over(Settings()).sport == .ride)
        #expect(merged.over(Settings()).zones?.bottoms == [90, 100, 110, 120, 130])
    }

    @Test func unknownSettingIsIgnored() {
        let (made, damages) = made(("colour_of_the_screen", "1"))
        #expect(made == UserSettings() && damages.isEmpty)
    }

    @Test func newerSettingOverridesAStoredOne() {
        var meanwhile = UserSettings()
        _ = meanwhile.adopt(SettingChange(.metric) { $0.metric = false })
        let (kept, damages) = made(("metric", "true"), ("sport", "\"ride\""), ("straps_off", "true"))
        let merged = kept.merging(meanwhile)
        #expect(damages.isEmpty && merged.sensorsAreOff == true)
        #expect(merged.over(Settings()).metric == false && merged.over(Settings()).sport == .ride)
    }
}
