import Domain

/// Makes a recording from the messages of a FIT activity.
///
/// Timer events and records pass ``RecordReorderer`` and become rows in ``FitTrack``. RR intervals have no time: they
/// belong to the record or event before them, also in a pause. One record or event is held until the next one shows
/// that it is complete.
struct FitActivityReader {
    private static let lapLimit = 4096
    /// The largest number of messages with RR intervals that wait with one record or event. In a pause more follow: they
    /// become an item of the same time.
    private static let beatsLimit = 64

    private var order = RecordReorderer<FitTimelineItem>()
    private var track = FitTrack()
    private var pending: FitTimelineItem?
    private var skipped = SkippedElements()
    private var head = FitSummary()

    private enum File {
        /// No message has been read yet.
        case unknown
        case activity, other
    }

    private var file = File.unknown
    private var hasActivity = false
    /// The timer events that are not in their place; complete when a second pass begins.
    private(set) var misplaced: FitOrder
    private var timerEvents = 0
    /// The description of the first file that is not an activity.
    private var otherFile: String?
    /// The number of valid values of skipped record fields, by field number.
    private var recordFields = [Int](repeating: 0, count: 256)
    private var developerFields = 0

    /// - Parameter order: what a first pass with ``survey(_:)`` has found; nil if there was none.
    init(_ order: FitOrder? = nil) {
        misplaced = order ?? FitOrder()
    }

    /// Takes a message in a first pass over the file, which finds the order of its events only.
    mutating func survey(_ message: FitMessage) {
        let kind = Fit.Message(rawValue: message.definition.message)
        if file == .unknown { begin(kind == .fileID ? message[Fit.FileID.type] ?? Fit.activityFile : Fit.activityFile) }
        guard file == .activity, let time = message.time else { return }
        switch kind {
        case .record: misplaced.add(recordAt: time)
        case .event: if let item = Self.timerEvent(message) { misplaced.add(event: item) }
        default: break
        }
    }

    mutating func beginFile() {
        file = .unknown
    }

    /// - Throws: The errors of `row`.
    mutating func ingest(_ message: FitMessage, _ row: (RecordingRow) throws -> Void) throws {
        let kind = Fit.Message(rawValue: message.definition.message)
        if file == .unknown { begin(kind == .fileID ? message[Fit.FileID.type] ?? Fit.activityFile : Fit.activityFile) }
        guard file == .activity else { return }
        developerFields += message.definition.developerFields
        switch kind {
        case .fileID:
            head.file(message)
            track.continuesInPauses = head.isOurs
        case .fileCreator, .activity, .pad: break
        case .deviceInfo: head.device(message)
        case .session: head.session(message)
        case .lap: try lap(message)
        case .event: try event(message, row)
        case .record: try record(message, row)
        case .beats: try beats(message, row)
        default: skipped.count(kind?.name.text ?? "message \(message.definition.message)")
        }
    }

    /// - Throws: ``FileError`` if there is no activity, and the errors of `row`.
    mutating func finish(_ row: (RecordingRow) throws -> Void) throws -> ImportedRecording {
        guard hasActivity else { throw FileError("the file contains \(otherFile ?? "nothing"), not an activity") }
        for event in misplaced.popAll() { try ingest(event, row) }
        try push(row)
        try order.finish { moment, time in try track.ingest(moment, at: time, row) }
        guard let recording = try track.finish(head, row) else { throw FileError("the activity has no records") }
        for (number, count) in recordFields.enumerated() { skipped.count(FitSummary.recordField(number), count) }
        skipped.count("developer field", developerFields)
        skipped.count("record with an earlier time", order.backward)
        skipped.count("record too far ahead in time", order.ahead)
        skipped.count("extra record in the same second", track.doubles)
        skipped.count("RR interval over 64 s", track.longBeats)
        skipped.count("RR interval", track.earlyExcess)
        return ImportedRecording(recording: recording, skipped: skipped)
    }

    private mutating func begin(_ type: Int64) {
        file = type == Fit.activityFile && !hasActivity ? .activity : .other
        if file == .other {
            let name = FitSummary.fileType(type)
            skipped.count(name)
            otherFile = otherFile ?? name
        }
        hasActivity = hasActivity || file == .activity
    }

    private mutating func lap(_ message: FitMessage) throws {
        guard let lap = FitLap(message) else { return skipped.count("lap without times") }
        guard track.laps.count < Self.lapLimit else { throw FileError("more than \(Self.lapLimit) laps") }
        track.laps.append(lap)
    }

    private mutating func event(_ message: FitMessage, _ row: (RecordingRow) throws -> Void) throws {
        guard let item = Self.timerEvent(message) else { return skipped.count("event") }
        defer { timerEvents += 1 }
        if !misplaced.isMoved(timerEvents) { try ingest(item, row) }
    }

    /// Nil for an event that neither starts nor stops the timer.
    private static func timerEvent(_ message: FitMessage) -> FitTimelineItem? {
        guard message[Fit.Event.event] == Fit.Event.timer, let time = message.time else { return nil }
        let trigger: RecordingRow.TimerTrigger = message[Fit.Event.data] == Fit.Event.auto ? .auto : .command
        switch message[Fit.Event.type] {
        case Fit.Event.start: return FitTimelineItem(time: time, kind: .start(trigger))
        case Fit.Event.stop, Fit.Event.stopAll, Fit.Event.stopDisable, Fit.Event.stopDisableAll:
            return FitTimelineItem(time: time, kind: .stop(trigger))
        default: return nil
        }
    }

