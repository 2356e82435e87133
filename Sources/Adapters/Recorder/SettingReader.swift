package import Domain
import Outputs

extension SettingChange {
    /// Reads what `JSONWriter.stored(_:of:)` wrote.
    ///
    /// - Throws: ``RPCError`` -32004, whose field is the setting.
    package init(stored key: SettingKey, _ value: JSON) throws(RPCError) {
        switch key {
        case .sport:
            guard let sport = value.string.flatMap(Sport.init(token:)) else {
                throw .invalidValue(key.token, "it is no sport")
            }
            self = .sport(sport)
        case .components:
            do throws(ParseError) {
                self = .components(try Component.list(stored: value))
            } catch {
                throw .invalidValue(key.token, error.description)
            }
        case .metric, .twelveHourClock, .useHeartRateZones, .autoLapMetres, .autoLapSeconds, .autoStopMinutes,
            .straps, .zones:
            try self.init(key, value)
        }
    }
}

extension Settings {
    /// All settings as they were; what they may be was checked when they were made.
    init(_ json: JSON) throws(ParseError) {
        self.init()
        metric = try json.member(.metric).truth()
        twelveHourClock = try json.member(.twelveHourClock).truth()
        useHeartRateZones = try json.member(.useHeartRateZones).truth()
        sport = try json.member(.sport).token()
        autoLapMetres = try json.member(.autoLapMetres).whole()
        autoLapSeconds = try json.member(.autoLapSeconds).whole()
        autoStopMinutes = try json.member(.autoStopMinutes).whole()
        straps = try json.elements(SettingKey.straps.token) { (json) throws(ParseError) in try json.text() }
        if json[SettingKey.zones.token] != nil {
            let bottoms = try json.elements(SettingKey.zones.token) { (json) throws(ParseError) in
                try json.whole()
            }
            guard let zones = try? Zones(bottoms) else { throw ParseError(at: 0, expected: "zones") }
            self.zones = zones
        }
        components = try Component.list(stored: json.member(.components))
    }
}

extension JSON {
    fileprivate func member(_ key: SettingKey) throws(ParseError) -> JSON {
        try member(key.token)
    }
}

extension Component {
    /// Each name and each position from 0 at most once.
    fileprivate static func list(stored json: JSON) throws(ParseError) -> [Component] {
        guard let elements = json.array, elements.count <= Name.allCases.count else {
            throw ParseError(at: 0, expected: "a list of components")
        }
        var components: [Component] = []
        for element in elements {
            let component = try Component(stored: element)
            let isOther = components.allSatisfy { $0.name != component.name && $0.position != component.position }
            guard isOther, elements.indices.contains(component.position), (12...100).contains(component.size) else {
                throw ParseError(at: 0, expected: "components")
            }
            components.append(component)
        }
        return components
    }

    private init(stored json: JSON) throws(ParseError) {
        self.init(
            name: try json.member("name").token(), position: try json.member("position").whole(),
            visible: try json.member("visible").truth(), titleVisible: try json.member("title_visible").truth(),
            size: try json.member("size").whole(), colour: try json.member("colour").token())
    }
}
