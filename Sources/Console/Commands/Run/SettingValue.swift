import Domain
import JSONCoding

extension SettingKey {
    /// The JSON of a value as people type it: JSON, or as in paced.conf. A text that is no value of the setting is sent
    /// as a string: the daemon rejects it and lists the values.
    func json(typed text: String) -> String {
        let unchanged = JSONText.value(typed: text)
        switch kind {
        case .flag, .optionalFlag:
            return Bool(word: text).map { $0 ? "true" : "false" } ?? unchanged
        case .zones where !text.contains("["), .powerZones where !text.contains("["):
            let words = text.split { " ,".contains($0) }
            let numbers = words.compactMap { Int($0) }
            guard numbers.count == words.count else { return unchanged }
            return numbers.isEmpty ? "null" : "[" + numbers.map(String.init).joined(separator: ",") + "]"
        case .sports where !text.hasPrefix("["):
            let words = text.split { " ,".contains($0) }.map(String.init)
            return "[" + words.map(JSONText.string).joined(separator: ",") + "]"
        case .sensors where !text.hasPrefix("["), .alerts where !text.hasPrefix("["),
            .workout where !text.hasPrefix("["):
            // An element may have spaces.
            let names = text.split(separator: ",").map(Self.trimmed).filter { !$0.isEmpty }
            return "[" + names.map(JSONText.string).joined(separator: ",") + "]"
        default: return unchanged
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
