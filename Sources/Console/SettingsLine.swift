import Adapters
import Domain

extension Settings {
    /// The settings of a SETTINGS line, as far as a screen follows them; nil for any other line.
    ///
    /// What is absent or not understood has its default.
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
    /// Nil for a component that this release does not know.
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
