/// Why a file from outside could not be read, and where. Nothing of it is kept.
package struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Place: Equatable, Sendable {
        /// Counted from 0.
        case byte(Int)
        /// Both counted from 1; columns are characters.
        case line(Int, column: Int)
    }

    /// Nil where it is the whole file that is wrong, or the place is for the caller to say.
    package var place: Place?
    /// What is wrong, in words that hold no text of the file but harmless one.
    package var reason: String

    package init(at place: Place? = nil, _ reason: String) {
        self.place = place
        self.reason = reason
    }

    package var description: String {
        switch place {
        case .byte(let offset): "byte \(offset): \(reason)"
        case .line(let line, let column): "line \(line), column \(column): \(reason)"
        case nil: reason
        }
    }
}
