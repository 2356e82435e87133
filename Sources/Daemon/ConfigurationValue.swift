import Domain
import Formats
import JSONCoding
import Linux
import Program
import Wire

/// Reads the value of a key of paced.conf.
extension ConfigurationFile.Assignment {
    func number(in range: ClosedRange<Int>) throws(UsageError) -> Int {
        guard let number = Int(value), range.contains(number) else {
            throw UsageError(
                line: "\(key) takes a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func bool() throws(UsageError) -> Bool {
        guard let value = Bool(word: value) else { throw UsageError(line: "\(key) takes yes or no") }
        return value
    }

    /// The words of the value, separated by spaces or commas.
    private var words: [String] {
        value.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
    }

    func formats() throws(UsageError) -> [ExportFormat] {
        let words = words
        let formats = words.compactMap { ExportFormat(rawValue: $0) }
        guard formats.count == words.count else {
            let names = ExportFormat.allCases.map(\.rawValue).joined(separator: " ")
            throw UsageError(line: "\(key) takes any of \(names), or nothing")
        }
        return formats.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    func directory() throws(UsageError) -> String {
        guard value.hasPrefix("/") else { throw UsageError(line: "\(key) takes a path that begins with /") }
        return value
    }

    /// Reads the value of `--sensors`, except the strap for tests; at most as many sensors as the setting allows.
    func sensors() throws(UsageError) -> Options.Sensors {
        let sensors = try Options.Sensors(value, of: key)
        switch sensors {
        case .unix: throw UsageError(line: "\(key) takes no unix:PATH; that is for tests, as --sensors")
        case .ours(let list):
            var settings = Settings()
            try settings.parse(.sensors, .array(list.map { .string($0) }))
        case .auto, .off: break
        }
        return sensors
    }

    /// The value as a client of control.sock sends it; `null` if it is none of the setting.
    fileprivate func json(of setting: SettingKey) throws(UsageError) -> JSON {
        switch setting.kind {
        case .flag: return .bool(try bool())
        case .optionalFlag: return value.isEmpty ? .null : .bool(try bool())
        case .number: return Int64(value).map { .integer($0) } ?? .null
        case .sport: return .string(value)
        case .sex: return value.isEmpty ? .null : .string(value)
        case .sports: return .array(words.map { .string($0) })
        case .zones, .powerZones:
            if value.isEmpty { return .null }
            let count = setting == .zones ? 5 : 6
            let numbers = words.compactMap { Int64($0) }
            guard numbers.count == count, words.count == count else {
                throw UsageError(
                    line:
                        "\(key) takes \(count == 5 ? "five" : "six") whole numbers with spaces or commas between, or nothing"
                )
            }
            return .array(numbers.map { .integer($0) })
        case .alerts, .workout:
            let elements = value.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
            return .array(elements.filter { !$0.isEmpty }.map { .string($0) })
        case .sensors, .screens:
            do throws(ParseError) {
                return try JSON(parsing: value.utf8)
            } catch {
                throw UsageError(line: "\(key) takes JSON in one line: \(error)")
            }
        }
    }
}

extension Settings {
    /// Adopts a key of `[Settings]`, by the rules of control.sock.
    mutating func parse(_ key: SettingKey, _ assignment: ConfigurationFile.Assignment) throws(UsageError) {
        try parse(key, assignment.json(of: key))
    }

    fileprivate mutating func parse(_ key: SettingKey, _ json: JSON) throws(UsageError) {
        do throws(RPCError) {
            try SettingChange(key, json).apply(to: &self)
        } catch {
            let lines = (error.detail ?? error.message).split(separator: "\n")
            throw UsageError(line: lines.joined(separator: ", "))
        }
    }
}
