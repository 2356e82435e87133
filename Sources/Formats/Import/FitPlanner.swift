import Domain

/// Decides the plan of one activity.
///
///     times of the records ─▶ steps of the clock ─▶ timer events among them ─▶ time that counts ─▶ plan
struct FitPlanner {
    /// A record that counts: its number in the file, and its corrected time.
    private struct Kept {
        var number: Int
        var time: Int64
    }

    /// A stretch without records.
    private struct Gap {
        /// The number of the record after it.
        var record: Int
        /// Seconds beyond the usual time between records.
        var length: Int64
        /// Whether it is a step of the clock for certain.
        var isStep = false
    }

    private struct PlacedEvent {
        /// The number of the event among those of the file, and of the record after it.
        var number: Int
        var before: Int
        var item: FitTimelineItem
    }

    /// Devices write events a little late, and records of the same seconds before or after them: those stay in their place.
    private static let tolerance: Int64 = 10
    /// The largest difference of two times that are the same, in seconds: both are rounded.
    private static let rounding: Int64 = 2
    private static let day: Int64 = 86_400
    /// The smallest gap that may be a pause or a step of the clock, in seconds.
    private static let shortest: Int64 = 10
    /// The most records that nonsense at the beginning or the end has.
    private static let few = 3
    /// The most steps that a later one may undo.
    private static let undone = 64
    private static let jump = RecordReorderer<FitTimelineItem>.jump / 1000
    private static let held = RecordReorderer<FitTimelineItem>.heldLimit

    private let survey: FitSurvey
    private let raw: [Int64]
    private let sessions: ArraySlice<FitSurvey.Session>
    private let laps: [FitSurvey.Lap]
    private(set) var plan: FitPlan
    /// The activity's records that count, in rising order of number and time.
    private var kept: [Kept] = []
    private var gaps: [Gap] = []
    private var timeline: [PlacedEvent] = []
    /// The usual time between two records, in seconds.
    private var usual: Int64 = 1

    /// - Parameters:
    ///   - raw: the times of all records of the file, as the plan numbers them.
    ///   - plan: the plan's records, sessions and window.
    init(_ survey: FitSurvey, _ raw: [Int64], _ plan: FitPlan) {
        self.survey = survey
        self.raw = raw
        self.plan = plan
        sessions = survey.sessions[plan.sessions]
        laps = survey.laps.filter { plan.files.contains($0.file) && plan.window.contains($0.start) }
    }

    mutating func decide() {
        plan.poolLength = sessions.lazy.compactMap(\.poolLength).first.map { Double($0) / 100 }
        if plan.records.isEmpty {
            decideWithoutRecords()
        } else {
            correctClock()
            leaveOutNonsense()
            plan.spans = spans()
            placeEvents()
            if survey.isOurs {
                plan.keepsPauses = true
            } else {
                decideTime()
            }
            plan.spans = spans()
        }
        plan.heartRates = survey.heartRates.seconds.map { second in
            var second = second
            second.time = plan.corrected(second.time)
            return second
        }
        plan.heartRates.sort { $0.time < $1.time }
    }

    // MARK: The clock

    private mutating func correctClock() {
        let first = plan.records.lowerBound
        usual = median()
        var shift = firstShift()
        plan.shifts = [(first, shift)]
        var newest = raw[first] + shift
        kept = [Kept(number: first, time: newest)]
        var stepsBack: [Int64] = []
        for number in plan.records.dropFirst() {
            var time = raw[number] + shift
            if isUndated(raw[number]) != isUndated(raw[number - 1]), time - newest != usual {
                // A device without a clock counts from its power-on.
                shift += newest + usual - time
                time = newest + usual
                plan.shifts.append((number, shift))
                plan.clockSteps += 1
            } else if time < newest {
                guard isStepBack(number, shift, newest) else { continue }
                let step = newest + usual - time
                for place in gaps.indices.suffix(Self.undone) where isSame(gaps[place].length, step) {
                    gaps[place].isStep = true
                }
                stepsBack.append(step)
                shift += step
                time = newest + usual
                plan.shifts.append((number, shift))
                plan.clockSteps += 1
            } else if time - newest > Self.jump, comesBack(number, shift, newest) {
                continue
            } else if time - newest - usual >= Self.shortest {
                let length = time - newest - usual
                let undoes = stepsBack.suffix(Self.undone).contains { isSame($0, length) }
                gaps.append(Gap(record: number, length: length, isStep: undoes))
            }
            kept.append(Kept(number: number, time: time))
            newest = time
        }
    }

