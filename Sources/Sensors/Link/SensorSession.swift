package import Domain

/// The GATT sequence of one connection to a sensor.
///
/// First it does what the first kind of measurement needs: the MTU, the service, its characteristics, and their
/// subscriptions. After the first measurement, or the subscription of a sensor that may be silent, it does the same for
/// the other kinds, so that a device with several services is read once. Then it reads the battery and the device
/// information, one characteristic after the other, and the battery again every 10 minutes. If all that fails or gets
/// no answer, the measurements continue.
///
/// The machine does no input or output; the shell drives it like ``GattClient``.
package struct SensorSession: Sendable {
    package enum Action: Equatable, Sendable {
        case send([UInt8])
        /// Pass on a report.
        case report(Report)
        /// Close the connection; it is useless.
        case close(DisconnectCause)
    }

    package enum Report: Equatable, Sendable {
        /// The sensor has confirmed the subscriptions of its first kind of measurement.
        case subscribed
        /// The sensor has the services of these kinds. Of several reports of a connection, the one with the first kind
        /// comes first.
        case found(Set<SensorKind>)
        case measured(SensorMeasurement)
        case battery(BatteryLevel)
        /// The complete device information, once a connection.
        case described(DeviceInformation)
        /// The result of ``compensateOffset(at:)``.
        case compensated(ZeroOffsetResult)
    }

    /// The time between two reads of the battery level.
    package static let batteryInterval = Duration.seconds(600)

    /// A characteristic whose values are wanted.
    private struct Stream {
        let type: AttributeUUID
        let valueHandle: UInt16
        /// Where its descriptors are; empty if it has none.
        let descriptors: Range<UInt16>
        /// The handle of its configuration descriptor, once it is discovered.
        var configuration: UInt16?
        var isSubscribed = false
    }

    private var client = GattClient()
    private var decoder = SensorDecoder()
    /// The kinds of measurements that are still to be looked for, the next one first.
    private var kinds: ArraySlice<SensorKind>
    /// Whether the sensor sends measurements all the time, so that the rest waits for the first one.
    private let isSteady: Bool
    private var streams: [Stream] = []
    private var hasSubscribed = false
    private var hasMeasured = false
    /// Whether what follows the first measurement has begun.
    private var isReadingRest = false
    /// The types of the device information that are still to be read, the next one first.
    private var unread = ArraySlice(DeviceInformation.types)
    private var information = DeviceInformation()
    /// Values read once from a sensor that repeats responses. A value counts if a second read confirms it.
    private var unconfirmed: [AttributeUUID: [UInt8]] = [:]
    private var batteryAt: Instant?
    /// The control point of a power meter.
    private var controlPoint: Stream?
    private var compensation: OffsetCompensation?

    /// - Parameter kinds: the kinds of measurements to look for, the most important one first.
    package init(_ kinds: [SensorKind] = [.heartRate]) {
        self.kinds = kinds[...]
        isSteady = kinds.first == .heartRate
    }

    /// The next time to call ``tick(at:)`` if nothing happens before.
    package var deadline: Instant? {
        [client.deadline, batteryAt].compactMap { $0 }.min()
    }

    /// Starts the sequence on a new connection.
    package mutating func start(at now: Instant) -> [Action] {
        submit(.exchangeMTU, at: now) + subscribeNext(at: now)
    }

    /// Repeats the subscriptions, because some sensors forget them. Does nothing before a descriptor is discovered.
    package mutating func resubscribe(at now: Instant) -> [Action] {
        streams.compactMap(\.configuration).flatMap {
            submit(.subscribe(.notifications, descriptor: $0), at: now)
        }
    }

    /// Starts the offset compensation of a power meter. The report ``Report/compensated(_:)`` has its result.
    package mutating func compensateOffset(at now: Instant) -> [Action] {
        let compensation = OffsetCompensation()
        self.compensation = compensation
        return perform(compensation.start(), at: now)
    }

    /// Receives one datagram.
    ///
    /// - Parameter hasMore: other datagrams may be pending; no request is sent until ``drained(at:)``.
    package mutating func received(_ bytes: Span<UInt8>, hasMore: Bool = false, at now: Instant) -> [Action] {
        perform(client.received(bytes, hasMore: hasMore, at: now), at: now)
    }

    /// Resumes requests: no datagram is pending any more.
    package mutating func drained(at now: Instant) -> [Action] {
        perform(client.drained(at: now), at: now)
    }

    /// Advances timers to `now`.
    package mutating func tick(at now: Instant) -> [Action] {
        let actions = perform(client.tick(at: now), at: now)
        guard let batteryAt, now >= batteryAt else { return actions }
        self.batteryAt = now + Self.batteryInterval
        return actions + submit(.readByType(.batteryLevel), at: now)
    }

    private mutating func submit(_ procedure: GattProcedure, at now: Instant) -> [Action] {
        perform(client.submit(procedure, at: now), at: now)
    }

    private mutating func perform(_ actions: [GattClient.Action], at now: Instant) -> [Action] {
        var result: [Action] = []
        for action in actions {
            switch action {
            case .send(let bytes): result.append(.send(bytes))
            case .deliver(let value): result += delivered(value, at: now)
            case .finish(let procedure, let finding): result += finished(procedure, finding, at: now)
            case .cut: result.append(.close(.flooded))
            }
        }
        return result
    }

    private mutating func delivered(_ value: AttributeValue, at now: Instant) -> [Action] {
        if value.handle == controlPoint?.valueHandle {
            return compensation?.indicated(value.value.span).map { perform($0, at: now) } ?? []
        }
        guard let stream = streams.first(where: { $0.valueHandle == value.handle }),
            let measurement = decoder.measurement(value.value.span, of: stream.type, at: now)
        else { return [] }
        hasMeasured = true
        return [.report(.measured(measurement))] + readRest(at: now)
    }

    /// Subscribes to the next stream, or looks for the next kind of measurement.
    private mutating func subscribeNext(at now: Instant) -> [Action] {
        if let stream = streams.first(where: { !$0.isSubscribed }) {
            guard let configuration = stream.configuration else {
                let range = stream.descriptors
                return submit(.discoverDescriptors(range.lowerBound...range.upperBound - 1), at: now)
            }
            return submit(.subscribe(.notifications, descriptor: configuration), at: now)
        }
        if hasSubscribed { return isReadingRest ? readNext(at: now) : [] }
        if streams.isEmpty {
            guard let service = kinds.popFirst()?.service else { return [.close(.unsupported)] }
            return submit(.findService(service), at: now)
        }
        hasSubscribed = true
        return [.report(.subscribed)] + readRest(at: now)
    }

    /// Starts what can wait: the other kinds of measurements, then the battery and the device information.
    private mutating func readRest(at now: Instant) -> [Action] {
        guard hasSubscribed, !isReadingRest, hasMeasured || !isSteady else { return [] }
        isReadingRest = true
        batteryAt = now + Self.batteryInterval
        return readNext(at: now)
    }

    private mutating func readNext(at now: Instant) -> [Action] {
        submit(kinds.popFirst()?.service.map { .findService($0) } ?? .readByType(.batteryLevel), at: now)
    }

    private mutating func finished(
        _ procedure: GattProcedure, _ result: Result<GattProcedure.Finding, GattProcedure.Failure>, at now: Instant
    ) -> [Action] {
        if let actions = compensated(procedure, result, at: now) { return actions }
        switch (procedure, result) {
        case (.exchangeMTU, _): return []  // a failure leaves the minimum, which is enough for heart rate
        case (.findService, .success(.service(let handles?))): return submit(.discoverCharacteristics(handles), at: now)
        case (.discoverCharacteristics(let handles), .success(.characteristics(let characteristics))):
            let kinds = discovered(characteristics, in: handles)
            return (kinds.isEmpty ? [] : [.report(.found(kinds))]) + subscribeNext(at: now)
        case (.discoverDescriptors(let range), .success(.descriptors(let descriptors))):
            discovered(descriptors, in: range)
            return subscribeNext(at: now)
        case (.write(let handle, _), .success): return written(handle, at: now)
        case (.readByType(let type), _): return read(type, result, at: now)
        // After a timeout no request may be sent any more.
        case (_, .failure(let failure)) where failure == .timedOut || !hasSubscribed || isRepetition(procedure):
            return [.close(Self.loss(failure))]
        case (.discoverDescriptors(let range), _): streams.removeAll { $0.descriptors.lowerBound == range.lowerBound }
        case (.write(let handle, _), _): streams.removeAll { $0.configuration == handle }
        default: break
        }
        // What cannot be subscribed to is left out.
        return subscribeNext(at: now)
    }

    /// Whether a procedure repeats a subscription.
    private func isRepetition(_ procedure: GattProcedure) -> Bool {
        guard case .write(let handle, _) = procedure else { return false }
        return streams.contains { $0.configuration == handle && $0.isSubscribed }
    }

    /// Adds the streams of a service, and returns their kinds.
    private mutating func discovered(
        _ characteristics: [Characteristic], in service: ClosedRange<UInt16>
    ) -> Set<SensorKind> {
        var kinds: Set<SensorKind> = []
        for (index, characteristic) in characteristics.enumerated() {
            let value = characteristic.valueHandle
            // The descriptors lie between the value and the next characteristic, or the end of the service.
            let end = characteristics.dropFirst(index + 1).first?.handle ?? service.upperBound &+ 1
            guard value < end, value + 1 < end, !streams.contains(where: { $0.valueHandle == value }) else { continue }
            let stream = Stream(type: characteristic.type, valueHandle: value, descriptors: value + 1..<end)
            if characteristic.type == .cyclingPowerControlPoint { controlPoint = stream }
            guard let kind = SensorKind(characteristic: characteristic.type) else { continue }
            streams.append(stream)
            kinds.insert(kind)
        }
        return kinds
    }

    private mutating func discovered(_ descriptors: [Descriptor], in range: ClosedRange<UInt16>) {
        guard let index = streams.firstIndex(where: { $0.descriptors.lowerBound == range.lowerBound }) else { return }
        let configuration = descriptors.first { $0.type == .clientCharacteristicConfiguration }
        guard let configuration else {
            streams.remove(at: index)
            return
        }
        streams[index].configuration = configuration.handle
    }

    /// Receives the confirmation of a subscription, or of its repetition.
    private mutating func written(_ handle: UInt16, at now: Instant) -> [Action] {
        guard let index = streams.firstIndex(where: { $0.configuration == handle }), !streams[index].isSubscribed
        else { return [] }
        streams[index].isSubscribed = true
        return subscribeNext(at: now)
    }

    /// Handles the result of a battery or device-information read and requests the next. A sensor that repeats its
    /// responses is asked twice: a response that comes late and twice could pass for the one to another request.
    private mutating func read(
        _ type: AttributeUUID, _ result: Result<GattProcedure.Finding, GattProcedure.Failure>, at now: Instant
    ) -> [Action] {
        let before = unconfirmed.removeValue(forKey: type)
        if client.repeatsAnswers, before == nil, case .success(.value(let value)) = result {
            unconfirmed[type] = value
            return submit(.readByType(type), at: now)
        }
        var actions: [Action] = []
        if case .success(.value(let value)) = result, before ?? value == value {
            if type != .batteryLevel {
                information.set(value, of: type)
            } else if let level = try? BatteryLevel(value.span) {
                actions.append(.report(.battery(level)))
            }
        }
        // After the device information is complete, a battery read starts nothing.
        guard type != .batteryLevel || unread.count == DeviceInformation.types.count else { return actions }
        if let next = unread.popFirst() { return actions + submit(.readByType(next), at: now) }
        return actions + [.report(.described(information))]
    }

    // MARK: Zero offset

    private mutating func perform(_ step: OffsetCompensation.Step, at now: Instant) -> [Action] {
        switch (step, controlPoint) {
        case (.finish(let result), _):
            compensation = nil
            return [.report(.compensated(result))]
        case (.readFeatures, _): return submit(.readByType(.cyclingPowerFeature), at: now)
        case (_, nil): return perform(.finish(.notSupported), at: now)
        case (.subscribe, let point?):
            guard let configuration = point.configuration else {
                return submit(
                    .discoverDescriptors(point.descriptors.lowerBound...point.descriptors.upperBound - 1), at: now)
            }
            return submit(.subscribe(.indications, descriptor: configuration), at: now)
        case (.write(let value), let point?): return submit(.write(handle: point.valueHandle, value: value), at: now)
        }
    }

    /// Receives the result of a procedure. Nil if it is not one of the offset compensation.
    private mutating func compensated(
        _ procedure: GattProcedure, _ result: Result<GattProcedure.Finding, GattProcedure.Failure>, at now: Instant
    ) -> [Action]? {
        guard compensation != nil else { return nil }
        let failure: OffsetCompensation.Failure? =
            switch result {
            case .success: nil
            case .failure(.refused(let error)): error.asksForPairing ? .needsPairing : .other
            case .failure: .other
            }
        let step: OffsetCompensation.Step?
        switch (procedure, result) {
        case (.readByType(.cyclingPowerFeature), .success(.value(let value))):
            step = compensation?.read(features: value)
        case (.readByType(.cyclingPowerFeature), _): step = compensation?.read(features: nil)
        case (.discoverDescriptors(let range), _) where range.lowerBound == controlPoint?.descriptors.lowerBound:
            if case .success(.descriptors(let descriptors)) = result {
                controlPoint?.configuration =
                    descriptors.first { $0.type == .clientCharacteristicConfiguration }?.handle
            }
            step = controlPoint?.configuration == nil ? compensation?.subscribed(failure ?? .missing) : .subscribe
        case (.write(let handle, _), _) where handle == controlPoint?.configuration:
            step = compensation?.subscribed(failure)
        case (.write(let handle, _), _) where handle == controlPoint?.valueHandle: step = compensation?.written(failure)
        default: return nil
        }
        return step.map { perform($0, at: now) } ?? []
    }

    private static func loss(_ failure: GattProcedure.Failure) -> DisconnectCause {
        switch failure {
        case .refused(let error): error.asksForPairing ? .pairingNeeded : .unsupported
        case .timedOut: .attTimeout
        case .malformed, .tooLong, .queueFull: .unsupported
        }
    }
}

extension AttributeUUID {
    package static let heartRateService = AttributeUUID(0x180D)
    package static let heartRateMeasurement = AttributeUUID(0x2A37)
    static let batteryLevel = AttributeUUID(0x2A19)
}

extension ScanResult {
    /// Whether the device advertises the Heart Rate Service.
    package var advertisesHeartRate: Bool {
        services.contains(.heartRateService)
    }
}
