import Domain
import JSONCoding
import JournalCoding
import Pipeline
import Storage
import Wire

/// The figures of an activity that its rows give: the variability of the heart rate, the best efforts, and the time in
/// zones of an activity that was recorded or imported without zones, by the present settings.
struct RowFigures {
    /// Nil without RR intervals.
    private(set) var variability: HeartRateVariability?
    /// The variability along the activity.
    private(set) var variabilityPoints: [VariabilityPoint] = []
    /// The best times and powers inside the activity, by kind.
    private(set) var bests: [BestEffort] = []
    /// The figures of the own fields, by their places.
    private(set) var fields: [OwnFieldFigures] = []

    /// - Parameter recording: gets the zones and their times if it has none.
    init(of recording: inout RecordedActivity, _ rows: some RecordingRows, _ journal: JournalReader) throws {
        var beats = RecordingVariability()
        var bests = RecordingBests(recording)
        var fields = RecordingFieldFigures(recording)
        var times: RecordingZoneTimes?
        if recording.zones == nil, let zones = try journal.presentZones() { times = RecordingZoneTimes(zones) }
        try rows.each { row in
            beats.ingest(row)
            bests.ingest(row)
            fields.ingest(row)
            times?.ingest(row)
        }
        variability = beats.figures
        variabilityPoints = beats.points
        self.bests = bests.finish()
        self.fields = fields.finish()
        guard let times, times.milliseconds.contains(where: { $0 > 0 }) else { return }
        recording.zones = times.zones
        recording.zoneMilliseconds = times.milliseconds
    }
}

extension JournalReader {
    /// The zones of the stored settings; nil while they are off or unset.
    fileprivate func presentZones() throws -> Zones? {
        var settings = Settings()
        for setting in try self.settings() {
            guard let key = SettingKey(token: setting.name), key == .zones || key == .useHeartRateZones,
                let json = try? JSON(parsing: setting.value.utf8)
            else { continue }
            // A damaged setting has its default.
            try? SettingChange(stored: key, json).apply(to: &settings)
        }
        return settings.useHeartRateZones ? settings.zones : nil
    }
}
