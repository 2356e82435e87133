/// Why a GTFS feed is refused, and where.
package struct FeedError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Such as `stops.txt`.
    package var file: String
    /// Counted from 1; nil if the whole file is wrong.
    package var line: Int?
    package var reason: String

    package init(_ file: String, line: Int? = nil, _ reason: String) {
        self.file = file
        self.line = line
        self.reason = reason
    }

    package var description: String {
        line.map { "\(file):\($0): \(reason)" } ?? "\(file): \(reason)"
    }
}