    private func isSame(_ length: Int64, _ step: Int64) -> Bool {
        abs(length - step) <= usual + Self.rounding
    }

    /// The shift of the first records: those before the device knew the date end where the dated ones begin.
    private func firstShift() -> Int64 {
        let first = plan.records.lowerBound
        guard isUndated(raw[first]) else { return 0 }
        guard let dated = plan.records.first(where: { !isUndated(raw[$0]) }) else {
            let start = sessions.first?.start.flatMap { isUndated($0) ? nil : $0 } ?? survey.otherTime
            return start.map { $0 - raw[first] } ?? 0
        }
        return raw[dated] - usual - raw[dated - 1]
    }

    /// Below the first date, a time counts seconds since the device was switched on.
    private func isUndated(_ time: Int64) -> Bool {
        time < Fit.firstTime - 1
    }

    /// The median of the times between neighbours that are at most a minute.
    private func median() -> Int64 {
        var counts = [Int](repeating: 0, count: 61)
        for number in plan.records.dropFirst() where 1...60 ~= raw[number] - raw[number - 1] {
            counts[Int(raw[number] - raw[number - 1])] += 1
        }
        var rest = counts.reduce(0, +) / 2
        for (seconds, count) in counts.enumerated() where count > 0 {
            if rest < count { return Int64(seconds) }
            rest -= count
        }
        return 1
    }

    /// Whether the clock went back at a record: those after it go on from there.
    private func isStepBack(_ number: Int, _ shift: Int64, _ newest: Int64) -> Bool {
        guard newest - raw[number] - shift > Self.shortest else { return false }
        let next = raw[number..<min(number + Self.held, plan.records.upperBound)]
        let falls = zip(next, next.dropFirst()).count { $1 < $0 }
        return next.count > Self.few && next.allSatisfy { $0 + shift < newest } && falls * 10 <= next.count
    }

    /// Whether a record is alone far ahead.
    private func comesBack(_ number: Int, _ shift: Int64, _ newest: Int64) -> Bool {
        let next = raw[number + 1..<min(number + 1 + Self.held, plan.records.upperBound)]
        return next.contains { raw[number] - $0 > Self.jump && $0 + shift > newest - Self.jump }
    }

    private mutating func leaveOutNonsense() {
        let range = plan.records
        guard range.count > 2 * Self.few else { return }
        if let gap = gaps.prefix(Self.few).last(where: {
            $0.record - range.lowerBound <= Self.few && $0.length > Self.day
        }) {
            plan.early = range.lowerBound..<gap.record
            kept.removeAll { $0.number < gap.record }
            gaps.removeAll { $0.record <= gap.record }
        }
        guard
            let gap = gaps.suffix(Self.few).first(where: {
                range.upperBound - $0.record <= Self.few && $0.length > Self.jump
            }),
            !survey.events.contains(where: { $0.before == gap.record }), !states(gap)
        else { return }
        plan.late = gap.record..<range.upperBound
        kept.removeAll { $0.number >= gap.record }
        gaps.removeAll { $0.record >= gap.record }
    }

    /// Whether the file's own time includes a gap.
    private func states(_ gap: Gap) -> Bool {
        statedSeconds.map { $0 >= gap.length } ?? false
    }

