/// One row of a recorded activity; its moment is in milliseconds since the recording's start (``RecordedActivity``).
///
/// Rows are in order of their moments. Before the first `.begin`, and from
/// `.end` to the next `.begin`, the timer is stopped: beats and samples do not count. Only imported files have samples there.
package enum RecordingRow: Equatable, Sendable {
    /// The timer starts.
    case begin(at: Int64, TimerTrigger)
    /// The timer stops.
    case end(at: Int64, TimerTrigger)
    case sample(RecordingSample)
    /// RR intervals of one notification, oldest first, each in units of 1/1024 s; `gap`: beats are missing before them.
    case beats(at: Int64, rr: [UInt16], gap: Bool)
    /// A lap ended and the next one began. The last lap has no row: it ends with the recording.
    case lap(at: Int64, Event.Trigger)
    /// An automatic pause was recognized, and its end. It began, or ended, at this active time, a little earlier. The timer
    /// runs on, and samples continue.
    case autoPause(at: Int64, elapsedMilliseconds: Int64)
    case autoResume(at: Int64, elapsedMilliseconds: Int64)
    /// A new segment begins: the position was lost for long, or jumped. Maps draw no line to it.
    case segment(at: Int64)

    package var at: Int64 {
        switch self {
        case .begin(let at, _), .end(let at, _), .beats(let at, _, _), .lap(let at, _), .segment(let at),
            .autoPause(let at, _), .autoResume(let at, _):
            at
        case .sample(let sample): sample.at
        }
    }

    /// Removes a sample's coordinate, and the altitude that belongs to it.
    package mutating func removePosition() {
        guard case .sample(var sample) = self, sample.coordinate != nil else { return }
        sample.coordinate = nil
        sample.altitude = nil
        self = .sample(sample)
    }

    /// Why the timer started or stopped.
    package enum TimerTrigger: String, CaseIterable, Sendable {
        /// A command: start, pause, resume, stop.
        case command
        /// Automatic pause or stop.
        case auto
        /// An outage.
        case outage
    }
}

/// Values at one second of a recording's active time; nil if unknown.
package struct RecordingSample: Equatable, Sendable {
    /// Milliseconds since the start of the recording, pauses included.
    package var at: Int64
    /// Active time, in milliseconds; a journal's samples are at whole seconds of it.
    package var elapsedMilliseconds: Int64
    /// Distance from the start, in metres; nil if an imported file does not state it.
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
    /// Part of the left pedal in the power, in percent.
    package var leftBalance: Int?
    /// Degrees Celsius, −127 to 126.
    package var temperature: Int?
    /// Metres climbed and descended from the start; nil if no altitude was known by then.
    package var ascent: Double?
    package var descent: Double?
    /// The slope of the last 30 m or more, in percent.
    package var grade: Double?
    /// Metres per second, positive upwards.
    package var verticalSpeed: Double?
    /// What has measured the climb of the second.
    package var ascentSource: AscentSource?
    /// The values of ``RecordedActivity/fields``; the last ones may be missing.
    package var fields: [Double?] = []

    package init(at: Int64, elapsedMilliseconds: Int64) {
        self.at = at
        self.elapsedMilliseconds = elapsedMilliseconds
    }
}

/// The rows of one recording, which a format can read several times.
package protocol RecordingRows {
    /// Passes the rows whose times are in the range to `body`, in order, with as few in memory as possible.
    func each(in moments: ClosedRange<Int64>, _ body: (RecordingRow) throws -> Void) throws
}

extension RecordingRows {
    /// Passes all rows to `body`.
    package func each(_ body: (RecordingRow) throws -> Void) throws {
        try each(in: 0...Int64.max, body)
    }
}
