import SQLite

/// Why a database of maps cannot be read. The text says how to correct it.
package struct MapsFailure: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String
}

extension SQLiteDatabase {
    /// Opens a database of maps for reading. The file is never changed: an import replaces it.
    ///
    /// - Parameters:
    ///   - path: a path without symbolic links.
    ///   - kind: what it must be, for errors.
    convenience init(
        maps path: String, applicationID: Int64, version: Int64, kind: String
    ) throws(SQLiteError) {
        try self.init(path, .immutable)
        try distrustSchema()
        guard try integer("PRAGMA application_id") == applicationID else {
            throw SQLiteError(rejecting: "it is not \(kind)")
        }
        guard try integer("PRAGMA user_version") == version else {
            throw SQLiteError(rejecting: "another version of paced has made it")
        }
    }
}
