import Domain

typealias RejectionStreak = PipelineSnapshot.RejectionStreak

extension RejectionStreak {
    /// Duration of rejections that raises the fault.
    static let faultAfter = Duration.seconds(30)
    /// Time without a fix that ends the streak: the receiver is silent, not rejected.
    static let silenceTimeout = Duration.seconds(10)
    static let fault = FaultName.positionRejected

    var message: String {
        let why =
            switch reason {
            case .noFix: "the receiver has no fix"
            case .noPosition: "the receiver sends no usable position"
            case .time: "the receiver's clock does not go on"
            case .accuracy: "the receiver's position is too uncertain"
            case .speed: "the receiver's position jumps"
            }
        return "no position was accepted for 30 s: \(why)"
    }
}

/// Inputs of devices and adapters.
extension Pipeline {
    mutating func receive(_ fix: Fix, at now: Instant, into effects: inout Effects) {
        refusal = nil
        switch filter.judge(fix, fastest: (run?.sport ?? .other).maxSpeed) {
        case .refused(let reason): reject(reason, at: now, into: &effects)
        case .accepted(let point, let isJump): accept(fix, at: point, isJump: isJump, now: now, into: &effects)
        }
    }

    private mutating func accept(
        _ fix: Fix, at point: TrackPoint, isJump: Bool, now: Instant, into effects: inout Effects
    ) {
        rejections = nil
        clear(RejectionStreak.fault, at: now, into: &effects)
        if let time = fix.time {
            report(world.wallClock.receiver(time, mode: fix.mode, arrivedAt: fix.arrivedAt), at: now, into: &effects)
        }
        world.odometer.receive(point, isJump: isJump)
        run?.receive(fix, at: point, isJump: isJump, now: now)
        let position = Position(
            coordinate: point.coordinate, altitude: fix.altitude, accuracy: fix.accuracy, speed: point.speed,
            track: fix.track, mode: fix.mode, satellites: fix.satellites)
        world.position = Timestamped(position, at: fix.arrivedAt)
        run?.guide(by: point, track: fix.track, at: now, in: &world, into: &effects)
        age(at: now, into: &effects)
        effects.outputs.append(
            .fix(
                AcceptedFix(
                    at: fix.arrivedAt, time: world.wallClock.time(at: fix.arrivedAt), receiverTime: fix.time,
                    device: fix.device, position: position, isJump: isJump)))
    }

    private mutating func reject(_ reason: FixRejection, at now: Instant, into effects: inout Effects) {
        refusal = reason
        let since = rejections?.since ?? now
        let rejections = RejectionStreak(since: since, last: now, reason: reason)
        self.rejections = rejections
        if now - since >= RejectionStreak.faultAfter {
            raise(RejectionStreak.fault, message: rejections.message, at: now, into: &effects)
        }
    }

    /// Lets position and rejections age: the position becomes stale, then absent.
    mutating func age(at now: Instant, into effects: inout Effects) {
        if let rejections, now - rejections.last > RejectionStreak.silenceTimeout {
            self.rejections = nil
            clear(RejectionStreak.fault, at: now, into: &effects)
        }
        let position = world.position
        let age = position?.age(at: now) ?? Self.absentAge
        let value: Event.Freshness =
            age < Self.staleAge ? .fresh : age < Self.absentAge ? .stale : .absent
        let before = world.freshness
        guard value != before.value else { return }
        emit(.fix(value, mode: position?.value.mode ?? 0, after: now - before.measuredAt), at: now, into: &effects)
        world.freshness = Timestamped(value, at: now)
        run?.receive(value)
    }

    mutating func receive(_ measurement: HeartRateMeasurement, at now: Instant, into effects: inout Effects) {
        let (quality, gap, beatAt) = world.heart.receive(measurement, at: now)
        let value = quality == .good ? Int(measurement.beatsPerMinute) : nil
        run?.receive(
            measurement, value: value, previous: world.previousHeartRate, beat: (beatAt, gap), at: now)
        world.previousHeartRate = value
        effects.outputs.append(
            .heart(
                HeartRateSample(
                    at: now, time: world.wallClock.time(at: now), measurement: measurement, quality: quality, gap: gap,
                    beatAt: beatAt)))
    }

    mutating func receiveHeartLink(_ status: LinkStatus, at now: Instant, into effects: inout Effects) {
        let before = heartLink.value
        guard status != before else { return }
        let isOther = Self.differ(status.address, before.address) || Self.differ(status.name, before.name)
        if isOther { batteryPercent = nil }
        if isOther || status.state != .connected {
            world.heart.reset()
            run?.interruptEnergy()
            world.previousHeartRate = nil
        }
        heartLink = renew(heartLink, status, of: .heart, at: now, into: &effects)
        changed(at: now, into: &effects)
    }

