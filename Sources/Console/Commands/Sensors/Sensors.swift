import Domain
import Glibc
import JSONCoding
import Sensors

extension Command {
    static let sensors = [
        Command(
            "sensors", words: [.optional("status", .words(["status"]))],
            "show your sensors with their links and values",
            read: { _ in }, run: { invocation, _ -> String in try invocation.sensorStatus() }),
        command(
            "sensors add", "use this sensor too: an address, a name or the end of a name",
            run: { try $0.use($1, isAdded: true) }),
        command(
            "sensors use", "use this sensor instead of those that you have", run: { try $0.use($1, isAdded: false) }),
        Command(
            "sensors auto", "use a strap that is known or near, nothing else", run: { try $0.useKnownStrap() }),
        Command("sensors off", "use no sensor", run: { try $0.useNoSensor() }),
        command("sensors pair", "pair with a sensor that measures only then", run: { try $0.pair($1) }),
        Command(
            "sensors zero", words: [.optional("SENSOR")],
            "set the zero offset of a power meter; keep the crank still, without load",
            read: { $0.words.first }, run: { try $0.zero($1) }),
        Command(
            "sensors forget", words: [.optional("SENSOR")], "forget a sensor, or all of them", read: { $0.words.first },
            run: { try $0.forget($1) }),
    ]

    /// A command about one sensor.
    private static func command(
        _ name: String, _ text: String, run: @escaping @Sendable (Invocation, String) throws -> String
    ) -> Command {
        Command(
            name, words: [.one("SENSOR", "the address or the name of a sensor")], text, read: { $0.words[0] }, run: run)
    }
}

extension Invocation {
    fileprivate func use(_ sensor: String, isAdded: Bool) throws(Failure) -> String {
        let members = "\"sensor\":\(JSONText.string(sensor))" + (isAdded ? #","add":true"# : "")
        return try use(
            members, (SanitizedText.line(sensor, limit: 64) ?? "") + (isAdded ? " is added" : " is selected"))
    }

    func useKnownStrap() throws(Failure) -> String {
        try use(#""sensor":"auto""#, "Selected: the known strap, or the one in range")
    }

    func useNoSensor() throws(Failure) -> String {
        try use(#""sensor":"off""#, "Sensors are switched off")
    }

    /// - Parameter sensor: nil for all.
    fileprivate func forget(_ sensor: String?) throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let result = try control.call("sensor.forget", sensor.map { "{\"sensor\":\(JSONText.string($0))}" } ?? "{}")
        if isJSON { return result + "\n" }
        return
            (sensor.flatMap { SanitizedText.line($0, limit: 64) }.map { "Forgotten: " + $0 }
            ?? "All sensors are forgotten") + ".\n"
    }

    private func use(_ members: String, _ words: String) throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let result = try control.call("sensor.use", "{" + members + "}")
        return isJSON ? result + "\n" : words + ".\n"
    }

    /// Pairing may take a minute, so the instructions are printed first.
    fileprivate func pair(_ sensor: String) throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let name = SanitizedText.line(sensor, limit: 64) ?? ""
        if !isJSON, isatty(STDOUT_FILENO) == 1 {
            try writeOut("Pairing with \(name), for a minute at most: wake it (a strap: put it on) and keep it near.\n")
        }
        let result = try control.call(
            "sensor.pair", "{\"sensor\":\(JSONText.string(sensor))}", lasting: PairingResult.limit)
        if isJSON { return result + "\n" }
        return name + " is paired. If it is not selected yet, select it with 'pacectl sensors add'.\n"
    }

    /// - Parameter sensor: nil for the only power meter.
    fileprivate func zero(_ sensor: String?) throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        if !isJSON, isatty(STDOUT_FILENO) == 1 {
            try writeOut("Setting the zero offset: keep the crank still, without load on the pedals.\n")
        }
        let result = try control.call(
            "sensor.zero", sensor.map { "{\"sensor\":\(JSONText.string($0))}" } ?? "{}",
            lasting: OffsetCompensation.limit)
        if isJSON { return result + "\n" }
        let offset = (try? JSON(parsing: result.utf8)).flatMap { json in
            json["offset"]?.number.flatMap { DecimalFormat.text($0, decimals: 2) }.map { text in
                "; it was " + text + (json["unit"]?.harmlessText().map { " " + $0 } ?? "")
            }
        }
        return "The zero offset is set" + (offset ?? "") + ".\n"
    }

    fileprivate func sensorStatus() throws(Failure) -> String {
        let present = try presentState(blocks: #","blocks":["sensors"]"#)
        if isJSON {
            let state = String(decoding: present.stateLine, as: UTF8.self)
            let settings = String(decoding: present.settingsLine, as: UTF8.self)
            let selected = JSONText.members(of: settings).first { $0.name == "sensors" }?.value ?? "[]"
            let members = JSONText.members(of: state)
            let sensors = members.first { $0.name == "blocks" }.map { JSONText.members(of: $0.value) } ?? []
            let rest = members.filter { ["heart", "bluetooth", "faults"].contains($0.name) } + sensors
            return "{\"selected\":\(selected)" + rest.map { ",\"\($0.name)\":\($0.value)" }.joined() + "}\n"
        }
        let state = present.state
        let list = ((try? JSON(parsing: present.stateLine))?["blocks"]?["sensors"]?.array ?? []).compactMap(
            SensorLine.init)
        let table = SensorLine.table(list, metric: metric ?? present.settings.isMetric)
        var rows: [(String, String)] = []
        if !list.contains(where: \.isStrap) { rows.append(("Strap", StatusText(metric: true).strap(state))) }
        if state.heart.link.reason == LinkReason.ambiguous.rawValue, let names = state.heart.link.name {
            rows.append(("In range", names + "; 'pacectl sensors add SENSOR' selects one"))
        }
        let selected =
            (try? JSON(parsing: present.settingsLine))?["sensors"]?.array?.compactMap { $0.harmlessText() } ?? []
        rows.append(
            (
                "Selected",
                StatusText.isOff(state.heart.link)
                    ? "none; 'pacectl sensors auto' or 'pacectl sensors use SENSOR' selects one"
                    : selected.isEmpty ? "auto: the known strap, or the one in range" : selected.joined(separator: ", ")
            ))
        rows.append(
            ("Bluetooth", (state.bluetooth.name ?? "not known") + (state.bluetooth.reason.map { ": " + $0 } ?? "")))
        return table.map { $0 + "\n" }.joined() + (table.isEmpty ? "" : "\n")
            + rows.map { $0 + String(repeating: " ", count: 11 - $0.count) + $1 + "\n" }.joined()
    }
}

