package import Domain

/// Builds the rows and the header of a recording from the pipeline's outputs during a run.
///
/// There is one sample for each whole second of active time, none while paused. The result depends on the entries
/// alone: a replay restores the state before an outage.
package struct RecordingBuilder: Sendable {
    /// The activity in progress, or the last one; it includes the last lap once it has ended.
    package private(set) var recording: RecordedActivity?
    private var rows: [RecordingRow] = []
    package private(set) var startedAt: Instant?
    private var isRunning = false
    /// Whether the activity has begun and not ended: the beats of its pauses are kept.
    private var isOpen = false
    private var lapBeganAt: Int64 = 0
    private var lastAt: Int64 = 0
    /// The sensors that sent values, and the seconds with a heart rate of each.
    private var sensors: [(sensor: RecordingSensor, heartSeconds: Int)] = []
    /// The last seconds that were counted in a zone, oldest first: a beat is valid for 3 s.
    private var zoneSeconds: [(at: Int64, zone: Int)] = []
    private var cut: Truncation?

    /// The part of the recording to remove, with rows that were already drained, because the activity ended earlier.
    package struct Truncation: Equatable, Sendable {
        /// Milliseconds since the recording began; later rows are removed.
        package var at: Int64
        /// Samples with more active time are removed too.
        package var elapsedMilliseconds: Int64

        /// Whether to remove the row.
        package func removes(_ row: RecordingRow) -> Bool {
            if case .sample(let sample) = row, sample.elapsedMilliseconds > elapsedMilliseconds { return true }
            return row.at > at
        }
    }

    /// The largest number of sensors; more than anyone uses in one run.
    private static let sensorLimit = 16
    /// A sensor takes part in the seconds in which its newest value is not older.
    private static let freshness = Duration.seconds(5)
    private static let zoneSecondLimit = 4

    private var isDemo: Bool

    package init(isDemo: Bool = false) {
        self.isDemo = isDemo
    }

    /// Receives the outputs since the last call.
    ///
    /// - Parameters:
    ///   - seconds: the states at whole seconds of active time (``Pipeline/seconds``).
    ///   - zones: the zones in use; nil while zones are off.
    package mutating func ingest(_ outputs: [Output], seconds: [State], zones: Zones?) {
        var rest = seconds[...]
        for output in outputs {
            let (moment, isBeforeSample) = Self.place(of: output)
            while let state = rest.first, state.at < moment || state.at == moment && !isBeforeSample {
                ingest(rest.removeFirst(), zones: zones)
            }
            ingest(output)
        }
        for state in rest { ingest(state, zones: zones) }
    }

    /// Sets the uuid of the recording.
    package mutating func identify(_ uuid: UUID?) {
        recording?.uuid = uuid
    }

    /// Applies a shift of activity numbers.
    package mutating func renumber(_ numbers: Renumbering.Shift) {
        if let id = recording?.id { recording?.id = numbers(id) }
    }

    /// Returns and removes the rows since the last call, in order, with the RR intervals of the run and of its pauses.
    package mutating func drainRows() -> [RecordingRow] {
        defer { if !rows.isEmpty { rows = [] } }
        return rows
    }

    /// Returns and removes the truncation since the last call. It precedes the rows of the next ``drainRows()``.
    package mutating func popTruncation() -> Truncation? {
        defer { cut = nil }
        return cut
    }

    /// Returns an output's place: a lap ends after the sample of its last second, a segment begins before its first.
    private static func place(of output: Output) -> (Instant, isBeforeSample: Bool) {
        switch output {
        case .event(let event):
            if case .gap = event.kind { (event.at, true) } else { (event.at, false) }
        case .heart(let reading): (reading.at, false)
        case .fix(let fix): (fix.at, true)
        }
    }

    private mutating func ingest(_ output: Output) {
        switch output {
        case .event(let event): ingest(event)
        case .heart(let reading):
            guard isOpen, !reading.measurement.rrIntervals.isEmpty else { return }
            rows.append(.beats(at: moment(reading.at), rr: reading.measurement.rrIntervals, gap: reading.gap))
        case .fix(let fix):
            if isRunning, fix.isJump { rows.append(.segment(at: max(moment(fix.at), lastAt))) }
        }
    }

    private mutating func ingest(_ event: Event) {
        switch event.kind {
        case .start(let sport, _, resumed: false): begin(sport, event)
        case .pause(_, _, let trigger): end(at: moment(event.at), trigger == .auto ? .auto : .command)
        case .resume(_, _, let trigger): begin(at: moment(event.at), trigger == .auto ? .auto : .command)
        case .autoPause(let elapsed, _):
            rows.append(.autoPause(at: max(moment(event.at), lastAt), elapsedMilliseconds: elapsed))
        case .autoResume(let elapsed, _):
            rows.append(.autoResume(at: max(moment(event.at), lastAt), elapsedMilliseconds: elapsed))
        case .lap(let figures, _, let trigger):
            let at = moment(event.at)
            closeLap(at: at, trigger, figures)
            rows.append(.lap(at: at, trigger))
        case .gap(.restart, let seconds, _, let isCounted):
            guard isRunning, !isCounted else { return }
            let outage = Int64((seconds * 1000).rounded())
            end(at: max(moment(event.at) - outage, lastAt), .outage)
            begin(at: moment(event.at), .outage)
        case .gap(.position, let seconds, let metres, let isCounted):
            guard isRunning, !isCounted || seconds >= 120 || (metres ?? 0) >= 1000 else { return }
            rows.append(.segment(at: moment(event.at)))
        case .mark(var mark, _):
            mark.at = moment(event.at)
            if isOpen, (recording?.marks.count ?? 0) < RecordedMark.limit { recording?.marks.append(mark) }
        case .stop(let summary): close(summary, at: moment(event.at))
        case .discard:
            recording = nil
            startedAt = nil
            isRunning = false
            isOpen = false
        default: break
        }
    }

    private mutating func begin(_ sport: Sport, _ event: Event) {
        self = RecordingBuilder(rows: rows, isDemo: isDemo)
        startedAt = event.at
        var recording = RecordedActivity(sport: sport, started: event.time ?? UTC(milliseconds: 0))
        recording.id = event.activity
        recording.isDemo = isDemo
        recording.isTimeUncertain = event.time == nil
        recording.isTimeGuessed = event.isTimeGuessed
        self.recording = recording
        isOpen = true
        begin(at: 0, .command)
    }

    private init(rows: [RecordingRow], isDemo: Bool) {
        self.rows = rows
        self.isDemo = isDemo
    }

    private mutating func begin(at: Int64, _ trigger: RecordingRow.TimerTrigger) {
        isRunning = true
        lastAt = at
        rows.append(.begin(at: at, trigger))
    }

    private mutating func end(at: Int64, _ trigger: RecordingRow.TimerTrigger) {
        guard isRunning else { return }
        isRunning = false
        lastAt = at
        rows.append(.end(at: at, trigger))
    }

    private mutating func closeLap(at: Int64, _ trigger: Event.Trigger?, _ figures: Totals) {
        recording?.laps.append(RecordingLap(trigger: trigger, beganAt: lapBeganAt, endedAt: at, figures: figures))
        lapBeganAt = at
    }

    private mutating func close(_ summary: ActivitySummary, at: Int64) {
        if at < lastAt { fallBack(to: summary, at: at) }
        end(at: at, .command)
        isOpen = false
        closeLap(at: at, nil, summary.lastLap)
        recording?.total = summary.total
        recording?.totalMilliseconds = summary.totalMilliseconds
        if let started = summary.started { recording?.started = started }
        recording?.isTimeUncertain = summary.started == nil
        recording?.isTimeGuessed = summary.isTimeGuessed
    }

    /// Truncates a recording that ended before its last rows.
    private mutating func fallBack(to summary: ActivitySummary, at: Int64) {
        let cut = Truncation(at: at, elapsedMilliseconds: summary.total.elapsedMilliseconds)
        self.cut = cut
        rows.removeAll { cut.removes($0) }
        isRunning = false
        lastAt = at
        rows.append(.end(at: at, .auto))
        if let laps = recording?.laps, laps.count >= summary.laps {
            recording?.laps.removeLast(laps.count - summary.laps + 1)
            lapBeganAt = recording?.laps.last?.endedAt ?? 0
        }
        recording?.marks.removeAll { $0.at > at }
        for second in zoneSeconds where second.at > at { recording?.zoneMilliseconds[second.zone] -= 1000 }
    }

    private mutating func ingest(_ state: State, zones: Zones?) {
        guard isRunning, let activity = state.activity else { return }
        // After a hole this is the last whole second of the step.
        let past = activity.total.elapsedMilliseconds % 1000
        let at = moment(state.at - .milliseconds(past))
        var sample = RecordingSample(at: at, elapsedMilliseconds: activity.total.elapsedMilliseconds - past)
        sample.distanceMetres = activity.total.distanceMetres
        sample.speed = activity.speed
        // Earlier releases recorded fixes of indoor runs.
        if !activity.isIndoor, !state.positionIsStale, let position = state.position?.value {
            sample.coordinate = position.coordinate
            sample.altitude = activity.altitude ?? position.altitude
        }
        sample.ascent = activity.total.ascent
        sample.descent = activity.total.descent
        sample.grade = activity.grade
        sample.verticalSpeed = activity.verticalSpeed
        sample.ascentSource = activity.ascentSource
        if !state.heart.isStale, let beats = state.heart.beatsPerMinute?.value {
            sample.heartRate = beats
            countStrap(of: state)
            if let zone = state.heart.zone, let zones { count(zone, of: zones, at: at) }
        }
        addSensors(of: state, activity, to: &sample)
        if !state.ownFields.fields.isEmpty {
            let fields = state.ownFields.fields
            sample.fields = fields.indices.map { state.ownFields.values[$0] }
            if recording?.fields != fields { recording?.fields = fields }
        }
        lastAt = at
        rows.append(.sample(sample))
        recording?.isIndoor = activity.isIndoor
        recording?.total = activity.total
        recording?.totalMilliseconds = at + past
    }

    private mutating func count(_ zone: Int, of zones: Zones, at: Int64) {
        recording?.zones = zones
        if recording?.zoneMilliseconds.isEmpty ?? false { recording?.zoneMilliseconds = Array(repeating: 0, count: 6) }
        recording?.zoneMilliseconds[zone] += 1000
        if zoneSeconds.count == Self.zoneSecondLimit { zoneSeconds.removeFirst() }
        zoneSeconds.append((at, zone))
    }

    /// Adds the values of a second that have no tick of their own.
    private mutating func addSensors(of state: State, _ activity: Activity, to sample: inout RecordingSample) {
        sample.power = activity.power.map { Self.whole($0, in: 0...65_534) }
        sample.leftBalance = activity.leftBalance.map { Self.whole($0, in: 0...100) }
        sample.cadence = activity.cadence.map { Self.whole($0 / activity.sport.stepsPerCadence, in: 0...254) }
        for (index, sensor) in state.sensors.enumerated() {
            let reading = state.readings[index]
            if sample.temperature == nil {
                sample.temperature = reading.temperature.map { Self.whole($0, in: -127...126) }
            }
            if let measuredAt = reading.measuredAt, state.at - measuredAt < Self.freshness {
                count(RecordingSensor(sensor), heartSeconds: 0)
            }
        }
    }

    private static func whole(_ value: Double, in range: ClosedRange<Double>) -> Int {
        Int(min(max(value, range.lowerBound), range.upperBound).rounded())
    }

    private mutating func countStrap(of state: State) {
        let (heart, address) = (state.heart, state.heart.link.address)
        let listed = state.sensors.first { status in
            if case .bluetooth(let device) = status.id { device.address == address } else { false }
        }
        var strap = listed.map { RecordingSensor($0) } ?? RecordingSensor([.heartRate])
        strap.address = address
        strap.name = heart.link.name ?? strap.name
        strap.batteryPercent = heart.batteryPercent ?? strap.batteryPercent
        guard strap.address != nil || strap.name != nil else { return }
        count(strap, heartSeconds: 1)
    }

    private mutating func count(_ sensor: RecordingSensor, heartSeconds: Int) {
        let known = sensors.firstIndex { other in
            let known = other.sensor
            return known.address == sensor.address
                && (sensor.address != nil || known.kinds == sensor.kinds && known.name == sensor.name)
        }
        guard let known else {
            guard sensors.count < Self.sensorLimit else { return }
            sensors.append((sensor, heartSeconds))
            recording?.sensors.append(sensor)
            return
        }
        sensors[known].heartSeconds += heartSeconds
        let updated = sensor.completed(by: sensors[known].sensor)
        if updated != sensors[known].sensor {
            sensors[known].sensor = updated
            recording?.sensors[known] = updated
        }
        // The strap with most of the beats comes first.
        let best = sensors.firstIndex { $0.heartSeconds > 0 }
        if heartSeconds > 0, let best, best < known, sensors[known].heartSeconds > sensors[best].heartSeconds {
            sensors.swapAt(best, known)
            recording?.sensors.swapAt(best, known)
        }
    }

    /// Returns milliseconds since the recording began, at least 0.
    package func moment(_ instant: Instant) -> Int64 {
        startedAt.map { max((instant - $0).wholeMilliseconds, 0) } ?? 0
    }
}

extension RecordingSensor {
    fileprivate init(_ status: SensorStatus) {
        self.init(status.kinds)
        if case .bluetooth(let device) = status.id { address = device.address }
        name = status.link.name
        manufacturer = status.manufacturer
        model = status.model
        serialNumber = status.serialNumber
        firmware = status.firmware
        batteryPercent = status.batteryPercent
    }

    /// Returns the sensor with the values of an earlier second that it lacks: a lost link forgets them.
    fileprivate func completed(by earlier: RecordingSensor) -> RecordingSensor {
        var sensor = self
        if sensor.kinds.count < earlier.kinds.count { sensor.kinds = earlier.kinds }
        sensor.name = name ?? earlier.name
        sensor.manufacturer = manufacturer ?? earlier.manufacturer
        sensor.model = model ?? earlier.model
        sensor.serialNumber = serialNumber ?? earlier.serialNumber
        sensor.firmware = firmware ?? earlier.firmware
        sensor.batteryPercent = batteryPercent ?? earlier.batteryPercent
        return sensor
    }
}
