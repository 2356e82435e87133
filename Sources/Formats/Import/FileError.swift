import Domain

/// Why an imported file could not be read, and where. Nothing of the file is kept.
package struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Place: Equatable, Sendable {
        /// An offset, counted from 0.
        case byte(Int)
        /// Both counted from 1; columns are characters.
        case line(Int, column: Int)
    }

    /// Nil if the whole file is wrong, or if the caller adds the place.
    package var place: Place?
    /// The reason. Text of the file in it is sanitized.
    package var reason: String

    package init(at place: Place? = nil, _ reason: String) {
        self.place = place
        self.reason = reason
    }

    /// Returns the error for a track that is longer than any activity.
    static func tooLong(from started: UTC, to time: UTC) -> FileError {
        FileError(
            "the track lasts from \(day(of: started)) to \(day(of: time)), longer than a year: correct or remove the "
                + "points whose time is wrong, or split the file")
    }

    private static func day(of time: UTC) -> String {
        let fields = time.fields
        func digits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        return "\(fields.year)-\(digits(fields.month))-\(digits(fields.day))"
    }

    package var description: String {
        switch place {
        case .byte(let offset): "byte \(offset): \(reason)"
        case .line(let line, let column): "line \(line), column \(column): \(reason)"
        case nil: reason
        }
    }
}
