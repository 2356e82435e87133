import Domain

/// Makes a recording from the messages of a FIT activity, as its plan says.
///
/// Timer events and records pass ``RecordReorderer`` and become rows in ``FitTrack``. RR intervals have no time: they
/// belong to the record or event before them, also in a pause. One record or event is held until the next one shows
/// that it is complete.
struct FitActivityReader {
    private static let lapLimit = 4096
    /// The largest number of messages with RR intervals that wait with one record or event. In a pause more follow: they
    /// become an item of the same time.
    private static let beatsLimit = 64
    /// The most records that are sorted: three days.
    static let sortLimit = 1 << 18

    private let plan: FitPlan
    private var order = RecordReorderer<FitTimelineItem>()
    private var track = FitTrack()
    private var pending: FitTimelineItem?
    private var skipped = SkippedElements()
    private var head = FitSummary()

    private enum File {
        /// No message has been read yet.
        case unknown
        case activity, other
        /// An activity that is not read: it counts once it has content.
        case appended
    }

    private var file = File.unknown
    private var hasActivity = false
    /// The description of the first file that is not an activity.
    private var otherFile: String?
    /// The number of valid values of skipped record fields, by field number.
    private var recordFields = [Int](repeating: 0, count: 256)
    private var ownFields = FitOwnFields()
    private var identity = FitIdentity()
    private var uuid: UUID?

    // What was read so far, as the plan numbers it.
    private var files = 0
    private var records = 0
    private var sessions = 0
    private var timerEvents = 0
    private var nextEvent = 0
    private var nextHeartRate = 0
    /// The records of a file that has no order.
    private var unsorted: [FitTimelineItem] = []
    /// The lengths of a pool so far, in metres.
    private var lengthMetres = 0.0
    /// The distance of the last record before the activity.
    private var metresBefore = 0.0
    /// The distance of compressed fields in 1/16 m; nil before the first.
    private var compressedDistance: Int64?
    /// Why the records from here on are not imported, once.
    private var ending: String?

    init(_ plan: FitPlan = FitPlan()) {
        self.plan = plan
        track.keepsPauses = plan.keepsPauses
    }

    mutating func beginFile() {
        file = .unknown
    }

    /// Returns once why the last message, and what follows it, is not imported.
    mutating func popEnding() -> String? {
        defer { ending = nil }
        return ending
    }

    /// - Throws: The errors of `row`.
    mutating func ingest(_ message: FitMessage, _ row: (RecordingRow) throws -> Void) throws {
        let kind = Fit.Message(rawValue: message.definition.message)
        if file == .unknown { begin(message, kind) }
        if file == .appended, [.record, .session, .lap].contains(kind) {
            countOther(FitSummary.fileType(Fit.activityFile))
        }
        guard file == .activity else { return }
        switch kind {
        case .fileID:
            head.file(message)
            track.continuesInPauses = head.isOurs
        case .fileCreator, .activity, .pad, .heartRate: break
        case .deviceInfo: head.device(message)
        case .developerData: identity.developer(message)
        case .fieldDescription: if !identity.describes(message) { ownFields.describe(message) }
        case .coursePoint: mark(message)
        case .session:
            if plan.sessions.contains(sessions) {
                head.session(message)
                uuid = uuid ?? identity.activity(message)
            }
            sessions += 1
        case .lap: try lap(message)
        case .length: try length(message, row)
        case .event: try event(message, row)
        case .record: try record(message, row)
        case .beats: try beats(message, row)
        default: skipped.count(kind?.name.text ?? "message \(message.definition.message)")
        }
    }

    /// - Throws: ``FileError`` if there is no activity, and the errors of `row`.
    mutating func finish(_ row: (RecordingRow) throws -> Void) throws -> ImportedRecording {
        guard hasActivity else { throw FileError("the file contains \(otherFile ?? "nothing"), not an activity") }
        // In the order of the file where the times are equal.
        let sorted = unsorted.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        for (number, item) in sorted.enumerated() { try take(item.element, number: number, row) }
        while nextEvent < plan.events.count { try ingestEvent(row) }
        try push(row)
        try order.finish { moment, time in try track.ingest(moment, at: time, row) }
        guard var recording = try track.finish(head, row) else {
            throw FileError("the activity has neither records nor totals")
        }
        recording.uuid = uuid
        for (number, count) in recordFields.enumerated() { skipped.count(FitSummary.recordField(number), count) }
        recording.fields = ownFields.fields
        skipped.count("developer field", ownFields.skipped)
        skipped.count("record with an earlier time", order.backward)
        skipped.count("record too far ahead in time", order.ahead)
        skipped.count("extra record in the same second", track.doubles)
        skipped.count("RR interval over 64 s", track.longBeats)
        skipped.count("RR interval", track.earlyExcess)
        skipped.count("step of the clock", plan.clockSteps)
        var imported = ImportedRecording(recording: recording, skipped: skipped)
        imported.activities = plan.count
        return imported
    }

