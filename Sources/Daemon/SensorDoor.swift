import Domain
import Linux
import Pipeline
import Servers
import Wire

/// The sensors of other programs: what clients of sensor.sock announce and measure becomes inputs of the run.
///
///     sensor.sock ──▶ announce, measure ──▶ Inbox
///     Bluetooth's strap ──▶ HeartSource ──▶ Inbox
///
/// A client has its own sensors, a few measurements a second of each, and no way to a sensor of Bluetooth.
final class SensorDoor {
    private struct Sensor {
        var announcement: SensorAnnouncement
        let connection: Int
        var limit = TokenBucket(burst: SensorDoor.rate, interval: .milliseconds(1000 / SensorDoor.rate))
        var wheel = RateCounter()
        var crank = RateCounter()
    }

    private let inbox: Inbox
    private let run: RunController
    private let heart: HeartSource
    /// The sensors that are announced, by name.
    private var sensors: [ExternalSensorName: Sensor] = [:]
    /// The sensors that the list has, also those whose program has gone, the longest gone first.
    private var listed: [SensorAnnouncement] = []

    /// Which connection sends the position, and when it did last; nil before the first position.
    private var positions: (connection: Int, at: Instant)?
    private var positionLimit = TokenBucket(burst: SensorDoor.rate, interval: .milliseconds(1000 / SensorDoor.rate))
    private let takesPositions: Bool
    /// Requests that were refused since the last line of the log about them, and when that was.
    private var refusals = 0
    private var refusalsToldAt: Instant?

    static let perConnection = 8
    /// After this time without a position another program may send it.
    private static let positionSilence = Duration.seconds(5)
    private static let refusalInterval = Duration.seconds(60)
    /// Measurements of a sensor in a second.
    static let rate = 20

    /// - Parameter takesPositions: whether the position comes from sensor.sock, and not from gpsd.
    init(_ inbox: Inbox, _ run: RunController, _ heart: HeartSource, takesPositions: Bool = false) {
        self.inbox = inbox
        self.run = run
        self.heart = heart
        self.takesPositions = takesPositions
        if takesPositions { inbox.append(.input(.gpsdLink(LinkStatus(.disconnected, reason: .notRunning)))) }
    }

    func execute(_ request: SensorDoorRequest, of connection: Int, at now: Instant) throws(RPCError) {
        do throws(RPCError) {
            switch request {
            case .announce(let announcement): try announce(announcement, of: connection)
            case .measure(let measurement): try receive(measurement, of: connection, at: now)
            case .position(let position): try receive(position, of: connection, at: now)
            }
        } catch {
            refused(error, at: now)
            throw error
        }
    }

    /// Counts a refused request, and tells the log of the first one and then at most once a minute.
    func refused(_ error: RPCError, at now: Instant) {
        refusals += 1
        if let refusalsToldAt, now - refusalsToldAt < Self.refusalInterval { return }
        let number = refusals == 1 ? "a request" : "\(refusals) requests"
        Log.write(.warning, "sensor.sock: refused \(number), the last one: \(error.detail ?? error.message)")
        (refusals, refusalsToldAt) = (0, now)
    }

    private func receive(_ position: PublishedPosition, of connection: Int, at now: Instant) throws(RPCError) {
        guard takesPositions else {
            throw .unavailable(
                "paced takes its position from gpsd: set Gpsd=sensor-socket in paced.conf, and restart it")
        }
        if let positions, positions.connection != connection, now - positions.at < Self.positionSilence {
            throw .busy("another program sends the position")
        }
        guard positionLimit.consume(at: now) else { throw .busy("more than \(Self.rate) positions a second") }
        if positions?.connection != connection {
            inbox.append(.input(.gpsdLink(LinkStatus(.connected))))
        }
        positions = (connection, now)
        inbox.append(.input(.fix(position.fix(arrivedAt: now - .milliseconds(Int64(position.age * 1000))))))
    }

