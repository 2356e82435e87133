package import Domain

/// Converts key presses to commands.
///
///              pressed          2 s, if the key stops a run
///     up ────────────▶ down ─────────────────────────────────▶ down, spent
///      ▲                │ ▲                                       │
///      │ 30 ms over     │ │ pressed: a bounce                     │
///      │                ▼ │                                       │
///      └────────────── released ◀─────────────────────────────────┘
///
/// A key with one function acts when it is pressed; a stop key acts when it has been held. A key that has
/// both functions runs the short one on an early release. The same key on two devices counts as two keys.
///
/// It does no input or output. Call ``tick(at:)`` no later than ``deadline``, after all earlier key events.
package struct PanelKeys: Sendable {
    /// How long a stop key must be held.
    package static let holdTime = Duration.seconds(2)
    /// A press within this time of the release is a bounce.
    package static let bounceTime = Duration.milliseconds(30)

    /// A key of one device.
    private struct Place: Hashable {
        var device: Int
        var key: KeyCode
    }

    private struct Press {
        var place: Place
        var downAt: Instant
        /// Nil while the key is down.
        var releasedAt: Instant?
        /// Whether no further command can follow from this press.
        var isSpent: Bool
    }

    private let meanings: PanelConfiguration
    /// In the order of the presses.
    private var presses: [Press] = []

    package init(_ meanings: PanelConfiguration) {
        self.meanings = meanings
    }

    /// Receives a key press and returns the commands that are due.
    package mutating func pressed(_ key: KeyCode, of device: Int, at now: Instant) -> [RunCommand] {
        let commands = tick(at: now)
        let place = Place(device: device, key: key)
        if let index = presses.firstIndex(where: { $0.place == place }) {
            presses[index].releasedAt = nil
            return commands
        }
        let short = shortCommand(of: key)
        let stops = meanings.stop.contains(key)
        guard short != nil || stops else { return commands }
        presses.append(Press(place: place, downAt: now, isSpent: !stops))
        return commands + (stops ? [] : [short].compactMap(\.self))
    }

    /// Receives a key release and returns the commands that are due.
    package mutating func released(_ key: KeyCode, of device: Int, at now: Instant) -> [RunCommand] {
        let commands = tick(at: now)
        let place = Place(device: device, key: key)
        if let index = presses.firstIndex(where: { $0.place == place && $0.releasedAt == nil }) {
            presses[index].releasedAt = now
        }
        return commands
    }

    /// Drops the keys of a removed device. They cause no command, because the user did not release them.
    package mutating func gone(_ device: Int) {
        presses.removeAll { $0.place.device == device }
    }

    /// When ``tick(at:)`` must be called. Nil if no key is pending.
    package var deadline: Instant? {
        presses.compactMap(dueAt).min()
    }

    /// Advances timers to `now` and returns the commands that are due.
    package mutating func tick(at now: Instant) -> [RunCommand] {
        var commands: [RunCommand] = []
        for index in presses.indices {
            guard let due = dueAt(presses[index]), due <= now else { continue }
            if presses[index].releasedAt == nil {
                commands.append(.stop)
            } else if !presses[index].isSpent, let short = shortCommand(of: presses[index].place.key) {
                commands.append(short)
            }
            presses[index].isSpent = true
        }
        presses.removeAll { press in press.releasedAt.map { $0 + Self.bounceTime <= now } ?? false }
        return commands
    }

    private func dueAt(_ press: Press) -> Instant? {
        if let releasedAt = press.releasedAt { return releasedAt + Self.bounceTime }
        return press.isSpent ? nil : press.downAt + Self.holdTime
    }

    private func shortCommand(of key: KeyCode) -> RunCommand? {
        if meanings.toggle.contains(key) { return .toggle }
        if meanings.lap.contains(key) { return .lap }
        return meanings.mark.contains(key) ? .mark(.generic, nil) : nil
    }
}
