import Domain

/// Decides once a second which alerts of a run are due.
///
/// A value must be outside its range, or back inside by the hysteresis of its quantity, for ``settlingTime`` before that
/// is reported; a sensor or the position must be away for ``lossTime``. One report of a kind follows another after
/// ``interval`` at the earliest; a state that lasts that long is reported then.
struct AlertMonitor {
    /// The values of a second; nil is unknown. A pace is a speed.
    struct Values {
        var heartRate: Double?
        var zone: Double?
        var power: Double?
        var powerZone: Double?
        var cadence: Double?
        var speed: Double?
        var pace: Double?

        subscript(quantity: TargetQuantity) -> Double? {
            switch quantity {
            case .heartRate: heartRate
            case .zone: zone
            case .power: power
            case .powerZone: powerZone
            case .cadence: cadence
            case .speed: speed
            case .pace: pace
            }
        }
    }

    /// The range of one quantity, and what of it is reported.
    private struct Watch {
        var range: TargetRange?
        /// The state of the newest value, since when, and the value that brought it.
        var state = TargetState.within
        var since: Instant
        var cause: Double?
        var reported = TargetState.within
        var reportedAt: Instant?
    }

    /// A source that may get lost.
    private struct Source {
        /// Nil for the position.
        var id: SensorID?
        /// Nil while the source is there, or has never been.
        var lostAt: Instant?
        var isReported = false
    }

    static let settlingTime = Duration.seconds(3)
    static let lossTime = Duration.seconds(10)
    /// The shortest time between two reports of a kind.
    static let interval = Duration.seconds(10)

    private var watches: [Watch]
    /// Active milliseconds and metres of the run in the second before.
    private var before: (milliseconds: Int64, metres: Double) = (0, 0)
    /// Only sources that were there in this run.
    private var sources: [Source] = []
    /// When a loss or a return was reported: of the position, of a sensor.
    private var positionReportedAt: Instant?
    private var sensorReportedAt: Instant?

    init(at now: Instant) {
        watches = TargetQuantity.allCases.map { _ in Watch(since: now) }
    }

    /// Where the value of a quantity is; nil if no range is watched.
    func state(of quantity: TargetQuantity) -> TargetState? {
        let watch = watches[quantity.index]
        return watch.range == nil ? nil : watch.state
    }

    // MARK: Ranges

    /// Judges the values of a second.
    ///
    /// - Parameter target: the range of the workout's step; it replaces the alert of its quantity.
    mutating func judge(
        _ values: Values, _ alerts: [Alert], target: TargetRange?, by rules: RunRules, at now: Instant,
        into reports: inout [AlertReport]
    ) {
        for quantity in TargetQuantity.allCases {
            var range: TargetRange?
            if target?.quantity == quantity {
                range = target
            } else {
                for case .range(let alert) in alerts.lazy.map(\.subject) where alert.quantity == quantity {
                    range = alert
                }
            }
            judge(values[quantity], of: quantity, range, by: rules, at: now, into: &reports)
        }
    }

    private mutating func judge(
        _ value: Double?, of quantity: TargetQuantity, _ range: TargetRange?, by rules: RunRules, at now: Instant,
        into reports: inout [AlertReport]
    ) {
        var watch = watches[quantity.index]
        defer { watches[quantity.index] = watch }
        if watch.range != range {
            // Another range begins inside: only what is outside of it is reported.
            watch = Watch(range: range, since: now, reportedAt: watch.reportedAt)
        }
        guard let range, let value else {
            watch.since = now
            return
        }
        let state = range.state(of: value, before: watch.state)
        if state != watch.state {
            watch.state = state
            watch.since = now
            watch.cause = value
        }
        let isDue = watch.reportedAt.map { now - $0 >= Self.interval } ?? true
        guard state != watch.reported, now - watch.since >= Self.settlingTime, isDue else { return }
        watch.reported = state
        watch.reportedAt = now
        // The value may have come back meanwhile, but not far enough to be inside: it would contradict the limit.
        let reported = rules >= .shownValues ? watch.cause ?? value : value
        reports.append(AlertReport(Alert.Kind(quantity), AlertReport.State(state), value: reported, range: range))
    }

    // MARK: Intervals

    /// Judges the alerts of each distance and time.
    mutating func judge(
        milliseconds: Int64, metres: Double, _ alerts: [Alert], at now: Instant, into reports: inout [AlertReport]
    ) {
        defer { before = (milliseconds, metres) }
        for alert in alerts {
            switch alert.subject {
            case .distance(let every):
                let count = (metres / every).rounded(.down)
                if count > (before.metres / every).rounded(.down) {
                    reports.append(AlertReport(.distance, .reached, value: count * every))
                }
            case .time(let every):
                let count = milliseconds / every
                if count > before.milliseconds / every {
                    reports.append(AlertReport(.time, .reached, value: Double(count * every) / 1000))
                }
            case .range, .sensorLost, .positionLost: break
            }
        }
    }

    // MARK: Losses

    /// Judges the position. It is lost only after it was there in this run.
    mutating func judge(positionIsFresh: Bool, at now: Instant, into reports: inout [AlertReport]) {
        guard let report = judge(nil, isThere: positionIsFresh, at: now, reportedAt: positionReportedAt) else { return }
        positionReportedAt = now
        reports.append(AlertReport(.positionLost, report))
    }

    /// Judges the links of the sensors. A sensor is lost only after it was connected in this run.
    mutating func judge(_ sensors: [SensorStatus], at now: Instant, into reports: inout [AlertReport]) {
        sources.removeAll { source in source.id != nil && !sensors.contains { $0.id == source.id } }
        for sensor in sensors {
            let isThere = sensor.link.state == .connected
            guard let report = judge(sensor.id, isThere: isThere, at: now, reportedAt: sensorReportedAt) else {
                continue
            }
            sensorReportedAt = now
            reports.append(AlertReport(.sensorLost, report, sensor: sensor.kinds.first))
        }
    }

    private mutating func judge(
        _ id: SensorID?, isThere: Bool, at now: Instant, reportedAt: Instant?
    ) -> AlertReport.State? {
        guard let index = sources.firstIndex(where: { $0.id == id }) else {
            if isThere { sources.append(Source(id: id)) }
            return nil
        }
        if isThere {
            sources[index].lostAt = nil
        } else if sources[index].lostAt == nil {
            sources[index].lostAt = now
        }
        let isLost = sources[index].lostAt.map { now - $0 >= Self.lossTime } ?? false
        guard isLost || isThere, isLost != sources[index].isReported,
            reportedAt.map({ now - $0 >= Self.interval }) ?? true
        else { return nil }
        sources[index].isReported = isLost
        return isLost ? .lost : .back
    }
}

extension TargetQuantity {
    /// Its place in a list with one element for each.
    fileprivate var index: Int {
        switch self {
        case .heartRate: 0
        case .zone: 1
        case .power: 2
        case .powerZone: 3
        case .cadence: 4
        case .speed: 5
        case .pace: 6
        }
    }
}