    private func spans() -> [(times: ClosedRange<Int64>, shift: Int64)] {
        guard plan.shifts.contains(where: { $0.seconds != 0 }) else { return [] }
        return plan.shifts.indices.map { index in
            let from = plan.shifts[index].from
            let end = index + 1 < plan.shifts.count ? plan.shifts[index + 1].from : plan.records.upperBound
            let (first, last) = (raw[from], raw[end - 1])
            return (min(first, last)...max(first, last), plan.shifts[index].seconds)
        }
    }

    // MARK: Timer events

    private mutating func placeEvents() {
        var moved: [PlacedEvent] = []
        for event in survey.events {
            let isHere = plan.files.contains(event.file) && plan.window.contains(event.item.time)
            var item = event.item
            if !plan.sorts, let shift = shiftInPlace(event) {
                guard isHere || endsActivity(event) else {
                    plan.moved.insert(event.number)
                    continue
                }
                plan.eventShifts[event.number] = shift == 0 ? nil : shift
                item.time += shift
                timeline.append(PlacedEvent(number: event.number, before: event.before, item: item))
                continue
            }
            plan.moved.insert(event.number)
            item.time = plan.corrected(item.time)
            guard isHere, let first = kept.first, let last = kept.last,
                first.time - Self.day...last.time + Self.day ~= item.time
            else { continue }
            moved.append(PlacedEvent(number: event.number, before: place(of: item), item: item))
        }
        // Two of one second keep their order: a stop, and the start after it.
        moved.sort { ($0.item.time, $0.number) < ($1.item.time, $1.number) }
        plan.events = moved.map { ($0.before, $0.item) }
        timeline += moved
        timeline.sort { ($0.before, $0.item.time, $0.number) < ($1.before, $1.item.time, $1.number) }
    }

    /// Whether an event between two activities is a stop, which ends the first.
    private func endsActivity(_ event: FitSurvey.Event) -> Bool {
        plan.files.contains(event.file) && event.before == plan.records.upperBound && !event.item.isStart
            && event.item.time >= plan.window.lowerBound
            && event.item.time - Self.tolerance <= plan.window.upperBound
    }

    /// The step of the clock at an event that stands near its time among the records; nil for one that does not.
    private func shiftInPlace(_ event: FitSurvey.Event) -> Int64? {
        guard plan.records.lowerBound...plan.records.upperBound ~= event.before else { return nil }
        let place = kept.partition { $0.number < event.before }
        let before = place > 0 ? kept[place - 1].time : nil
        let after = place < kept.count ? kept[place].time : nil
        return [event.before - 1, event.before].map { plan.shift(ofRecord: $0) }.first { shift in
            let time = event.item.time + shift
            let isLate = before.map { time < $0 - Self.tolerance } ?? false
            let isEarly = after.map { time > $0 + Self.tolerance } ?? false
            let isFar = after == nil && before.map { time - $0 > Self.day } ?? false
            return !isLate && !isEarly && !isFar
        }
    }

    /// The number of the record that a moved event comes before. One that starts the timer comes before that of its second.
    private func place(of item: FitTimelineItem) -> Int {
        let place = kept.partition { item.isStart ? $0.time < item.time : $0.time <= item.time }
        return place < kept.count ? kept[place].number : plan.records.upperBound
    }

    // MARK: Time

    /// The active time that sessions or laps state.
    private var statedSeconds: Int64? {
        let timers = sessions.map(\.timer)
        if let sum = Self.sum(timers) { return (sum + 500) / 1000 }
        // A cut file lacks its last laps.
        if !plan.records.isEmpty, let end = laps.map(\.end).max(),
            end + Self.tolerance < raw[plan.records.upperBound - 1]
        {
            return nil
        }
        return Self.sum(laps.map(\.timer)).map { ($0 + 500) / 1000 }
    }

    /// Nil unless all are known.
    private static func sum(_ values: [Int64?]) -> Int64? {
        values.isEmpty || values.contains(nil) ? nil : values.reduce(0) { $0 + ($1 ?? 0) }
    }

