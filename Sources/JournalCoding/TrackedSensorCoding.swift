import Domain
import JSONCoding
import Pipeline

// The sensors of the pipeline's snapshot.

extension JSONWriter {
    mutating func members(of sensor: TrackedSensor) {
        object("status") { $0.members(of: sensor.status) }
        member("linked_at", sensor.linkedAt)
        member("listed", sensor.isListed)
        array("newest") { line in
            for entry in sensor.newest {
                line.object { line in
                    line.member("at", entry.measuredAt)
                    line.key("measurement")
                    line.measurement(entry.value, of: sensor.status.id)
                }
            }
        }
        object("wheel") { $0.members(of: sensor.wheel.memory) }
        object("crank") { $0.members(of: sensor.crank.memory) }
        object("power_wheel") { $0.members(of: sensor.powerMeterWheel.memory) }
        object("power_crank") { $0.members(of: sensor.powerMeterCrank.memory) }
        object("foot_pod") { $0.members(of: sensor.footPod) }
        object("machine") { $0.members(of: sensor.machine) }
    }

    private mutating func members(of meter: RevolutionMeter.Memory) {
        if let base = meter.base {
            member("revolutions", Int64(base.revolutions))
            member("event_time", Int(base.eventTime))
        }
        member("event_at", meter.eventAt)
        member("unchanged_at", meter.unchangedAt)
        member("received_at", meter.receivedAt)
        member("quiet_since", meter.quietSince)
        if let rate = meter.rate {
            key("rate")
            exact(rate)
        }
        member("connecting", meter.isConnecting)
    }

    private mutating func members(of counter: DistanceCounter) {
        member("total", counter.total.map { Int64($0) })
        member("at", counter.at)
        member("connecting", counter.isConnecting)
    }
}

extension TrackedSensor {
    init(_ json: JSON) throws(ParseError) {
        self.init(try SensorStatus(json.member("status")), at: try json.member("linked_at").instant())
        isListed = try json.member("listed").truth()
        newest = try json.elements("newest") { (json) throws(ParseError) in
            Timestamped(try json.member("measurement").measurement().1, at: try json.member("at").instant())
        }
        wheel = RevolutionMeter(.wheel, try RevolutionMeter.Memory(json.member("wheel")))
        crank = RevolutionMeter(.crank, try RevolutionMeter.Memory(json.member("crank")))
        powerMeterWheel = RevolutionMeter(.powerMeterWheel, try RevolutionMeter.Memory(json.member("power_wheel")))
        powerMeterCrank = RevolutionMeter(.crank, try RevolutionMeter.Memory(json.member("power_crank")))
        footPod = try DistanceCounter(json.member("foot_pod"))
        machine = try DistanceCounter(json.member("machine"))
    }
}

extension RevolutionMeter.Memory {
    fileprivate init(_ json: JSON) throws(ParseError) {
        self.init()
        if json["revolutions"] != nil {
            let revolutions = UInt32(exactly: try json.member("revolutions").whole())
            let eventTime = UInt16(exactly: try json.member("event_time").whole())
            guard let revolutions, let eventTime else { throw ParseError(at: 0, expected: "a count of revolutions") }
            base = RevolutionCount(revolutions: revolutions, eventTime: eventTime)
        }
        eventAt = try json.member("event_at").instant()
        unchangedAt = try json.member("unchanged_at").instant()
        receivedAt = try json["received_at"]?.instant()
        quietSince = try json.member("quiet_since").instant()
        rate = try json["rate"]?.real()
        isConnecting = try json.member("connecting").truth()
    }
}

extension DistanceCounter {
    fileprivate init(_ json: JSON) throws(ParseError) {
        self.init()
        if json["total"] != nil {
            guard let total = UInt32(exactly: try json.member("total").whole()) else {
                throw ParseError(at: 0, expected: "a total distance")
            }
            self.total = total
        }
        at = try json["at"]?.instant()
        isConnecting = try json.member("connecting").truth()
    }
}
