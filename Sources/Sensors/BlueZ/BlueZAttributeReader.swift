import Domain

/// Reads a strap's battery and device information through bluetoothd, one characteristic after the other.
struct BlueZAttributeReader: Sendable {
    /// The delay before a read is retried while another operation is under way, and the number of retries.
    static let busyRetryDelay = Duration.milliseconds(10)
    static let retryLimit = 10

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

    init() {}

    var deadline: Instant? {
        [againAt, batteryAt].compactMap { $0 }.min()
    }

    /// Starts reading after the first measurement.
    mutating func begin(_ objects: BlueZObjects, device path: String, at now: Instant) -> [BlueZConnection.Action] {
        let device = objects.device(at: path)
        unread = [.batteryLevel] + DeviceInformation.types
        information.name = device?.name
        batteryAt = now + HeartRateSession.batteryInterval
        return received(device?.battery) + next(objects, device: path)
    }

    /// Receives the battery level that bluetoothd reads itself. Nil if it does not.
    mutating func received(_ percent: Int?) -> [BlueZConnection.Action] {
        guard let percent, percent != reportedBattery, batteryAt != nil, let byte = UInt8(exactly: percent),
            let level = try? BatteryLevel([byte].span)
        else { return [] }
        reportedBattery = percent
        return [.report(.battery(level))]
    }

    mutating func tick(_ objects: BlueZObjects, device: String, at now: Instant) -> [BlueZConnection.Action] {
        if let at = againAt, now >= at, let current {
            againAt = nil
            return [.call(.read(characteristic: current.path))]
        }
        guard let at = batteryAt, now >= at else { return [] }
        batteryAt = now + HeartRateSession.batteryInterval
        unread = [.batteryLevel] + unread
        return current == nil ? next(objects, device: device) : []
    }

    mutating func answered(
        _ call: BlueZMethodCall, _ result: Result<[UInt8], BlueZError>, _ objects: BlueZObjects, device: String,
        at now: Instant
    ) -> [BlueZConnection.Action] {
        guard let current, call == .read(characteristic: current.path), againAt == nil else { return [] }
        var actions: [BlueZConnection.Action] = []
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
        return actions + next(objects, device: device)
    }

    private mutating func next(_ objects: BlueZObjects, device: String) -> [BlueZConnection.Action] {
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