    private mutating func decideTime() {
        let stated = statedSeconds
        let pauses = walk(keepsPauses: true)
        let runs = walk(keepsPauses: false)
        plan.keepsPauses =
            pauses.paused > 0 && stated.map { abs(pauses.active - $0) <= abs(runs.active - $0) } ?? true
        let (active, running, _) = plan.keepsPauses ? pauses : runs
        // Nothing says how long a device was off, but a day is longer than a stretch without records.
        let isStep = { (gap: Gap) in gap.isStep || stated == nil && gap.length > Self.day }
        var steps = gaps.filter { isStep($0) && running.contains($0.record) }
        if let stated {
            let excess = active - steps.reduce(0) { $0 + $1.length } - stated
            if excess >= Self.rounding {
                steps += cut(excess, from: gaps.filter { !isStep($0) && running.contains($0.record) })
            } else if excess <= -Self.rounding {
                extend(by: -excess)
            }
        }
        take(steps.sorted { $0.record < $1.record })
    }

    /// The active time in seconds, the records after the gaps in which the timer ran, and the number of records of pauses.
    private func walk(keepsPauses: Bool) -> (active: Int64, running: Set<Int>, paused: Int) {
        var active: Int64 = 0
        var began: Int64?
        var newest: Int64?
        var (isStray, hasBegun) = (false, false)
        var running: Set<Int> = []
        var (next, gap, paused) = (0, 0, 0)
        func stop(at time: Int64) {
            if let start = began { active += max(time - start, 0) }
            (began, isStray) = (nil, false)
        }
        for record in kept {
            var isMarked = false
            while next < timeline.count, timeline[next].before <= record.number {
                let event = timeline[next].item
                if event.isStart {
                    if isStray { stop(at: newest ?? event.time) }
                    began = began ?? event.time
                    hasBegun = true
                } else {
                    stop(at: event.time)
                }
                isMarked = true
                next += 1
            }
            if isStray, let newest, record.time - newest > Self.tolerance { stop(at: newest) }
            while gap < gaps.count, gaps[gap].record < record.number { gap += 1 }
            if began != nil {
                if !isMarked, !isStray, gap < gaps.count, gaps[gap].record == record.number {
                    running.insert(record.number)
                }
            } else if hasBegun, keepsPauses, next == timeline.count || timeline[next].item.isStart {
                paused += 1
            } else {
                (began, isStray, hasBegun) = (record.time, hasBegun, true)
            }
            newest = record.time
        }
        for event in timeline[next...] where !event.item.isStart { stop(at: max(event.item.time, newest ?? .min)) }
        if let newest { stop(at: newest) }
        return (active, running, paused)
    }

    /// Takes seconds out of the longest gaps: the timer did not run in them. Nothing is taken if they are too short together.
    ///
    /// - Returns: the gaps that are steps of the clock. The others become pauses.
    private mutating func cut(_ excess: Int64, from gaps: [Gap]) -> [Gap] {
        guard gaps.reduce(0, { $0 + $1.length }) + Self.rounding >= excess, let first = kept.first, let last = kept.last
        else { return [] }
        let elapsed = Self.sum(sessions.map(\.elapsed)).map { $0 / 1000 }
        let marksPauses = timeline.contains { !$0.item.isStart && $0.before <= last.number }
        var span = last.time - first.time
        var rest = excess
        var steps: [Gap] = []
        var pauses: [(before: Int, item: FitTimelineItem)] = []
        for var gap in gaps.sorted(by: { $0.length > $1.length }) where rest >= Self.rounding {
            gap.length = min(gap.length, rest)
            rest -= gap.length
            if elapsed.map({ span - $0 >= gap.length - Self.rounding }) ?? marksPauses {
                steps.append(gap)
                span -= gap.length
            } else {
                let before = kept[kept.partition { $0.number < gap.record } - 1].time
                pauses.append((gap.record, FitTimelineItem(time: before, kind: .stop(.auto))))
                pauses.append((gap.record, FitTimelineItem(time: before + gap.length, kind: .start(.auto))))
            }
        }
        add(pauses)
        return steps
    }

