package import Domain
import JSONCoding

/// A request about recorded activities.
package enum ActivityRequest: Equatable, Sendable {
    /// Summaries, newest first, of the activities that are older than `before`.
    case list(limit: Int, before: Int?)
    case get(Int, fromLap: Int)
    /// Changes sport, name and start. Nil values stay unchanged.
    case edit(Int, Sport?, SanitizedText?, started: UTC? = nil)
    case delete(Int)
    /// Copies the readable part of a damaged journal in the state directory.
    case recover(file: String)
    /// A range of the samples. Nil means the activity in progress.
    case track(Int?, from: Int64, interval: Int64, columns: [Track.Column])

    /// The starts that an activity can get: every file format can hold them.
    package static let starts = UTC(year: 2000, month: 1, day: 1)..<UTC(year: 2100, month: 1, day: 1)

    /// Whether a text can be the name of a damaged journal in the state directory.
    package static func isJournalName(_ name: String) -> Bool {
        !name.hasPrefix(".") && !name.utf8.contains(UInt8(ascii: "/")) && SanitizedText(name)?.text == name
            && !["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm"].contains(name)
    }

    /// Nil if the method is none of these.
    init?(method: String, parameters: JSON?) throws(RPCError) {
        switch method {
        case "activities.list":
            let parameters = try ControlRequest.Parameters(parameters, names: ["limit", "before"])
            self = .list(
                limit: try parameters.integer("limit", in: 1...100) ?? 20,
                before: try parameters.integer("before", in: Self.ids))
        case "activities.get":
            let parameters = try ControlRequest.Parameters(parameters, names: ["id", "from_lap"])
            self = .get(
                try parameters.id(), fromLap: try parameters.integer("from_lap", in: 1...Int(Int32.max)) ?? 1)
        case "activities.edit":
            let parameters = try ControlRequest.Parameters(parameters, names: ["id", "sport", "name", "started"])
            let (id, sport, name) = (try parameters.id(), try parameters.sport(), try parameters.name())
            let started = try parameters.started()
            if sport == nil, name == nil, started == nil {
                throw .invalidParameters(nil, "nothing to change: give sport, name or started")
            }
            self = .edit(id, sport, name, started: started)
        case "activities.delete": self = .delete(try ControlRequest.Parameters(parameters, names: ["id"]).id())
        case "activities.recover":
            let parameters = try ControlRequest.Parameters(parameters, names: ["file"])
            guard let file = parameters.members["file"] else { throw .invalidParameters("file", "file is missing") }
            guard let name = file.string, Self.isJournalName(name) else {
                throw .invalidValue("file", "file must be the name of a damaged journal in the state directory")
            }
            self = .recover(file: name)
        case "activities.track":
            let parameters = try ControlRequest.Parameters(
                parameters, names: ["id", "from_ms", "interval_ms", "fields"])
            self = .track(
                try parameters.integer("id", in: Self.ids),
                from: Int64(try parameters.integer("from_ms", in: 0...Int(Int32.max)) ?? 0),
                interval: Int64(try parameters.integer("interval_ms", in: 1000...3_600_000) ?? 1000),
                columns: try parameters.columns())
        default: return nil
        }
    }

    /// The range of activity numbers.
    fileprivate static let ids = 1...Int(Int32.max)
}

extension ControlRequest.Parameters {
    fileprivate func integer(_ name: String, in range: ClosedRange<Int>) throws(RPCError) -> Int? {
        try members[name]?.integer(in: range, field: name)
    }

    fileprivate func id() throws(RPCError) -> Int {
        guard let id = try integer("id", in: ActivityRequest.ids) else {
            throw .invalidParameters("id", "id is missing")
        }
        return id
    }

    func name() throws(RPCError) -> SanitizedText? {
        guard let value = members["name"] else { return nil }
        guard let text = value.string, text.count <= SanitizedText.characterLimit, let name = SanitizedText(text) else {
            throw .invalidValue("name", "name must be a string of 1 to \(SanitizedText.characterLimit) characters")
        }
        return name
    }

    fileprivate func started() throws(RPCError) -> UTC? {
        guard let value = members["started"] else { return nil }
        // A text to which a zone can be added has none.
        guard let text = value.string, let time = UTC(iso8601: text), UTC(iso8601: text + "Z") == nil,
            ActivityRequest.starts.contains(time)
        else {
            throw .invalidValue(
                "started", "started must be a time from 2000 to 2099 with its zone, such as 2026-03-01T07:30:00Z")
        }
        return time
    }

    fileprivate func columns() throws(RPCError) -> [Track.Column] {
        guard let value = members["fields"] else { return Track.Column.usual }
        let columns = value.array?.compactMap { $0.string.flatMap(Track.Column.init) } ?? []
        guard !columns.isEmpty, columns.count == value.array?.count, Set(columns).count == columns.count else {
            let known = Track.Column.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidValue("fields", "fields must be a list of distinct values of \(known)")
        }
        return columns
    }
}
