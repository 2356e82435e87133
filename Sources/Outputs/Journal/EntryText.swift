package import Domain

/// Entries as JSON, one value each, which reads back bit for bit. Moments and durations are whole nanoseconds.
///
/// The reader is `InputLogEntry.Kind.init(name:json:)` in Adapters, which has the JSON parser.
extension JSONWriter {
    package mutating func entry(_ kind: InputLogEntry.Kind) {
        switch kind {
        case .snapshot(let beginning): object { $0.members(of: beginning) }
        case .input(let input): self.input(input)
        case .command(let command): object { $0.members(of: command) }
        case .suspended(let duration): value(duration.wholeNanoseconds)
        case .outage(let outage):
            object { line in
                line.member("ns", outage.duration.wholeNanoseconds)
                line.member("same_boot", outage.isSameBoot)
                line.member("rule", outage.rule.token)
                line.key("settings")
                line.stored(outage.settings)
            }
        case .shutdown: object { _ in }
        case .ended(let ending): value(ending.token)
        }
    }

    private mutating func input(_ input: Input) {
        switch input {
        case .fix(let fix): object { $0.members(of: fix) }
        case .heart(let measurement): object { $0.members(of: measurement) }
        case .battery(let percent): value(percent)
        case .heartLink(let status), .gpsdLink(let status): object { $0.members(of: status) }
        case .bluetooth(let bluetooth): object { $0.members(of: bluetooth) }
        case .systemClock(let time, let isSynchronised):
            object { line in
                line.member("utc_ms", time.milliseconds)
                line.member("synchronised", isSynchronised)
            }
        case .setting(let key, let settings):
            object { line in
                line.member("key", key.token)
                line.key("settings")
                line.stored(settings)
            }
        case .raise(let name, let message):
            object { line in
                line.member("fault", name.token)
                line.member("message", message)
            }
        case .clear(let name): value(name.token)
        case .recorder(let recorder):
            object { line in
                line.member("state", recorder.state.token)
                line.member("behind_ms", recorder.behindMilliseconds)
                line.member("synced_ms_ago", recorder.syncedMillisecondsAgo)
                line.member("free_mib", recorder.freeMebibytes)
                line.member("message", recorder.message)
            }
        case .power(let power):
            object { line in
                line.member("percent", power?.batteryPercent)
                line.member("charging", power?.isCharging)
                line.member("under_voltage", power?.isUnderVoltage)
            }
        }
    }

    private mutating func members(of command: RunCommand) {
        member("command", command.token)
        if case .start(let sport, let indoor, let back) = command {
            member("sport", sport?.token)
            member("indoor", indoor)
            member("back", back)
        }
    }

    private mutating func members(of beginning: PipelineSnapshot) {
        key("settings")
        stored(beginning.settings)
        member("demo", beginning.isDemo)
        member("last_activity", beginning.lastActivity)
        timed("heart_link", beginning.heartLink) { $0.members(of: $1) }
        timed("gpsd_link", beginning.gpsdLink) { $0.members(of: $1) }
        object("bluetooth") { $0.members(of: beginning.bluetooth) }
        member("battery", beginning.batteryPercent)
        if let position = beginning.position { timed("position", position) { $0.members(of: $1) } }
        timed("freshness", beginning.freshness) { $0.member("value", $1.token) }
        array("faults") { faults in
            for fault in beginning.faults {
                faults.object { line in
                    line.member("fault", fault.name.token)
                    line.member("since", fault.since)
                    line.member("message", fault.message)
                }
            }
        }
        if let refusing = beginning.refusing {
            object("refusing") { line in
                line.member("since", refusing.since)
                line.member("last", refusing.last)
                line.member("reason", refusing.reason.token)
            }
        }
        object("clock") { $0.members(of: beginning.clock) }
        object("heart") { $0.members(of: beginning.heart) }
        object("filter") { $0.members(of: beginning.filter) }
        if let newest = beginning.newest { object("newest") { $0.members(of: newest) } }
        array("jitter") { for metres in beginning.jitter { $0.exact(metres) } }
        member("next_second", beginning.nextSecond)
    }

    private mutating func members(of clock: PipelineSnapshot.Clock) {
        member("source", clock.source.token)
        member("offset_ms", clock.offset)
        member("mapped_at", clock.mappedAt)
        member("synchronised", clock.isSynchronised)
        array("fix_offsets_ms") { for offset in clock.fixOffsets { $0.value(offset) } }
    }

    private mutating func members(of heart: PipelineSnapshot.Heart) {
        if let last = heart.last { timed("last", last) { $0.members(of: $1) } }
        member("quality", heart.quality.token)
        member("beat_at", heart.beatAt)
        member("begun", heart.hasBegun)
        member("broken", heart.isBroken)
        if let unchanged = heart.unchanged { timed("unchanged", unchanged) { $0.member("bpm", Int($1)) } }
    }

