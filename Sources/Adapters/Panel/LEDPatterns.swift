package import Domain

/// How the run stands, as far as lights tell it.
package struct PanelStatus: Equatable, Sendable {
    package var run: RunState
    /// A beat or a position that is wanted is not there, or not fresh.
    package var isSearching: Bool
    package var hasFaults: Bool

    package init(run: RunState, isSearching: Bool, hasFaults: Bool) {
        self.run = run
        self.isSearching = isSearching
        self.hasFaults = hasFaults
    }
}

/// Which lights are lit when.
///
///     light          tells                          how
///     FaultLED       a fault, or paced is away      0.1 s on, 0.1 s off; 0.6 s of it for a refused command
///     RecordingLED   a run                          on; paused 0.5 s on, 0.5 s off; dark for 0.2 s for an accepted command
///     SearchingLED   beat or position missing       1 s on, 1 s off
///     ReadyLED       beat and position fresh, idle  on
///
/// A light that has more than one of these to tell tells the first of them. One that is both RecordingLED and ReadyLED
/// flashes for 0.1 s each 2 s when it is ready, so that it is steady in a run only. Where one light is named in all, it
/// is all four.
package struct LEDPatterns: Sendable {
    /// On and off in turn, beginning with on.
    struct Pattern: Equatable, Sendable {
        var on: Duration
        var off: Duration

        static let dark = Pattern(on: .zero, off: .zero)
        static let steady = Pattern(on: .seconds(1), off: .zero)
        static let slow = Pattern(on: .seconds(1), off: .seconds(1))
        static let even = Pattern(on: .milliseconds(500), off: .milliseconds(500))
        static let fast = Pattern(on: .milliseconds(100), off: .milliseconds(100))
        static let flash = Pattern(on: .milliseconds(100), off: .milliseconds(1900))
    }

    private struct Light {
        var name: String
        var tells: Set<PanelLight>
        var pattern = Pattern.dark
        /// When the pattern began.
        var since: Instant
    }

    /// How long a refused command is told.
    static let refusalTime = Duration.milliseconds(600)
    /// How long an accepted command is told.
    static let acceptanceTime = Duration.milliseconds(200)

    private var lights: [Light] = []
    /// Nil while the daemon is not reachable.
    private var situation: PanelStatus?
    private var refusalEndsAt: Instant?
    private var acceptanceEndsAt: Instant?

    package init(_ names: [PanelLight: [String]], at now: Instant) {
        for tells in PanelLight.allCases {
            for name in names[tells] ?? [] {
                if let index = lights.firstIndex(where: { $0.name == name }) {
                    lights[index].tells.insert(tells)
                } else {
                    lights.append(Light(name: name, tells: [tells], since: now))
                }
            }
        }
        if lights.count == 1 { lights[0].tells = Set(PanelLight.allCases) }
        choosePatterns(at: now)
    }

    package var names: [String] { lights.map(\.name) }

    /// The daemon says how things stand; nil when it cannot be reached.
    package mutating func update(_ situation: PanelStatus?, at now: Instant) {
        self.situation = situation
        choosePatterns(at: now)
    }

    /// A command was not carried out.
    package mutating func refused(at now: Instant) {
        refusalEndsAt = now + Self.refusalTime
        choosePatterns(at: now)
    }

    /// A command was carried out, and the run stands so since.
    package mutating func accepted(_ run: RunState, at now: Instant) {
        acceptanceEndsAt = now + Self.acceptanceTime
        situation?.run = run
        choosePatterns(at: now)
    }

    /// What has become due by now is shown from here on.
    package mutating func tick(at now: Instant) {
        if let end = refusalEndsAt, end <= now { refusalEndsAt = nil }
        if let end = acceptanceEndsAt, end <= now { acceptanceEndsAt = nil }
        choosePatterns(at: now)
    }

    package func isLit(_ name: String, at now: Instant) -> Bool {
        guard let light = lights.first(where: { $0.name == name }) else { return false }
        return Self.place(in: light, at: now) < light.pattern.on.wholeNanoseconds
    }

    /// When a light changes next, if nothing else happens; nil where all are steady.
    package func deadline(after now: Instant) -> Instant? {
        (lights.compactMap { Self.change(of: $0, after: now) } + [refusalEndsAt, acceptanceEndsAt].compactMap(\.self))
            .min()
    }

    private mutating func choosePatterns(at now: Instant) {
        for index in lights.indices {
            let pattern = pattern(for: lights[index].tells)
            if pattern == lights[index].pattern { continue }
            lights[index].pattern = pattern
            lights[index].since = now
        }
    }

    private func pattern(for tells: Set<PanelLight>) -> Pattern {
        if tells.contains(.fault), situation?.hasFaults ?? true || refusalEndsAt != nil { return .fast }
        guard let situation else { return .dark }
        if tells.contains(.recording) {
            if acceptanceEndsAt != nil { return .dark }
            if situation.run != .idle { return situation.run == .active ? .steady : .even }
        }
        if tells.contains(.searching), situation.isSearching { return .slow }
        guard tells.contains(.ready), situation.run == .idle, !situation.isSearching else { return .dark }
        return tells.contains(.recording) ? .flash : .steady
    }

    /// How far the light is in its pattern, in nanoseconds.
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