    /// The timer ran before the first record, or after the last one.
    private mutating func extend(by seconds: Int64) {
        guard let first = kept.first, let last = kept.last, let start = sessions.first?.start.map(plan.corrected)
        else { return }
        var missing = seconds
        let startsLater = timeline.first.map { !$0.item.isStart || $0.before > first.number } ?? true
        if startsLater, 1..<Self.day ~= first.time - start {
            let head = min(first.time - start, missing)
            add([(first.number, FitTimelineItem(time: first.time - head, kind: .start(.command)))])
            missing -= head
        }
        let isOpen = timeline.last.map { $0.item.isStart || $0.before <= last.number } ?? true
        guard missing >= Self.rounding, isOpen, let elapsed = sessions.first?.elapsed, sessions.count == 1 else {
            return
        }
        let end = start + elapsed / 1000
        guard 1..<Self.day ~= end - last.time else { return }
        let stop = FitTimelineItem(time: min(last.time + missing, end), kind: .stop(.command))
        add([(plan.records.upperBound, stop)])
    }

    private mutating func add(_ events: [(before: Int, item: FitTimelineItem)]) {
        plan.events += events
        let order = plan.events.indices.sorted { one, other in
            (plan.events[one].before, plan.events[one].item.time, one)
                < (plan.events[other].before, plan.events[other].item.time, other)
        }
        plan.events = order.map { plan.events[$0] }
    }

    /// Takes steps of the clock out of the times of the records and events from each on.
    ///
    /// - Parameter steps: in the order of their records.
    private mutating func take(_ steps: [Gap]) {
        guard !steps.isEmpty else { return }
        plan.clockSteps += steps.count
        var sums: [(from: Int, seconds: Int64)] = []
        for step in steps { sums.append((step.record, (sums.last?.seconds ?? 0) + step.length)) }
        func taken(from number: Int) -> Int64 {
            let place = sums.partition { $0.from <= number }
            return place == 0 ? 0 : sums[place - 1].seconds
        }
        let places = Set(plan.shifts.map(\.from) + sums.map(\.from)).sorted()
        plan.shifts = places.map { ($0, plan.shift(ofRecord: $0) - taken(from: $0)) }
        for place in plan.events.indices { plan.events[place].item.time -= taken(from: plan.events[place].before) }
        for event in timeline where !plan.moved.contains(event.number) {
            let seconds = taken(from: event.before)
            if seconds != 0 { plan.eventShifts[event.number, default: 0] -= seconds }
        }
    }

    // MARK: No records

    /// A swim in a pool, or a session in a gym: the time is that of the events, or that of the session from its start.
    private mutating func decideWithoutRecords() {
        plan.isUntimed = true
        for event in survey.events { plan.moved.insert(event.number) }
        guard let seconds = statedSeconds ?? Self.sum(sessions.map(\.elapsed)).map({ $0 / 1000 }) else { return }
        let events = survey.events.filter { plan.files.contains($0.file) && plan.window.contains($0.item.time) }.map(
            \.item)
        var active: Int64 = 0
        var began: Int64?
        for event in events {
            if event.isStart {
                began = began ?? event.time
            } else if let start = began {
                active += event.time - start
                began = nil
            }
        }
        if events.first?.isStart == true, began == nil, abs(active - seconds) < Self.rounding,
            zip(events, events.dropFirst()).allSatisfy({ $0.time <= $1.time })
        {
            plan.events = events.map { (0, $0) }
        } else if let start = sessions.first?.start ?? laps.first?.start ?? survey.otherTime {
            plan.events = [
                (0, FitTimelineItem(time: start, kind: .start(.command))),
                (0, FitTimelineItem(time: start + seconds, kind: .stop(.command))),
            ]
        }
    }
}
