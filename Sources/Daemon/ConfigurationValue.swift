import Adapters
import Domain
import Outputs

/// What a value of paced.conf must be.
extension ConfigurationFile.Assignment {
    func number(in range: ClosedRange<Int>) throws(Options.Misuse) -> Int {
        guard let number = Int(value), range.contains(number) else {
            throw Options.Misuse(
                line: "\(key) takes a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The words that systemd's files know.
    func bool() throws(Options.Misuse) -> Bool {
        switch value.lowercased() {
        case "yes", "true", "on", "1": return true
        case "no", "false", "off", "0": return false
        default: throw Options.Misuse(line: "\(key) takes yes or no")
        }
    }

    /// Words with spaces or commas between.
    private var words: [String] {
        value.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
    }

    func formats() throws(Options.Misuse) -> [ExportFormat] {
        let words = words
        let formats = words.compactMap { ExportFormat(rawValue: $0) }
        guard formats.count == words.count else {
            let names = ExportFormat.allCases.map(\.rawValue).joined(separator: " ")
            throw Options.Misuse(line: "\(key) takes any of \(names), or nothing")
        }
        return formats.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    func directory() throws(Options.Misuse) -> String {
        guard value.hasPrefix("/") else { throw Options.Misuse(line: "\(key) takes a path that begins with /") }
        return value
    }

    /// What the option takes, without the strap that is only for tests; and no more than the setting may have.
    func straps() throws(Options.Misuse) -> Options.Strap {
        let straps = try Options.Strap(value, of: key)
        switch straps {
        case .unix: throw Options.Misuse(line: "\(key) takes no unix:PATH; that is for tests, as --strap")
        case .ours(let list):
            var settings = Settings()
            try settings.take(.straps, .array(list.map { .string($0) }))
        case .auto, .off: break
        }
        return straps
    }

    /// The value as control.sock would have it; `null` for what cannot be one of this setting.
    fileprivate func json(of setting: SettingKey) throws(Options.Misuse) -> JSON {
        switch setting {
        case .metric, .twelveHourClock, .useHeartRateZones: return .bool(try bool())
        case .sport: return .string(value)
        case .autoLapMetres, .autoLapSeconds, .autoStopMinutes: return Int64(value).map { .integer($0) } ?? .null
        case .zones:
            if value.isEmpty { return .null }
            let numbers = words.compactMap { Int64($0) }
            guard numbers.count == 5, words.count == 5 else {
                throw Options.Misuse(line: "\(key) takes five whole numbers with spaces or commas between, or nothing")
            }
            return .array(numbers.map { .integer($0) })
        case .straps, .components:
            do throws(ParseError) {
                return try JSON(parsing: value.utf8)
            } catch {
                throw Options.Misuse(line: "\(key) takes a list in JSON, in one line: \(error)")
            }
        }
    }
}

extension Settings {
    /// Takes over a setting of [Settings], by the rules of control.sock.
    mutating func take(_ key: SettingKey, _ assignment: ConfigurationFile.Assignment) throws(Options.Misuse) {
        try take(key, assignment.json(of: key))
    }

    fileprivate mutating func take(_ key: SettingKey, _ json: JSON) throws(Options.Misuse) {
        do throws(RPCError) {
            try SettingChange(key, json).apply(to: &self)
        } catch {
            let lines = (error.detail ?? error.message).split(separator: "\n")
            throw Options.Misuse(line: lines.joined(separator: ", "))
        }
    }
}
