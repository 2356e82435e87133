package import Domain

/// Decodes what a strap sends through bluetoothd.
///
/// After the first measurement it reads the battery and the device information, one characteristic after the other, and
/// the battery again every 10 minutes unless bluetoothd reports it. If those reads fail, heart rate continues.
///
/// The machine does no input or output. The shell passes the values of a ``BlueZConnection`` and the objects of
/// bluetoothd, performs the returned ``Action``s, and calls ``tick(_:at:)`` no later than ``deadline``.
package struct BlueZHeartRateReader: Sendable {
    package enum Action: Equatable, Sendable {
        case call(BlueZMethodCall)
        case report(HeartRateSession.Report)
    }

    /// The delay before a read is retried while another operation is under way, and the number of retries.
    static let busyRetryDelay = Duration.milliseconds(10)
    static let retryLimit = 10

    private let device: String
    private var hasMeasured = false
    /// Whether the last measurement shows that the strap may be worn.
    package private(set) var isWorn = false

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

    /// - Parameter device: the object path of the strap.
    package init(device: String) {
        self.device = device
    }

    /// The next time to call ``tick(_:at:)`` if nothing happens before.
    package var deadline: Instant? {
        [againAt, batteryAt].compactMap { $0 }.min()
    }

    /// Receives a notified value. A malformed one is ignored.
    package mutating func received(_ value: [UInt8], _ objects: BlueZObjects, at now: Instant) -> [Action] {
        guard let measurement = try? HeartRateMeasurement(value.span) else { return [] }
        isWorn = measurement.isSignOfWearing
        let report = Action.report(.measured(measurement))
        if hasMeasured { return [report] }
        hasMeasured = true
        unread = [.batteryLevel] + DeviceInformation.types
        information.name = objects.device(at: device)?.name
        batteryAt = now + HeartRateSession.batteryInterval
        return [report] + changed(objects) + next(objects)
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
        batteryAt = now + HeartRateSession.batteryInterval
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
