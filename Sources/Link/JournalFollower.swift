package import Domain
import Glibc
import JSONCoding
package import Linux
import Pipeline
import Report
import SQLite
package import Storage
import Wire

/// Finds out what is new in the journal, and reads rows and heads of it.
///
/// What it finds is passed on after the journal was synced: a row that a power cut takes away is recorded again at the same place,
/// with another content, and a collector would keep the first one.
package final class JournalFollower {
    /// What was found, once it is synced.
    package enum Finding {
        case activities([UUID: RowDelivery.Activity], journal: String)
        /// Those that may be uploaded.
        case recorded(JournalReader.Recorded)
        case rows(UUID, end: Int)
    }

    /// A batch of rows, as JSON texts with commas between.
    package struct Batch {
        package var rows: [UInt8] = []
        package var next: Int
        /// Whether no row follows, of rows that are selected when they are read.
        package var isLast = false
    }

    /// The activities that are read in one turn of the loop, some 50 µs each.
    private static let sliceSize = 100
    /// In a run the activities are searched for edits each minute, since each second changes the journal.
    private static let pause = Duration.seconds(60)

    private let directory: String
    private let level: LinkLevel
    private let hidden: HiddenCircles?
    private let log: (LogLevel, String) -> Void
    private let found: (Finding) -> Void
    /// Whether rows or uploads are wanted.
    private let surveys: Bool
    private var slices: TimerSource?
    private var reader: JournalReader?
    /// The file that is open: its device and number.
    private(set) var identity = ""
    private var reported: String?
    /// Of the last complete survey.
    private var version: Int64?
    private var counts: [Int64] = []
    private var surveyed: Instant?
    /// The survey under way: what it has found, the last number, and what the journal was like at its beginning.
    private var survey: (activities: [UUID: RowDelivery.Activity], last: Int, version: Int64, counts: [Int64])?
    /// What waits for its sync, and when it was read.
    private var waiting: [(finding: Finding, readAt: Instant)] = []
    private var open: (uuid: UUID, id: Int)?
    /// The activity of the last STATE line.
    private var named: (id: Int, uuid: UUID?)?

    package init(
        _ directory: String, level: LinkLevel, hidden: HiddenCircles?, surveys: Bool, loop: EventLoop,
        log: @escaping (LogLevel, String) -> Void, found: @escaping (Finding) -> Void
    ) throws(SystemError) {
        self.directory = directory
        self.level = level
        self.hidden = hidden
        self.surveys = surveys
        self.log = log
        self.found = found
        slices = try loop.timer { [unowned self] in perform { try step() } }
    }

    /// Looks for something new. Called each second while paced runs.
    ///
    /// - Parameter synced: what was read before this moment survives a power cut.
    package func look(isRunning: Bool, synced: Instant?, at now: Instant) {
        if let synced {
            while let first = waiting.first, first.readAt < synced {
                waiting.removeFirst()
                found(first.finding)
            }
        }
        perform {
            try openJournal()
            guard let reader, surveys else { return }
            if survey == nil { try lookForActivities(reader, isRunning: isRunning, at: now) }
            if isRunning, hidden == nil { try lookForRows(reader) }
        }
    }

    private func perform(_ body: () throws -> Void) {
        do {
            try body()
            reported = nil
        } catch {
            reader = nil
            survey = nil
            let text = "cannot read the journal in \(directory): \(error)"
            if reported != text { log(.warning, text + "; retrying") }
            reported = text
        }
    }

    private func openJournal() throws {
        var status = stat()
        let path = directory + "/" + JournalFile.name
        guard stat(path, &status) == 0 else {
            reader = nil
            return
        }
        let identity = "\(status.st_dev):\(status.st_ino)"
        if reader != nil, identity == self.identity { return }
        reader = try JournalReader(in: directory)
        self.identity = identity
        (version, survey, waiting, open, named) = (nil, nil, [], nil, nil)
    }

    private func lookForActivities(_ reader: JournalReader, isRunning: Bool, at now: Instant) throws {
        let version = try reader.dataVersion()
        guard version != self.version || open != nil && !isRunning else { return }
        let counts = try reader.activityCounts()
        if self.version != nil, isRunning, counts == self.counts, let surveyed, now - surveyed < Self.pause { return }
        survey = ([:], 0, version, counts)
        try step()
    }

    /// Reads the next activities of the survey.
    private func step() throws {
        guard let reader, var survey else { return }
        let (activities, last) = try reader.survey(after: survey.last, limit: Self.sliceSize)
        for activity in activities where !activity.summary.isDemo {
            if activity.summary.isOpen, !activity.isTrashed { open = (activity.uuid, activity.summary.id) }
            survey.activities[activity.uuid] = described(activity)
        }
        let now = Clock.now()
        guard let last else {
            (version, counts, surveyed, self.survey) = (survey.version, survey.counts, now, nil)
            if let open, survey.activities[open.uuid]?.isOpen != true { self.open = nil }
            waiting.append((.activities(survey.activities, journal: identity), now))
            waiting.append((.recorded(try reader.recorded()), now))
            return
        }
        survey.last = last
        self.survey = survey
        slices?.arm(at: now)
    }

    private func described(_ activity: JournalReader.SurveyedActivity) -> RowDelivery.Activity {
        let summary = activity.summary
        var end: Int? = activity.next
        if hidden != nil { end = summary.isOpen ? 0 : nil }
        return RowDelivery.Activity(
            id: summary.id, source: "\(summary.id):\(level.word):\(hidden?.radius ?? 0)", end: end,
            isOpen: summary.isOpen, isDeleted: activity.isTrashed,
            content: summary.isOpen ? 0 : Self.hash(Self.text(of: summary)), journal: identity)
    }

    private func lookForRows(_ reader: JournalReader) throws {
        guard let open, !waiting.contains(where: { if case .rows = $0.finding { true } else { false } }) else { return }
        let end = try reader.rows(of: open.id).count
        waiting.append((.rows(open.uuid, end: end), Clock.now()))
    }

    /// 64 bits of FNV-1a. Only changes are found by it.
    private static func hash(_ bytes: [UInt8]) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int64(bitPattern: hash)
    }

    private static func text(of summary: ActivitySummary) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.summary(summary)
        return writer.bytes
    }

    /// The uuid of an activity; nil if the journal has none of that number.
    func uuid(of id: Int) -> UUID? {
        if let named, named.id == id { return named.uuid }
        guard let summary = try? reader?.summary(of: id) else { return nil }
        named = (id, summary.uuid)
        return summary.uuid
    }

    /// Whether the journal can be read. It is opened if it was not.
    var isReadable: Bool {
        perform { try openJournal() }
        return reader != nil
    }

    /// What was recorded; nil if the journal cannot be read.
    func recorded() -> JournalReader.Recorded? { isReadable ? try? reader?.recorded() : nil }

    /// The number of an activity of the lists or the trash; nil if there is none with the uuid.
    func number(of uuid: UUID) throws(SQLiteError) -> Int? { try reader?.activity(uuid) }

    /// An activity of the lists; nil if they have none of the number.
    func activity(_ id: Int) throws(SQLiteError) -> ActivitySummary? { try reader?.summary(of: id) }

    /// The starts and ends of the newest activities; nil while the journal cannot be read.
    func ends() throws -> [Coordinate]? {
        guard let reader else { return nil }
        var ends: [Coordinate] = []
        for summary in try reader.list(limit: Self.endLimit) {
            ends += try reader.ends(of: summary.id)
        }
        return ends
    }

    /// The first recorded position of an activity; nil if there is none yet.
    func start(of id: Int) throws -> Coordinate? {
        try reader?.ends(of: id).first
    }

    /// The activities of about half a year.
    private static let endLimit = 200

    /// The summary of an activity as its level has it; nil if it has gone meanwhile.
    func summary(of id: Int) throws -> JSON? {
        guard let summary = try reader?.summary(of: id) else { return nil }
        let json = level.reduced(try JSON(parsing: Self.text(of: summary)))
        guard hidden != nil, case .object(let members) = json else { return json }
        // Totals and times of the whole activity would tell how far a hidden place is.
        return .object(members.filter { Self.namesOfHidden.contains($0.key) })
    }

    private static let namesOfHidden: Set = ["id", "uuid", "sport", "indoor", "name"]

    /// The rows of an activity from a place on; nil if it has gone meanwhile.
    ///
    /// - Parameter end: the place after the last row that is synced; nil for rows that are selected here.
    package func batch(of id: Int, from place: Int, to end: Int?, limit: Int) throws -> Batch? {
        guard let reader, try reader.summary(of: id) != nil else { return nil }
        let rows = try reader.rows(of: id)
        var writer = JSONWriter(capacity: limit + 4096)
        var batch = Batch(next: place)
        func add(_ place: Int, _ row: RecordingRow) -> Bool {
            if let row = reduced(row) { writer.recordingRow(row, place: place) }
            batch.next = place + 1
            return writer.bytes.count < limit
        }
        if let hidden {
            batch.isLast = try select(rows, hidden, from: place, add)
        } else if let end {
            batch.next = end
            try rows.each(from: place) { place, row in
                guard place < end else { return false }
                if add(place, row) { return true }
                return false
            }
            if writer.bytes.count < limit { batch.next = end }
        }
        batch.rows = writer.bytes
        return batch
    }

    /// Passes the visible rows on, until `add` returns false. Their places are counted here.
    ///
    /// - Returns: whether there are no more.
    private func select(
        _ rows: JournalRows, _ hidden: HiddenCircles, from place: Int, _ add: (Int, RecordingRow) -> Bool
    ) throws -> Bool {
        struct Full: Error {}
        let visible = try HiddenRows(rows, hidden.places(of: rows))
        var count = 0
        do {
            try visible.each(in: .min ... .max) { row in
                defer { count += 1 }
                if count >= place, !add(count, row) { throw Full() }
            }
            return true
        } catch is Full {
            return false
        }
    }

    /// A row without what the level leaves out; nil if nothing is left.
    private func reduced(_ row: RecordingRow) -> RecordingRow? {
        if level == .full { return row }
        switch row {
        case .beats: return nil
        case .sample(var sample):
            sample.heartRate = nil
            // The fields of other programs may be figures of the body.
            sample.fields = []
            return .sample(sample)
        default: return row
        }
    }
}
