package import Domain
import JSONCoding

/// The EVENT line of an event, with its number.
package struct EventLine: Sendable {
    package let number: Int
    package let bytes: [UInt8]
    /// Nil for an event that a reader of the present run does not need.
    let kind: RetainedRunEvents.Kind?

    /// - Parameter uuid: that of the event's activity; nil if it is unknown here.
    package init(_ event: Event, number: Int, uuid: UUID? = nil) {
        var event = event
        switch event.kind {
        case .stop(var summary):
            summary.uuid = summary.uuid ?? uuid
            event.kind = .stop(summary)
        case .discard(var summary):
            summary.uuid = summary.uuid ?? uuid
            event.kind = .discard(summary)
        default: break
        }
        var writer = JSONWriter(capacity: 512)
        writer.event(event, sequence: number, uuid: uuid)
        self.number = number
        bytes = writer.bytes
        kind = RetainedRunEvents.Kind(event.kind)
    }
}

extension JSONWriter {
    /// Writes the number of an activity; nothing if it has no number yet (``Renumbering``).
    package mutating func member(_ name: String, number: Int?) {
        member(name, number.flatMap { $0 > 0 ? $0 : nil })
    }

    /// Writes an EVENT line.
    ///
    /// - Parameters:
    ///   - sequence: nil in a replay, which omits the members that depend on the host.
    ///   - uuid: that of the activity, for its start.
    package mutating func event(_ event: Event, sequence: Int?, uuid: UUID? = nil) {
        object { line in
            line.member("class", "EVENT")
            line.member("seq", sequence)
            line.member("time", event.time)
            line.member("boot_ms", sequence == nil ? nil : event.at.milliseconds)
            line.member("event", event.kind.name)
            line.member("activity", number: sequence == nil ? nil : event.activity)
            if case .start = event.kind { line.member("uuid", uuid) }
            line.fields(of: event.kind)
        }
        newline()
    }