    private mutating func record(_ message: FitMessage, _ row: (RecordingRow) throws -> Void) throws {
        for field in message.definition.skippedFields where message.holds(field) {
            recordFields[Int(field.number)] += 1
        }
        guard let time = message.time else { return skipped.count("record without time") }
        for event in misplaced.popEvents(before: time) { try ingest(event, row) }
        let values = FitValues(message)
        // Two records of one second are merged.
        if let pending, pending.time == time, case .record(let first) = pending.kind {
            self.pending?.kind = .record(first.completed(by: values))
        } else {
            try ingest(FitTimelineItem(time: time, kind: .record(values)), row)
        }
    }

    private mutating func beats(_ message: FitMessage, _ row: (RecordingRow) throws -> Void) throws {
        let intervals = message.values(Fit.Beats.intervals)
        guard let held = pending else { return try track.add(intervals, row) }
        if held.beats.count >= Self.beatsLimit {
            try push(row)
            pending = FitTimelineItem(time: held.time, kind: .beats)
        }
        pending?.beats.append(intervals)
    }

    private mutating func ingest(_ moment: FitTimelineItem, _ row: (RecordingRow) throws -> Void) throws {
        var moment = moment
        if let pending, pending.time >= moment.time {
            if case .record = moment.kind, case .stop = pending.kind, pending.time == moment.time {
                // A record of the second in which the timer stopped.
                return try pass(moment, row)
            }
            // An event that the device wrote a little late.
            if moment.isEvent, pending.time - moment.time < RecordReorderer<FitTimelineItem>.jump / 1000 {
                moment.time = pending.time
            }
        }
        try push(row)
        pending = moment
    }

    private mutating func push(_ row: (RecordingRow) throws -> Void) throws {
        guard let moment = pending else { return }
        pending = nil
        try pass(moment, row)
    }

    private mutating func pass(_ moment: FitTimelineItem, _ row: (RecordingRow) throws -> Void) throws {
        var left: [[Int64]] = []
        let time = UTC(milliseconds: (moment.time + Fit.epoch) * 1000)
        let skip = { (item: FitTimelineItem) in left += item.beats }
        try order.append(moment, at: time, skip: skip) { moment, time in
            try track.ingest(moment, at: time, row)
        }
        for beats in left { try track.add(beats, row) }
    }
}

/// A timer event or a record, with the beats that follow it in the file.
package struct FitTimelineItem: Sendable {
    enum Kind: Sendable {
        case start(RecordingRow.TimerTrigger)
        case stop(RecordingRow.TimerTrigger)
        case record(FitValues)
        /// More beats of the item before, at its time.
        case beats
    }

    /// Seconds since the epoch of FIT.
    var time: Int64
    var kind: Kind
    /// In milliseconds, one array for each message.
    var beats: [[Int64]] = []

    init(time: Int64, kind: Kind) {
        self.time = time
        self.kind = kind
    }

    var isStart: Bool {
        if case .start = kind { true } else { false }
    }

    var isEvent: Bool {
        switch kind {
        case .start, .stop: true
        case .record, .beats: false
        }
    }
}

/// The imported values of a record.
struct FitValues: Sendable {
    static let imported: Set<Fit.Field> = [
        Fit.timestamp, Fit.Record.latitude, Fit.Record.longitude, Fit.Record.altitude, Fit.Record.heartRate,
        Fit.Record.cadence, Fit.Record.distance, Fit.Record.speed, Fit.Record.power, Fit.Record.temperature,
        Fit.Record.enhancedSpeed, Fit.Record.enhancedAltitude, Fit.Record.balance,
    ]

    /// The sample; its times are set later.
    var sample = RecordingSample(at: 0, elapsedMilliseconds: 0)

    init(_ message: FitMessage) {
        if let latitude = message[Fit.Record.latitude], let longitude = message[Fit.Record.longitude],
            abs(latitude) <= 1 << 30, (latitude, longitude) != (0, 0)
        {
            sample.coordinate = Coordinate(
                latitude: Fit.degrees(semicircles: latitude), longitude: Fit.degrees(semicircles: longitude))
        }
        sample.distanceMetres = message[Fit.Record.distance].map { Double($0) / 100 }
        let altitude = message[Fit.Record.enhancedAltitude] ?? message[Fit.Record.altitude]
        sample.altitude = altitude.map { Double($0) / 5 - 500 }
        let speed = message[Fit.Record.enhancedSpeed] ?? message[Fit.Record.speed]
        sample.speed = speed.map { Double($0) / 1000 }
        sample.heartRate = message.integer(Fit.Record.heartRate, in: 1...240)
        sample.cadence = message.integer(Fit.Record.cadence, in: 0...254)
        sample.power = message.integer(Fit.Record.power, in: 0...65534)
        sample.temperature = message.integer(Fit.Record.temperature, in: -127...126)
        // Without the bit, the pedal is unknown.
        let right = Fit.Record.rightBalance
        sample.leftBalance = message.integer(Fit.Record.balance, in: right...right | 100).map { 100 - ($0 & 0x7F) }
    }

    /// Returns these values, completed and overridden by another record of the same second.
    func completed(by other: FitValues) -> FitValues {
        var result = self
        result.sample.coordinate = other.sample.coordinate ?? sample.coordinate
        result.sample.distanceMetres = other.sample.distanceMetres ?? sample.distanceMetres
        result.sample.altitude = other.sample.altitude ?? sample.altitude
        result.sample.speed = other.sample.speed ?? sample.speed
        result.sample.heartRate = other.sample.heartRate ?? sample.heartRate
        result.sample.cadence = other.sample.cadence ?? sample.cadence
        result.sample.power = other.sample.power ?? sample.power
        result.sample.temperature = other.sample.temperature ?? sample.temperature
        result.sample.leftBalance = other.sample.leftBalance ?? sample.leftBalance
        return result
    }
}
