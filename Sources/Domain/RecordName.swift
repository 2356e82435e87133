/// What a uuid can name.
package enum RecordKind: String, Sendable {
    case activity, course

    fileprivate var plural: String {
        switch self {
        case .activity: "activities"
        case .course: "courses"
        }
    }
}

/// The names of an activity or a course: its number on this board, and its uuid.
package struct RecordName: Equatable, Sendable {
    package var id: Int
    package var uuid: UUID

    package init(id: Int, uuid: UUID) {
        self.id = id
        self.uuid = uuid
    }
}

extension UUIDPrefix {
    /// Why a beginning names nothing, as text for people.
    package enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        case unknown(RecordKind, UUIDPrefix)
        case ambiguous(RecordKind, UUIDPrefix, [RecordName])

        package var description: String {
            switch self {
            case .unknown(let kind, let prefix): "there is no \(kind.rawValue) whose uuid begins with \(prefix)"
            case .ambiguous(let kind, let prefix, let records):
                "several \(kind.plural) begin with \(prefix): "
                    + records.prefix(UUIDPrefix.namedLimit).map { "\($0.id) (\($0.uuid))" }.joined(separator: ", ")
                    + (records.count > UUIDPrefix.namedLimit ? " and more" : "")
                    + "; give more of the uuid, or the number"
            }
        }
    }

    /// The most records that a failure names.
    package static let namedLimit = 8

    /// The number of the only record with this beginning.
    ///
    /// - Parameter records: all with this beginning, or the first of them, more than ``namedLimit``.
    package func number(among records: [RecordName], _ kind: RecordKind) throws(Failure) -> Int {
        guard let first = records.first else { throw .unknown(kind, self) }
        guard records.count == 1 else { throw .ambiguous(kind, self, records) }
        return first.id
    }
}