    /// The program of a connection has gone: the links of its sensors are lost.
    func connectionClosed(_ connection: Int) {
        if positions?.connection == connection {
            positions = nil
            inbox.append(.input(.gpsdLink(LinkStatus(.disconnected, reason: .notRunning))))
        }
        for sensor in sensors.values.filter({ $0.connection == connection }) {
            sensors[sensor.announcement.id] = nil
            if isChosen(sensor.announcement.id) {
                report(sensor.announcement.status(.disconnected, reason: .notRunning))
            }
            listed.removeAll { $0.id == sensor.announcement.id }
            listed.insert(sensor.announcement, at: 0)
            heart.lose(sensor.announcement.id)
        }
    }

    /// Adopts another choice of sensors.
    func choiceChanged() {
        for announcement in listed {
            let isHere = sensors[announcement.id] != nil
            if !isChosen(announcement.id) {
                inbox.append(.input(.sensorRemoved(.external(announcement.id))))
                heart.lose(announcement.id)
            } else if isHere {
                connect(announcement)
            }
        }
    }

    private func announce(_ announcement: SensorAnnouncement, of connection: Int) throws(RPCError) {
        let id = announcement.id
        let own = Set(announcement.fields.map(\.name))
        if let other = sensors.values.first(where: { sensor in
            sensor.announcement.id != id && sensor.announcement.fields.contains { own.contains($0.name) }
        }) {
            throw .unavailable(
                "sensor ext:\(other.announcement.id) has announced a field of this name: choose another name")
        }
        if let known = sensors[id] {
            guard known.connection == connection else {
                throw .unavailable("another program has announced ext:\(id): choose another id")
            }
            sensors[id]?.announcement = announcement
        } else {
            guard sensors.values.count(where: { $0.connection == connection }) < Self.perConnection else {
                throw .busy("a program can announce \(Self.perConnection) sensors")
            }
            guard sensors.count < SensorReadings.externalCapacity else {
                throw .busy(
                    "other programs have announced \(SensorReadings.externalCapacity) sensors, the most that are possible"
                )
            }
            sensors[id] = Sensor(announcement: announcement, connection: connection)
        }
        if let index = listed.firstIndex(where: { $0.id == id }) { listed.remove(at: index) }
        listed.append(announcement)
        // Sensors whose program has gone make room.
        while listed.count > SensorReadings.externalCapacity, sensors[listed[0].id] == nil {
            inbox.append(.input(.sensorRemoved(.external(listed.removeFirst().id))))
        }
        if isChosen(id) { connect(announcement) }
    }

    private func connect(_ announcement: SensorAnnouncement) {
        report(announcement.status())
        if announcement.kinds.contains(.heartRate) {
            heart.connect(announcement.id, name: announcement.name)
        } else {
            heart.lose(announcement.id)
        }
    }

    private func report(_ status: SensorStatus) {
        inbox.append(.input(.sensor(status)))
    }

    private func receive(
        _ published: PublishedMeasurement, of connection: Int, at now: Instant
    ) throws(RPCError) {
        let id = published.id
        guard var sensor = sensors[id], sensor.connection == connection else {
            throw .notFound("id", "no sensor \(id) is announced on this connection: call sensor.announce")
        }
        let kind = published.measurement.kind
        guard sensor.announcement.kinds.contains(kind) else {
            throw .invalidValue("kind", "sensor \(id) was not announced as \(kind.rawValue)")
        }
        let isInTime = sensor.limit.consume(at: now)
        var measurement = published.measurement(
            &sensor.wheel, &sensor.crank, wheelMetres: run.settings.wheelMetres,
            at: now - .milliseconds(Int64(published.age * 1000)))
        if kind == .fields { measurement = .values(.fields, try published.values(of: sensor.announcement.fields)) }
        sensors[id] = sensor
        guard isInTime else { throw .busy("sensor \(id) measures more than \(Self.rate) times a second") }
        guard isChosen(id) else { return }
        if case .heartRate(let beats) = measurement {
            if !heart.receive(beats, of: id), run.settings.recordAllSensors {
                inbox.append(.input(.measurement(.external(id), measurement)))
            }
        } else {
            inbox.append(.input(.measurement(.external(id), measurement)))
        }
    }

    /// Without a choice of the user all are used; else those that it names.
    private func isChosen(_ id: ExternalSensorName) -> Bool {
        let chosen = run.settings.sensors
        return chosen.isEmpty || chosen.contains(SensorID.external(id).description)
    }
}

