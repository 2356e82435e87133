import Domain

/// The numbers of the events that a reader of the present run needs, regardless of later events: its `start`, the last
/// `start` with `resumed`, the last `pause` or `resume`, and the last ``lapLimit`` laps; none after its end.
struct RetainedRunEvents: Sendable {
    static let lapLimit = 100

    enum Kind: Equatable, Sendable {
        case start, resumedStart, pauseOrResume, lap, end
    }

    private(set) var start: Int?
    private var resumedStart: Int?
    private var pauseOrResume: Int?
    /// In rising order.
    private var laps: [Int] = []

    /// Adds an event; numbers rise.
    mutating func add(_ number: Int, _ kind: Kind) {
        switch kind {
        case .start:
            self = RetainedRunEvents()
            start = number
        case .resumedStart: resumedStart = number
        case .pauseOrResume: pauseOrResume = number
        case .lap:
            if laps.count == Self.lapLimit { laps.removeFirst() }
            laps.append(number)
        case .end: self = RetainedRunEvents()
        }
    }

    func contains(_ number: Int) -> Bool {
        number == start || number == resumedStart || number == pauseOrResume || laps.contains(number)
    }
}

extension RetainedRunEvents.Kind {
    /// Nil for an event that a reader does not need.
    init?(_ kind: Event.Kind) {
        switch kind {
        case .start(_, _, let resumed): self = resumed ? .resumedStart : .start
        case .pause, .resume: self = .pauseOrResume
        case .lap: self = .lap
        case .stop, .discard: self = .end
        case .autoPause, .autoResume, .link, .fix, .gap, .clock, .recorder, .fault, .settings, .source, .calibration,
            .radar, .alert, .workout, .badge, .course, .cue, .climb, .light, .notice, .mark:
            return nil
        }
    }

    /// Finds the kind in an EVENT line: `event` comes before any external text, and quotes in texts are escaped.
    init?(line: [UInt8]) {
        guard let start = line.end(of: #""event":""#) else { return nil }
        switch String(decoding: line[start...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self) {
        case "start": self = line.end(of: #""resumed":true"#) == nil ? .start : .resumedStart
        case "pause", "resume": self = .pauseOrResume
        case "lap": self = .lap
        case "stop", "discard": self = .end
        default: return nil
        }
    }
}

extension [UInt8] {
    /// Returns the index after the first occurrence of a text.
    fileprivate func end(of text: StaticString) -> Int? {
        let wanted = Array(text.description.utf8)
        return indices.first { self[$0...].starts(with: wanted) }.map { $0 + wanted.count }
    }
}
