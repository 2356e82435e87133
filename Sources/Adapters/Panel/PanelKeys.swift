package import Domain

/// What presses of keys ask for.
///
///          pressed           2 s, if it is a key that stops
///     up ───────────▶ down ─────────────────────────────────▶ down, spent
///      ▲               │ ▲                                       │
///      │ 30 ms over    │ │ pressed: it only bounced              │
///      │               ▼ │                                       │
///      └──────────── let go ◀────────────────────────────────────┘
///
/// A key with one meaning acts as it goes down, and one that stops when it is held. A key that also stops acts when it
/// is let go before. The same key on two devices is two keys.
///
/// The machine does no input or output: it is told what happened, and ``tick(at:)`` is called no later than
/// ``deadline``, after what happened before then was told.
package struct PanelKeys: Sendable {
    /// How long a key that stops must be held.
    package static let holdTime = Duration.seconds(2)
    /// A key that goes down again so soon after it was let go has bounced.
    package static let bounceTime = Duration.milliseconds(30)

    /// A key of one device.
    private struct Place: Hashable {
        var device: Int
        var key: KeyCode
    }

    private struct Press {
        var place: Place
        var downAt: Instant
        /// Nil while it is down.
        var letGoAt: Instant?
        /// It has done what it can.
        var isSpent: Bool
    }

    private let meanings: PanelConfiguration
    /// In the order in which they began.
    private var presses: [Press] = []

    package init(_ meanings: PanelConfiguration) {
        self.meanings = meanings
    }

    /// A key went down.
    package mutating func pressed(_ key: KeyCode, of device: Int, at now: Instant) -> [RunCommand] {
        let commands = tick(at: now)
        let place = Place(device: device, key: key)
        if let index = presses.firstIndex(where: { $0.place == place }) {
            presses[index].letGoAt = nil
            return commands
        }
        let short = shortCommand(of: key)
        let stops = meanings.stop.contains(key)
        guard short != nil || stops else { return commands }
        presses.append(Press(place: place, downAt: now, isSpent: !stops))
        return commands + (stops ? [] : [short].compactMap(\.self))
    }

    /// A key was let go.
    package mutating func released(_ key: KeyCode, of device: Int, at now: Instant) -> [RunCommand] {
        let commands = tick(at: now)
        let place = Place(device: device, key: key)
        if let index = presses.firstIndex(where: { $0.place == place && $0.letGoAt == nil }) {
            presses[index].letGoAt = now
        }
        return commands
    }

    /// A device is gone. Its keys are let go, and ask for nothing: it was no thumb that let them go.
    package mutating func gone(_ device: Int) {
        presses.removeAll { $0.place.device == device }
    }

    /// When ``tick(at:)`` is to be called; nil while there is nothing to wait for.
    package var deadline: Instant? {
        presses.compactMap(dueAt).min()
    }

    /// Does what is due.
    package mutating func tick(at now: Instant) -> [RunCommand] {
        var commands: [RunCommand] = []
        for index in presses.indices {
            guard let due = dueAt(presses[index]), due <= now else { continue }
            if presses[index].letGoAt == nil {
                commands.append(.stop)
            } else if !presses[index].isSpent, let short = shortCommand(of: presses[index].place.key) {
                commands.append(short)
            }
            presses[index].isSpent = true
        }
        presses.removeAll { press in press.letGoAt.map { $0 + Self.bounceTime <= now } ?? false }
        return commands
    }

    private func dueAt(_ press: Press) -> Instant? {
        if let letGoAt = press.letGoAt { return letGoAt + Self.bounceTime }
        return press.isSpent ? nil : press.downAt + Self.holdTime
    }

    private func shortCommand(of key: KeyCode) -> RunCommand? {
        if meanings.toggle.contains(key) { return .toggle }
        return meanings.lap.contains(key) ? .lap : nil
    }
}
