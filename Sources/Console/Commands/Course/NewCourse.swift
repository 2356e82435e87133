import Domain
import Formats
import Glibc
import JSONCoding
import JournalCoding
import Linux
import Pipeline
import Storage
import Wire

extension Invocation {
    /// Imports files, each as a course. An unreadable file does not stop the others.
    func importCourses(_ paths: [String], name: String?, loads: Bool) throws(Failure) -> String {
        let state = StateDirectory(stateDirectory)
        var text = ""
        var newest: NewCourse?
        var failures: [Failure] = []
        for path in paths {
            do throws(Failure) {
                let file = CourseFile(path: path)
                let imported = try file.read()
                let title = name.flatMap { SanitizedText($0) } ?? imported.name ?? SanitizedText(Self.title(path))
                let course = try store(imported.data, name: title, uuid: imported.uuid, in: state)
                text += try self.text(of: course)
                newest = course
                let words = imported.skipped.missed
                if !words.isEmpty { complain("\(file.name): left out: \(words.joined(separator: ", "))") }
            } catch {
                failures.append(error)
            }
        }
        if loads, let newest { text += try load(.number(newest.id)) }
        guard let last = failures.popLast() else { return text }
        try writeOut(text)
        for failure in failures { complain(of: failure) }
        throw last
    }

    /// The name of a file without its directory and its type.
    private static func title(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return String(name.prefix { $0 != "." })
    }

    func reverse(_ reference: CourseReference) throws(Failure) -> String {
        let state = StateDirectory(stateDirectory)
        let (summary, data) = try courseData(reference, in: state)
        let name = SanitizedText((summary.name?.text ?? "course \(summary.id)") + " reversed")
        return try text(of: try store(data.reversed(), name: name, in: state))
    }

    /// The course of `replay --course`: a file, or a course of the list.
    func replayedCourse(_ word: String) throws(Failure) -> LoadedCourse {
        let state = StateDirectory(stateDirectory)
        do {
            if access(word, F_OK) == 0 {
                let imported = try CourseFile(path: word).read()
                let bytes = try imported.data.encoded()
                let course = try Course(decoding: bytes)
                return LoadedCourse(hash: course.hash, name: imported.name, course: course)
            }
            let journal = try state.journal()
            let summary = try journal.course(try CourseReference(word: word))
            guard let course = try journal.loadableCourse(summary) else {
                throw Failure.failed("the data of course \(summary.id) is lost")
            }
            return course
        } catch {
            throw state.failure(reading: error)
        }
    }

    /// The stored data of a course.
    func courseData(
        _ reference: CourseReference, in state: StateDirectory
    ) throws(Failure) -> (CourseSummary, CourseData) {
        let journal = try state.journal()
        do {
            let summary = try journal.course(reference)
            guard let bytes = try journal.courseData(summary.hash) else {
                throw Failure.failed("the data of course \(summary.id) is lost")
            }
            return (summary, try CourseData(decoding: bytes))
        } catch {
            throw state.failure(reading: error)
        }
    }

    /// Positions closer than this to the vertex before are left out, in metres: who stands makes no track.
    private static let spacing = 5.0

    /// Makes a course of an activity's positions, with their times.
    func course(from activity: ActivityReference, name: String?) throws(Failure) -> String {
        let state = StateDirectory(stateDirectory)
        let journal = try state.journal()
        do {
            let id = try journal.number(of: activity)
            guard let recording = try journal.recording(id) else { throw journal.noActivity(id) }
            let title = name.flatMap { SanitizedText($0) } ?? recording.name ?? SanitizedText("Activity \(id)")
            var builder = CourseBuilder()
            var last: Coordinate?
            try journal.rows(of: id).each { row in
                guard case .sample(let sample) = row, let place = sample.coordinate else { return }
                if let last, last.metres(to: place) < Self.spacing { return }
                last = place
                try builder.add(place, altitude: sample.altitude, time: sample.elapsedMilliseconds)
            }
            let missing = "activity \(id) has no track that a course could follow"
            let course = try builder.finish(name: title, sport: recording.sport, missing: missing)
            return try text(of: try store(course.data, name: course.name, in: state))
        } catch let error as FileError {
            throw .failed("\(error)")
        } catch {
            throw state.failure(reading: error)
        }
    }

    /// The result of ``store(_:name:uuid:in:)``.
    struct NewCourse {
        var id: Int
        var isPresent: Bool
        var name: SanitizedText?
    }

    /// Stores a course through the daemon, or without one in the journal.
    ///
    /// - Parameter uuid: that of a file; nil for a new one.
    func store(
        _ data: CourseData, name: SanitizedText?, uuid: UUID? = nil, in state: StateDirectory
    ) throws(Failure) -> NewCourse {
        do {
            // An invalid course does not reach the daemon, and creates no journal.
            let stored = try StoredCourse(data, name: name, uuid: uuid, added: Clock.systemTime())
            switch try ImportTarget.find(state, isNamed: stateDirectory != nil, RuntimeDirectory(runtimeDirectory)) {
            case .daemon(let runtime):
                var control = try ControlClient(runtime)
                let (id, isPresent) = try control.upload(data, name: name, uuid: uuid)
                return NewCourse(id: id, isPresent: isPresent, name: name)
            case .journal(let lock):
                return try withExtendedLifetime(lock) {
                    let file = try JournalFile(in: state.path, anyOwner: geteuid() == 0)
                    let (id, isPresent) = try file.store(stored)
                    return NewCourse(id: id, isPresent: isPresent, name: name)
                }
            }
        } catch let failure as CourseFailure {
            throw .failed("\(failure)")
        } catch {
            throw error as? Failure ?? .failed("cannot write the journal in \(state.path): \(error)")
        }
    }

    /// What a new course is, as a line of text or as an object.
    func text(of course: NewCourse) throws(Failure) -> String {
        if isJSON {
            let title = course.name.map { ",\"name\":\(JSONText.string($0.text))" } ?? ""
            return "{\"id\":\(course.id)\(title)" + (course.isPresent ? ",\"present\":true" : "") + "}\n"
        }
        let name = course.name.map { " '\($0.text)'" } ?? ""
        return course.isPresent
            ? "The same course is in the list already: course \(course.id).\n" : "Stored: course \(course.id)\(name).\n"
    }
}

extension ControlClient {
    private static let appendTime = Duration.seconds(30)
    private static let commitTime = Duration.seconds(120)

    /// Hands a course over to the daemon.
    ///
    /// - Returns: its number, and whether it was in the list.
    mutating func upload(
        _ course: CourseData, name: SanitizedText?, uuid: UUID?
    ) throws(Failure) -> (id: Int, isPresent: Bool) {
        var data = JSONWriter(capacity: course.vertices.count * 80)
        data.upload(course, name: name, uuid: uuid)
        _ = try call("upload.begin", #"{"kind":"course"}"#, lasting: Self.appendTime)
        var rest = data.bytes[...]
        while !rest.isEmpty {
            let piece = Base64.encode(rest.prefix(UploadRequest.appendLimit))
            rest = rest.dropFirst(UploadRequest.appendLimit)
            _ = try call(
                "upload.append", "{\"data\":\"\(String(decoding: piece, as: UTF8.self))\"}", lasting: Self.appendTime)
        }
        let text = try call("upload.commit", lasting: Self.commitTime)
        let result = try? JSON(parsing: text.utf8)
        guard let id = result?["id"]?.integer else {
            throw .failed("the response of paced has no number of the course")
        }
        return (id, result?["present"]?.bool ?? false)
    }
}
