/// A wrong option or configuration: the program exits with status 2.
package struct UsageError: Error, Equatable, Sendable {
    /// Names what is wrong and the valid values. A configuration file can have several errors: one a line.
    package var line: String

    package init(line: String) {
        self.line = line
    }

    /// Calls a closure of a table, whose errors are of this type.
    static func only(_ body: () throws -> Void) throws(UsageError) {
        do {
            try body()
        } catch let error as UsageError {
            throw error
        } catch {
            throw UsageError(line: "\(error)")
        }
    }
}

/// An error that prevents the start: the program exits with status 1.
package struct StartFailure: Error, Equatable, Sendable {
    /// Says how to correct it.
    package var line: String

    package init(line: String) {
        self.line = line
    }
}