    /// Returns an EVENT line with another number, otherwise unchanged.
    package static func eventLine(_ line: [UInt8], sequence: Int) -> [UInt8] {
        let head = Array(#"{"class":"EVENT","seq":"#.utf8)
        guard line.starts(with: head) else { return line }
        return head + Array(String(sequence).utf8) + line[head.count...].drop { $0 != UInt8(ascii: ",") }
    }

    private mutating func fields(of kind: Event.Kind) {
        switch kind {
        case .start(let sport, let back, let resumed):
            member("sport", sport.rawValue)
            if back >= .milliseconds(1) { member("ago_ms", back.wholeMilliseconds) }
            if resumed { member("resumed", true) }
        case .pause(let elapsed, let distance, let trigger), .resume(let elapsed, let distance, let trigger):
            member("elapsed_ms", elapsed)
            member("distance_m", distance, decimals: 2)
            member("trigger", trigger.rawValue)
        case .autoPause(let elapsed, let distance), .autoResume(let elapsed, let distance):
            member("elapsed_ms", elapsed)
            member("distance_m", distance, decimals: 2)
        case .lap(let figures, let number, let trigger):
            member("trigger", trigger.rawValue)
            object("lap") { $0.lap(figures, number: number) }
        case .mark(let mark, let number): members(of: mark, number: number)
        case .stop(let summary), .discard(let summary):
            key("summary")
            self.summary(summary)
        case .link(let owner, let status, let after):
            member("link_of", owner.rawValue)
            link(status)
            member("after_ms", after.wholeMilliseconds)
            member("address", status.address)
            member("name", status.name?.text)
        case .fix(let freshness, let mode, let after):
            member("fix", freshness.rawValue)
            member("mode", Int(mode))
            member("after_ms", after.wholeMilliseconds)
        case .gap(let cause, let seconds, let metres, let counted):
            member("cause", cause.rawValue)
            member("gap_s", seconds, decimals: 3)
            member("distance_m", metres, decimals: 2)
            member("counted", counted)
        case .clock(let clock, let step):
            member("clock", clock.rawValue)
            member("step_ms", step)
        case .recorder(let state, let message):
            member("state", state.rawValue)
            member("message", message)
        case .fault(let fault, let raised):
            member("fault", fault.name.rawValue)
            member("active", raised)
            member("message", fault.message)
        case .settings(let setting, let settings):
            member("key", setting.rawValue)
            member("value", setting, of: settings)
        case .source(let source, let previous):
            member("source", source.rawValue)
            member("previous", previous.rawValue)
        case .calibration(let setting, let value):
            member("key", setting.rawValue)
            member("value", value)
        case .radar(let vehicles, let metres, let speed):
            member("vehicles", vehicles)
            member("distance_m", metres)
            member("speed_mps", speed, decimals: 1)
        case .alert(let report): members(of: report)
        case .workout(let step, let steps, let text):
            if let text {
                member("step", step + 1)
                member("text", text)
            } else {
                member("done", true)
            }
            member("steps", steps)
        case .badge(let badge):
            member("badge", badge.name)
            member("distance_m", badge.distanceMetres, decimals: 3)
        case .course(let change): members(of: change)
        case .cue(let report): members(of: report)
        case .climb(let report): members(of: report)
        case .light(let sun):
            member("light_left_s", sun.lightLeft, decimals: 0)
            member("set", sun.set)
            member("dusk", sun.dusk)
        case .notice(let topic, let key, let text):
            member("topic", topic)
            member("key", key)
            member("text", text.text)
        }
    }

    private mutating func members(of report: AlertReport) {
        member("alert", report.kind.rawValue)
        member("state", report.state.rawValue)
        member("sensor", report.sensor?.rawValue)
        // A pace is a speed inside, and its low end is the slow one.
        let isPace = report.kind == .pace
        func shown(_ value: Double?) -> Double? { value.map { isPace ? 1 / $0 : $0 } }
        let decimals = isPace ? 4 : report.kind == .speed ? 2 : 0
        member("value", shown(report.value), decimals: decimals)
        member("low", shown(report.range?.low), decimals: decimals)
        member("high", shown(report.range?.high), decimals: decimals)
    }

    /// Writes an activity summary as one object.
    package mutating func summary(_ summary: ActivitySummary) {
        object { line in
            line.member("id", number: summary.id)
            line.member("uuid", summary.uuid)
            line.member("sport", summary.sport.rawValue)
            line.member("name", summary.name?.text)
            line.member("open", summary.isOpen)
            line.member("started", summary.started)
            if summary.isTimeGuessed { line.member("time_guessed", true) }
            line.member("ended", summary.ended)
            line.member("elapsed_ms", summary.total.elapsedMilliseconds)
            line.member("total_ms", summary.totalMilliseconds)
            line.moving(summary.total)
            line.member("distance_m", summary.total.distanceMetres, decimals: 2)
            line.averagePaces(summary.total)
            line.member("max_speed_mps", summary.total.maximumSpeed, decimals: 2)
            line.member("laps", summary.laps)
            line.member("gaps", summary.gaps)
            line.member("average_bpm", summary.total.averageHeartRate, decimals: 0)
            line.member("max_bpm", summary.total.maximumHeartRate)
            line.load(summary.total)
            line.effort(summary.total)
            line.climb(summary.total)
            if summary.isDemo { line.member("demo", true) }
            if let recovered = summary.recovered {
                line.key("recovered")
                line.note(recovered)
            }
            if let trashed = summary.trashed { line.member("trashed", trashed.at) }
        }
    }

    package mutating func note(_ recovered: RecoveryNote) {
        object { line in
            line.member("id", recovered.formerID)
            if recovered.lostRows > 0 { line.member("lost_rows", recovered.lostRows) }
        }
    }
}

extension Event.Kind {
    /// The name on the wire.
    package var name: String {
        switch self {
        case .start: "start"
        case .pause: "pause"
        case .resume: "resume"
        case .autoPause: "auto-pause"
        case .autoResume: "auto-resume"
        case .lap: "lap"
        case .stop: "stop"
        case .discard: "discard"
        case .link: "link"
        case .fix: "fix"
        case .gap: "gap"
        case .clock: "clock"
        case .recorder: "recorder"
        case .fault: "fault"
        case .settings: "settings"
        case .source: "source"
        case .calibration: "calibration"
        case .radar: "radar"
        case .alert: "alert"
        case .workout: "workout"
        case .badge: "badge"
        case .course: "course"
        case .cue: "cue"
        case .climb: "climb"
        case .light: "light"
        case .notice: "notice"
        case .mark: "mark"
        }
    }
}
