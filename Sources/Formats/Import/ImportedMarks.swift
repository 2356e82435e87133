import Domain

/// The marks of an imported file, which get their moments as its points pass.
struct ImportedMarks {
    private var waiting: [(mark: RecordedMark, time: UTC)] = []
    /// In the order of their times.
    private(set) var passed: [RecordedMark] = []

    /// Adds a mark at a time of day; those beyond ``RecordedMark/limit`` are left out.
    mutating func append(_ mark: RecordedMark, at time: UTC) {
        guard waiting.count + passed.count < RecordedMark.limit else { return }
        let place = waiting.firstIndex { $0.time > time } ?? waiting.endIndex
        waiting.insert((mark, time), at: place)
    }

    func isWaiting(until time: UTC?) -> Bool {
        waiting.first.map { first in time.map { first.time <= $0 } ?? true } ?? false
    }

    /// Passes the marks before a time; all if it is nil.
    ///
    /// - Parameters:
    ///   - started: the start of the recording.
    ///   - latest: the moment of the time, in milliseconds since then.
    ///   - elapsed: the active time until a moment.
    mutating func pass(to time: UTC?, since started: UTC, at latest: Int64, elapsed: (Int64) -> Int64) {
        while let (mark, marked) = waiting.first, time.map({ marked <= $0 }) ?? true {
            waiting.removeFirst()
            var mark = mark
            mark.at = min(max(marked.milliseconds - started.milliseconds, passed.last?.at ?? 0), latest)
            mark.elapsedMilliseconds = min(max(elapsed(mark.at), 0), mark.at)
            passed.append(mark)
        }
    }
}
