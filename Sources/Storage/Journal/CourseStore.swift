package import Domain
package import JournalCoding
import Pipeline
package import SQLite

/// A course to store: its bytes, and what the list shows of it.
package struct StoredCourse: Equatable, Sendable {
    package var summary: CourseSummary
    package var bytes: [UInt8]

    init(summary: CourseSummary, bytes: [UInt8]) {
        self.summary = summary
        self.bytes = bytes
    }

    /// Encodes a course and computes its figures.
    ///
    /// - Throws: ``CourseFailure`` with the place of a value that no course may have.
    ///
    /// - Parameter uuid: that of a file; nil for a new one.
    package init(_ data: CourseData, name: SanitizedText?, uuid: UUID? = nil, added: UTC) throws(CourseFailure) {
        bytes = try data.encoded()
        let course = try Course(decoding: bytes)
        guard course.length <= CourseData.lengthLimit else {
            throw CourseFailure("a course is at most \(Int(CourseData.lengthLimit / 1000)) km long")
        }
        guard course.length > 0 else { throw CourseFailure("all vertices of the course are one place") }
        summary = CourseSummary(course, name: name, added: added)
        summary.uuid = uuid
    }
}

extension Course {
    /// Decodes and indexes stored bytes.
    package convenience init(decoding bytes: [UInt8]) throws(CourseFailure) {
        self.init(
            try CourseData(decoding: bytes), hash: CourseHash(of: bytes))
    }
}

/// What is loaded, kept over a restart of the daemon.
package struct LoadedGuide: Equatable, Sendable {
    package var course: LoadedCourse?
    package var partner: Partner?

    package init(course: LoadedCourse? = nil, partner: Partner? = nil) {
        self.course = course
        self.partner = partner
    }
}

/// A change to the courses.
package enum CourseChange: Equatable, Sendable {
    /// The course that is loaded from now on; nil for none.
    case load(CourseHash?)
    /// The partner from now on; nil for none. A curve comes with its bytes.
    case partner(Partner?, bytes: [UInt8]?)
    case rename(Int, SanitizedText)
    /// Takes a course off the list. Its data goes with the last activity that names it.
    case delete(Int)
}

extension JournalReader {
    private var courseSummaries: String {
        "SELECT id, hash, name, sport, added_ms, vertices, points, length_m, ascent_m, climbs, \(uuid), \(trashMark) FROM course"
    }

    private var trashMark: String {
        hasTrash ? "(SELECT at_ms FROM course_trash WHERE course_trash.course = course.id)" : "NULL"
    }

    private var hasCourses: Bool { version >= JournalSchema.versionWithCourses }

    /// The courses of the list or the trash, newest first.
    ///
    /// - Parameter before: only the courses with a lower number.
    package func courses(
        limit: Int, before: Int? = nil, in place: RecordPlace = .lists
    ) throws(SQLiteError) -> [CourseSummary] {
        guard hasCourses else { return [] }
        let statement = try database.prepare(
            courseSummaries + " WHERE \(isCourse(in: place)) AND id < ? ORDER BY id DESC LIMIT ?")
        try statement.bind(before ?? Int.max, limit)
        var list: [CourseSummary] = []
        while try statement.step() {
            if let summary = Self.summary(ofCourse: statement) { list.append(summary) }
        }
        return list
    }

    /// A course of the list or the trash; nil if none there has the number.
    package func course(_ number: Int, in place: RecordPlace = .lists) throws(SQLiteError) -> CourseSummary? {
        guard hasCourses else { return nil }
        let statement = try database.prepare(courseSummaries + " WHERE \(isCourse(in: place)) AND id = ?")
        try statement.bind(number)
        return try statement.step() ? Self.summary(ofCourse: statement) : nil
    }

    private func course(_ hash: CourseHash) throws(SQLiteError) -> CourseSummary? {
        guard hasCourses else { return nil }
        let statement = try database.prepare(courseSummaries + " WHERE hash = ?")
        try statement.bind(hash.description)
        return try statement.step() ? Self.summary(ofCourse: statement) : nil
    }

