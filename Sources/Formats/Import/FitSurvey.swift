import Domain

/// What a first pass over a FIT file finds: the times of its records, its timer events, and what sessions, laps and lengths
/// state. ``FitPlan`` decides from it how a second pass reads each activity.
///
/// It takes four bytes for each record.
package struct FitSurvey: Sendable {
    /// A session's own figures; times in seconds since the epoch of FIT, durations in milliseconds.
    struct Session: Sendable {
        /// The number of the FIT file in a chained one.
        var file: Int
        var start: Int64?
        var end: Int64?
        var elapsed: Int64?
        var timer: Int64?
        /// In centimetres.
        var poolLength: Int64?
    }

    struct Event: Sendable {
        /// The number among all timer events of the file, and the number of records before it.
        var number: Int
        var before: Int
        /// The number of the FIT file in a chained one.
        var file: Int
        var item: FitTimelineItem
    }

    struct Lap: Sendable {
        var file: Int
        var start: Int64
        var end: Int64
        var timer: Int64?
    }

    /// The most events and laps of a file.
    private static let limit = 65_536

    /// The times of the records, in the order of the file.
    private(set) var records: [UInt32] = []
    private(set) var events: [Event] = []
    private(set) var sessions: [Session] = []
    private(set) var laps: [Lap] = []
    private(set) var heartRates = FitHeartRates()
    /// The dated times of other messages, for records that have none.
    private(set) var otherTime: Int64?
    private(set) var isOurs = false
    /// The number of records of the first FIT file.
    private(set) var recordsOfFirstFile = 0
    private var head = FitSummary()
    private var timerEvents = 0
    private var file = -1
    private var fileHasSession = false
    private var firstOfFile = 0

    package init() {}

    mutating func beginFile() {
        endFile()
        file += 1
        fileHasSession = false
        firstOfFile = records.count
    }

    mutating func add(_ message: FitMessage, _ kind: Fit.Message?) {
        switch kind {
        case .fileID:
            if file <= 0 { head.file(message) }
            isOurs = head.isOurs
            note(message[Fit.FileID.created])
        case .record:
            guard let time = message.time, let short = UInt32(exactly: time) else { return }
            records.append(short)
        case .event:
            guard let item = FitTimelineItem(message) else { return }
            if events.count < Self.limit {
                events.append(Event(number: timerEvents, before: records.count, file: max(file, 0), item: item))
            }
            timerEvents += 1
        case .session: add(session: message)
        case .lap:
            guard laps.count < Self.limit, let start = message[Fit.Lap.start] ?? message.time else { return }
            let end = max(start + (message[Fit.Lap.elapsed] ?? 0) / 1000, message.time ?? start)
            laps.append(
                Lap(
                    file: max(file, 0), start: start, end: end,
                    timer: message[Fit.Lap.timer] ?? message[Fit.Lap.elapsed]))
        case .activity: note(message.time)
        case .heartRate: heartRates.add(message)
        default: break
        }
    }

    /// Ends the pass.
    mutating func finish() {
        endFile()
        heartRates.finish()
    }

    private mutating func add(session message: FitMessage) {
        fileHasSession = true
        note(message[Fit.Session.start])
        note(message.time)
        var session = Session(file: max(file, 0))
        session.start = message[Fit.Session.start]
        session.end = message.time
        session.elapsed = message[Fit.Session.elapsed].flatMap { $0 > 0 ? $0 : nil }
        session.timer = message[Fit.Session.timer].flatMap { $0 > 0 ? $0 : nil }
        session.poolLength = message[Fit.Session.poolLength].flatMap { $0 > 0 ? $0 : nil }
        if sessions.count < Self.limit { sessions.append(session) }
    }

    /// A chained file without a session is an activity of its own if it has records.
    private mutating func endFile() {
        if file <= 0 { recordsOfFirstFile = records.count }
        guard file > 0, !fileHasSession, firstOfFile < records.count, sessions.count < Self.limit else { return }
        var session = Session(file: file)
        session.start = Int64(records[firstOfFile])
        sessions.append(session)
    }

    private mutating func note(_ time: Int64?) {
        guard let time, time > Fit.firstTime else { return }
        otherTime = min(otherTime ?? time, time)
    }
}

/// The heart rates of `hr` messages, which a strap writes for swims, often into a second file that is appended.
///
/// A message has up to eight values. Their times count 1/1024 s of the strap, in whole or in the lowest 12 bits; the first
/// message gives the time of day of one of them.
struct FitHeartRates: Sendable {
    struct Second: Sendable {
        /// Seconds since the epoch of FIT.
        var time: Int64
        var sum: Int
        var count: Int

        var rate: Int { (sum + count / 2) / count }
    }

    /// The most seconds: twelve days.
    private static let limit = 1 << 20

    private(set) var seconds: [Second] = []
    /// 1/1024 s of the strap at the second 0 of FIT's epoch; nil before the first message with a time.
    private var origin: Int64?
    private var newest: Int64 = 0

    mutating func add(_ message: FitMessage) {
        let moments = moments(message)
        if let time = message[Fit.timestamp], let first = moments.first {
            let part = (message[Fit.HeartRate.fraction] ?? 0) / 32
            origin = first - time * 1024 - part
        }
        guard let origin else { return }
        for (moment, rate) in zip(moments, message.values(Fit.HeartRate.rates)) where 1...240 ~= rate {
            add(Int(rate), at: (moment - origin) / 1024)
        }
    }

    /// Orders the seconds.
    mutating func finish() {
        seconds.sort { $0.time < $1.time }
        var merged: [Second] = []
        for second in seconds {
            if let last = merged.last, last.time == second.time {
                merged[merged.count - 1].sum += second.sum
                merged[merged.count - 1].count += second.count
            } else {
                merged.append(second)
            }
        }
        seconds = merged
    }

    private mutating func add(_ rate: Int, at time: Int64) {
        if let last = seconds.last, last.time == time {
            seconds[seconds.count - 1].sum += rate
            seconds[seconds.count - 1].count += 1
        } else if seconds.count < Self.limit {
            seconds.append(Second(time: time, sum: rate, count: 1))
        }
    }

    /// The moments of a message's values, in 1/1024 s of the strap.
    private mutating func moments(_ message: FitMessage) -> [Int64] {
        var moments = message.values(Fit.HeartRate.moments)
        if let last = moments.last { newest = last }
        let packed = Array(message.bytes(of: Fit.HeartRate.packedMoments))
        // Two values in three bytes, the lower one first.
        for place in stride(from: 0, to: packed.count - 1, by: 3) {
            append(Int64(packed[place]) | Int64(packed[place + 1] & 0xF) << 8, to: &moments)
            guard place + 2 < packed.count else { break }
            append(Int64(packed[place + 1] >> 4) | Int64(packed[place + 2]) << 4, to: &moments)
        }
        return moments
    }

    private mutating func append(_ low: Int64, to moments: inout [Int64]) {
        newest += (low - newest) & 0xFFF
        moments.append(newest)
    }
}
