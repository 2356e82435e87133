import Domain

/// Makes the rows of a recording from the points, pauses and laps of a file.
///
/// A point belongs to the lap that contains it. Active time is the time since the start of the recording without the
/// pauses between its parts. Totals are computed from the points.
struct TrackRows {
    /// The largest number of laps of a file.
    static let lapLimit = 10_000
    /// No receiver is older: files have times of 1901 and 1970 for unknown ones.
    private static let firstTime = UTC(year: 1990, month: 1, day: 1)
    private static let early = "points with a time before 1990"
    /// The longest track in milliseconds: a year.
    static let longest: Int64 = 366 * 86_400_000

    /// A lap's own totals in the file.
    struct SourceLap {
        var began: UTC?
        var trigger = Event.Trigger.command
        var elapsedMilliseconds: Int64?
        var distanceMetres: Double?
        var averageHeartRate: Double?
        var maximumHeartRate: Int?
        var energyKilocalories: Double?
        var averagePower: Double?
        var maximumPower: Int?
        /// As in samples.
        var averageCadence: Double?
        var maximumCadence: Double?
    }

    var marks = ImportedMarks()
    var skipped = SkippedElements()
    private(set) var rows: [RecordingRow] = []
    private(set) var laps: [RecordingLap] = []
    private(set) var total = StretchTotals()
    /// The start of the recording; nil before the first point.
    private(set) var started: UTC?
    /// The time of the last row.
    private(set) var now: Int64 = 0
    private var sourceLaps: [SourceLap] = []
    private var order = RecordReorderer<Pending>()
    private var part = 0
    private var currentPart = 0
    private var lap = StretchTotals()
    private var lapBegan: Int64 = 0
    private var points = 0
    private var counter = DistanceCounter()
    /// The points of the lap in progress, until the first point of the next one: the lap's own time shows pauses between them.
    private var held: [(point: Pending, time: UTC)] = []
    /// The most held points. Those of a longer lap are passed on without pauses.
    private static let heldLimit = 65_536
    /// The smallest gap that may be a pause, and the largest difference of two times that are the same, in milliseconds.
    private static let shortestPause: Int64 = 10_000
    private static let rounding: Int64 = 2000

    private struct Pending {
        var sample: RecordingSample
        /// The indexes of the point's part and lap.
        var part: Int
        var lap: Int
        /// The pause before the point, in milliseconds; nil for the whole time since the point before if that is of another part,
        /// else for none.
        var pause: Int64?
    }

    /// Starts a new part after a pause of the timer.
    mutating func beginPart() {
        part += 1
    }

    mutating func beginLap(_ totals: SourceLap) throws(FileError) {
        guard sourceLaps.count < Self.lapLimit else { throw FileError("more than \(Self.lapLimit) laps") }
        sourceLaps.append(totals)
    }

    /// Changes the totals of the latest lap.
    mutating func changeLap(_ change: (inout SourceLap) -> Void) {
        guard !sourceLaps.isEmpty else { return }
        change(&sourceLaps[sourceLaps.count - 1])
    }

    mutating func add(_ sample: RecordingSample, at time: UTC) throws(FileError) {
        guard time >= Self.firstTime else {
            skipped.count(Self.early)
            return
        }
        var due: [(Pending, UTC)] = []
        order.append(Pending(sample: sample, part: part, lap: sourceLaps.count - 1), at: time) { due.append(($0, $1)) }
        for (point, time) in due { try hold(point, at: time) }
    }

    private mutating func hold(_ point: Pending, at time: UTC) throws(FileError) {
        var point = point
        if let first = held.first, first.point.lap != point.lap || held.count == Self.heldLimit {
            if first.point.lap != point.lap { point.pause = findPauses(until: (point, time)) }
            try releaseHeld()
        }
        // A file without laps states no times.
        guard point.lap >= 0 else { return try release(point, at: time) }
        held.append((point, time))
    }

    private mutating func releaseHeld() throws(FileError) {
        let points = held
        held.removeAll(keepingCapacity: true)
        for (point, time) in points { try release(point, at: time) }
    }

