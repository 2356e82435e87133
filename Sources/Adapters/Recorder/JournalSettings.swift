/// A setting that somebody has made, as the journal keeps it.
package struct JournalSetting: Equatable, Sendable {
    package var name: String
    /// JSON.
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// More than there are: what a damaged journal may hold is bounded.
    static let limit = 64
}

extension JournalReader {
    /// The settings that somebody has made, by their names; of a journal from before they were kept none.
    package func settings() throws(SQLiteError) -> [JournalSetting] {
        if version < JournalSchema.versionWithSettings { return [] }
        let statement = try database.prepare(
            "SELECT name, value FROM setting ORDER BY name LIMIT \(JournalSetting.limit)")
        var settings: [JournalSetting] = []
        while try statement.step() {
            guard let name = statement.text(0), let value = statement.text(1) else { continue }
            settings.append(JournalSetting(name: name, value: value))
        }
        return settings
    }
}
