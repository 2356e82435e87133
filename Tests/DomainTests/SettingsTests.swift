import Domain
import Testing

@Suite struct SettingsTests {
    @Test func defaultSettingsHaveTheDocumentedValues() {
        let settings = Settings()
        #expect(settings.metric == nil && !settings.twelveHourClock && !settings.useHeartRateZones)
        #expect(settings.sport == .run)
        #expect(settings.autoLapMetres == 0 && settings.autoLapSeconds == 0 && settings.autoStopMinutes == 0)
        #expect(settings.sensors.isEmpty)
        #expect(settings.climbScore == 3500 && !settings.climbLaps)
        #expect(settings.zones == nil)
    }

    @Test func onlyTheUnitAndZonesMayBeUnset() {
        #expect(SettingKey.allCases.filter(\.isOptional) == [.metric, .zones, .sex, .powerZones])
        var settings = Settings()
        #expect(settings.isUnset(.metric) && settings.isUnset(.zones))
        settings.metric = false
        #expect(!settings.isUnset(.metric))
    }

    @Test func settingKeysHaveTheirWireNames() {
        #expect(
            SettingKey.allCases.map(\.rawValue) == [
                "metric", "twelve_hour_clock", "use_heart_rate_zones", "sport", "auto_lap_m", "auto_lap_s",
                "auto_stop_minutes", "auto_pause", "sensors", "zones", "max_heart_rate", "resting_heart_rate", "age",
                "sex", "weight_kg", "ftp",
                "power_zones", "wheel_mm", "stride_permille", "climb_score", "climb_laps", "record_all_sensors",
                "alerts", "workout",
                "screens",
            ])
    }

    @Test func averagePaceIsNilBeforeTheFirstMetre() {
        var figures = Totals()
        figures.elapsedMilliseconds = 12_300
        #expect(figures.averagePace == nil)
        figures.distanceMetres = 49.2
        #expect(figures.averagePace == 0.25)
    }

    @Test func rejectionNamesCommandAndState() {
        #expect(CommandRejection(command: "lap", state: .paused).description == "cannot lap while paused")
    }

    @Test func parseErrorNamesByteAndExpectation() {
        #expect(ParseError(at: 3, expected: "two bytes").description == "expected two bytes at byte 3")
    }
}
