import Domain
import JSONCoding

extension Settings {
    /// Parses the settings that a screen uses from a SETTINGS line; nil for any other line.
    ///
    /// Absent and invalid values have their defaults.
    init?(line json: JSON) {
        guard json["class"]?.string == "SETTINGS" else { return nil }
        self.init()
        metric = json["metric"]?.bool ?? metric
        twelveHourClock = json["twelve_hour_clock"]?.bool ?? twelveHourClock
        useHeartRateZones = json["use_heart_rate_zones"]?.bool ?? useHeartRateZones
        if let list = json["components"]?.array { components = list.prefix(16).compactMap(Component.init(json:)) }
    }
}

extension Component {
    /// Nil if this release does not know the component.
    fileprivate init?(json: JSON) {
        guard let name = json["name"]?.string.flatMap(Name.init) else { return nil }
        self.init(
            name: name,
            position: json["position"]?.integer ?? .max,
            visible: json["visible"]?.bool ?? true,
            titleVisible: json["title_visible"]?.bool ?? true,
            size: min(max(json["size"]?.integer ?? 24, 12), 100),
            colour: json["colour"]?.string.flatMap(Colour.init) ?? .primary)
    }
}
