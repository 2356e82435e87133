import Domain
import JSONCoding
import Storage

/// An activity as a command names it.
package enum ActivityReference: Equatable {
    case number(Int)
    /// The newest activity.
    case last

    static let lastWord = "last"

    /// - Throws: ``Failure`` with status 2 if the word names no activity.
    init(word: String) throws(Failure) {
        if word == Self.lastWord {
            self = .last
        } else if let number = Int(word), (1...Int(Int32.max)).contains(number) {
            self = .number(number)
        } else {
            throw .usage("'\(word)' is not the number of an activity")
        }
    }
}

extension CommandArgument {
    /// The number of an activity, or `last`.
    static let activity = CommandArgument.one("ID", "the number of an activity, or last", .activities())
}

extension JournalReader {
    /// The number of an activity, which need not exist if it is given as a number.
    func number(of activity: ActivityReference) throws -> Int {
        switch activity {
        case .number(let number): return number
        case .last:
            guard let newest = try list(limit: 1).first else { throw Failure.noActivityYet }
            return newest.id
        }
    }
}

extension ControlClient {
    /// The number of an activity, which need not exist if it is given as a number.
    mutating func number(of activity: ActivityReference) throws(Failure) -> Int {
        switch activity {
        case .number(let number): return number
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
