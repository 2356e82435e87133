package import Domain
import Outputs

extension InputLogEntry.Kind {
    /// Parses the format of `JSONWriter.entry(_:)`.
    ///
    /// - Throws: ``ParseError`` for anything else.
    package init(name: String, json: JSON) throws(ParseError) {
        switch name {
        case "beginning": self = .snapshot(try PipelineSnapshot(json))
        case "command": self = .command(try RunCommand(json))
        case "slept": self = .suspended(try json.duration())
        case "outage":
            self = .outage(
                Outage(
                    duration: try json.member("ns").duration(), isSameBoot: try json.member("same_boot").truth(),
                    settings: try Settings(json.member("settings")), rule: try json["rule"]?.token() ?? .paused))
        case "shutdown": self = .shutdown
        case "ended": self = .ended(try json.token())
        default: self = .input(try Input(name: name, json: json))
        }
    }
}

extension Input {
    fileprivate init(name: String, json: JSON) throws(ParseError) {
        switch name {
        case "fix": self = .fix(try Fix(json))
        case "heart": self = .heart(try HeartRateMeasurement(json))
        case "battery": self = .battery(percent: try json.whole())
        case "heart link": self = .heartLink(try LinkStatus(json))
        case "gpsd link": self = .gpsdLink(try LinkStatus(json))
        case "bluetooth": self = .bluetooth(try BluetoothStatus(json))
        case "clock":
            self = .systemClock(
                try json.member("utc_ms").utc(), isSynchronised: try json.member("synchronised").truth())
        case "setting":
            let key: SettingKey = try json.member("key").token()
            let settings = try json.member("settings")
            // Unset zones have no member.
            if key != .zones { _ = try settings.member(key.token) }
            self = .setting(key, try Settings(settings))
        case "raise": self = .raise(try json.member("fault").token(), message: try json.member("message").text())
        case "clear": self = .clear(try json.token())
        case "recorder":
            self = .recorder(
                RecorderStatus(
                    state: try json.member("state").token(),
                    behindMilliseconds: json["behind_ms"]?.integer.map(Int64.init),
                    syncedMillisecondsAgo: json["synced_ms_ago"]?.integer.map(Int64.init),
                    freeMebibytes: json["free_mib"]?.integer, message: json["message"]?.string))
        case "power":
            let power = PowerStatus(
                batteryPercent: json["percent"]?.integer, isCharging: json["charging"]?.bool,
                isUnderVoltage: json["under_voltage"]?.bool)
            self = .power(power == PowerStatus() ? nil : power)
        default: throw ParseError(at: 0, expected: "the name of an entry")
        }
    }
}

extension RunCommand {
    fileprivate init(_ json: JSON) throws(ParseError) {
        switch try json.member("command").text() {
        case "start":
            self = .start(
                try json["sport"]?.token(), indoor: try json.member("indoor").truth(),
                back: try json.member("back").duration())
        case "toggle": self = .toggle
        case "pause": self = .pause
        case "resume": self = .resume
        case "lap": self = .lap
        case "stop": self = .stop
        case "discard": self = .discard
        default: throw ParseError(at: 0, expected: "a command")
        }
    }
}

extension PipelineSnapshot {
    fileprivate init(_ json: JSON) throws(ParseError) {
        self.init(
            settings: try Settings(json.member("settings")), isDemo: try json.member("demo").truth(),
            lastActivity: try json.member("last_activity").whole(),
            heartLink: try json.timed("heart_link", LinkStatus.init),
            gpsdLink: try json.timed("gpsd_link", LinkStatus.init),
            bluetooth: try BluetoothStatus(json.member("bluetooth")),
            freshness: try json.timed("freshness") { (json) throws(ParseError) in try json.member("value").token() },
            faults: try json.elements("faults", Fault.init),
            nextSecond: try json.member("next_second").instant())
        batteryPercent = json["battery"]?.integer
        if json["position"] != nil { position = try json.timed("position", Position.init) }
        if let refusing = json["refusing"] {
            self.refusing = RejectionStreak(
                since: try refusing.member("since").instant(), last: try refusing.member("last").instant(),
                reason: try refusing.member("reason").token())
        }
        clock = try Clock(json.member("clock"))
        heart = try Heart(json.member("heart"))
        filter = try Filter(json.member("filter"))
        newest = try json["newest"].map(TrackPoint.init)
        jitter = try json.elements("jitter") { (json) throws(ParseError) in try json.real() }
    }
}

extension Fault {
    fileprivate init(_ json: JSON) throws(ParseError) {
        self.init(
            name: try json.member("fault").token(), since: try json.member("since").instant(),
            message: try json.member("message").text())
    }
}

extension PipelineSnapshot.Clock {
    fileprivate init(_ json: JSON) throws(ParseError) {
        self.init()
        source = try json.member("source").token()
        offset = json["offset_ms"]?.integer.map(Int64.init)
        mappedAt = try json["mapped_at"]?.instant()
        isSynchronised = try json.member("synchronised").truth()
        fixOffsets = try json.elements("fix_offsets_ms") { (json) throws(ParseError) in Int64(try json.whole()) }
    }
}

extension PipelineSnapshot.Heart {
    fileprivate init(_ json: JSON) throws(ParseError) {
        self.init()
        if json["last"] != nil { last = try json.timed("last", HeartRateMeasurement.init) }
        quality = try json.member("quality").token()
        beatAt = try json["beat_at"]?.instant()
        hasBegun = try json.member("begun").truth()
        isBroken = try json.member("broken").truth()
        if json["unchanged"] != nil {
            unchanged = try json.timed("unchanged") { (json) throws(ParseError) in try json.member("bpm").small() }
        }
    }
}

extension PipelineSnapshot.Filter {
    fileprivate init(_ json: JSON) throws(ParseError) {
        self.init()
        last = try json["last"].map(TrackPoint.init)
        lastTime = try json["last_utc_ms"]?.utc()
        suspected = try json.elements("suspected_utc_ms") { (json) throws(ParseError) in try json.utc() }
        accuracies = try json.elements("accuracies") { (json) throws(ParseError) in try json.real() }
        recent = try json.elements("recent", TrackPoint.init)
        impossibleSince = try json["impossible_since"]?.duration()
        impossibleCount = try json.member("impossible_count").whole()
        // Journals of earlier versions lack it.
        lead = try json["lead"]?.duration() ?? .zero
    }
}
