package import Domain
package import JSONCoding

/// Named parts of STATE that only subscribers receive whose WATCH names them, in the member `blocks`.
package struct StateBlocks: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package static let fields = StateBlocks(rawValue: 1)
    package static let lap = StateBlocks(rawValue: 2)
    package static let zones = StateBlocks(rawValue: 4)
    package static let sensors = StateBlocks(rawValue: 8)
    package static let hrv = StateBlocks(rawValue: 16)
    package static let workout = StateBlocks(rawValue: 32)
    package static let badges = StateBlocks(rawValue: 64)
    package static let course = StateBlocks(rawValue: 128)
    package static let partner = StateBlocks(rawValue: 256)
    package static let sun = StateBlocks(rawValue: 512)
    package static let wind = StateBlocks(rawValue: 1024)
    package static let ownFields = StateBlocks(rawValue: 2048)

    /// All blocks with their names on the wire, in the order in which STATE has them.
    package static let names: [(name: String, StateBlocks)] = [
        ("fields", .fields), ("lap", .lap), ("zones", .zones), ("sensors", .sensors), ("hrv", .hrv),
        ("workout", .workout), ("badges", .badges), ("course", .course), ("partner", .partner), ("sun", .sun),
        ("wind", .wind), ("own_fields", .ownFields),
    ]
}

/// The STATE line of one moment, without blocks and with each set of blocks that a subscriber has.
///
/// A block is encoded at most once for each state, and a line at most once for each set. The buffers are reused.
package struct StateLines: Sendable {
    /// The line without blocks.
    package private(set) var plain = JSONWriter(capacity: 4096)
    private var state: State?
    private var settings: Settings
    private var blocks = StateBlocks.names.map { _ in JSONWriter(capacity: 0) }
    private var encoded: StateBlocks = []
    private var lines: [(set: StateBlocks, line: JSONWriter, isCurrent: Bool)] = []

    package init(settings: Settings) {
        self.settings = settings
    }

    /// Settings of the blocks of the next states.
    package mutating func settingsChanged(_ settings: Settings) {
        self.settings = settings
    }

    /// Replaces the state.
    package mutating func encode(_ state: State, sequence: Int?) {
        self.state = state
        plain.clear()
        plain.stateLine(state, sequence: sequence)
        encoded = []
        for index in lines.indices { lines[index].isCurrent = false }
    }

    /// The line with a set of blocks; empty before the first state.
    package mutating func line(with set: StateBlocks) -> [UInt8] {
        guard !set.isEmpty, let state else { return plain.bytes }
        let index = lines.firstIndex { $0.set == set } ?? lines.endIndex
        if index == lines.endIndex { lines.append((set, JSONWriter(capacity: 4096), false)) }
        if !lines[index].isCurrent {
            for (number, (_, block)) in StateBlocks.names.enumerated() where set.contains(block) {
                if encoded.insert(block).inserted { encode(block, of: state, into: number) }
            }
            lines[index].line.clear()
            lines[index].line.append(lines: plain.bytes.dropLast(2))
            lines[index].line.object("blocks") { line in
                for (number, (name, block)) in StateBlocks.names.enumerated()
                where set.contains(block) && !blocks[number].bytes.isEmpty {
                    line.key(name)
                    line.value(written: blocks[number].bytes)
                }
            }
            lines[index].line.append(lines: CollectionOfOne(UInt8(ascii: "}")))
            lines[index].line.newline()
            lines[index].isCurrent = true
        }
        return lines[index].line.bytes
    }

    /// Encodes a block; it stays empty if the state has nothing for it.
    private mutating func encode(_ block: StateBlocks, of state: State, into number: Int) {
        // Room for values that get longer, so that no later state allocates.
        if blocks[number].bytes.capacity == 0 { blocks[number] = JSONWriter(capacity: 4096) }
        blocks[number].clear()
        switch block {
        case .fields: blocks[number].fieldsBlock(state)
        case .lap: blocks[number].lapBlock(state)
        case .zones: blocks[number].zonesBlock(state, settings)
        case .hrv:
            if let variability = state.activity?.variability { blocks[number].object { $0.members(of: variability) } }
        case .sensors: blocks[number].sensorsBlock(state)
        case .workout: blocks[number].workoutBlock(state, settings)
        case .badges: blocks[number].badgesBlock(state)
        case .course: if let course = state.course { blocks[number].value(course) }
        case .partner: if let partner = state.partner { blocks[number].value(partner) }
        case .ownFields: blocks[number].ownFieldsBlock(state)
        case .sun: if let sun = state.sun { blocks[number].value(sun) }
        default: if let wind = state.wind { blocks[number].value(wind) }
        }
    }
}

