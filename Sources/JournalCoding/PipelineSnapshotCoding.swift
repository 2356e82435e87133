import Domain
import JSONCoding
import Pipeline

// The pipeline's snapshot as JSON: the first entry of an activity's input log.

extension JSONWriter {
    mutating func members(of snapshot: PipelineSnapshot) {
        key("settings")
        stored(snapshot.settings)
        member("demo", snapshot.isDemo)
        if snapshot.rules != .first { member("rules", snapshot.rules.rawValue) }
        member("last_activity", snapshot.lastActivity)
        timed("heart_link", snapshot.heartLink) { $0.members(of: $1) }
        timed("gpsd_link", snapshot.gpsdLink) { $0.members(of: $1) }
        object("bluetooth") { $0.members(of: snapshot.bluetooth) }
        member("battery", snapshot.batteryPercent)
        if let position = snapshot.position { timed("position", position) { $0.members(of: $1) } }
        timed("freshness", snapshot.freshness) { $0.member("value", $1.token) }
        array("faults") { faults in
            for fault in snapshot.faults {
                faults.object { line in
                    line.member("fault", fault.name.token)
                    line.member("since", fault.since)
                    line.member("message", fault.message)
                }
            }
        }
        if let rejections = snapshot.rejections {
            object("refusing") { line in
                line.member("since", rejections.since)
                line.member("last", rejections.last)
                line.member("reason", rejections.reason.token)
            }
        }
        object("clock") { $0.members(of: snapshot.clock) }
        object("heart") { $0.members(of: snapshot.heart) }
        array("sensors") { for sensor in snapshot.sensors { $0.object { $0.members(of: sensor) } } }
        object("filter") { $0.members(of: snapshot.filter) }
        if let newest = snapshot.newest { object("newest") { $0.members(of: newest) } }
        array("jitter") { for metres in snapshot.jitter { $0.exact(metres) } }
        if snapshot.course != nil { object("course") { $0.members(of: snapshot.course) } }
        if snapshot.partner != nil { object("partner") { $0.members(of: snapshot.partner) } }
        if snapshot.weather != nil { object("weather") { $0.members(of: snapshot.weather) } }
        member("next_second", snapshot.nextSecond)
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

extension PipelineSnapshot {
    init(_ json: JSON) throws(ParseError) {
        self.init(
            settings: try Settings(json.member("settings")), isDemo: try json.member("demo").truth(),
            lastActivity: try json.member("last_activity").whole(),
            heartLink: try json.timed("heart_link", LinkStatus.init),
            gpsdLink: try json.timed("gpsd_link", LinkStatus.init),
            bluetooth: try BluetoothStatus(json.member("bluetooth")),
            freshness: try json.timed("freshness") { (json) throws(ParseError) in try json.member("value").token() },
            faults: try json.elements("faults", Fault.init),
            nextSecond: try json.member("next_second").instant())
        // Journals of earlier versions lack them.
        rules = try json["rules"].map(RunRules.init) ?? .first
        batteryPercent = json["battery"]?.integer
        if json["position"] != nil { position = try json.timed("position", Position.init) }
        if let rejections = json["refusing"] {
            self.rejections = RejectionStreak(
                since: try rejections.member("since").instant(), last: try rejections.member("last").instant(),
                reason: try rejections.member("reason").token())
        }
        clock = try Clock(json.member("clock"))
        heart = try Heart(json.member("heart"))
        filter = try Filter(json.member("filter"))
        // Journals of earlier versions lack them.
        if json["sensors"] != nil { sensors = try json.elements("sensors", TrackedSensor.init) }
        newest = try json["newest"].map(TrackPoint.init)
        jitter = try json.elements("jitter") { (json) throws(ParseError) in try json.real() }
        if let course = json["course"] { self.course = try LoadedCourse?(course) }
        if let partner = json["partner"] { self.partner = try Partner?(partner) }
        if let weather = json["weather"] { self.weather = try WeatherObservation?(weather) }
    }
}

extension RunRules {
    fileprivate init(_ json: JSON) throws(ParseError) {
        guard let rules = RunRules(rawValue: try json.whole()) else {
            throw ParseError(at: 0, expected: "the number of known rules")
        }
        self = rules
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
