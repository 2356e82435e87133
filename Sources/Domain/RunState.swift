/// State of a run.
///
///               start               pause
///     idle ───────────▶ active ◀──────────────▶ paused
///       ▲                 │          resume        │
///       └─────────────────┴────────────────────────┘
///                    stop, discard
package enum RunState: String, Sendable {
    case idle, active, paused
}

package enum Sport: String, CaseIterable, Sendable {
    case run, walk, hike, ride, other

    /// Whether screens and lists show its pace; they show the speed of the others.
    package var isByPace: Bool { self != .ride }
}

/// A command of a user or a program to the run.
package enum RunCommand: Equatable, Sendable {
    /// Starts an activity, with the sport of the settings if none is given. An indoor
    /// run uses no position. `back` moves the start earlier, 0 to ``maxBackdate``.
    case start(Sport?, indoor: Bool, back: Duration = .zero)
    /// Start, pause or resume, whichever the state allows: for a device with one button.
    case toggle
    case pause, resume, lap, stop, discard

    /// How far a start can be backdated.
    package static let maxBackdate = Duration.seconds(120)

    /// Minimum time from the end of a lap to a ``lap`` command.
    package static let shortestLap = Duration.seconds(1)

    /// Name of the command.
    package var word: StaticText {
        switch self {
        case .start: "start"
        case .toggle: "toggle"
        case .pause: "pause"
        case .resume: "resume"
        case .lap: "lap"
        case .stop: "stop"
        case .discard: "discard"
        }
    }
}

/// Error of a command that had no effect.
package struct CommandRejection: Error, Equatable, Sendable, CustomStringConvertible {
    /// Name of the rejected command.
    package var command: StaticText
    package var state: RunState
    /// The state allows the command, but it came too soon after the last lap.
    package var isTooSoon: Bool

    package init(command: StaticText, state: RunState, isTooSoon: Bool = false) {
        self.command = command
        self.state = state
        self.isTooSoon = isTooSoon
    }

    package var description: String {
        isTooSoon
            ? "cannot \(command.text) within 1 s of the last lap" : "cannot \(command.text) while \(state.rawValue)"
    }
}
