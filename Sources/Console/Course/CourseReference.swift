import Domain
import JSONCoding
import Storage

/// A course as a command names it: by its number, its name or `last`.
enum CourseReference: Equatable {
    case number(Int)
    case name(String)
    /// The newest course.
    case last

    /// - Throws: ``Failure`` with status 2 if the word is missing.
    init(_ word: String?, after command: String) throws(Failure) {
        guard let word, !word.isEmpty else {
            throw .usage("\(command) needs the number or the name of a course, or last")
        }
        if word == ActivityReference.lastWord {
            self = .last
        } else if let number = Int(word), (1...Int(Int32.max)).contains(number) {
            self = .number(number)
        } else {
            self = .name(word)
        }
    }

    /// The course among those of the list, the newest first.
    fileprivate func number(among courses: [(id: Int, name: String?)]) throws(Failure) -> Int {
        switch self {
        case .number(let number): return number
        case .last:
            guard let newest = courses.first else {
                throw .failed("there is no course yet: 'pacectl course import FILE' imports one")
            }
            return newest.id
        case .name(let name):
            let found = courses.filter { $0.name == name }
            guard let first = found.first else {
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

extension JournalReader {
    /// The course of the list that a command names.
    func course(_ reference: CourseReference) throws -> CourseSummary {
        var list: [(id: Int, name: String?)] = []
        if reference == .last { list = try courses(limit: 1).map { (id: $0.id, name: $0.name?.text) } }
        if case .name = reference { list = try courses(limit: .max).map { (id: $0.id, name: $0.name?.text) } }
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
        var list: [(id: Int, name: String?)] = []
        while true {
            let before = list.last.map { ",\"before\":\($0.id)" } ?? ""
            let text = try call("course.list", "{\"limit\":100\(before)}")
            let page = (try? JSON(parsing: text.utf8))?.array ?? []
            for course in page {
                if let id = course["id"]?.integer { list.append((id, course["name"]?.string)) }
            }
            if page.isEmpty || reference == .last { break }
        }
        return try reference.number(among: list)
    }
}
