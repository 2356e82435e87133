import Domain
import JSONCoding
import Pipeline
import Testing
import Wire

private func change(_ key: SettingKey, _ value: String) throws -> SettingChange {
    try SettingChange(key, JSON(parsing: value.utf8))
}

private func changed(_ key: SettingKey, _ value: String, from settings: Settings = Settings()) throws -> Settings {
    var settings = settings
    try change(key, value).apply(to: &settings)
    return settings
}

@Test func everySettingAcceptsItsValues() throws {
    #expect(try changed(.metric, "true").metric == true)
    #expect(try changed(.metric, "false").metric == false)
    #expect(try changed(.twelveHourClock, "true").twelveHourClock)
    #expect(try changed(.useHeartRateZones, "true").useHeartRateZones)
    #expect(try changed(.sport, "\"ride\"").sport == .ride)
    #expect(try changed(.autoLapMetres, "1000").autoLapMetres == 1000)
    #expect(try changed(.autoLapSeconds, "300").autoLapSeconds == 300)
    #expect(try changed(.autoStopMinutes, "30").autoStopMinutes == 30)
    #expect(try changed(.autoPause, #"["ride","run","ride"]"#).autoPause == [.run, .ride])
    #expect(try changed(.autoPause, "[]").autoPause.isEmpty)
    #expect(try changed(.climbScore, "1500").climbScore == 1500)
    #expect(try changed(.climbLaps, "true").climbLaps)
    #expect(try changed(.sensors, #"["A0:9E:1A:00:00:01","Polar H10"]"#).sensors == ["A0:9E:1A:00:00:01", "Polar H10"])
    #expect(try changed(.sensors, "[]").sensors.isEmpty)
    #expect(try changed(.zones, "[100,120,140,160,180]").zones?.bottoms == [100, 120, 140, 160, 180])
    let screens = try changed(.screens, #"{"ride":[{"fields":["speed",{"field":"time","size":12}]}]}"#).screens
    #expect(screens[.ride] == [[ScreenField(.speed), ScreenField(.time, size: 12)]] && screens.isDefault(for: .run))
}

@Test func zonesCanBeUnset() throws {
    let set = try changed(.zones, "[1,2,3,4,5]")
    #expect(try changed(.zones, "null", from: set).zones == nil)
}

@Test func changeHasItsKey() throws {
    for (key, value) in [
        (SettingKey.metric, "true"), (.twelveHourClock, "true"), (.useHeartRateZones, "true"), (.sport, "\"run\""),
        (.autoLapMetres, "0"), (.autoLapSeconds, "0"), (.autoStopMinutes, "0"), (.autoPause, "[]"), (.sensors, "[]"),
        (.zones, "null"),
        (.screens, "{}"),
    ] {
        #expect(try change(key, value).key == key)
    }
}

private let wrong: [(SettingKey, String)] = [
    (.metric, "1"), (.metric, "\"true\""), (.twelveHourClock, "null"), (.twelveHourClock, "0"),
    (.useHeartRateZones, "[]"),
    (.sport, "\"swim\""), (.sport, "1"), (.sport, "\"Run\""), (.autoLapMetres, "-1"), (.autoLapMetres, "1.5"),
    (.autoLapMetres, "1000001"), (.autoLapMetres, "9223372036854775807"), (.autoLapSeconds, "\"60\""),
    (.autoLapSeconds, "86401"),
    (.autoStopMinutes, "-5"), (.autoStopMinutes, "1441"), (.autoPause, "true"), (.autoPause, "\"ride\""),
    (.autoPause, #"["ride","swim"]"#), (.sensors, "\"H10\""), (.sensors, "[1]"),
    (.sensors, "[\"\"]"),
    (.sensors, "[\"\\u001b[2J\"]"), (.sensors, "[\"\\u202e\"]"),
    (.sensors, "[\"\(String(repeating: "x", count: 65))\"]"),
    (.sensors, "[\(Array(repeating: "\"H10\"", count: 17).joined(separator: ","))]"), (.zones, "[1,2,3,4]"),
    (.zones, "[1,2,3,4,5,6]"), (.zones, "[1,2,3,4,5.5]"), (.zones, "[1,2,3,4,\"5\"]"), (.zones, "[0,2,3,4,5]"),
    (.zones, "[1,2,3,4,251]"), (.zones, "[1,2,2,4,5]"), (.zones, "{}"), (.zones, "false"), (.screens, "[]"),
    (.climbScore, "1499"), (.climbScore, "64001"), (.climbLaps, "1"),
]

@Test(arguments: wrong)
func invalidValueIsRejectedWithItsSetting(key: SettingKey, value: String) throws {
    let failure = #expect(throws: RPCError.self) { try change(key, value) }
    #expect(failure?.code == -32004)
    #expect(failure?.message == "invalid value")
    #expect(failure?.field == key.rawValue)
    #expect(failure?.detail?.isEmpty == false)
}

@Test func eachViolatedPairOfZonesHasItsLine() throws {
    let failure = #expect(throws: RPCError.self) { try change(.zones, "[100,90,140,130,180]") }
    #expect(
        failure?.detail
            == "zone 2 begins at 90, must be above zone 1 at 100\nzone 4 begins at 130, must be above zone 3 at 140")
}

@Test func restingHeartRateIsBelowTheMaximum() throws {
    let known = try changed(.restingHeartRate, "48", from: changed(.maxHeartRate, "190"))
    let failure = #expect(throws: RPCError.self) { try changed(.maxHeartRate, "48", from: known) }
    #expect(failure?.detail == "resting_heart_rate (48) must be below max_heart_rate (48)")
    #expect(throws: RPCError.self) { try changed(.restingHeartRate, "190", from: known) }
    #expect(try changed(.maxHeartRate, "0", from: known).restingHeartRate == 48)
    #expect(throws: RPCError.self) { try change(.maxHeartRate, "251") }
}

@Test func onlyOneAutoLapSettingIsOn() throws {
    let byDistance = try changed(.autoLapMetres, "1000")
    let failure = #expect(throws: RPCError.self) { try changed(.autoLapSeconds, "60", from: byDistance) }
    #expect(failure?.field == "auto_lap_s")
    #expect(failure?.detail?.contains("set auto_lap_m, which is 1000, to 0") == true)
    #expect(try changed(.autoLapSeconds, "0", from: byDistance).autoLapMetres == 1000)
    #expect(try changed(.autoLapMetres, "500", from: byDistance).autoLapMetres == 500)
    let off = try changed(.autoLapMetres, "0", from: byDistance)
    let byTime = try changed(.autoLapSeconds, "60", from: off)
    #expect(throws: RPCError.self) { try changed(.autoLapMetres, "1000", from: byTime) }
}
