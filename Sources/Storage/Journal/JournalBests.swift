package import Domain
import JournalCoding
import Pipeline

extension JournalReader {
    /// The best efforts inside an activity, from its rows. Empty if none has that number.
    package func bests(of id: Int) throws -> [BestEffort] {
        let statement = try database.prepare("SELECT sport, started_ms FROM activity WHERE id = ?")
        try statement.bind(id)
        guard try statement.step() else { return [] }
        var recording = RecordedActivity(
            sport: statement.text(0).flatMap(Sport.init(token:)) ?? .other,
            started: UTC(milliseconds: statement.integer(1) ?? 0))
        statement.reset()
        recording.isIndoor = try isIndoor(id)
        var bests = RecordingBests(recording)
        try rows(of: id).each { bests.ingest($0) }
        return bests.finish()
    }
}
