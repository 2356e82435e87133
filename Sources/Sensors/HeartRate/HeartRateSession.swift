package import Domain

/// One connection to a heart-rate strap: what is asked of it, in which order, and what it says.
///
/// First what heart rate needs: the MTU, the heart-rate service, its measurement characteristic, and notifications turned on.
/// Once the first measurement has come, and only then, the battery and what the strap says of itself, one thing after the other,
/// and the battery again every 10 minutes. Those may fail or never be answered: heart rate goes on.
///
/// The machine does no input or output; it is driven as ``GattClient`` is.
package struct HeartRateSession: Sendable {
    package enum Action: Equatable, Sendable {
        /// Send one datagram.
        case send([UInt8])
        /// Hand on what the strap said.
        case report(Report)
        /// Close the connection; it is no use any more.
        case close(StrapLink.DisconnectCause)
    }

    package enum Report: Equatable, Sendable {
        /// The strap has agreed to notify.
        case subscribed
        case measured(HeartRateMeasurement)
        case battery(BatteryLevel)
        /// All that it says of itself, once a connection.
        case described(DeviceInformation)
    }

    /// The time between two readings of the battery.
    package static let batteryInterval = Duration.seconds(600)

    private var client = GattClient()
    /// Where measurements are notified, once it is found.
    private var measurementHandle: UInt16?
    /// Where notifications are turned on, once it is found.
    private var configurationHandle: UInt16?
    private var hasMeasured = false
    /// What is still to be read of the description, the next one first.
    private var unread = ArraySlice(DeviceInformation.types)
    private var information = DeviceInformation()
    /// What was read once of a strap that repeats its answers, and counts if it is read a second time.
    private var unconfirmed: [AttributeUUID: [UInt8]] = [:]
    private var batteryAt: Instant?

    package init() {}

    /// When ``tick(at:)`` has something to do, if nothing happens before.
    package var deadline: Instant? {
        [client.deadline, batteryAt].compactMap { $0 }.min()
    }

    /// Begins; the connection stands.
    package mutating func start(at now: Instant) -> [Action] {
        submit(.exchangeMTU, at: now) + submit(.findService(.heartRateService), at: now)
    }

    /// Turns notifications on once more, where they are known to be turned on: some straps forget.
    package mutating func resubscribe(at now: Instant) -> [Action] {
        guard let configurationHandle else { return [] }
        return submit(.subscribe(.notifications, descriptor: configurationHandle), at: now)
    }

    /// Takes one datagram.
    ///
    /// - Parameter hasMore: nothing more is asked until ``drained(at:)``: other datagrams may have come already.
    package mutating func received(_ bytes: Span<UInt8>, hasMore: Bool = false, at now: Instant) -> [Action] {
        perform(client.received(bytes, hasMore: hasMore, at: now), at: now)
    }

    /// All that has come was taken.
    package mutating func drained(at now: Instant) -> [Action] {
        perform(client.drained(at: now), at: now)
    }

    /// Says what time it is.
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
        case (.exchangeMTU, _): return []  // without an answer it is the minimum, which is enough for heart rate
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
        // Its descriptors stand between its value and the next characteristic, or the end of the service.
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

    /// Takes what was read beside heart rate, or that it was not, and asks for the next. A strap that repeats its answers is asked twice:
    /// an answer that comes late and twice could pass for that to another question.
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
        // The battery's later readings find the description read.
        guard type != .batteryLevel || unread.count == DeviceInformation.types.count else { return actions }
        if let next = unread.popFirst() { return actions + submit(.readByType(next), at: now) }
        return actions + [.report(.described(information))]
    }

    private static func loss(_ failure: GattProcedure.Failure) -> StrapLink.DisconnectCause {
        switch failure {
        case .refused(let error): error.asksForPairing ? .pairingNeeded : .unsupported
        case .timedOut: .attTimeout
        case .malformed, .tooLong, .queueFull: .unsupported
        }
    }
}

extension AttributeUUID {
    static let heartRateService = AttributeUUID(0x180D)
    static let heartRateMeasurement = AttributeUUID(0x2A37)
    static let batteryLevel = AttributeUUID(0x2A19)
}
