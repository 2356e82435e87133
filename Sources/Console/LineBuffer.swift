/// Splits received bytes into lines.
struct LineBuffer {
    /// The maximum length of a line on either socket, in bytes with its newline. Longer lines are discarded.
    static let limit = 65_536

    private var bytes: [UInt8] = []
    /// The start of the next line.
    private var start = 0
    private var isSkipping = false

    /// Appends received bytes. Call ``next()`` until it returns nil
    /// before appending more; the rest is then shorter than ``limit``.
    mutating func append(_ more: some Sequence<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        bytes.append(contentsOf: more)
    }

    /// The next complete line without its newline; nil if there is none yet.
    mutating func next() -> [UInt8]? {
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = bytes[start..<end]
            start = end + 1
            if isSkipping || line.count >= Self.limit {
                isSkipping = false
            } else {
                return Array(line)
            }
        }
        if bytes.count - start >= Self.limit { isSkipping = true }
        if isSkipping { start = bytes.count }
        return nil
    }
}
