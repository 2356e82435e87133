package import Domain
package import JSONCoding

/// Named parts of STATE that only subscribers receive whose WATCH names them, in the member `blocks`.
package struct StateBlocks: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let fields = StateBlocks(rawValue: 1)
    package static let lap = StateBlocks(rawValue: 2)
    package static let zones = StateBlocks(rawValue: 4)

    /// All blocks with their names on the wire, in the order in which STATE has them.
    package static let names: [(name: String, StateBlocks)] = [
        ("fields", .fields), ("lap", .lap), ("zones", .zones),
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
    package mutating func encode(_ state: State, sequence: Int) {
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
        blocks[number].clear()
        if block == .fields {
            blocks[number].fieldsBlock(state)
        } else if block == .lap {
            blocks[number].lapBlock(state)
        } else {
            blocks[number].zonesBlock(state, settings)
        }
    }
}

extension JSONWriter {
    /// The values of all data fields that have one.
    fileprivate mutating func fieldsBlock(_ state: State) {
        object { line in
            for field in DataField.allCases {
                if field == .timeOfDay {
                    line.member(field.rawValue, state.time)
                } else {
                    line.member(field.rawValue, field.value(in: state), decimals: field.decimals)
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

    private mutating func times(_ times: ZoneTimes) {
        for zone in 0...5 { value(times.milliseconds(in: zone)) }
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
        case .beatsPerMinute, .none: 0
        }
    }
}
