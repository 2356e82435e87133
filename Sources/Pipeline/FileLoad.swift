import Domain

/// Computes energy and training impulse of an imported recording from the heart rates of its samples, by the user's
/// settings and the formulas of a run.
///
/// A heart rate counts for the active time before its sample, as in the averages of imports, at most 10 s.
struct FileLoad {
    var settings = Settings()
    private var total = Part()
    private var laps: [Part]
    private let lapEnds: [Int64]
    private var lap = 0
    private var elapsed: Int64 = 0

    private struct Part {
        var kilojoules: Double?
        var impulse: Double?

        mutating func add(kilojoules: Double?, impulse: Double?) {
            if let kilojoules { self.kilojoules = (self.kilojoules ?? 0) + kilojoules }
            if let impulse { self.impulse = (self.impulse ?? 0) + impulse }
        }

        func write(to figures: inout Totals, hasEnergy: Bool) {
            if hasEnergy { figures.energyKilocalories = kilojoules.map { $0 / EnergyModel.kilojoulesPerKilocalorie } }
            figures.trainingImpulse = impulse
        }
    }

    /// Some files have few samples.
    private static let longest: Int64 = 10_000

    /// - Parameter recording: header of the recording, from a first pass over the file.
    init(_ recording: RecordedActivity) {
        lapEnds = recording.laps.dropLast().map(\.endedAt)
        laps = Array(repeating: Part(), count: lapEnds.count + 1)
    }

    mutating func ingest(_ row: RecordingRow) {
        guard case .sample(let sample) = row else { return }
        while lap < lapEnds.count, lapEnds[lap] < sample.at { lap += 1 }
        let time = min(sample.elapsedMilliseconds - elapsed, Self.longest)
        elapsed = max(sample.elapsedMilliseconds, elapsed)
        guard let rate = sample.heartRate, time > 0 else { return }
        let minutes = Double(time) / 60_000
        let kilojoules = settings.energyModel.map { $0.kilojoulesPerMinute(at: Double(rate)) * minutes }
        let impulse = settings.impulseModel.map { $0.perMinute(at: Double(rate)) * minutes }
        total.add(kilojoules: kilojoules, impulse: impulse)
        laps[lap].add(kilojoules: kilojoules, impulse: impulse)
    }

    /// Ends the recording: the energy that a file states stays.
    func finish(_ recording: inout RecordedActivity) {
        let hasEnergy = recording.total.energyKilocalories == nil
        total.write(to: &recording.total, hasEnergy: hasEnergy)
        for index in recording.laps.indices where index < laps.count {
            laps[index].write(to: &recording.laps[index].figures, hasEnergy: hasEnergy)
        }
    }
}
