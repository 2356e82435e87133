package import Domain

/// The GATT sequence of one connection to a heart-rate strap.
///
/// First it does what heart rate needs: the MTU, the heart-rate service, its measurement characteristic, and the
/// subscription. After the first measurement it reads the battery and the device information, one characteristic after
/// the other, and the battery again every 10 minutes. If those reads fail or get no answer, heart rate continues.
///
/// The machine does no input or output; the shell drives it like ``GattClient``.
package struct HeartRateSession: Sendable {
    package enum Action: Equatable, Sendable {
        case send([UInt8])
        /// Pass on a report.
        case report(Report)
        /// Close the connection; it is useless.
        case close(DisconnectCause)
    }

    package enum Report: Equatable, Sendable {
        /// The strap has confirmed the subscription.
        case subscribed
        case measured(HeartRateMeasurement)
        case battery(BatteryLevel)
        /// The complete device information, once a connection.
        case described(DeviceInformation)
    }

    /// The time between two reads of the battery level.
    package static let batteryInterval = Duration.seconds(600)

    private var client = GattClient()
    /// The handle of the measurement value, once it is discovered.
    private var measurementHandle: UInt16?
    /// The handle of the measurement's configuration descriptor, once it is discovered.
    private var configurationHandle: UInt16?
    private var hasMeasured = false
    /// The types of the device information that are still to be read, the next one first.
    private var unread = ArraySlice(DeviceInformation.types)
    private var information = DeviceInformation()
    /// Values read once from a strap that repeats responses. A value counts if a second read confirms it.
    private var unconfirmed: [AttributeUUID: [UInt8]] = [:]
    private var batteryAt: Instant?

    package init() {}

    /// The next time to call ``tick(at:)`` if nothing happens before.
    package var deadline: Instant? {
        [client.deadline, batteryAt].compactMap { $0 }.min()
    }

    /// Starts the sequence on a new connection.
    package mutating func start(at now: Instant) -> [Action] {
        submit(.exchangeMTU, at: now) + submit(.findService(.heartRateService), at: now)
    }

    /// Repeats the subscription, because some straps forget it. Does nothing before the descriptor is discovered.
    package mutating func resubscribe(at now: Instant) -> [Action] {
        guard let configurationHandle else { return [] }
        return submit(.subscribe(.notifications, descriptor: configurationHandle), at: now)
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
        guard value.handle == measurementHandle, let measurement = try? HeartRateMeasurement(value.value.span)
        else { return [] }
        let report = Action.report(.measured(measurement))
        if hasMeasured { return [report] }
        hasMeasured = true
        batteryAt = now + Self.batteryInterval
        return [report] + submit(.readByType(.batteryLevel), at: now)
    }

    private mutating func finished(
        _ procedure: GattProcedure, _ result: Result<GattProcedure.Finding, GattProcedure.Failure>, at now: Instant
    ) -> [Action] {
        switch (procedure, result) {
        case (.exchangeMTU, _): return []  // a failure leaves the minimum, which is enough for heart rate
        case (.findService, .success(.service(let handles?))): return submit(.discoverCharacteristics(handles), at: now)
        case (.discoverCharacteristics(let handles), .success(.characteristics(let characteristics))):
            return discovered(characteristics, in: handles, at: now)
        case (.discoverDescriptors, .success(.descriptors(let descriptors))): return discovered(descriptors, at: now)
        case (.write, .success): return [.report(.subscribed)]
        case (.readByType(let type), _): return read(type, result, at: now)
        case (_, .failure(let failure)): return [.close(Self.loss(failure))]
        default: return [.close(.unsupported)]
        }
    }

    private mutating func discovered(
        _ characteristics: [Characteristic], in service: ClosedRange<UInt16>, at now: Instant
    ) -> [Action] {
        guard let index = characteristics.firstIndex(where: { $0.type == .heartRateMeasurement }) else {
            return [.close(.unsupported)]
        }
        let value = characteristics[index].valueHandle
        // The descriptors lie between the value and the next characteristic, or the end of the service.
        let next = characteristics.dropFirst(index + 1).first
        let last = next.map { $0.handle - 1 } ?? service.upperBound
        guard value < last else { return [.close(.unsupported)] }
        measurementHandle = value
        return submit(.discoverDescriptors(value + 1...last), at: now)
    }

    private mutating func discovered(_ descriptors: [Descriptor], at now: Instant) -> [Action] {
        configurationHandle = descriptors.first { $0.type == .clientCharacteristicConfiguration }?.handle
        return configurationHandle == nil ? [.close(.unsupported)] : resubscribe(at: now)
    }

    /// Handles the result of a battery or device-information read and requests the next. A strap that repeats its
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