    private static func summary(ofCourse columns: some JournalColumns) -> CourseSummary? {
        guard let hash = columns.text(1).flatMap({ CourseHash($0) }) else { return nil }
        var summary = CourseSummary(
            id: Int(columns.integer(0) ?? 0), hash: hash, name: columns.text(2).flatMap { SanitizedText($0) },
            sport: columns.text(3).map { Sport(token: $0) ?? .other },
            added: UTC(milliseconds: columns.integer(4) ?? 0), vertices: Int(columns.integer(5) ?? 0),
            points: Int(columns.integer(6) ?? 0), length: columns.real(7) ?? 0, ascent: columns.real(8),
            climbs: Int(columns.integer(9) ?? 0))
        summary.uuid = columns.text(10).flatMap { UUID($0) }
        summary.trashed = columns.integer(11).map(TrashMark.init(stored:))
        return summary
    }

    /// The bytes of a course, listed or not; nil if it is not stored.
    package func courseData(_ hash: CourseHash) throws(SQLiteError) -> [UInt8]? {
        try stored("course", hash)
    }

    /// The bytes of a partner's curve; nil if it is not stored.
    package func partnerData(_ hash: CourseHash) throws(SQLiteError) -> [UInt8]? {
        try stored("partner", hash)
    }

    private func stored(_ table: String, _ hash: CourseHash) throws(SQLiteError) -> [UInt8]? {
        guard hasCourses else { return nil }
        let statement = try database.prepare("SELECT data FROM \(table) WHERE hash = ?")
        try statement.bind(hash.description)
        return try statement.step() ? statement.bytes(0) : nil
    }

    /// A course of the list, indexed.
    package func loadableCourse(_ summary: CourseSummary) throws -> LoadedCourse? {
        guard let bytes = try courseData(summary.hash) else { return nil }
        return LoadedCourse(
            hash: summary.hash, number: summary.id, name: summary.name, course: try Course(decoding: bytes))
    }

    /// The curve of an activity, with its bytes.
    ///
    /// - Parameter hash: the course on which it is a partner; nil for one on bare distance.
    package func partner(ofActivity id: Int, on hash: CourseHash?) throws -> (LoadedPartner, bytes: [UInt8]) {
        let course = try hash.flatMap { try courseData($0) }.map { bytes in try Course(decoding: bytes) }
        let recorder = try recorder(of: id, on: course)
        guard recorder.isUsable else {
            throw CourseFailure(
                course == nil
                    ? "activity \(id) has no distance that a partner could follow"
                    : "activity \(id) does not follow the course in its direction")
        }
        let bytes = try PartnerCurve.encoded(course: hash, recorder.points)
        let curve = try PartnerCurve(decoding: bytes)
        let name = try summary(of: id)?.name ?? SanitizedText("activity \(id)")
        return (LoadedPartner(hash: curve.hash, name: name, curve: curve), bytes)
    }

    /// The movement of an activity, on a course or on bare distance.
    private func recorder(of id: Int, on course: Course?) throws -> PartnerRecorder {
        var recorder = PartnerRecorder(on: course)
        try rows(of: id).each { row in
            if case .sample(let sample) = row { recorder.receive(sample) }
        }
        return recorder
    }

    /// The course that an activity followed, at least 100 m or half of it, in its direction; of several the one that was
    /// loaded last. Nil if there is none: a course stays loaded for later runs that do not follow it.
    package func followedCourse(ofActivity id: Int) throws -> LoadedCourse? {
        for summary in try courses(ofActivity: id) {
            guard let loaded = try? loadableCourse(summary), try recorder(of: id, on: loaded.course).isUsable else {
                continue
            }
            return loaded
        }
        return nil
    }

    /// The courses that were loaded in an activity, the last one first.
    private func courses(ofActivity id: Int) throws(SQLiteError) -> [CourseSummary] {
        guard hasCourses else { return [] }
        let keys = JournalSchema.keys(of: id)
        let statement = try database.prepare(
            courseSummaries
                + """
                 JOIN activity_course USING (hash) WHERE activity = ?1 AND kind = 'course' ORDER BY (
                    SELECT max(key) FROM input WHERE key BETWEEN ?2 AND ?3 AND input.kind IN ('course', 'beginning')
                    AND instr(value, course.hash)) DESC
                """)
        try statement.bind(id, keys.lowerBound, keys.upperBound)
        var list: [CourseSummary] = []
        while try statement.step() {
            if let summary = Self.summary(ofCourse: statement) { list.append(summary) }
        }
        return list
    }

