package import Linux

/// Cuts what a client sends into lines, and holds no more than one of the longest line and what one read brings.
package struct LineReader: Sendable {
    package enum Line: Equatable, Sendable {
        /// The bytes of a line without the newline.
        case line(ArraySlice<UInt8>)
        /// A line was longer than the limit; all of it is skipped.
        case tooLong
    }

    package enum Progress: Equatable, Sendable {
        case received
        case nothing
        /// The client says no more; what it said last may lack its newline.
        case ended
    }

    /// The most bytes that one read takes.
    package static let chunkSize = 4096

    /// The most bytes of a line, its newline not counted.
    package let limit: Int

    private var bytes: [UInt8] = []
    /// Where the line begins that comes next, and how far a newline was looked for.
    private var start = 0
    private var searched = 0
    /// The line that comes next is the rest of one that was too long.
    private var isSkipping = false

    package init(limit: Int) {
        self.limit = limit
    }

    /// Reads what is there, at most ``chunkSize`` bytes.
    package mutating func read(from socket: borrowing FileDescriptor) -> Progress {
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.chunkSize, alignment: 1) { buffer in
            do throws(SystemError) {
                guard let count = unsafe try socket.read(into: buffer) else { return .nothing }
                unsafe append(buffer[..<count])
                return count == 0 ? .ended : .received
            } catch {
                return .ended
            }
        }
    }

    /// Adds bytes that came.
    package mutating func append(_ more: some Collection<UInt8>) {
        bytes.append(contentsOf: more)
    }

    /// The next whole line; nil when more has to be read first.
    ///
    /// - Parameter hasEnded: nothing more comes: the rest is a line even without a newline.
    package mutating func next(hasEnded: Bool) -> Line? {
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
            if start == bytes.count { discardConsumed() }
            if isSkipping {
                isSkipping = false
                continue
            }
            return line.count > limit ? .tooLong : .line(line)
        }
    }

    private mutating func discardConsumed() {
        bytes = []
        start = 0
        searched = 0
    }
}
