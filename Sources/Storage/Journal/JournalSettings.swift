/// A stored setting.
package struct JournalSetting: Equatable, Sendable {
    package var name: String
    /// JSON.
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// The most settings read from a journal that may be damaged. There are fewer keys.
    static let limit = 64
}

extension JournalReader {
    /// The stored settings, sorted by name. Empty for a journal without the table.
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