    /// The course and the partner that were loaded. What is lost or damaged is not loaded.
    package func loadedGuide() throws(SQLiteError) -> LoadedGuide {
        var guide = LoadedGuide()
        guard hasCourses else { return guide }
        if let hash = try loaded("course").flatMap({ CourseHash($0) }), let summary = try course(hash),
            let bytes = try courseData(hash), let course = try? Course(decoding: bytes)
        {
            guide.course = LoadedCourse(hash: hash, number: summary.id, name: summary.name, course: course)
        }
        guard let text = try loaded("partner"), var partner = Partner(stored: text) else { return guide }
        if case .recorded(var recorded) = partner {
            guard let bytes = try partnerData(recorded.hash), let curve = try? PartnerCurve(decoding: bytes) else {
                return guide
            }
            recorded.curve = curve
            partner = .recorded(recorded)
        }
        guide.partner = partner
        return guide
    }

    /// The hash of the course that is loaded.
    package func loadedCourseHash() throws(SQLiteError) -> CourseHash? {
        hasCourses ? try loaded("course").flatMap { CourseHash($0) } : nil
    }

    private func loaded(_ kind: String) throws(SQLiteError) -> String? {
        try database.text("SELECT value FROM loaded WHERE kind = '\(kind)'")
    }
}

/// Resolves the hashes of entries. Most activities have one course, so that the last one is kept.
struct CourseResolver {
    private let reader: JournalReader
    private var course: Course?
    private var curve: PartnerCurve?

    init(_ reader: JournalReader) {
        self.reader = reader
    }

    /// Sets the course and the partner's curve of an entry that names one. Those that are not stored stay nil.
    mutating func resolve(_ entry: inout InputLogEntry) throws(SQLiteError) {
        let hashes = entry.courseHashes
        if hashes.course == nil, hashes.partner == nil { return }
        if let hash = hashes.course, hash != course?.hash {
            course = try reader.courseData(hash).flatMap { try? Course(decoding: $0) }
        }
        if let hash = hashes.partner, hash != curve?.hash {
            curve = try reader.partnerData(hash).flatMap { try? PartnerCurve(decoding: $0) }
        }
        entry.resolve(
            course: hashes.course == nil ? nil : course, partner: hashes.partner == nil ? nil : curve)
    }
}

extension JournalFile {
    /// Stores a course without a daemon. The caller holds the lock of the state directory.
    ///
    /// - Returns: its number, and whether it was in the list.
    package func store(_ course: StoredCourse) throws(SQLiteError) -> (number: Int, isPresent: Bool) {
        try perform(.course(course))
    }
}

extension JournalStatements {
    func write(_ change: CourseChange) throws(SQLiteError) {
        switch change {
        case .load(let hash): try load("course", hash?.description, hash)
        case .partner(let partner, let bytes):
            guard case .recorded(let recorded)? = partner else { return try load("partner", partner?.stored, nil) }
            if let bytes {
                try check(try stored("partner", recorded.hash), is: bytes)
                try database.prepare("INSERT OR IGNORE INTO partner VALUES (?, ?, ?)").run(
                    recorded.hash.description, recorded.name?.text, bytes)
            }
            try load("partner", partner?.stored, recorded.hash)
        case .rename(let id, let name):
            try database.prepare("UPDATE course SET name = ? WHERE id = ?").run(name.text, id)
        case .delete(let id):
            try database.execute(
                "UPDATE course SET listed = 0 WHERE id = \(id); DELETE FROM course_trash WHERE course = \(id)")
            try eraseCourses("id = \(id)")
        }
    }

    /// Stores which course or partner is loaded, and erases the former one if nothing needs it.
    private func load(_ kind: String, _ value: String?, _ hash: CourseHash?) throws(SQLiteError) {
        let former = try database.text("SELECT hash FROM loaded WHERE kind = '\(kind)'")
        if let value {
            try database.prepare("INSERT OR REPLACE INTO loaded VALUES (?, ?, ?)").run(kind, value, hash?.description)
        } else {
            try database.execute("DELETE FROM loaded WHERE kind = '\(kind)'")
        }
        guard let former else { return }
        if kind == "course" { try eraseCourses("hash = '\(former)'") } else { try erasePartners("hash = '\(former)'") }
    }

