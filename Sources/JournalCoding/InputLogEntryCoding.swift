package import Domain
package import JSONCoding
package import Pipeline
import Wire

// Entries of the input log as JSON, one value each, which reads back bit for bit. Moments and durations are whole nanoseconds.

extension JSONWriter {
    package mutating func entry(_ kind: InputLogEntry.Kind) {
        switch kind {
        case .snapshot(let snapshot): object { $0.members(of: snapshot) }
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
        case .distance(let metres): value(written: (metres.isFinite ? metres : 0).description.utf8)
        case .climb(let climb):
            object { line in
                line.member("ascent", exact: climb.ascent)
                line.member("descent", exact: climb.descent)
                line.member("source", climb.source.token)
                line.member("grade", exact: climb.grade)
                line.member("vertical", exact: climb.verticalSpeed)
            }
        case .battery(let percent): value(percent)
        case .heartLink(let status), .gpsdLink(let status): object { $0.members(of: status) }
        case .sensor(let sensor): object { $0.members(of: sensor) }
        case .sensorRemoved(let id): value(id.description)
        case .measurement(let id, let measurement): self.measurement(measurement, of: id)
        case .bluetooth(let bluetooth): object { $0.members(of: bluetooth) }
        case .systemClock(let time, let isSynchronised):
            object { line in
                line.member("utc_ms", time.milliseconds)
                line.member("synchronised", isSynchronised)
            }
        case .rtcClock(let time): value(time.milliseconds)
        case .receiverClock(let time, let arrivedAt):
            object { line in
                line.member("utc_ms", time.milliseconds)
                line.member("arrived_at", arrivedAt)
            }
        case .setting(let key, let settings):
            object { line in
                line.member("key", key.token)
                line.key("settings")
                line.stored(settings)
            }
        case .course(let course): object { $0.members(of: course) }
        case .partner(let partner): object { $0.members(of: partner) }
        case .weather(let weather): object { $0.members(of: weather) }
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
        switch command {
        case .start(let sport, let indoor, let back):
            member("sport", sport?.token)
            member("indoor", indoor)
            member("back", back)
        case .mark(let kind, let text):
            member("kind", kind.token)
            member("text", text?.text)
        default: break
        }
    }
}

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
        case "distance": self = .distance(try json.real())
        case "climb":
            self = .climb(
                StatedClimb(
                    ascent: try json.member("ascent").real(), descent: try json.member("descent").real(),
                    source: try json.member("source").token(), grade: json["grade"]?.number,
                    verticalSpeed: json["vertical"]?.number))
        case "battery": self = .battery(percent: try json.whole())
        case "heart link": self = .heartLink(try LinkStatus(json))
        case "gpsd link": self = .gpsdLink(try LinkStatus(json))
        case "sensor": self = .sensor(try SensorStatus(json))
        case "sensor removed": self = .sensorRemoved(try json.sensor())
        case "measurement":
            let (id, measurement) = try json.measurement()
            self = .measurement(id, measurement)
        case "bluetooth": self = .bluetooth(try BluetoothStatus(json))
        case "clock":
            self = .systemClock(
                try json.member("utc_ms").utc(), isSynchronised: try json.member("synchronised").truth())
        case "rtc clock": self = .rtcClock(try json.utc())
        case "receiver clock":
            self = .receiverClock(
                try json.member("utc_ms").utc(), arrivedAt: try json.member("arrived_at").instant())
        case "setting":
            let settings = try json.member("settings")
            let isFormer = json["key"]?.string == Screens.formerName
            let key: SettingKey = isFormer ? .screens : try json.member("key").token()
            // An unset one has no member.
            if !key.isOptional { _ = try settings.member(isFormer ? Screens.formerName : key.token) }
            self = .setting(key, try Settings(settings))
        case "course": self = .course(try LoadedCourse?(json))
        case "partner": self = .partner(try Partner?(json))
        case "weather": self = .weather(try WeatherObservation?(json))
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
        case "mark":
            self = .mark(try json.member("kind").token(), json["text"]?.string.flatMap { SanitizedText($0) })
        default: throw ParseError(at: 0, expected: "a command")
        }
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
        case .mark: "mark"
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
            case .distance: "distance"
            case .climb: "climb"
            case .battery: "battery"
            case .heartLink: "heart link"
            case .gpsdLink: "gpsd link"
            case .sensor: "sensor"
            case .sensorRemoved: "sensor removed"
            case .measurement: "measurement"
            case .bluetooth: "bluetooth"
            case .systemClock: "clock"
            case .receiverClock: "receiver clock"
            case .rtcClock: "rtc clock"
            case .setting: "setting"
            case .course: "course"
            case .partner: "partner"
            case .weather: "weather"
            case .raise: "raise"
            case .clear: "clear"
            case .recorder: "recorder"
            case .power: "power"
            }
        }
    }
}
