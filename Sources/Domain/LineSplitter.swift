/// Splits received bytes into lines, for servers and clients of sockets and for gpsd.
///
/// It buffers at most one line of the longest length plus the bytes that were appended since the last line was taken.
package struct LineSplitter: Sendable {
    package enum Line: Equatable, Sendable {
        /// The bytes of a line without the newline, a slice of the buffer: release it before the next ``append(_:)``, or the buffer
        /// is copied.
        case line(ArraySlice<UInt8>)
        /// The line is longer than the limit and is skipped whole. Who skips such lines ignores this case.
        case tooLong
    }

    /// The most bytes of a line without its newline.
    package let limit: Int

    private var bytes: [UInt8] = []
    /// The start of the next line, and the position up to which a newline was searched.
    private var start = 0
    private var searched = 0
    /// Whether the bytes up to the next newline belong to a line that was too long.
    private var isSkipping = false
    /// Whether an empty buffer keeps its memory.
    private let keepsCapacity: Bool

    /// - Parameter capacity: the bytes of a buffer that is kept; nil for one that is released with the last line, as the many clients
    ///   of a server need it.
    package init(limit: Int, keeping capacity: Int? = nil) {
        self.limit = limit
        keepsCapacity = capacity != nil
        if let capacity { bytes.reserveCapacity(capacity) }
    }

    /// Appends received bytes, split anywhere, in place of the lines that were returned.
    package mutating func append(_ more: some Collection<UInt8>) {
        bytes.removeFirst(start)
        searched -= start
        start = 0
        bytes.append(contentsOf: more)
    }

    /// Removes and returns the next complete line. Nil if more bytes are needed.
    ///
    /// - Parameter hasEnded: whether the input has ended. If so, the remaining bytes are a line even without a newline.
    package mutating func next(hasEnded: Bool = false) -> Line? {
        while true {
            guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
                searched = bytes.count
                guard hasEnded || bytes.count - start > limit else { return nil }
                let rest = bytes[start...]
                discardConsumed()
                defer { isSkipping = !hasEnded }
                if isSkipping || rest.isEmpty { return nil }
                return rest.count > limit ? .tooLong : .line(rest)
            }
            let line = bytes[start..<end]
            start = end + 1
            searched = start
            if start == bytes.count, !keepsCapacity { discardConsumed() }
            if isSkipping {
                isSkipping = false
                continue
            }
            return line.count > limit ? .tooLong : .line(line)
        }
    }

    private mutating func discardConsumed() {
        if keepsCapacity { bytes.removeAll(keepingCapacity: true) } else { bytes = [] }
        start = 0
        searched = 0
    }
}