    /// Finds the pauses of a lap that only its own time shows: its longest gaps.
    ///
    /// - Parameter next: the first point after the lap; nil at the end.
    /// - Returns: the pause before that point, in milliseconds.
    private mutating func findPauses(until next: (point: Pending, time: UTC)?) -> Int64? {
        guard let first = held.first, sourceLaps.indices.contains(first.point.lap),
            let stated = sourceLaps[first.point.lap].elapsedMilliseconds, stated > 0
        else { return nil }
        /// Times between points, and of them those between two parts.
        var breaks: [(place: Int, length: Int64)] = []
        var gaps: [(place: Int, length: Int64)] = []
        if let began = sourceLaps[first.point.lap].began,
            0...RecordReorderer<Pending>.jump ~= first.time.milliseconds - began.milliseconds
        {
            gaps.append((0, first.time.milliseconds - began.milliseconds))
        }
        for (place, pair) in zip(held, held.dropFirst()).enumerated() {
            let length = pair.1.time.milliseconds - pair.0.time.milliseconds
            if pair.0.point.part == pair.1.point.part {
                gaps.append((place + 1, length))
            } else {
                breaks.append((place + 1, length))
            }
        }
        if let next, let end = held.last, next.point.part == end.point.part {
            let began = sourceLaps.indices.contains(next.point.lap) ? sourceLaps[next.point.lap].began : nil
            let until = min(max(began ?? next.time, end.time), next.time)
            gaps.append((held.count, until.milliseconds - end.time.milliseconds))
        }
        guard !gaps.isEmpty else { return nil }
        let usual = gaps.map(\.length).sorted()[gaps.count / 2]
        var excess = gaps.reduce(0) { $0 + $1.length } - stated
        if excess <= -Self.rounding {
            shorten(breaks, by: -excess)
            return nil
        }
        let longest = gaps.filter { $0.place > 0 && $0.length - usual >= Self.shortestPause }
            .sorted { $0.length > $1.length }
        guard excess >= Self.rounding, longest.reduce(0, { $0 + $1.length - usual }) + Self.rounding >= excess else {
            return nil
        }
        var last: Int64?
        for gap in longest where excess >= Self.rounding {
            let length = min(gap.length - usual, excess)
            excess -= length
            if gap.place < held.count { held[gap.place].point.pause = length } else { last = length }
        }
        return last
    }

    /// The timer ran for a part of the time between two parts: a device may begin one where it lost the position.
    private mutating func shorten(_ breaks: [(place: Int, length: Int64)], by missing: Int64) {
        guard breaks.reduce(0, { $0 + $1.length }) + Self.rounding >= missing else { return }
        var missing = missing
        for (place, length) in breaks.sorted(by: { $0.length > $1.length }) where missing > 0 {
            let running = min(length, missing)
            missing -= running
            held[place].point.pause = length - running
        }
    }

    mutating func drainRows() -> [RecordingRow] {
        defer { rows.removeAll(keepingCapacity: true) }
        return rows
    }

    /// Ends the rows.
    ///
    /// - Parameter needs: the properties that a point needs, for the error.
    /// - Returns: The recording without its name.
    /// - Throws: ``FileError`` if there is neither a point nor a lap with a time.
    mutating func finish(sport: Sport, needs: String) throws(FileError) -> RecordedActivity {
        var due: [(Pending, UTC)] = []
        order.finish { due.append(($0, $1)) }
        for (point, time) in due { try hold(point, at: time) }
        _ = findPauses(until: nil)
        try releaseHeld()
        skipped.count("points too far ahead in time", order.ahead)
        skipped.count("points with an earlier time", order.backward)
        if started == nil { try beginWithoutPoints() }
        guard let started else {
            let early = skipped[Self.early]
            throw FileError("no point has \(needs)" + (early > 0 ? ": \(early) have a time before 1990" : ""))
        }
        guard now > 0 || points < 3 else {
            throw FileError("all \(points) points have one and the same time: their order in time is unknown")
        }
        endAllLaps()
        rows.append(.end(at: now, .command))
        var recording = RecordedActivity(sport: sport, started: started)
        recording.totalMilliseconds = now
        passMarks(to: nil)
        recording.marks = marks.passed
        recording.total = total.figures
        recording.laps = laps
        recording.adoptEnergy(sourceEnergy, ofLaps: sourceLaps.map(\.energyKilocalories))
        recording.countBothFeet()
        return recording
    }

    /// Returns the file's own totals; a total is nil unless every lap has it.
    func sourceTotals(creator: SanitizedText?) -> SourceTotals {
        var totals = SourceTotals()
        totals.creator = creator
        guard !sourceLaps.isEmpty else { return totals }
        let times = sourceLaps.compactMap(\.elapsedMilliseconds)
        if times.count == sourceLaps.count { totals.elapsedMilliseconds = times.reduce(0, +) }
        let distances = sourceLaps.compactMap(\.distanceMetres)
        if distances.count == sourceLaps.count { totals.distanceMetres = distances.reduce(0, +) }
        totals.maximumHeartRate = sourceLaps.compactMap(\.maximumHeartRate).max()
        var weight = 0.0
        var sum = 0.0
        for lap in sourceLaps {
            guard let rate = lap.averageHeartRate, let time = lap.elapsedMilliseconds, time > 0 else { continue }
            weight += Double(time)
            sum += Double(time) * rate
        }
        if weight > 0 { totals.averageHeartRate = sum / weight }
        totals.energyKilocalories = sourceEnergy
        totals.maximumPower = sourceLaps.compactMap(\.maximumPower).max()
        let joules = sourceLaps.compactMap { lap in
            lap.averagePower.flatMap { watts in lap.elapsedMilliseconds.map { watts * Double($0) } }
        }
        // A lap without power has no part in the average.
        let time = sourceLaps.reduce(0) { $1.averagePower == nil ? $0 : $0 + Double($1.elapsedMilliseconds ?? 0) }
        if time > 0 { totals.averagePower = joules.reduce(0, +) / time }
        return totals
    }

