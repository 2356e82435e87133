import JSONCoding

/// A member of the message `state`: one row of the table. The message is flat, because Home Assistant, Telegraf and Grafana read
/// flat objects best.
package struct LiveMember: Equatable, Sendable {
    package let name: String
    /// The lowest level that has it.
    package let level: LinkLevel
    /// Where STATE has it.
    let path: [String]
    /// What Home Assistant is told; nil for no entity.
    package let entity: Entity?

    package struct Entity: Equatable, Sendable {
        let title: String
        var deviceClass: String?
        var unit: String?
        var stateClass: String?
        var decimals: Int?
        var isDiagnostic = false
    }

    private init(
        _ name: String, _ level: LinkLevel, _ path: String, _ title: String? = nil, class deviceClass: String? = nil,
        unit: String? = nil, state: String? = "measurement", decimals: Int? = nil, isDiagnostic: Bool = false
    ) {
        self.name = name
        self.level = level
        self.path = path.split(separator: ".").map(String.init)
        entity = title.map {
            Entity(
                title: $0, deviceClass: deviceClass, unit: unit, stateClass: state, decimals: decimals,
                isDiagnostic: isDiagnostic)
        }
    }

    package static let all: [LiveMember] = [
        LiveMember("time", .health, "time"),
        LiveMember("run", .health, "run", "Run", class: "enum", state: nil),
        LiveMember("demo", .health, "demo"),
        LiveMember("activity", .health, "activity"),
        LiveMember("sport", .coarse, "sport"),
        LiveMember("elapsed_ms", .coarse, "elapsed_ms", "Active time", class: "duration", unit: "ms", state: nil),
        LiveMember("moving_ms", .coarse, "moving_ms"),
        LiveMember(
            "distance_m", .coarse, "distance_m", "Distance", class: "distance", unit: "m", state: "total_increasing",
            decimals: 0),
        LiveMember("speed_mps", .coarse, "speed_mps", "Speed", class: "speed", unit: "m/s", decimals: 1),
        LiveMember("power_w", .coarse, "blocks.fields.power", "Power", class: "power", unit: "W"),
        LiveMember("cadence", .coarse, "blocks.fields.cadence", "Cadence", unit: "rpm"),
        LiveMember("ascent_m", .coarse, "ascent_m"),
        LiveMember("descent_m", .coarse, "descent_m"),
        LiveMember("grade_percent", .coarse, "grade_percent"),
        LiveMember("bpm", .full, "heart.bpm", "Heart rate", unit: "bpm"),
        LiveMember("latitude", .coarse, "position.latitude"),
        LiveMember("longitude", .coarse, "position.longitude"),
        LiveMember("altitude_m", .position, "position.altitude_m"),
        LiveMember("accuracy_m", .position, "position.accuracy_m"),
        LiveMember("track_deg", .position, "position.track_deg"),
        LiveMember(
            "battery_percent", .health, "power.battery_percent", "Battery", class: "battery", unit: "%",
            isDiagnostic: true),
        LiveMember(
            "strap_battery_percent", .health, "heart.battery_percent", "Strap battery", class: "battery", unit: "%",
            isDiagnostic: true),
        LiveMember("recorder", .health, "recorder.state"),
        LiveMember("free_mib", .health, "recorder.free_mib"),
        LiveMember("faults", .health, "faults"),
    ]

    static let names = all.map(\.name).joined(separator: ", ")

    /// The value in a STATE line; nil if it is not known.
    func value(in state: JSON) -> JSON? {
        switch name {
        case "bpm": if state["heart"]?["stale"]?.bool != false { return nil }
        case "faults": return state["faults"]?.array.map { .integer(Int64($0.count)) }
        default: break
        }
        return path.reduce(Optional(state)) { $0?[$1] }
    }
}
