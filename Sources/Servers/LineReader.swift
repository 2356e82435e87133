package import Linux

/// Splits the bytes of a client into lines. It buffers at most one line of the longest length plus one read.
package struct LineReader: Sendable {
    package enum Line: Equatable, Sendable {
        /// The bytes of a line without the newline.
        case line(ArraySlice<UInt8>)
        /// The line is longer than the limit and is skipped whole.
        case tooLong
    }

    package enum Progress: Equatable, Sendable {
        case received
        case nothing
        /// The client closed its side. Its last line may lack the newline.
        case ended
    }

    /// The most bytes of one read.
    package static let chunkSize = 4096

    /// The most bytes of a line without its newline.
    package let limit: Int

    private var bytes: [UInt8] = []
    /// The start of the next line, and the position up to which a newline was searched.
    private var start = 0
    private var searched = 0
    /// Whether the bytes up to the next newline belong to a line that was too long.
    private var isSkipping = false

    package init(limit: Int) {
        self.limit = limit
    }

    /// Reads the available bytes, at most ``chunkSize``.
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

    /// Appends received bytes, in place of the lines that were returned.
    package mutating func append(_ more: some Collection<UInt8>) {
        bytes.removeFirst(start)
        searched -= start
        start = 0
        bytes.append(contentsOf: more)
    }

    /// Removes and returns the next complete line. Nil if more bytes are needed.
    ///
    /// - Parameter hasEnded: whether the input has ended. If so, the remaining bytes are a line even without a newline.
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
