/// One reader of bytes from outside, or one machine that they drive, and what it is known to read.
///
/// A body traps where what it reads breaks a promise, for example an answer that is no JSON; a random case finds that out.
struct FuzzTarget: Sendable {
    let name: String
    /// Well-formed cases, from which most others are made.
    let corpus: [[UInt8]]
    let body: @Sendable ([UInt8]) -> Void

    static let all = [strap, heartRate, management, gpsd, json, control, watch, lines, names, tracks, fit]
}

/// Takes a case apart: numbers that steer how the rest is fed.
struct CaseReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool {
        rest.isEmpty
    }

    /// The next byte; 0 at the end.
    mutating func byte() -> UInt8 {
        rest.popFirst() ?? 0
    }

    /// The next `count` bytes, or what is left.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
