import Domain

/// The numbers of the events that a reader of the present run needs, however many others came after them: its `start`, the last `start`
/// with `resumed`, the last `pause` or `resume`, and the last ``lapLimit`` laps. A run that has ended needs none.
struct RetainedRunEvents: Sendable {
    static let lapLimit = 100

    enum Kind: Equatable, Sendable {
        case start, resumedStart, pauseOrResume, lap, end
    }

    private var start: Int?
    private var resumedStart: Int?
    private var pauseOrResume: Int?
    /// Rising.
    private var laps: [Int] = []

    /// An event has happened; numbers rise.
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
    /// Nil for an event that is no mark of the run.
    init?(_ kind: Event.Kind) {
        switch kind {
        case .start(_, _, let resumed): self = resumed ? .resumedStart : .start
        case .pause, .resume: self = .pauseOrResume
        case .lap: self = .lap
        case .stop, .discard: self = .end
        case .link, .fix, .gap, .clock, .recorder, .fault, .settings: return nil
        }
    }

    /// Reads it from a line of class EVENT as ``JSONWriter`` writes it: no text from outside comes before `event`, and a quote within a
    /// text is escaped.
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
    /// Where a text that it contains ends first.
    fileprivate func end(of text: StaticString) -> Int? {
        let wanted = Array(text.description.utf8)
        return indices.first { self[$0...].starts(with: wanted) }.map { $0 + wanted.count }
    }
}
