package import Domain

/// The state of the run that the LEDs show.
package struct PanelStatus: Equatable, Sendable {
    package var run: RunState
    /// Whether a wanted heart rate or position is missing or stale.
    package var isSearching: Bool
    package var hasFaults: Bool

    package init(run: RunState, isSearching: Bool, hasFaults: Bool) {
        self.run = run
        self.isSearching = isSearching
        self.hasFaults = hasFaults
    }
}

/// The pattern of each LED.
///
///     LED           shows                           pattern
///     AlertLED      alert, step, badge, course      0.125 s on, 0.125 s off, for 2 s
///     FaultLED      a fault, or paced unreachable   0.1 s on, 0.1 s off; also for 0.6 s after a rejected command
///     RecordingLED  a run                           on; paused 0.5 s on, 0.5 s off; off 0.2 s at an accepted command
///     SearchingLED  heart rate or position missing  1 s on, 1 s off
///     ReadyLED      both fresh, and idle            on
///
/// An LED with several functions shows the first active one. An LED that is both RecordingLED and ReadyLED
/// flashes for 0.1 s every 2 s when ready, so that it is steadily on in a run only. If only one LED is
/// configured, it has all functions.
package struct LEDPatterns: Sendable {
    /// Alternates between on and off, starting with on.
    struct Pattern: Equatable, Sendable {
        var on: Duration
        var off: Duration

        static let dark = Pattern(on: .zero, off: .zero)
        static let steady = Pattern(on: .seconds(1), off: .zero)
        static let slow = Pattern(on: .seconds(1), off: .seconds(1))
        static let even = Pattern(on: .milliseconds(500), off: .milliseconds(500))
        static let fast = Pattern(on: .milliseconds(100), off: .milliseconds(100))
        static let alert = Pattern(on: .milliseconds(125), off: .milliseconds(125))
        static let flash = Pattern(on: .milliseconds(100), off: .milliseconds(1900))
    }

    private struct Light {
        var name: String
        var functions: Set<PanelLight>
        var pattern = Pattern.dark
        /// The start of the pattern.
        var since: Instant
    }

    /// How long a rejected command is shown.
    static let rejectionTime = Duration.milliseconds(600)
    /// How long an accepted command is shown.
    static let acceptanceTime = Duration.milliseconds(200)

    /// How long an alert is shown.
    static let alertTime = Duration.seconds(2)

    private var lights: [Light] = []
    /// The state of the run. Nil while the daemon is unreachable.
    private var status: PanelStatus?
    private var rejectionEndsAt: Instant?
    private var acceptanceEndsAt: Instant?
    private var alertEndsAt: Instant?

    package init(_ names: [PanelLight: [String]], at now: Instant) {
        for functions in PanelLight.allCases {
            for name in names[functions] ?? [] {
                if let index = lights.firstIndex(where: { $0.name == name }) {
                    lights[index].functions.insert(functions)
                } else {
                    lights.append(Light(name: name, functions: [functions], since: now))
                }
            }
        }
        if lights.count == 1 { lights[0].functions = Set(PanelLight.allCases) }
        choosePatterns(at: now)
    }

    package var names: [String] { lights.map(\.name) }

    /// Receives the state of the daemon. Nil if it is unreachable.
    package mutating func update(_ status: PanelStatus?, at now: Instant) {
        self.status = status
        choosePatterns(at: now)
    }

    /// Shows a rejected command.
    package mutating func rejected(at now: Instant) {
        rejectionEndsAt = now + Self.rejectionTime
        choosePatterns(at: now)
    }

    /// Shows an accepted command and the resulting state of the run.
    package mutating func accepted(_ run: RunState, at now: Instant) {
        acceptanceEndsAt = now + Self.acceptanceTime
        status?.run = run
        choosePatterns(at: now)
    }

    /// Shows an alert.
    package mutating func alerted(at now: Instant) {
        alertEndsAt = now + Self.alertTime
        choosePatterns(at: now)
    }

    /// Advances timers to `now`.
    package mutating func tick(at now: Instant) {
        if let end = rejectionEndsAt, end <= now { rejectionEndsAt = nil }
        if let end = acceptanceEndsAt, end <= now { acceptanceEndsAt = nil }
        if let end = alertEndsAt, end <= now { alertEndsAt = nil }
        choosePatterns(at: now)
    }

    package func isLit(_ name: String, at now: Instant) -> Bool {
        guard let light = lights.first(where: { $0.name == name }) else { return false }
        return Self.place(in: light, at: now) < light.pattern.on.wholeNanoseconds
    }

    /// When the next LED changes if no event occurs. Nil if all are steady.
    package func deadline(after now: Instant) -> Instant? {
        (lights.compactMap { Self.change(of: $0, after: now) }
            + [rejectionEndsAt, acceptanceEndsAt, alertEndsAt].compactMap(\.self))
            .min()
    }

    private mutating func choosePatterns(at now: Instant) {
        for index in lights.indices {
            let pattern = pattern(for: lights[index].functions)
            if pattern == lights[index].pattern { continue }
            lights[index].pattern = pattern
            lights[index].since = now
        }
    }

    private func pattern(for functions: Set<PanelLight>) -> Pattern {
        if functions.contains(.alert), alertEndsAt != nil { return .alert }
        if functions.contains(.fault), status?.hasFaults ?? true || rejectionEndsAt != nil { return .fast }
        guard let status else { return .dark }
        if functions.contains(.recording) {
            if acceptanceEndsAt != nil { return .dark }
            if status.run != .idle { return status.run == .active ? .steady : .even }
        }
        if functions.contains(.searching), status.isSearching { return .slow }
        guard functions.contains(.ready), status.run == .idle, !status.isSearching else { return .dark }
        return functions.contains(.recording) ? .flash : .steady
    }

    /// The position in the LED's pattern, in nanoseconds.
    private static func place(in light: Light, at now: Instant) -> Int64 {
        let period = (light.pattern.on + light.pattern.off).wholeNanoseconds
        return period == 0 ? 0 : max((now - light.since).wholeNanoseconds, 0) % period
    }

    private static func change(of light: Light, after now: Instant) -> Instant? {
        let (on, off) = (light.pattern.on.wholeNanoseconds, light.pattern.off.wholeNanoseconds)
        guard on > 0, off > 0 else { return nil }
        let place = place(in: light, at: now)
        return now + .nanoseconds(place < on ? on - place : on + off - place)
    }
}