    /// Stores a course. One that is stored is listed again, and keeps its name if it is listed.
    ///
    /// - Returns: its number, and whether it was in the list.
    func write(_ course: StoredCourse) throws(SQLiteError) -> (number: Int, isPresent: Bool) {
        let summary = course.summary
        let present = try database.prepare("SELECT id, listed, data FROM course WHERE hash = ?")
        try present.bind(summary.hash.description)
        if try present.step() {
            let (id, isListed, bytes) = (Int(present.integer(0) ?? 0), present.integer(1) == 1, present.bytes(2))
            present.reset()
            try check(bytes, is: course.bytes)
            if !isListed {
                try database.prepare("UPDATE course SET listed = 1, name = ifnull(?, name) WHERE id = ?")
                    .run(summary.name?.text, id)
                try database.execute("DELETE FROM course_trash WHERE course = \(id)")
            }
            return (id, isListed)
        }
        var course = course
        course.summary.uuid = try uuid(of: summary)
        return (try insert(course, isListed: true), false)
    }

    /// Its own uuid; a new one if it has none, or if another course has it: a file that was changed since its export.
    private func uuid(of summary: CourseSummary) throws(SQLiteError) -> UUID {
        if let uuid = summary.uuid {
            let known = try database.prepare("SELECT 1 FROM course WHERE uuid = ?")
            try known.bind(uuid.description)
            if try !known.step() { return uuid }
        }
        return .new(at: summary.added >= Release.date ? summary.added : nil)
    }

    /// - Parameter id: its number; nil for the next one.
    /// - Returns: its number.
    @discardableResult
    func insert(_ course: StoredCourse, id: Int? = nil, isListed: Bool) throws(SQLiteError) -> Int {
        let summary = course.summary
        try database.prepare("INSERT INTO course VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").run(
            id, summary.hash.description, summary.name?.text, isListed, summary.added.milliseconds,
            summary.sport?.token, summary.vertices, summary.points, summary.length, summary.ascent, summary.climbs,
            course.bytes, summary.uuid?.description)
        return Int(try database.integer("SELECT last_insert_rowid()") ?? 0)
    }

    private func stored(_ table: String, _ hash: CourseHash) throws(SQLiteError) -> [UInt8]? {
        let statement = try database.prepare("SELECT data FROM \(table) WHERE hash = ?")
        try statement.bind(hash.description)
        return try statement.step() ? statement.bytes(0) : nil
    }

    private func check(_ stored: [UInt8]?, is bytes: [UInt8]) throws(SQLiteError) {
        if let stored, stored != bytes { throw SQLiteError.hashIsTaken }
    }

    /// Notes the course and the partner that an entry of an activity names.
    func note(_ entry: InputLogEntry, of activity: Int64) throws(SQLiteError) {
        let hashes = entry.courseHashes
        for (kind, hash) in [("course", hashes.course), ("partner", hashes.partner)] {
            guard let hash else { continue }
            try database.prepare("INSERT OR IGNORE INTO activity_course VALUES (?, ?, ?)").run(
                activity, kind, hash.description)
        }
    }

    /// Erases the unlisted courses and the curves that only an activity named, with its notes of them.
    func eraseCourses(of activity: Int64) throws(SQLiteError) {
        let hashes = "SELECT hash FROM activity_course WHERE activity = \(activity)"
        let statement = try database.prepare(hashes)
        var named: [String] = []
        while try statement.step() { if let hash = statement.text(0) { named.append("'\(hash)'") } }
        statement.reset()
        if named.isEmpty { return }
        try database.execute("DELETE FROM activity_course WHERE activity = \(activity)")
        let list = named.joined(separator: ",")
        try eraseCourses("hash IN (\(list))")
        try erasePartners("hash IN (\(list))")
    }

    /// Erases the courses that are neither listed nor in the trash, not loaded and named by no activity.
    func eraseCourses(_ condition: String) throws(SQLiteError) {
        try database.execute(
            """
            DELETE FROM course WHERE (\(condition)) AND NOT listed AND id NOT IN (SELECT course FROM course_trash)
            AND \(Self.isUnnamed)
            """)
    }

    func erasePartners(_ condition: String) throws(SQLiteError) {
        try database.execute("DELETE FROM partner WHERE (\(condition)) AND \(Self.isUnnamed)")
    }

    private static let isUnnamed = """
        hash NOT IN (SELECT hash FROM activity_course)
        AND hash NOT IN (SELECT hash FROM loaded WHERE hash IS NOT NULL)
        """
}