extension JSONWriter {
    /// The values of all data fields that have one.
    fileprivate mutating func fieldsBlock(_ state: State) {
        object { line in
            for field in DataField.allCases {
                if field.format == .clock {
                    line.member(field.rawValue, field.time(in: state))
                } else {
                    line.member(field.rawValue, field.value(in: state), decimals: field.decimals)
                }
            }
            for (index, field) in state.ownFields.fields.enumerated() {
                line.member(field.name.description, state.ownFields.values[index], decimals: field.decimals)
            }
        }
    }

    /// The own fields with their newest values, and in a run their averages; nothing without own fields.
    fileprivate mutating func ownFieldsBlock(_ state: State) {
        let status = state.ownFields
        guard !status.fields.isEmpty else { return }
        array { list in
            for (index, field) in status.fields.enumerated() {
                list.object { line in
                    line.members(of: field)
                    line.member("value", status.values[index], decimals: field.decimals)
                    line.member("lap_average", status.lapAverages[index], decimals: field.decimals)
                    line.member("average", status.averages[index], decimals: field.decimals)
                }
            }
        }
    }

    /// The lap in progress and the one before; nothing while idle.
    fileprivate mutating func lapBlock(_ state: State) {
        guard let activity = state.activity else { return }
        object { line in
            line.lap(activity.lap, number: activity.lapNumber)
            line.member("average_speed_mps", activity.lap.averageSpeed, decimals: 2)
            guard let last = activity.lastLap else { return }
            line.object("last") {
                $0.lap(last, number: activity.lapNumber - 1)
                $0.member("average_speed_mps", last.averageSpeed, decimals: 2)
            }
        }
    }

    /// The heart-rate zones and the active time in each; nothing while zones are off or unset.
    fileprivate mutating func zonesBlock(_ state: State, _ settings: Settings) {
        guard settings.useHeartRateZones, let zones = settings.zones else { return }
        object { line in
            line.array("lowest_bpm") { for bottom in zones.bottoms { $0.value(bottom) } }
            guard let activity = state.activity else { return }
            line.array("time_ms") { $0.times(activity.total.zones) }
            line.array("lap_time_ms") { $0.times(activity.lap.zones) }
        }
    }

    /// The step of the workout in progress; nothing without a workout.
    fileprivate mutating func workoutBlock(_ state: State, _ settings: Settings) {
        guard let status = state.activity?.workout else { return }
        object { line in
            line.member("steps", status.steps)
            guard !status.isDone, status.step < settings.workout.count else { return line.member("done", true) }
            let step = settings.workout[status.step]
            line.member("step", status.step + 1)
            line.member("text", step.text)
            line.member("name", step.name)
            line.member("elapsed_ms", status.elapsedMilliseconds)
            line.member("distance_m", status.metres, decimals: 2)
            switch step.length {
            case .time(let milliseconds):
                line.member("remaining_ms", max(milliseconds - status.elapsedMilliseconds, 0))
            case .distance(let metres): line.member("remaining_m", max(metres - status.metres, 0), decimals: 2)
            case .lap: break
            }
            line.member("target", step.target?.quantity.rawValue)
            line.member("target_state", status.target?.rawValue)
            let next = status.step + 1
            if next < settings.workout.count { line.member("next", settings.workout[next].text) }
        }
    }

    /// The badge that an activity on foot has earned so far and the next one; nothing in other activities.
    fileprivate mutating func badgesBlock(_ state: State) {
        guard let activity = state.activity, activity.sport.isOnFoot else { return }
        let metres = activity.total.distanceMetres
        object { line in
            if let last = Badge.last(at: metres) {
                line.member("earned", last.name)
                line.member("earned_distance_m", last.distanceMetres, decimals: 3)
            }
            guard let next = Badge.next(at: metres) else { return }
            line.member("next", next.name)
            line.member("next_distance_m", next.distanceMetres, decimals: 3)
            line.member("remaining_m", next.distanceMetres - metres, decimals: 2)
        }
    }

    /// The sensors in the order of the state, with their newest values.
    fileprivate mutating func sensorsBlock(_ state: State) {
        array { line in
            for (index, sensor) in state.sensors.prefix(SensorReadings.capacity).enumerated() {
                line.object {
                    $0.members(of: sensor)
                    $0.values(of: sensor.id, state.ownFields)
                    $0.members(of: state.readings[index], sensor, at: state.at)
                }
            }
        }
    }