    private mutating func members(of filter: PipelineSnapshot.Filter) {
        if let last = filter.last { object("last") { $0.members(of: last) } }
        member("last_utc_ms", filter.lastTime?.milliseconds)
        array("suspected_utc_ms") { for time in filter.suspected { $0.value(time.milliseconds) } }
        array("accuracies") { for accuracy in filter.accuracies { $0.exact(accuracy) } }
        array("recent") { for point in filter.recent { $0.object { $0.members(of: point) } } }
        member("impossible_since", filter.impossibleSince)
        member("impossible_count", filter.impossibleCount)
        member("lead", filter.lead)
    }
}

// The parts of inputs and snapshots.
extension JSONWriter {
    private mutating func members(of fix: Fix) {
        member("arrived_at", fix.arrivedAt)
        member("utc_ms", fix.time?.milliseconds)
        member("device", fix.device?.text)
        member("mode", Int(fix.mode))
        member("latitude", exact: fix.latitude)
        member("longitude", exact: fix.longitude)
        member("altitude", exact: fix.altitude)
        member("accuracy", exact: fix.accuracy)
        member("speed", exact: fix.speed)
        member("track", exact: fix.track)
        member("satellites", fix.satellites)
    }

    private mutating func members(of position: Position) {
        member("latitude", exact: position.coordinate.latitude)
        member("longitude", exact: position.coordinate.longitude)
        member("altitude", exact: position.altitude)
        member("accuracy", exact: position.accuracy)
        member("speed", exact: position.speed)
        member("track", exact: position.track)
        member("mode", Int(position.mode))
        member("satellites", position.satellites)
    }

    private mutating func members(of point: TrackPoint) {
        member("latitude", exact: point.coordinate.latitude)
        member("longitude", exact: point.coordinate.longitude)
        member("moment", point.moment)
        member("arrived_at", point.arrivedAt)
        member("speed", exact: point.speed)
        member("accuracy", exact: point.accuracy)
    }

    private mutating func members(of measurement: HeartRateMeasurement) {
        member("bpm", Int(measurement.beatsPerMinute))
        member("contact", measurement.contact)
        member("energy_kj", measurement.energyKilojoules.map { Int($0) })
        array("rr_1024") { for interval in measurement.rrIntervals { $0.value(Int(interval)) } }
    }

    private mutating func members(of status: LinkStatus) {
        member("link", status.state.token)
        member("reason", status.reason?.token)
        member("address", status.address)
        member("name", status.name?.text)
    }

    private mutating func members(of bluetooth: BluetoothStatus) {
        member("way", bluetooth.way.token)
        member("adapter", bluetooth.adapter)
        member("reason", bluetooth.reason?.text)
    }

    private mutating func timed<Value>(
        _ name: String, _ timed: Timestamped<Value>, _ members: (inout JSONWriter, Value) -> Void
    ) {
        object(name) { line in
            members(&line, timed.value)
            line.member("at", timed.measuredAt)
        }
    }

    private mutating func member(_ name: String, _ instant: Instant?) {
        member(name, instant?.nanoseconds)
    }

    private mutating func member(_ name: String, _ duration: Duration?) {
        member(name, duration?.wholeNanoseconds)
    }

    /// Writes a number as its shortest text that reads back equal; a value that is not finite is omitted.
    private mutating func member(_ name: String, exact value: Double?) {
        guard let value, value.isFinite else { return }
        key(name)
        exact(value)
    }

    private mutating func exact(_ value: Double) {
        self.value(written: value.description.utf8)
    }
}

extension RunCommand {
    fileprivate var token: String {
        switch self {
        case .start: "start"
        case .toggle: "toggle"
        case .pause: "pause"
        case .resume: "resume"
        case .lap: "lap"
        case .stop: "stop"
        case .discard: "discard"
        }
    }
}

extension InputLogEntry.Kind {
    /// The stored name of an entry's kind.
    package var name: String {
        switch self {
        case .snapshot: "beginning"
        case .command: "command"
        case .suspended: "slept"
        case .outage: "outage"
        case .shutdown: "shutdown"
        case .ended: "ended"
        case .input(let input):
            switch input {
            case .fix: "fix"
            case .heart: "heart"
            case .battery: "battery"
            case .heartLink: "heart link"
            case .gpsdLink: "gpsd link"
            case .bluetooth: "bluetooth"
            case .systemClock: "clock"
            case .setting: "setting"
            case .raise: "raise"
            case .clear: "clear"
            case .recorder: "recorder"
            case .power: "power"
            }
        }
    }
}
