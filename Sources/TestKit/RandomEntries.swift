import Domain
package import Pipeline

/// Random log entries of every kind, with values from their whole ranges. The same seed gives the same entries.
package struct RandomEntries {
    private var random: SeededRandom

    package init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    /// The number of kinds that ``next(kind:)`` makes.
    package static let kinds = 28

    /// - Parameter kind: 0 to ``kinds`` − 1.
    package mutating func next(kind: Int) -> InputLogEntry {
        let value: InputLogEntry.Kind =
            switch kind {
            case 0: .snapshot(snapshot())
            case 1: .input(.fix(fix()))
            case 2: .input(.heart(measurement()))
            case 3: .input(.battery(percent: .random(in: 0...100, using: &random)))
            case 4: .input(.heartLink(status()))
            case 5: .input(.gpsdLink(status()))
            case 6: .input(.bluetooth(bluetooth()))
            case 7: .input(.systemClock(utc(), isSynchronised: .random(using: &random)))
            case 8: .input(.setting(pick(SettingKey.allCases), settings()))
            case 9: .input(.raise(pick(FaultName.allCases), message: text()))
            case 10: .input(.clear(pick(FaultName.allCases)))
            case 11: .input(.recorder(recorder()))
            case 12: .command(command())
            case 13: .suspended(duration())
            case 14: .ended(Bool.random(using: &random) ? .power : .forgotten)
            case 15:
                .input(
                    .power(maybe(PowerStatus(batteryPercent: 4, isCharging: maybe(true), isUnderVoltage: maybe(false))))
                )
            case 16: .shutdown
            case 17: .input(.receiverClock(utc(), arrivedAt: instant()))
            case 18: .input(.rtcClock(utc()))
            case 19: .input(.distance(.random(in: 0...1e6, using: &random)))
            case 20: .input(.sensor(sensor()))
            case 21: .input(.sensorRemoved(sensorID()))
            case 22: .input(.measurement(sensorID(), sensorMeasurement()))
            case 23: .input(.course(maybe(course())))
            case 24: .input(.partner(maybe(partner())))
            case 25:
                .input(
                    .climb(
                        StatedClimb(
                            ascent: .random(in: 0...1e6, using: &random), descent: .random(in: 0...1e6, using: &random),
                            source: pick(AscentSource.allCases),
                            grade: maybe(number()), verticalSpeed: maybe(number()))))
            case 26: .input(.weather(maybe(weather())))
            default:
                .outage(
                    Outage(
                        duration: duration(), isSameBoot: .random(using: &random), settings: settings(),
                        rule: pick([.paused, .continued])))
            }
        return InputLogEntry(at: instant(), value)
    }

    private mutating func weather() -> WeatherObservation {
        // The values are in their ranges.
        try! WeatherObservation(
            station: SanitizedText("EDDB")!, observed: utc(), distance: .random(in: 0...1e5, using: &random),
            direction: pick([nil, .variable, .from(.random(in: 0..<360, using: &random))]),
            windSpeed: maybe(.random(in: 0...150, using: &random)), gust: maybe(.random(in: 0...150, using: &random)),
            temperature: maybe(.random(in: -100...70, using: &random)),
            humidity: maybe(.random(in: 0...100, using: &random)),
            pressure: maybe(.random(in: 80_000...110_000, using: &random)), conditions: maybe(SanitizedText("-RA BR")!),
            isStale: flag())
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    mutating func maybe<Value>(_ value: Value) -> Value? {
        Bool.random(using: &random) ? value : nil
    }

    mutating func many<Value>(_ most: Int, _ value: (inout RandomEntries) -> Value) -> [Value] {
        (0..<Int.random(in: 0...most, using: &random)).map { _ in value(&self) }
    }

    mutating func flag() -> Bool {
        .random(using: &random)
    }

    /// Any value of an integer type.
    mutating func small<Value: FixedWidthInteger>() -> Value {
        Value(truncatingIfNeeded: random.next())
    }

    mutating func instant() -> Instant {
        Instant(nanoseconds: .random(in: -1 << 50...1 << 60, using: &random))
    }

    private mutating func duration() -> Duration {
        .nanoseconds(Int64.random(in: 0...1 << 60, using: &random))
    }

    private mutating func utc() -> UTC {
        UTC(milliseconds: .random(in: -1 << 40...1 << 45, using: &random))
    }

    /// Any finite number, or one of a realistic size.
    mutating func number() -> Double {
        if .random(using: &random) { return random.uniform() * 400 - 200 }
        let any = Double(bitPattern: random.next())
        return any.isFinite ? any : 0.1
    }

    private mutating func text() -> String {
        pick(["the disk is full", "a \"quoted\" <tag>\\ \n\t\u{7F}", "größer als 60 % — 東京", "\u{1F3C3}\u{200D}"])
    }

    mutating func foreign() -> SanitizedText? {
        maybe(SanitizedText(text())).flatMap { $0 }
    }

    mutating func address() -> BluetoothAddress? {
        maybe(BluetoothAddress(value: random.next() >> 16))
    }

    private mutating func fix() -> Fix {
        var fix = Fix(
            arrivedAt: instant(), time: maybe(utc()), device: foreign(), mode: .random(in: 0...255, using: &random),
            latitude: maybe(number()), longitude: maybe(number()), altitude: maybe(number()),
            accuracy: maybe(number()), speed: maybe(number()), track: maybe(number()),
            satellites: maybe(.random(in: 0...99, using: &random)))
        fix.verticalAccuracy = maybe(number())
        return fix
    }

    mutating func measurement() -> HeartRateMeasurement {
        HeartRateMeasurement(
            beatsPerMinute: .random(in: 0...UInt16.max, using: &random), contact: maybe(.random(using: &random)),
            energyKilojoules: maybe(.random(in: 0...UInt16.max, using: &random)),
            rrIntervals: many(9) { .random(in: 0...UInt16.max, using: &$0.random) })
    }

    mutating func status() -> LinkStatus {
        LinkStatus(
            pick([.disconnected, .connecting, .connected]),
            reason: maybe(pick(LinkReason.allCases)),
            address: address(), name: foreign())
    }

    private mutating func bluetooth() -> BluetoothStatus {
        BluetoothStatus(backend: pick([.off, .unix, .kernel, .bluetoothd]), adapter: address(), reason: foreign())
    }

    private mutating func recorder() -> RecorderStatus {
        RecorderStatus(
            state: pick([.off, .writing, .stalled, .failed]), behindMilliseconds: maybe(7),
            syncedMillisecondsAgo: maybe(0),
            freeMebibytes: maybe(20_113), message: maybe(text()))
    }

    private mutating func command() -> RunCommand {
        pick([
            .start(maybe(pick(Sport.allCases)), indoor: .random(using: &random), back: duration()), .toggle, .pause,
            .resume, .lap, .stop, .discard, .mark(pick(RecordedMark.kinds), foreign()),
        ])
    }

    private mutating func settings() -> Settings {
        var settings = Settings()
        settings.metric = maybe(.random(using: &random))
        settings.twelveHourClock = .random(using: &random)
        settings.useHeartRateZones = .random(using: &random)
        settings.sport = pick(Sport.allCases)
        settings.autoLapMetres = .random(in: 0...1_000_000, using: &random)
        settings.autoLapSeconds = .random(in: 0...86_400, using: &random)
        settings.autoStopMinutes = .random(in: 0...1_440, using: &random)
        settings.autoPause = Sport.allCases.filter { _ in .random(using: &random) }
        settings.sensors = many(3) { $0.text() }
        settings.maxHeartRate = .random(in: 100...250, using: &random)
        settings.restingHeartRate = .random(in: 30...90, using: &random)
        settings.age = .random(in: 0...120, using: &random)
        settings.sex = maybe(pick(Sex.allCases))
        settings.weightKilograms = .random(in: 0...300, using: &random)
        settings.ftp = .random(in: 0...2000, using: &random)
        settings.wheelMillimetres = .random(in: 500...4000, using: &random)
        settings.stridePermille = .random(in: 500...2000, using: &random)
        settings.climbScore = .random(in: 1500...64_000, using: &random)
        settings.climbLaps = .random(using: &random)
        settings.recordAllSensors = .random(using: &random)
        settings.powerZones = maybe(PowerZones([1, 2, 3, 4, 5, .random(in: 6...4000, using: &random)])).flatMap { $0 }
        settings.zones = maybe(try? Zones([1, 2, 3, 4, .random(in: 5...250, using: &random)])).flatMap { $0 }
        settings.alerts =
            maybe(Alert("heart_rate 120..\(Int.random(in: 121...200, using: &random))")).map {
                [$0].compactMap(\.self)
            } ?? []
        settings.workout =
            maybe(WorkoutStep("\(Int.random(in: 1...90, using: &random)) min zone 2 # \"é")).map {
                [$0].compactMap(\.self)
            } ?? []
        settings.screens[pick(Sport.allCases)] = [
            [ScreenField(pick([.time, .distance, .heartRate]), title: "Ü", visible: .random(using: &random), size: 33)]
        ]
        return settings
    }

    private mutating func point() -> TrackPoint {
        TrackPoint(
            coordinate: Coordinate(latitude: number(), longitude: number()), moment: duration(), arrivedAt: instant(),
            speed: maybe(number()), accuracy: maybe(number()))
    }

    private mutating func snapshot() -> PipelineSnapshot {
        var snapshot = PipelineSnapshot(
            settings: settings(), isDemo: .random(using: &random), lastActivity: .random(in: 0...99, using: &random),
            heartLink: Timestamped(status(), at: instant()), gpsdLink: Timestamped(status(), at: instant()),
            bluetooth: bluetooth(),
            freshness: Timestamped(pick([.fresh, .stale, .absent]), at: instant()),
            faults: many(2) { Fault(name: $0.pick(FaultName.allCases), since: $0.instant(), message: $0.text()) },
            nextSecond: instant())
        snapshot.batteryPercent = maybe(.random(in: 0...100, using: &random))
        snapshot.position = maybe(
            Timestamped(
                Position(
                    coordinate: Coordinate(latitude: number(), longitude: number()), altitude: maybe(number()),
                    accuracy: maybe(number()), speed: maybe(number()), track: maybe(number()), mode: 3,
                    satellites: maybe(9)), at: instant()))
        snapshot.rejections = maybe(
            PipelineSnapshot.RejectionStreak(since: instant(), last: instant(), reason: pick(FixRejection.allCases)))
        snapshot.clock.source = pick([.system, .receiver, .unset])
        snapshot.clock.offset = maybe(utc().milliseconds)
        snapshot.clock.mappedAt = maybe(instant())
        snapshot.clock.isSynchronised = .random(using: &random)
        snapshot.clock.fixOffsets = many(3) { $0.utc().milliseconds }
        snapshot.heart.last = maybe(Timestamped(measurement(), at: instant()))
        snapshot.heart.quality = pick([.good, .zero, .noContact, .outOfRange, .frozen])
        snapshot.heart.beatAt = maybe(instant())
        snapshot.heart.hasBegun = .random(using: &random)
        snapshot.heart.isBroken = .random(using: &random)
        snapshot.heart.unchanged = maybe(Timestamped(.random(in: 0...UInt16.max, using: &random), at: instant()))
        snapshot.sensors = many(3) { $0.trackedSensor() }
        snapshot.filter.last = maybe(point())
        snapshot.filter.lastTime = maybe(utc())
        snapshot.filter.suspected = many(3) { $0.utc() }
        snapshot.filter.accuracies = many(120) { $0.number() }
        snapshot.filter.recent = many(64) { $0.point() }
        snapshot.filter.impossibleSince = maybe(duration())
        snapshot.filter.impossibleCount = .random(in: 0...9, using: &random)
        snapshot.filter.lead = duration()
        snapshot.newest = maybe(point())
        snapshot.jitter = many(60) { $0.number() }
        snapshot.course = maybe(course())
        snapshot.partner = maybe(partner())
        snapshot.weather = maybe(weather())
        return snapshot
    }
}