    private mutating func members(of sensor: SensorStatus) {
        switch sensor.id {
        case .bluetooth(let address):
            member("id", address.address, followedBy: address.type == .public ? "/public" : "/random")
        case .board, .external: member("id", sensor.id.description)
        }
        array("kinds") { line in for kind in sensor.kinds { line.value(kind.rawValue) } }
        member("name", sensor.link.name?.text)
        member("address", sensor.link.address)
        member("link", sensor.link.state.rawValue)
        member("reason", sensor.link.reason?.rawValue)
        member("battery_percent", sensor.batteryPercent)
        member("manufacturer", sensor.manufacturer?.text)
        member("model", sensor.model?.text)
    }

    private mutating func members(of reading: SensorReading, _ sensor: SensorStatus, at now: Instant) {
        member("bpm", reading.heartRate)
        member("power_w", reading.watts)
        member("cadence_rpm", reading.cadence, decimals: 1)
        member("speed_mps", reading.speed, decimals: 2)
        member("pressure_pa", reading.pressure, decimals: 1)
        member("temperature_c", reading.temperature, decimals: 2)
        member("humidity_percent", reading.humidity, decimals: 2)
        member("vehicles", reading.vehicles)
        member("vehicle_distance_m", reading.vehicleDistance)
        member("vehicle_speed_mps", reading.vehicleSpeed, decimals: 2)
        guard let measuredAt = reading.measuredAt else { return }
        let age = now - measuredAt
        member("age_ms", age.wholeMilliseconds)
        // A sensor of the environment alone may send once a minute.
        let isSlow = sensor.kinds.allSatisfy { $0 == .environment }
        member("stale", age >= (isSlow ? .seconds(90) : .seconds(3)))
    }

    /// The values of the own fields of a sensor; nothing without any.
    private mutating func values(of sensor: SensorID, _ status: OwnFieldStatus) {
        guard status.sensors.indices.contains(where: { status.sensors[$0] == sensor && status.values[$0] != nil })
        else {
            return
        }
        object("values") { line in
            for (index, field) in status.fields.enumerated() where status.sensors[index] == sensor {
                line.member(field.name.description, status.values[index], decimals: field.decimals)
            }
        }
    }

    /// Writes the members of a heart rate variability.
    package mutating func members(of variability: HeartRateVariability) {
        member("mean_rr_ms", variability.meanInterval, decimals: 1)
        member("rmssd_ms", variability.rmssd, decimals: 1)
        member("sdnn_ms", variability.sdnn, decimals: 1)
        member("pnn50_percent", variability.pnn50, decimals: 1)
        member("dfa_alpha1", variability.alpha1, decimals: 2)
        member("artifact_percent", variability.artifactPercent, decimals: 1)
        guard let respiration = variability.respiration else { return }
        member("respiration_per_min", respiration, decimals: 1)
        member("respiration_quality", variability.isRespirationGood ? "good" : "poor")
    }

    private mutating func times(_ times: ZoneTimes) {
        for zone in 0...5 { value(times.milliseconds(in: zone)) }
    }
}

extension SunStatus: JSONObject {
    package init() { self.init(phase: .night) }

    package mutating func members(_ list: inout JSONMembers) {
        list.required(&phase) { $0.member("state", word: &$1) }
        list.member("dawn", &dawn)
        list.member("rise", &rise)
        list.member("set", &set)
        list.member("dusk", &dusk)
        list.member("light_left_s", &lightLeft, decimals: 0)
    }
}

extension WindStatus: JSONObject {
    package init() { self.init(station: SanitizedText("?")!, distance: 0) }

    package mutating func members(_ list: inout JSONMembers) {
        list.member("headwind_mps", &headwind, decimals: 2)
        list.member("crosswind_mps", &crosswind, decimals: 2)
        list.member("relative_deg", &relative, decimals: 0)
        list.member("speed_mps", &speed, decimals: 2)
        list.member("from_deg", &from, decimals: 0)
        list.member("reason", word: &reason)
        list.required(&station) { $0.member("station", &$1) }
        list.member("distance_m", &distance, decimals: 0)
        list.member("age_s", &age, decimals: 0)
    }
}

extension DataField {
    /// Decimals of the value on the wire.
    fileprivate var decimals: Int {
        switch unit {
        case .seconds, .percent: 1
        case .metres: self == .distance || self == .lapDistance ? 2 : 1
        case .metresPerSecond: 2
        case .secondsPerMetre: 4
        case .kilojoules, .kilocalories, .degreesCelsius, .milliseconds, .breathsPerMinute: 1
        case .none where self == .dfaAlpha1: 2
        case .beatsPerMinute, .watts, .perMinute, .pascals, .metresPerHour, .degrees, .none: 0
        }
    }
}
