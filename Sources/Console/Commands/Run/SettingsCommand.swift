import Domain
import JSONCoding
import Linux

extension Command {
    static let settings = [
        Command("settings", "show all settings", run: { try $0.settings() }),
        Command(
            "settings get", words: [.optional("KEY", .settings)], "show a setting, or all",
            read: { arguments in
                try arguments.words.first.map { word throws(Failure) in try SettingKey(word: word) }
            },
            run: { invocation, key -> String in
                if let key { try invocation.setting(key) } else { try invocation.settings() }
            }),
        Command(
            "settings set",
            words: [.one("KEY", "the name of a setting", .settings), .one("VALUE", "a value", .settingValue)],
            "change a setting; VALUE is text or JSON: settings set zones '[114,133,152,171,180]'",
            read: { arguments in (try SettingKey(word: arguments.words[0]), arguments.words[1]) },
            run: { try $0.set($1.0, $1.1) }),
        Command(
            "settings reset", words: [.one("KEY", "the name of a setting", .settings)],
            "bring a setting's default back",
            read: { arguments in try SettingKey(word: arguments.words[0]) },
            run: { try $0.set($1, nil) }),
    ]
}

extension SettingKey {
    /// - Throws: ``Failure`` with status 2, which lists the settings.
    fileprivate init(word: String) throws(Failure) {
        guard let key = SettingKey(rawValue: word) else {
            let names = SettingKey.allCases.map(\.rawValue)
            throw .usage(
                "unknown setting '\(word)'" + Suggestion.text(for: word, among: names)
                    + "; the settings are \(names.joined(separator: ", "))")
        }
        self = key
    }
}

extension Invocation {
    /// All settings, as a table or as the daemon's JSON.
    fileprivate func settings() throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let all = try control.call("settings.get")
        return isJSON ? all + "\n" : Self.table(JSONText.members(of: all))
    }

    fileprivate func setting(_ key: SettingKey) throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        return try shown(key, control.call("settings.get", #"{"key":"\#(key.rawValue)"}"#))
    }

    /// - Parameter value: as typed, JSON or plain text; nil for the default.
    fileprivate func set(_ key: SettingKey, _ value: String?) throws(Failure) -> String {
        // As the key Sensors= of paced.conf: these are no names of sensors.
        if key == .sensors, value == "auto" { return try useKnownStrap() }
        if key == .sensors, value == "off" { return try useNoSensor() }
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let json = value.map(key.json(typed:)) ?? "null"
        return try shown(key, control.call("settings.set", #"{"key":"\#(key.rawValue)","value":\#(json)}"#))
    }

    /// A row for each setting, those of a later release last.
    private static func table(_ members: [(name: String, value: String)]) -> String {
        var rows: [(name: String, text: String)] = SettingKey.allCases.compactMap { key in
            let value = members.first { $0.name == key.rawValue }?.value
            // An unset one has no member.
            if value == nil, !key.isOptional { return nil }
            let pages = key == .screens ? value.flatMap(pageCounts) : nil
            return (key.rawValue, pages ?? text(of: key, value ?? "null"))
        }
        rows += members.filter { SettingKey(rawValue: $0.name) == nil }.map { ($0.name, $0.value) }
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { name, text in
            (SanitizedText.line(name, limit: 64) ?? "") + String(repeating: " ", count: width - name.count + 2)
                + (SanitizedText.line(text, limit: Connection.lineLimit) ?? "") + "\n"
        }.joined()
    }

    /// - Parameter value: JSON.
    private static func text(of key: SettingKey, _ value: String) -> String {
        if value != "null" { return value }
        let units = LocaleUnits.isMetric ? "kilometres" : "miles"
        return key == .metric ? "unset (by LC_MEASUREMENT: \(units))" : "unset"
    }

    /// The setting `screens` in a row; nil if it has no pages.
    private static func pageCounts(_ value: String) -> String? {
        guard let json = try? JSON(parsing: value.utf8) else { return nil }
        let counts = Sport.allCases.compactMap { sport in
            json[sport.rawValue]?.array.map { "\(sport.rawValue) \($0.count)" }
        }
        return counts.isEmpty
            ? nil : "pages: " + counts.joined(separator: ", ") + "; 'settings get screens' prints them"
    }

    private func shown(_ key: SettingKey, _ value: String) -> String {
        (isJSON ? value : SanitizedText.line(Self.text(of: key, value), limit: Connection.lineLimit) ?? "") + "\n"
    }
}
