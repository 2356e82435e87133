package import Domain
import JSONCoding
import Storage

/// An activity as a command names it.
package enum ActivityReference: Equatable {
    case number(Int)
    /// The activity whose uuid begins so.
    case uuid(UUIDPrefix)
    /// The newest activity.
    case last

    static let lastWord = "last"

    /// - Throws: ``Failure`` with status 2 if the word names no activity.
    init(word: String) throws(Failure) {
        if word == Self.lastWord {
            self = .last
        } else if let number = Int(word), (1...Int(Int32.max)).contains(number) {
            self = .number(number)
        } else if let prefix = UUIDPrefix(word) {
            self = .uuid(prefix)
        } else {
            throw .usage("'\(word)' is neither the number nor the uuid of an activity")
        }
    }
}

extension CommandArgument {
    /// The number of an activity, or `last`.
    static let activity = CommandArgument.one("ID", "the number or the uuid of an activity, or last", .activities())
}

extension JournalReader {
    /// The number of an activity, which need not exist if it is given as a number.
    func number(of activity: ActivityReference) throws -> Int {
        switch activity {
        case .number(let number): return number
        case .uuid(let prefix): return try self.number(of: prefix, .activity)
        case .last:
            guard let newest = try list(limit: 1).first else { throw Failure.noActivityYet }
            return newest.id
        }
    }
}

extension JournalReader {
    /// The number of the only activity or course whose uuid begins so.
    func number(of prefix: UUIDPrefix, _ kind: RecordKind) throws -> Int {
        do {
            return try prefix.number(among: records(kind, beginning: prefix), kind)
        } catch let failure as UUIDPrefix.Failure {
            throw Failure.failed("\(failure)")
        }
    }
}

extension ControlClient {
    /// The number of an activity, which need not exist if it is given as a number.
    mutating func number(of activity: ActivityReference) throws(Failure) -> Int {
        switch activity {
        case .number(let number): return number
        case .uuid(let prefix):
            let text = try call("activities.get", #"{"id":"\#(prefix)"}"#)
            let activity = try? JSON(parsing: text.utf8)
            guard let number = activity?["summary"]?["id"]?.integer else {
                throw .failed("the response of paced has no number of the activity")
            }
            return number
        case .last:
            let list = try? JSON(parsing: call("activities.list", #"{"limit":1}"#).utf8)
            guard let newest = list?.array?.first?["id"]?.integer else { throw .noActivityYet }
            return newest
        }
    }
}

extension Failure {
    static let noActivityYet = Failure.failed(
        "there is no activity yet: 'pacectl start' starts one, 'pacectl import FILE' imports one")
}