    /// Whether the plan reads a file of this type. The first message shows the type.
    static func isActivity(_ message: FitMessage, _ kind: Fit.Message?) -> Bool {
        fileType(message, kind) == Fit.activityFile
    }

    private static func fileType(_ message: FitMessage, _ kind: Fit.Message?) -> Int64 {
        kind == .fileID ? message[Fit.FileID.type] ?? Fit.activityFile : Fit.activityFile
    }

    private mutating func begin(_ message: FitMessage, _ kind: Fit.Message?) {
        let isRead = Self.isActivity(message, kind) && plan.files.contains(files)
        if Self.isActivity(message, kind) { files += 1 }
        file = isRead ? .activity : .appended
        if !Self.isActivity(message, kind) { countOther(FitSummary.fileType(Self.fileType(message, kind))) }
        hasActivity = hasActivity || file == .activity
    }

    private mutating func countOther(_ name: String) {
        file = .other
        skipped.count(name)
        otherFile = otherFile ?? name
    }

    private mutating func lap(_ message: FitMessage) throws {
        guard let start = message[Fit.Lap.start] ?? message.time, let lap = FitLap(message, plan) else {
            return skipped.count("lap without times")
        }
        guard plan.window.contains(start) else { return }
        guard track.laps.count < Self.lapLimit else { throw FileError("more than \(Self.lapLimit) laps") }
        track.laps.append(lap)
    }

    /// The lengths of a pool are the samples of an activity that has no records.
    private mutating func length(_ message: FitMessage, _ row: (RecordingRow) throws -> Void) throws {
        guard plan.isUntimed, let metres = plan.poolLength else { return skipped.count(Fit.Message.length.name.text) }
        guard message[Fit.Length.type] != 0, let start = message[Fit.Length.start] ?? message.time,
            plan.window.contains(start)
        else { return }
        lengthMetres += metres
        var values = FitValues()
        values.sample.distanceMetres = lengthMetres
        let end = start + ((message[Fit.Length.elapsed] ?? 0) + 500) / 1000
        try take(FitTimelineItem(time: end, kind: .record(values)), number: 0, row)
    }

    private mutating func event(_ message: FitMessage, _ row: (RecordingRow) throws -> Void) throws {
        guard var item = FitTimelineItem(message) else { return skipped.count("event") }
        defer { timerEvents += 1 }
        guard !plan.moved.contains(timerEvents) else { return }
        item.time += plan.eventShifts[timerEvents] ?? 0
        try ingest(item, row)
    }

    private mutating func record(_ message: FitMessage, _ row: (RecordingRow) throws -> Void) throws {
        guard let time = message.time, UInt32(exactly: time) != nil else {
            let isHere = plan.records.contains(records) || records == plan.records.upperBound
            return isHere ? skipped.count("record without time") : ()
        }
        defer { records += 1 }
        let isHere = plan.records.contains(records)
        for field in message.definition.skippedFields where isHere && message.holds(field) {
            recordFields[Int(field.number)] += 1
        }
        var values = FitValues(message)
        readCompressed(message, into: &values.sample)
        if isHere { values.sample.fields = ownFields.read(message) }
        let item = FitTimelineItem(time: time, kind: .record(values))
        if plan.sorts {
            unsorted.append(item)
        } else {
            try take(item, number: records, row)
        }
    }

    /// A course point with a time is a place that the user marked; those of a course have none.
    private mutating func mark(_ message: FitMessage) {
        guard let time = message[Fit.CoursePoint.time], plan.window.contains(time) else {
            return skipped.count(Fit.Message.coursePoint.name.text)
        }
        let kind = message[Fit.CoursePoint.type].flatMap { CoursePointKind(fitNumber: $0) } ?? .generic
        var mark = RecordedMark(
            kind, text: message.text(Fit.CoursePoint.name), at: 0, elapsedMilliseconds: 0,
            distanceMetres: message[Fit.CoursePoint.distance].map { Double($0) / 100 } ?? 0)
        if let latitude = message[Fit.CoursePoint.latitude], let longitude = message[Fit.CoursePoint.longitude] {
            mark.coordinate = Coordinate(
                latitude: Fit.degrees(semicircles: latitude), longitude: Fit.degrees(semicircles: longitude))
        }
        track.marks.append(mark, at: UTC(milliseconds: (time + Fit.epoch) * 1000))
    }

