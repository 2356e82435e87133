/// Where a run stands.
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
}

/// What a person or a program can ask of a run.
package enum RunCommand: Equatable, Sendable {
    /// Begins an activity; the sport of the settings unless one is named. Indoors no position is used. It began `back` earlier, 0 to
    /// ``furthestBack``.
    case start(Sport?, indoor: Bool, back: Duration = .zero)
    /// Start, pause or resume, whichever is possible: for a device with one button.
    case toggle
    case pause, resume, lap, stop, discard

    /// How much earlier than it was asked for an activity can begin.
    package static let maxBackdate = Duration.seconds(120)

    /// The least time from the end of a lap to a ``lap`` that is asked for.
    package static let shortestLap = Duration.seconds(1)

    /// The command in one word.
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

/// Why a command was not carried out. Nothing has changed.
package struct CommandRejection: Error, Equatable, Sendable, CustomStringConvertible {
    /// The command as it was asked for, as a word.
    package var command: StaticText
    package var state: RunState
    /// The state allows it, but not so soon after the last lap.
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
