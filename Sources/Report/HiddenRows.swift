package import Domain

/// The visible rows of a recording: those between a position outside of all hidden places and the next one inside of one.
///
///     ──── hidden ────[ stretch ]──── hidden ────[ stretch ]──── hidden ────
///
/// Nothing else of the recording is in the rows. Times, distances and climbs begin with the first visible position and
/// count the stretches only; the timer stands still between two of them. The marks of laps that tell how far a hidden
/// place is from them are left out (``marks``), and so are slopes that were measured on the way out of one.
package struct HiddenRows<Rows: RecordingRows>: RecordingRows {
    private let rows: Rows
    /// Whether there are positions, visible or hidden. Without them no row is hidden.
    package let hasPositions: Bool
    private var stretches: [Stretch] = []
    /// The ends of the visible laps but for the last one, in milliseconds since the first visible position.
    ///
    /// An automatic lap ends at a known distance or time since the start, which is hidden; a lap that touches a hidden place
    /// would tell its length there.
    package private(set) var marks: [Int64] = []

    /// A part of the recording, from its first visible position to its last one.
    private struct Stretch {
        /// Milliseconds since the start of the recording.
        var from, to: Int64
        /// What to subtract from the figures of its samples.
        var offset: Figures
        /// The distance at its first position, of that of the samples that are passed on.
        var metres: Double
    }

    private struct Figures {
        var elapsed: Int64 = 0
        var metres = 0.0
        var ascent = 0.0
        var descent = 0.0

        /// Takes the known figures of a sample.
        mutating func adopt(_ sample: RecordingSample) {
            elapsed = sample.elapsedMilliseconds
            metres = sample.distanceMetres ?? metres
            ascent = sample.ascent ?? ascent
            descent = sample.descent ?? descent
        }

        static func - (one: Figures, other: Figures) -> Figures {
            Figures(
                elapsed: one.elapsed - other.elapsed, metres: one.metres - other.metres,
                ascent: one.ascent - other.ascent,
                descent: one.descent - other.descent)
        }
    }

    /// Metres after which the slope depends on visible positions only. It is measured over 30 m or more.
    private static var slopeMetres: Double { 100 }

    package init(_ rows: Rows, _ places: HiddenPlaces) throws {
        self.rows = rows
        hasPositions = !places.isEmpty
        guard hasPositions else { return }
        var (figures, last) = (Figures(), Figures())
        var isHidden = true
        var laps: [(from: Int64, to: Int64, isManual: Bool)] = []
        try rows.each { row in
            if case .lap(let at, let trigger) = row { laps.append((laps.last?.to ?? 0, at, trigger == .command)) }
            guard case .sample(let sample) = row else { return }
            figures.adopt(sample)
            guard let coordinate = sample.mapped else { return }
            let wasHidden = isHidden
            isHidden = places.contains(coordinate)
            if isHidden { return }
            if wasHidden {
                // The stretch goes on with the figures at which the one before has ended.
                let passed = stretches.last.map { last - $0.offset } ?? Figures()
                stretches.append(
                    Stretch(from: sample.at, to: sample.at, offset: figures - passed, metres: passed.metres))
            }
            stretches[stretches.count - 1].to = sample.at
            last = figures
        }
        marks = laps.filter { lap in lap.isManual && stretches.contains { $0.from <= lap.from && lap.to <= $0.to } }
            .map { $0.to - start }
    }

    /// The marks inside of the visible stretches, by their moments and distances.
    package func shown(_ marks: [RecordedMark]) -> [RecordedMark] {
        guard hasPositions else { return marks }
        return marks.compactMap { mark in
            guard let stretch = stretches.first(where: { $0.from < mark.at && mark.at < $0.to }) else { return nil }
            var mark = mark
            mark.at -= start
            mark.elapsedMilliseconds = max(mark.elapsedMilliseconds - stretch.offset.elapsed, 0)
            mark.distanceMetres = max(mark.distanceMetres - stretch.offset.metres, 0)
            return mark
        }
    }

    /// When the first visible position was, in milliseconds since the start of the recording.
    package var start: Int64 { stretches.first?.from ?? 0 }
    /// From the first visible position to the last one, in milliseconds; nil if no position is visible.
    package var length: Int64? { stretches.last.map { $0.to - start } }

    package func each(in moments: ClosedRange<Int64>, _ body: (RecordingRow) throws -> Void) throws {
        guard hasPositions else { return try rows.each(in: moments, body) }
        func pass(_ row: RecordingRow) throws {
            if moments.contains(row.at) { try body(row) }
        }
        for stretch in stretches where stretch.to - start >= moments.lowerBound {
            if stretch.from - start > moments.upperBound { return }
            try pass(.begin(at: stretch.from - start, .command))
            // No best and no line goes across a hidden place.
            if stretch.from > start { try pass(.segment(at: stretch.from - start)) }
            // The first and the last row of a stretch are samples: what else is at their moments is outside of it.
            try rows.each(in: max(stretch.from, moments.lowerBound + start)...stretch.to) { row in
                if row.at == stretch.from || row.at == stretch.to {
                    guard case .sample = row else { return }
                }
                if let row = shown(row, in: stretch) { try pass(row) }
            }
            try pass(.end(at: stretch.to - start, .command))
        }
    }

    private func shown(_ row: RecordingRow, in stretch: Stretch) -> RecordingRow? {
        let at = row.at - start
        switch row {
        case .begin(_, let trigger): return .begin(at: at, trigger)
        case .end(_, let trigger): return .end(at: at, trigger)
        case .beats(_, let rr, let gap): return .beats(at: at, rr: rr, gap: gap)
        case .lap(_, let trigger): return marks.contains(at) ? .lap(at: at, trigger) : nil
        case .segment: return .segment(at: at)
        case .autoPause(_, let elapsed):
            return .autoPause(at: at, elapsedMilliseconds: max(elapsed - stretch.offset.elapsed, 0))
        case .autoResume(_, let elapsed):
            return .autoResume(at: at, elapsedMilliseconds: max(elapsed - stretch.offset.elapsed, 0))
        case .sample(var sample):
            sample.at = at
            sample.elapsedMilliseconds -= stretch.offset.elapsed
            sample.distanceMetres = sample.distanceMetres.map { max($0 - stretch.offset.metres, 0) }
            sample.ascent = sample.ascent.map { max($0 - stretch.offset.ascent, 0) }
            sample.descent = sample.descent.map { max($0 - stretch.offset.descent, 0) }
            if (sample.distanceMetres ?? 0) - stretch.metres < Self.slopeMetres {
                sample.grade = nil
                sample.verticalSpeed = nil
            }
            return .sample(sample)
        }
    }
}
