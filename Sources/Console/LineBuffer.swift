/// Bytes on their way to becoming lines.
struct LineBuffer {
    /// The longest line that either socket carries, in bytes, its newline included; longer ones are left out.
    static let limit = 65_536

    private var bytes: [UInt8] = []
    /// Where the line that is read next begins.
    private var start = 0
    private var isSkipping = false

    /// Takes bytes as they came, cut anywhere. Call ``next()`` until it gives nil before the next ones are appended: what then
    /// remains is shorter than ``limit``.
    mutating func append(_ more: some Sequence<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        bytes.append(contentsOf: more)
    }

    /// The next whole line without its newline; nil when there is none yet.
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