/// A sensor of the block `sensors`, as text for users.
struct SensorLine: Equatable {
    var kinds: [String]
    var name: String
    var link: String
    var json: JSON

    /// Nil if the element is incomplete.
    init?(_ json: JSON) {
        guard let id = json["id"]?.harmlessText(), let link = json["link"]?.harmlessText() else { return nil }
        kinds = json["kinds"]?.array?.prefix(16).compactMap { $0.harmlessText() } ?? []
        let given = json["name"]?.harmlessText()
        // The id of another program's sensor is what 'sensors add' and the setting need.
        name = id.hasPrefix(SensorID.externalPrefix) ? given.map { "\($0) (\(id))" } ?? id : given ?? id
        self.link = link + (json["reason"]?.harmlessText().map { ": " + StatusText.sensorReason($0) } ?? "")
        self.json = json
    }

    var isStrap: Bool { kinds.contains(SensorKind.heartRate.rawValue) }

    /// A kind in words. Unknown tokens are shown unchanged.
    static func words(_ kind: String) -> String {
        switch SensorKind(rawValue: kind) {
        case .heartRate: "heart rate"
        case .cyclingSpeedCadence: "speed and cadence"
        case .runningSpeedCadence: "foot pod"
        case .fitnessMachine: "trainer or machine"
        case .muscleOxygen: "muscle oxygen"
        case .bodyTemperature: "body temperature"
        case .fields: "own fields"
        case .cyclingPower, .environment, .radar, .gears, .eBike, nil: kind
        }
    }

    /// One line for each sensor, below a header; none without sensors.
    static func table(_ sensors: [SensorLine], metric: Bool) -> [String] {
        if sensors.isEmpty { return [] }
        var table = TextTable([
            .init(head: "SENSOR"), .init(head: "MEASURES"), .init(head: "LINK"), .init(head: "VALUES"),
            .init(head: "AGE", isNumber: true), .init(head: "BATTERY", isNumber: true), .init(head: "MAKER"),
        ])
        for sensor in sensors {
            let json = sensor.json
            table.append([
                sensor.name, sensor.kinds.map(words).joined(separator: ", "), sensor.link,
                sensor.values(metric: metric),
                json["age_ms"]?.integer(in: 0...Int(Int32.max)).map { "\($0 / 1000) s" } ?? "",
                json["battery_percent"]?.integer(in: 0...100).map { "\($0) %" } ?? "",
                [json["manufacturer"], json["model"]].compactMap { $0?.harmlessText() }.joined(separator: " "),
            ])
        }
        return table.lines
    }

    /// The values of own fields in the order of the sensor's kinds, then those that its program declares.
    private var ownValues: [String] {
        guard case .object(let values)? = json["values"] else { return [] }
        let known = kinds.compactMap { SensorKind(rawValue: $0) }.flatMap { $0.fields.map(\.field) }
        let others = values.keys.filter { name in !known.contains { $0.name.description == name } }.sorted()
            .compactMap { OwnFieldName($0) }.map { OwnField($0, title: SanitizedText($0.description)!, decimals: 3) }
        return (known + others).compactMap { field in
            let number = values[field.name.description]?.number.flatMap {
                DecimalFormat.text($0, decimals: field.decimals)
            }
            return number.map { "\(field.title.text) \($0)" + (field.unit.map { " " + $0.text } ?? "") }
        }
    }

    private func values(metric: Bool) -> String {
        func number(_ name: String, _ decimals: Int, _ unit: String, factor: Double = 1) -> String? {
            json[name]?.number.flatMap { DecimalFormat.text($0 * factor, decimals: decimals) }.map { $0 + " " + unit }
        }
        func speed(_ name: String) -> String? {
            json[name]?.number.map {
                RunFormat.speed(metresPerSecond: $0, metric: metric) + " " + RunFormat.speedUnit(metric: metric)
            }
        }
        let vehicles = json["vehicles"]?.integer(in: 0...99).map { $0 == 1 ? "1 vehicle" : "\($0) vehicles" }
        let parts = [
            number("bpm", 0, "bpm"), number("power_w", 0, "W"), number("cadence_rpm", 0, "/min"), speed("speed_mps"),
            number("pressure_pa", 1, "hPa", factor: 0.01), number("temperature_c", 1, "°C"),
            number("humidity_percent", 0, "%"), vehicles, number("vehicle_distance_m", 0, "m"),
            speed("vehicle_speed_mps"),
        ]
        return (parts.compactMap(\.self) + ownValues).joined(separator: ", ")
            + (json["stale"]?.bool == true ? ", stale" : "")
    }
}
