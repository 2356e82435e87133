package import Domain

/// What reaches the engine, besides commands.
package enum Stimulus: Sendable {
    /// Time has passed.
    case time
    /// An input arrived.
    case input(Input)
    /// A signal stops the daemon. The run stays open.
    case shutDown
}

/// The effects of steps, appended in order. The caller reuses it, so that a step does not allocate.
package struct Effects: Sendable {
    /// Entries of the activity's input log. An activity's first entry is its snapshot.
    package internal(set) var entries: [InputLogEntry] = []
    package internal(set) var outputs: [Output] = []
    /// All outputs since a backdated start, those that were published before included, and the place in ``outputs`` of
    /// those that were not.
    private var replayed: (outputs: [Output], place: Range<Int>)?
    /// States at the last whole seconds of active time, at most ``secondLimit``. ``state`` skips
    /// some when ticks are caught up.
    package internal(set) var seconds: [State] = []
    /// The state to publish, and whether a change caused it rather than the time. Of several, the last.
    package internal(set) var state: (state: State, isChange: Bool)?

    /// A catch-up never has more seconds: a longer hole is one step. A backdated run has up to 120.
    private static let secondLimit = 128

    package init() {}

    /// Removes all effects and keeps the capacity.
    package mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        outputs.removeAll(keepingCapacity: true)
        replayed = nil
        seconds.removeAll(keepingCapacity: true)
        state = nil
    }

    /// The outputs that the rows of a recording are made of: ``outputs``, and the beats and fixes that a backdated
    /// run has received before its command. A replay of the run gives the same rows.
    package var recordedOutputs: [Output] {
        guard let replayed else { return outputs }
        return outputs[..<replayed.place.lowerBound] + replayed.outputs + outputs[replayed.place.upperBound...]
    }

    /// Appends the state of a whole second of active time.
    mutating func append(second state: State) {
        if seconds.count == Self.secondLimit { seconds.removeFirst() }
        seconds.append(state)
    }

    /// Appends the effects of a replay from a backdated start. Of its outputs, all but the run's own
    /// events were published before.
    mutating func append(backdated replay: Effects) {
        let first = outputs.count
        for case .event(let event) in replay.outputs {
            switch event.kind {
            case .start, .pause, .lap, .gap, .light: outputs.append(.event(event))
            default: break
            }
        }
        replayed = (replay.outputs, first..<outputs.count)
        for second in replay.seconds { append(second: second) }
    }
}