    private mutating func readCompressed(_ message: FitMessage, into sample: inout RecordingSample) {
        let bytes = Array(message.bytes(of: Fit.Record.compressedSpeedDistance))
        guard bytes.count == 3, bytes != [0xFF, 0xFF, 0xFF] else { return }
        let low = Int64(bytes[1] >> 4) | Int64(bytes[2]) << 4
        let before = compressedDistance ?? 0
        let sum = before + (low - before) & 0xFFF
        compressedDistance = sum
        sample.speed = sample.speed ?? Double(Int(bytes[0]) | Int(bytes[1] & 0xF) << 8) / 100
        // In centimetres, as other distances.
        sample.distanceMetres = sample.distanceMetres ?? (Double(sum) / 16 * 100).rounded() / 100
    }

    /// Takes a record by its number in the plan, after the events and heart rates that come before it.
    private mutating func take(
        _ record: FitTimelineItem, number: Int, _ row: (RecordingRow) throws -> Void
    ) throws {
        guard plan.records.contains(number) || plan.isUntimed else {
            if number < plan.records.lowerBound { metresBefore = record.metres ?? metresBefore }
            return
        }
        if plan.early.contains(number) { return skipped.count("record far from the others in time") }
        if plan.late.contains(number) {
            if number == plan.late.lowerBound { ending = "the time of the record is far from that of the one before" }
            return
        }
        var record = record
        record.time += plan.shift(ofRecord: number)
        while nextEvent < plan.events.count,
            plan.isUntimed
                ? plan.events[nextEvent].item.isStart
                    ? plan.events[nextEvent].item.time <= record.time : plan.events[nextEvent].item.time < record.time
                : plan.events[nextEvent].before <= number
        {
            try ingestEvent(row)
        }
        try takeHeartRates(before: record.time, row)
        guard case .record(var values) = record.kind else { return }
        if let metres = values.sample.distanceMetres {
            // The counter of the second of several activities goes on, or begins again.
            if metres < metresBefore { metresBefore = 0 }
            values.sample.distanceMetres = metres - metresBefore
        }
        if values.sample.heartRate == nil { values.sample.heartRate = heartRate(at: record.time) }
        // Two records of one second are merged.
        if let pending, pending.time == record.time, case .record(let first) = pending.kind {
            self.pending?.kind = .record(first.completed(by: values))
            self.pending?.beats += record.beats
        } else {
            record.kind = .record(values)
            try ingest(record, row)
        }
    }

    private mutating func ingestEvent(_ row: (RecordingRow) throws -> Void) throws {
        let item = plan.events[nextEvent].item
        nextEvent += 1
        if plan.isUntimed { try takeHeartRates(before: item.time, row) }
        try ingest(item, row)
    }

    /// The heart rates between two records are samples of their own.
    private mutating func takeHeartRates(before time: Int64, _ row: (RecordingRow) throws -> Void) throws {
        while nextHeartRate < plan.heartRates.count, plan.heartRates[nextHeartRate].time < time {
            let second = plan.heartRates[nextHeartRate]
            nextHeartRate += 1
            guard let pending, pending.time <= second.time else { continue }
            var values = FitValues()
            values.sample.heartRate = second.rate
            if pending.time == second.time, case .record(let first) = pending.kind {
                self.pending?.kind = .record(values.completed(by: first))
            } else {
                try ingest(FitTimelineItem(time: second.time, kind: .record(values)), row)
            }
        }
    }

    /// The newest heart rate of an `hr` message that is at most two seconds old.
    private func heartRate(at time: Int64) -> Int? {
        let isNow = nextHeartRate < plan.heartRates.count && plan.heartRates[nextHeartRate].time == time
        let place = isNow ? nextHeartRate : nextHeartRate - 1
        guard plan.heartRates.indices.contains(place), time - plan.heartRates[place].time <= 2 else { return nil }
        return plan.heartRates[place].rate
    }

    private mutating func beats(_ message: FitMessage, _ row: (RecordingRow) throws -> Void) throws {
        let intervals = message.values(Fit.Beats.intervals)
        if plan.sorts {
            guard let last = unsorted.indices.last, unsorted[last].beats.count < Self.beatsLimit else { return }
            return unsorted[last].beats.append(intervals)
        }
        guard records == 0 || plan.records.contains(records - 1) else { return }
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
