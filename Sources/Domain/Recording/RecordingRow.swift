/// One thing that happened in a recorded activity, with its moment: milliseconds since the recording began (``RecordedActivity``).
///
/// The rows of a recording are in order of their moments. Before the first `.begin` and between `.end` and the next `.begin` the timer
/// stands still, and there are no samples.
package enum RecordingRow: Equatable, Sendable {
    /// The timer runs from here on.
    case begin(at: Int64, TimerTrigger)
    /// The timer stands still from here on.
    case end(at: Int64, TimerTrigger)
    case sample(RecordingSample)
    /// A notification's RR intervals, oldest first, each in units of 1/1024 s; `gap` says that beats are missing before them.
    case beats(at: Int64, rr: [UInt16], gap: Bool)
    /// A lap ended, and the next began; the last lap ends with the recording.
    case lap(at: Int64, Event.Trigger)
    /// The track goes on elsewhere: the position was lost for long, or jumped. Maps draw no line across.
    case segment(at: Int64)

    /// Its moment.
    package var at: Int64 {
        switch self {
        case .begin(let at, _), .end(let at, _), .beats(let at, _, _), .lap(let at, _), .segment(let at): at
        case .sample(let sample): sample.at
        }
    }

    /// Why the timer began to run, or ended.
    package enum TimerTrigger: String, CaseIterable, Sendable {
        /// A person said so: start, pause, resume, stop.
        case command
        /// It happened by itself, by the rules of automatic pause and stop.
        case auto
        /// The power, or the program, was gone.
        case outage
    }
}

/// What was known at one second of a recording's active time. Nil is not known.
package struct RecordingSample: Equatable, Sendable {
    /// Milliseconds since the recording began, pauses included.
    package var at: Int64
    /// Active time, in milliseconds; the samples of a journal stand at whole seconds of it.
    package var elapsedMilliseconds: Int64
    /// Counted from the start, in metres; nil where an imported file does not say.
    package var distanceMetres: Double?
    package var coordinate: Coordinate?
    /// Metres above mean sea level.
    package var altitude: Double?
    /// Metres per second.
    package var speed: Double?
    /// Beats per minute, 1 to 240.
    package var heartRate: Int?
    /// Revolutions, or steps of one foot, per minute, 0 to 254.
    package var cadence: Int?
    /// Watts, 0 to 65534.
    package var power: Int?
    /// Degrees Celsius, −127 to 126.
    package var temperature: Int?

    package init(at: Int64, elapsedMilliseconds: Int64) {
        self.at = at
        self.elapsedMilliseconds = elapsedMilliseconds
    }
}