/// Decides whose heart rate counts: that of Bluetooth's strap while it is connected, else that of another program's sensor.
final class HeartSource {
    private let inbox: Inbox
    /// What Bluetooth reports of its strap; nil before its first report.
    private var strap: LinkStatus?
    /// The sensors of other programs, the first announced first.
    private var others: [(id: ExternalSensorName, name: SanitizedText?)] = []

    init(_ inbox: Inbox) {
        self.inbox = inbox
    }

    private var usesStrap: Bool { others.isEmpty || strap?.state == .connected }

    /// An input of Bluetooth.
    func receive(_ input: Input) {
        switch input {
        case .heartLink(let status):
            strap = status
            report()
        case .heart, .battery:
            if usesStrap { inbox.append(.input(input)) }
        default: inbox.append(.input(input))
        }
    }

    func connect(_ id: ExternalSensorName, name: SanitizedText?) {
        if let index = others.firstIndex(where: { $0.id == id }) {
            others[index].name = name
        } else {
            others.append((id, name))
        }
        report()
    }

    func lose(_ id: ExternalSensorName) {
        guard let index = others.firstIndex(where: { $0.id == id }) else { return }
        others.remove(at: index)
        report()
    }

    /// - Returns: Whether this is the heart rate that counts.
    func receive(_ beats: HeartRateMeasurement, of id: ExternalSensorName) -> Bool {
        guard !usesStrap, others.first?.id == id else { return false }
        inbox.append(.input(.heart(beats)))
        return true
    }

    private func report() {
        if usesStrap {
            inbox.append(.input(.heartLink(strap ?? LinkStatus(.disconnected, reason: .off))))
        } else if let other = others.first {
            let name = other.name ?? SanitizedText(SensorID.external(other.id).description)
            inbox.append(.input(.heartLink(LinkStatus(.connected, name: name))))
        }
    }
}

/// Makes revolutions of a rate, as a sensor with a counter would send them.
struct RateCounter {
    private var total = 0.0
    private var at: Instant?
    private var eventAt: Instant?

    /// A rate that is older than this counts no more.
    private static let longestStep = 3.0

    /// - Parameters:
    ///   - rate: revolutions per second since the last call.
    ///   - ticks: those of a second of the event time.
    mutating func count(_ rate: Double, ticks: Double, at now: Instant) -> RevolutionCount {
        let former = total
        if let at, now > at { total += rate * min((now - at).inSeconds, Self.longestStep) }
        // The last whole revolution was when the rate has brought the rest.
        if at == nil || total.rounded(.down) > former.rounded(.down) {
            let since = rate > 0 ? (total - total.rounded(.down)) / rate : 0
            eventAt = now - .milliseconds(Int64(since * 1000))
        }
        at = max(at ?? now, now)
        let time = Double((eventAt ?? now).nanoseconds % 1_000_000_000_000) / 1e9
        return RevolutionCount(
            revolutions: UInt32(truncatingIfNeeded: Int64(total)),
            eventTime: UInt16(truncatingIfNeeded: Int64((time * ticks).rounded())))
    }
}

extension PublishedMeasurement {
    /// The measurement with revolutions in the place of rates.
    fileprivate func measurement(
        _ wheel: inout RateCounter, _ crank: inout RateCounter, wheelMetres: Double, at moment: Instant
    ) -> SensorMeasurement {
        func turned(ticks: Double) -> RevolutionCount? {
            rates.speed.map { wheel.count($0 / wheelMetres, ticks: ticks, at: moment) }
        }
        func pedalled() -> RevolutionCount? {
            rates.cadence.map { cadence in
                var count = crank.count(cadence / 60, ticks: 1024, at: moment)
                count.revolutions &= 0xFFFF
                return count
            }
        }
        switch measurement {
        case .speedCadence(var counts):
            counts.wheel = counts.wheel ?? turned(ticks: 1024)
            counts.crank = counts.crank ?? pedalled()
            return .speedCadence(counts)
        case .power(var power):
            power.wheel = power.wheel ?? turned(ticks: 2048)
            power.crank = power.crank ?? pedalled()
            return .power(power)
        default: return measurement
        }
    }
}
