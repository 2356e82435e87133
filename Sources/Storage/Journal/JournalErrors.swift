import SQLite

extension SQLiteError {
    /// An import that was condemned meanwhile.
    static let importIsGone = SQLiteError(rejecting: "the import was removed")

    /// Another activity has the uuid of an imported one.
    static func uuidIsKnown(_ activity: Int) -> SQLiteError {
        SQLiteError(rejecting: "activity \(activity) has this uuid")
    }

    /// An activity in the trash has the uuid of an imported one.
    static func uuidIsInTrash(_ activity: Int) -> SQLiteError {
        SQLiteError(rejecting: "it is in the trash: restore activity \(activity)")
    }

    /// Another course has the hash of a new one.
    static let hashIsTaken = SQLiteError(rejecting: "another course has the same hash")
}
