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
    /// Marks the present place; the kind is one of ``RecordedMark/kinds``.
    case mark(CoursePointKind, SanitizedText?)

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
        case .mark: "mark"
        }
    }
}

/// Error of a command that had no effect.
package struct CommandRejection: Error, Equatable, Sendable, CustomStringConvertible {
    /// Name of the rejected command.
    package var command: StaticText
    package var state: RunState
    package var reason: Reason

    package enum Reason: Sendable {
        case state
        /// The state allows the command, but it came too soon after the last lap.
        case tooSoon
        /// The activity has as many marks as it can have.
        case tooManyMarks
    }

    package init(command: StaticText, state: RunState, _ reason: Reason = .state) {
        self.command = command
        self.state = state
        self.reason = reason
    }

    package var description: String {
        switch reason {
        case .state: "cannot \(command.text) while \(state.rawValue)"
        case .tooSoon: "cannot \(command.text) within 1 s of the last lap"
        case .tooManyMarks: "cannot \(command.text): the activity has \(RecordedMark.limit) marks, the most"
        }
    }
}