    /// The sum over the laps in kilocalories; nil unless every lap has it, and for 0, which files have for unknown.
    private var sourceEnergy: Double? {
        let energies = sourceLaps.compactMap(\.energyKilocalories)
        let sum = energies.reduce(0, +)
        return energies.count == sourceLaps.count && sum > 0 ? sum : nil
    }

    private mutating func release(_ point: Pending, at time: UTC) throws(FileError) {
        if let started {
            let at = time.milliseconds - started.milliseconds
            guard at <= Self.longest else { throw .tooLong(from: started, to: time) }
            let isApart = point.part != currentPart
            if let pause = point.pause ?? (isApart ? at - now : nil), pause > 0 || isApart && point.pause == nil {
                if isApart, point.pause == nil { endLaps(before: point, at: at, latest: now) }
                rows.append(.end(at: now, .command))
                now += pause
                rows.append(.begin(at: now, .command))
            }
            endLaps(before: point, at: at, latest: at)
            pass(to: at)
        } else {
            let lapBegan = sourceLaps.first?.began
            let isNear =
                lapBegan.map { 0...RecordReorderer<Pending>.jump ~= time.milliseconds - $0.milliseconds } ?? false
            let start = isNear ? lapBegan ?? time : time
            started = start
            rows.append(.begin(at: 0, .command))
            pass(to: time.milliseconds - start.milliseconds)
        }
        currentPart = point.part
        passMarks(to: time)
        var sample = point.sample
        sample.distanceMetres = sample.distanceMetres.map { counter.read($0) }
        sample.at = now
        sample.elapsedMilliseconds = total.figures.elapsedMilliseconds
        points += 1
        total.add(sample)
        lap.add(sample)
        rows.append(.sample(sample))
    }

    private mutating func passMarks(to time: UTC?) {
        guard let started, marks.isWaiting(until: time) else { return }
        var passing = marks
        let elapsed = total.figures.elapsedMilliseconds
        passing.pass(to: time, since: started, at: now) { elapsed - (now - $0) }
        marks = passing
    }

    /// Adds active time up to a moment.
    private mutating func pass(to moment: Int64) {
        total.pass(moment - now)
        lap.pass(moment - now)
        now = moment
    }

    /// Ends the laps before a point, at the start times of the laps that follow them.
    private mutating func endLaps(before point: Pending, at: Int64, latest: Int64) {
        while laps.count < point.lap {
            let began = moment(ofLap: laps.count + 1) ?? now
            guard at > began else { return }
            endLap(at: min(max(began, now), latest))
        }
    }

    /// Ends all laps, each at the start of the next, and the last one now.
    private mutating func endAllLaps() {
        while laps.count + 1 < sourceLaps.count {
            endLap(at: min(max(moment(ofLap: laps.count + 1) ?? now, lapBegan), now), writes: false)
        }
        laps.append(RecordingLap(trigger: nil, beganAt: lapBegan, endedAt: now, figures: lap.figures))
    }

    private mutating func endLap(at moment: Int64, writes: Bool = true) {
        if moment > now { pass(to: moment) }
        let trigger = sourceLaps[laps.count].trigger
        laps.append(RecordingLap(trigger: trigger, beganAt: lapBegan, endedAt: moment, figures: lap.figures))
        if writes { rows.append(.lap(at: moment, trigger)) }
        lap = StretchTotals(after: lap)
        lapBegan = moment
    }

    private func moment(ofLap index: Int) -> Int64? {
        guard let started, sourceLaps.indices.contains(index), let began = sourceLaps[index].began else { return nil }
        return began.milliseconds - started.milliseconds
    }

    /// Starts a recording without points: an indoor run can consist of laps with their own totals only.
    private mutating func beginWithoutPoints() throws(FileError) {
        guard let first = sourceLaps.first?.began, sourceLaps.contains(where: { ($0.elapsedMilliseconds ?? 0) > 0 })
        else {
            return
        }
        started = first
        rows.append(.begin(at: 0, .command))
        for index in sourceLaps.indices {
            let totals = sourceLaps[index]
            pass(to: now + (totals.elapsedMilliseconds ?? 0))
            guard now <= Self.longest else {
                throw .tooLong(from: first, to: UTC(milliseconds: first.milliseconds + now))
            }
            lap.add(totals)
            total.add(totals)
            if index < sourceLaps.count - 1 { endLap(at: now) }
        }
    }
}
