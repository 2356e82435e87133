import Domain
import JSONCoding
import Storage

/// A course as a command names it: by its number, its name, its uuid, `last` or `loaded`.
package enum CourseReference: Equatable {
    case number(Int)
    /// A name, or the beginning of a uuid where no course has the name.
    case name(String)
    /// The newest course.
    case last
    /// The course that is loaded.
    case loaded

    static let loadedWord = "loaded"

    /// - Throws: ``Failure`` with status 2 if the word is empty.
    init(word: String) throws(Failure) {
        if word.isEmpty { throw .usage("a course has a number or a name, or is last or loaded") }
        if word == ActivityReference.lastWord {
            self = .last
        } else if word == Self.loadedWord {
            self = .loaded
        } else if let number = Int(word), (1...Int(Int32.max)).contains(number) {
            self = .number(number)
        } else {
            self = .name(word)
        }
    }

    /// A course of the list.
    fileprivate typealias Entry = (id: Int, uuid: UUID?, name: String?, isLoaded: Bool)

    private func number(of prefix: UUIDPrefix, among courses: [Entry]) throws(Failure) -> Int {
        let records = courses.compactMap { course in course.uuid.map { RecordName(id: course.id, uuid: $0) } }
        do throws(UUIDPrefix.Failure) {
            return try prefix.number(
                among: records.filter { "\($0.uuid)".hasPrefix(prefix.description) }, .course)
        } catch {
            throw .failed("\(error); see 'pacectl course list'")
        }
    }

    /// The course among those of the list, the newest first.
    fileprivate func number(among courses: [Entry]) throws(Failure) -> Int {
        switch self {
        case .number(let number): return number
        case .last:
            guard let newest = courses.first else {
                throw .failed("there is no course yet: 'pacectl course import FILE' imports one")
            }
            return newest.id
        case .loaded:
            guard let loaded = courses.first(where: \.isLoaded) else { throw .noCourseLoaded }
            return loaded.id
        case .name(let name):
            let found = courses.filter { $0.name == name }
            guard let first = found.first else {
                if let prefix = UUIDPrefix(name) { return try number(of: prefix, among: courses) }
                throw .failed(
                    "there is no course '\(SanitizedText.line(name, limit: 64) ?? "")'; see 'pacectl course list'")
            }
            guard found.count == 1 else {
                let numbers = found.prefix(9).map { String($0.id) }.joined(separator: ", ")
                throw .failed("several courses have this name: give one of the numbers \(numbers)")
            }
            return first.id
        }
    }
}

extension Failure {
    static var noCourseLoaded: Failure {
        .failed("no course is loaded: load one with 'pacectl course load REF'")
    }
}

extension JournalReader {
    /// The course of the list that a command names.
    func course(_ reference: CourseReference) throws -> CourseSummary {
        var list: [CourseReference.Entry] = []
        switch reference {
        case .number: break
        case .last, .loaded, .name:
            let loaded = try loadedCourseHash()
            list = try courses(limit: reference == .last ? 1 : .max).map {
                ($0.id, $0.uuid, $0.name?.text, $0.hash == loaded)
            }
        }
        let number = try reference.number(among: list)
        guard let summary = try course(number) else {
            throw Failure.failed("there is no course \(number); see 'pacectl course list'")
        }
        return summary
    }
}

extension ControlClient {
    /// The number of a course, which need not exist if it is given as a number.
    mutating func number(of reference: CourseReference) throws(Failure) -> Int {
        if case .number(let number) = reference { return number }
        var list: [CourseReference.Entry] = []
        while true {
            let before = list.last.map { ",\"before\":\($0.id)" } ?? ""
            let text = try call("course.list", "{\"limit\":100\(before)}")
            let page = (try? JSON(parsing: text.utf8))?.array ?? []
            for course in page {
                guard let id = course["id"]?.integer else { continue }
                let uuid = course["uuid"]?.string.flatMap { UUID($0) }
                list.append((id, uuid, course["name"]?.string, course["loaded"]?.bool ?? false))
            }
            if page.isEmpty || reference == .last { break }
        }
        return try reference.number(among: list)
    }
}
