package import Domain
import Sensors

/// A setting's new value, checked as far as it can be by itself.
package enum SettingChange: Equatable, Sendable {
    case metric(Bool)
    case twelveHourClock(Bool)
    case useHeartRateZones(Bool)
    case sport(Sport)
    case autoLapMetres(Int)
    case autoLapSeconds(Int)
    case autoStopMinutes(Int)
    case straps([String])
    case zones(Zones?)
    case components([Component])

    /// The longest list of straps.
    package static let strapLimit = 16

    /// - Throws: ``RPCError`` -32004, whose field is the setting; one line for each thing that is wrong.
    package init(_ key: SettingKey, _ value: JSON) throws(RPCError) {
        let field = key.rawValue
        switch key {
        case .metric: self = .metric(try value.bool(field: field))
        case .twelveHourClock: self = .twelveHourClock(try value.bool(field: field))
        case .useHeartRateZones: self = .useHeartRateZones(try value.bool(field: field))
        case .sport: self = .sport(try Sport(value, field: field))
        case .autoLapMetres: self = .autoLapMetres(try value.integer(in: 0...1_000_000, field: field))
        case .autoLapSeconds: self = .autoLapSeconds(try value.integer(in: 0...86_400, field: field))
        case .autoStopMinutes: self = .autoStopMinutes(try value.integer(in: 0...1_440, field: field))
        case .straps: self = .straps(try Self.straps(value))
        case .zones: self = .zones(try Self.zones(value))
        case .components: self = .components(try Self.components(value))
        }
    }

    package var key: SettingKey {
        switch self {
        case .metric: .metric
        case .twelveHourClock: .twelveHourClock
        case .useHeartRateZones: .useHeartRateZones
        case .sport: .sport
        case .autoLapMetres: .autoLapMetres
        case .autoLapSeconds: .autoLapSeconds
        case .autoStopMinutes: .autoStopMinutes
        case .straps: .straps
        case .zones: .zones
        case .components: .components
        }
    }

    /// Changes the settings, or leaves them as they are.
    ///
    /// - Throws: ``RPCError`` -32004 when the new value does not go with another setting.
    package func apply(to settings: inout Settings) throws(RPCError) {
        switch self {
        case .metric(let value): settings.metric = value
        case .twelveHourClock(let value): settings.twelveHourClock = value
        case .useHeartRateZones(let value): settings.useHeartRateZones = value
        case .sport(let value): settings.sport = value
        case .autoLapMetres(let value):
            try checkOneAutoLap(value, beside: .autoLapSeconds, settings.autoLapSeconds)
            settings.autoLapMetres = value
        case .autoLapSeconds(let value):
            try checkOneAutoLap(value, beside: .autoLapMetres, settings.autoLapMetres)
            settings.autoLapSeconds = value
        case .autoStopMinutes(let value): settings.autoStopMinutes = value
        case .straps(let value): settings.straps = value
        case .zones(let value): settings.zones = value
        case .components(let value): settings.components = value
        }
    }

    private func checkOneAutoLap(_ value: Int, beside other: SettingKey, _ otherValue: Int) throws(RPCError) {
        guard value == 0 || otherValue == 0 else {
            throw .invalidValue(
                key.rawValue, "\(other.rawValue) is \(otherValue), and only one of the two can be on: set it to 0 first"
            )
        }
    }

    private static func straps(_ value: JSON) throws(RPCError) -> [String] {
        let field = SettingKey.straps.rawValue
        guard let elements = value.array else { throw .invalidValue(field, "straps must be a list of texts") }
        guard elements.count <= strapLimit else { throw .invalidValue(field, "straps are at most \(strapLimit)") }
        var straps: [String] = []
        for element in elements {
            guard let strap = element.string, isStrap(strap) else {
                throw .invalidValue(
                    field, "straps[\(straps.count)] must be a text of 1 to 64 characters without control characters")
            }
            straps.append(strap)
        }
        return straps
    }

    /// Whether a text can be one of the straps that are ours.
    static func isStrap(_ text: String) -> Bool {
        SanitizedText(text)?.text == text && StrapMatcher(text) != nil
    }

    private static func zones(_ value: JSON) throws(RPCError) -> Zones? {
        if value == .null { return nil }
        let field = SettingKey.zones.rawValue
        let bottoms = (value.array ?? []).compactMap(\.integer)
        guard bottoms.count == 5, value.array?.count == 5 else {
            throw .invalidValue(field, "zones must be five integers, or null")
        }
        do throws(Zones.Invalid) {
            return try Zones(bottoms)
        } catch {
            throw .invalidValue(field, error.lines.joined(separator: "\n"))
        }
    }
}

// What a value must be, whatever it is for.
extension JSON {
    func bool(field: String) throws(RPCError) -> Bool {
        guard let bool else { throw .invalidValue(field, "\(field) must be true or false") }
        return bool
    }

    func integer(in range: ClosedRange<Int>, field: String) throws(RPCError) -> Int {
        guard let integer, range.contains(integer) else {
            throw .invalidValue(field, "\(field) must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }
}

extension Sport {
    init(_ value: JSON, field: String) throws(RPCError) {
        guard let sport = value.string.flatMap(Sport.init(rawValue:)) else {
            let known = Sport.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidValue(field, "\(field) must be one of \(known)")
        }
        self = sport
    }
}
