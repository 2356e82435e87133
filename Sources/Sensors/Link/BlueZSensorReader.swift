package import Domain

/// Decodes what a sensor sends through bluetoothd.
///
/// After the first measurement, or the subscription of a sensor that may be silent, it reads the battery and the device
/// information, one characteristic after the other, and the battery again every 10 minutes unless bluetoothd reports it.
/// If those reads fail, the measurements continue.
///
/// The machine does no input or output. The shell passes the values of a ``BlueZConnection`` and the objects of
/// bluetoothd, performs the returned ``Action``s, and calls ``tick(_:at:)`` no later than ``deadline``.
package struct BlueZSensorReader: Sendable {
    package enum Action: Equatable, Sendable {
        case call(BlueZMethodCall)
        case report(SensorSession.Report)
    }

    /// The delay before a read is retried while another operation is under way, and the number of retries.
    static let busyRetryDelay = Duration.milliseconds(10)
    static let retryLimit = 10

    private let device: String
    private var decoder = SensorDecoder()
    private var isReadingRest = false
    /// Whether the last measurement shows that the sensor is in use.
    package private(set) var isInUse = false

    /// The types still to be read, the next one first.
    private var unread: ArraySlice<AttributeUUID> = []
    private var information = DeviceInformation()
    private var hasDescribed = false
    /// The characteristic being read.
    private var current: (type: AttributeUUID, path: String)?
    private var againAt: Instant?
    private var retries = 0
    private var batteryAt: Instant?
    /// The battery level that bluetoothd itself reported last.
    private var reportedBattery: Int?
    private var compensation: OffsetCompensation?

    /// - Parameter device: the object path of the sensor.
    package init(device: String) {
        self.device = device
    }

    /// The next time to call ``tick(_:at:)`` if nothing happens before.
    package var deadline: Instant? {
        [againAt, batteryAt].compactMap { $0 }.min()
    }

    /// Receives a notified value. A malformed one is ignored.
    package mutating func received(
        _ value: [UInt8], of type: AttributeUUID, _ objects: BlueZObjects, at now: Instant
    ) -> [Action] {
        guard let measurement = decoder.measurement(value.span, of: type, at: now) else { return [] }
        isInUse = if case .heartRate(let heartRate) = measurement { heartRate.isSignOfWearing } else { true }
        return [.report(.measured(measurement))] + readRest(objects, at: now)
    }

    /// Starts to read the battery and the device information.
    package mutating func readRest(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        if isReadingRest { return [] }
        isReadingRest = true
        unread = [.batteryLevel] + DeviceInformation.types
        information.name = objects.device(at: device)?.name
        batteryAt = now + SensorSession.batteryInterval
        return changed(objects) + next(objects)
    }

    /// Receives a change of the objects: bluetoothd may read the battery level itself.
    package mutating func changed(_ objects: BlueZObjects) -> [Action] {
        guard let percent = objects.device(at: device)?.battery, percent != reportedBattery, batteryAt != nil,
            let byte = UInt8(exactly: percent),
            let level = try? BatteryLevel([byte].span)
        else { return [] }
        reportedBattery = percent
        return [.report(.battery(level))]
    }

    /// Advances timers to `now`.
    package mutating func tick(_ objects: BlueZObjects, at now: Instant) -> [Action] {
        if let at = againAt, now >= at, let current {
            againAt = nil
            return [.call(.read(characteristic: current.path))]
        }
        guard let at = batteryAt, now >= at else { return [] }
        batteryAt = now + SensorSession.batteryInterval
        unread = [.batteryLevel] + unread
        return current == nil ? next(objects) : []
    }

    /// Receives the reply to a call: a value (empty for most calls) or an error.
    package mutating func answered(
        _ call: BlueZMethodCall, _ result: Result<[UInt8], BlueZError>, _ objects: BlueZObjects, at now: Instant
    ) -> [Action] {
        guard let current, call == .read(characteristic: current.path), againAt == nil else { return [] }
        var actions: [Action] = []
        switch result {
        case .failure(let error) where error.meaning == .underWay && retries < Self.retryLimit:
            retries += 1
            againAt = now + Self.busyRetryDelay
            return []
        case .failure: break
        case .success(let value):
            if current.type != .batteryLevel {
                information.set(Array(value.prefix(GattClient.mtuLimit)), of: current.type)
            } else if let level = try? BatteryLevel(value.span) {
                actions.append(.report(.battery(level)))
            }
        }
        self.current = nil
        retries = 0
        return actions + next(objects)
    }

    // MARK: Zero offset

    /// Starts the offset compensation of a power meter. ``SensorSession/Report/compensated(_:)`` has its result.
    package mutating func compensateOffset(_ objects: BlueZObjects) -> [Action] {
        let compensation = OffsetCompensation()
        self.compensation = compensation
        return perform(compensation.start(), objects)
    }

    /// Whether a call belongs to the offset compensation.
    package func compensates(by call: BlueZMethodCall, _ objects: BlueZObjects) -> Bool {
        switch call {
        case .write: true
        case .startNotify(let path): path == objects.characteristic(.cyclingPowerControlPoint, of: device)
        case .read(let path): path == objects.characteristic(.cyclingPowerFeature, of: device)
        default: false
        }
    }

    /// Receives the reply to a call of the offset compensation.
    package mutating func compensated(
        _ call: BlueZMethodCall, _ result: Result<[UInt8], BlueZError>, _ objects: BlueZObjects
    ) -> [Action] {
        let failure: OffsetCompensation.Failure? =
            switch result {
            case .success: nil
            case .failure(let error): error.meaning == .pairingNeeded ? .needsPairing : .other
            }
        let step: OffsetCompensation.Step?
        switch call {
        case .read: step = compensation?.read(features: try? result.get())
        case .startNotify:
            // The indications are still enabled from an earlier compensation.
            let isEnabled = if case .failure(let error) = result { error.meaning == .underWay } else { false }
            step = compensation?.subscribed(isEnabled ? nil : failure)
        default: step = compensation?.written(failure)
        }
        return step.map { perform($0, objects) } ?? []
    }

    /// Receives a value of the characteristic at `path`. Those of the control point are responses.
    package mutating func indicated(_ value: [UInt8], from path: String, _ objects: BlueZObjects) -> [Action] {
        guard let compensation, path == objects.characteristic(.cyclingPowerControlPoint, of: device) else { return [] }
        return compensation.indicated(value.span).map { perform($0, objects) } ?? []
    }

    private mutating func perform(_ step: OffsetCompensation.Step, _ objects: BlueZObjects) -> [Action] {
        if case .finish(let result) = step {
            compensation = nil
            return [.report(.compensated(result))]
        }
        guard let point = objects.characteristic(.cyclingPowerControlPoint, of: device) else {
            return perform(.finish(.notSupported), objects)
        }
        switch step {
        case .readFeatures:
            if let path = objects.characteristic(.cyclingPowerFeature, of: device) {
                return [.call(.read(characteristic: path))]
            }
            let next = compensation?.read(features: nil)
            return next.map { perform($0, objects) } ?? []
        case .subscribe: return [.call(.startNotify(characteristic: point))]
        case .write(let value): return [.call(.write(characteristic: point, value))]
        case .finish: return []
        }
    }

    // MARK: Battery and device information

    private mutating func next(_ objects: BlueZObjects) -> [Action] {
        while let type = unread.popFirst() {
            if type == .batteryLevel, reportedBattery != nil { continue }
            guard let path = objects.characteristic(type, of: device) else { continue }
            current = (type, path)
            return [.call(.read(characteristic: path))]
        }
        if hasDescribed { return [] }
        hasDescribed = true
        return [.report(.described(information))]
    }
}