    mutating func receiveGpsdLink(_ status: LinkStatus, at now: Instant, into effects: inout Effects) {
        guard status != gpsdLink.value else { return }
        gpsdLink = renew(gpsdLink, status, of: .gpsd, at: now, into: &effects)
        changed(at: now, into: &effects)
    }

    private static func differ<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
        guard let one, let other else { return false }
        return one != other
    }

    /// Returns the link's new status. A new name in the same state emits no event and keeps the state's beginning.
    private mutating func renew(
        _ before: Timestamped<LinkStatus>, _ status: LinkStatus, of owner: Event.LinkOwner, at now: Instant,
        into effects: inout Effects
    ) -> Timestamped<LinkStatus> {
        guard status.state != before.value.state || status.reason != before.value.reason else {
            return Timestamped(status, at: before.measuredAt)
        }
        emit(.link(owner, status, after: now - before.measuredAt), at: now, into: &effects)
        return Timestamped(status, at: now)
    }

    mutating func receive(_ recorder: RecorderStatus, at now: Instant, into effects: inout Effects) {
        let before = self.recorder
        self.recorder = recorder
        recorderReadAt = now
        guard recorder.state != before.state || recorder.message != before.message else { return }
        emit(.recorder(recorder.state, message: recorder.message), at: now, into: &effects)
        if recorder.state == .stalled || recorder.state == .failed {
            let name = recorder.state == .stalled ? FaultName.recorderStalled : .recorderFailed
            let since = recorder.state == before.state ? recorderFault?.since : nil
            recorderFault = Fault(name: name, since: since ?? now, message: recorder.message ?? name.rawValue)
        } else {
            recorderFault = nil
        }
        changed(at: now, into: &effects)
    }

    mutating func report(_ change: UTCEstimator.Change?, at now: Instant, into effects: inout Effects) {
        guard let change else { return }
        emit(.clock(change.source, stepMilliseconds: change.stepMilliseconds), at: now, into: &effects)
    }

    mutating func raise(_ name: FaultName, message: String, at now: Instant, into effects: inout Effects) {
        let known = faults.firstIndex { $0.name == name }
        if let known, faults[known].message == message { return }
        let fault = Fault(name: name, since: known.map { faults[$0].since } ?? now, message: message)
        if let known { faults[known] = fault } else { faults.append(fault) }
        emit(.fault(fault, raised: true), at: now, into: &effects)
        changed(at: now, into: &effects)
    }

    mutating func clear(_ name: FaultName, at now: Instant, into effects: inout Effects) {
        guard let known = faults.firstIndex(where: { $0.name == name }) else { return }
        emit(.fault(faults.remove(at: known), raised: false), at: now, into: &effects)
        changed(at: now, into: &effects)
    }
}

/// Inputs of the sensors besides heart rate and position.
extension Pipeline {
    mutating func receive(_ status: SensorStatus, at now: Instant, into effects: inout Effects) {
        let after = world.sensors.receive(status, at: now)
        // The strap's link has its own input.
        if let after, !status.kinds.contains(.heartRate) {
            emit(.link(.sensor, status.link, after: after), at: now, into: &effects)
        }
        changed(at: now, into: &effects)
    }

    mutating func remove(_ sensor: SensorID, at now: Instant, into effects: inout Effects) {
        world.sensors.remove(sensor)
        changed(at: now, into: &effects)
    }

    mutating func receive(
        _ measurement: SensorMeasurement, from id: SensorID, at now: Instant, into effects: inout Effects
    ) {
        let vehicles = world.sensors.vehicles(of: id, at: now)?.count ?? 0
        let distance = world.sensors.receive(measurement, from: id, at: now, world.settings)
        if case .radar = measurement, let threats = world.sensors.vehicles(of: id, at: now),
            threats.count > vehicles || threats.count == 0 && vehicles > 0
        {
            let nearest = threats.nearest
            emit(
                .radar(
                    vehicles: threats.count, metres: (nearest?.metres).map(Int.init),
                    metresPerSecond: (nearest?.kilometresPerHour).map { Double($0) / 3.6 }), at: now, into: &effects)
        }
        if case .values(let kind, _) = measurement, let sensor = world.sensors.sensor(id) {
            world.ownFields.receive(kind, of: sensor, world.sensors, at: now, world.settings)
        }
        run?.receive(measurement, from: id, distance, at: now, in: &world)
    }
}
