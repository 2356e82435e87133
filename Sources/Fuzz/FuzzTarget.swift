/// A parser of foreign bytes, or a state machine that they drive, with its corpus.
///
/// The body traps if an invariant is broken, for example if a response is not JSON.
struct FuzzTarget: Sendable {
    let name: String
    /// Well-formed cases. The mutator makes most other cases of them.
    let corpus: [[UInt8]]
    let body: @Sendable ([UInt8]) -> Void

    static let all = [
        strap, heartRate, sensors, revolutions, barometer, management, gpsd, json, control, upload, publish, sensor,
        watch,
        lines, names,
        tracks, fit, courses, routes, places, transit, feeds, tables, infoPoint, lineLists, metar, taf, reports,
    ]
}

/// Reads a case: numbers that control how the rest is fed.
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

    /// The next `count` bytes, or the rest.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
