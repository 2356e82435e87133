import Domain

/// One link, and the sensor that it serves.
struct SensorSlot: Sendable {
    var link: SensorLink
    /// The sensor that the link is for; nil for the strap's link, and for one that is free.
    private(set) var address: LEAddress?
    /// The sensor in use, or the last one.
    var current = CurrentSensor()
    /// The kinds whose services the connection has.
    var found: Set<SensorKind> = []
    /// The last reported status; nil if the link has no sensor.
    private var reported: SensorStatus?

    init(_ link: SensorLink) {
        self.link = link
    }

    /// Serves another sensor over a new link.
    mutating func serve(_ sensor: LEAddress, _ kinds: Set<SensorKind>, isActive: Bool, at now: Instant) {
        link = SensorLink(.other, at: now)
        link.runChanged(isActive: isActive, at: now)
        address = sensor
        current.change(to: sensor)
        current.add(kinds)
    }

    /// Serves no sensor.
    mutating func free() {
        address = nil
        current = CurrentSensor()
    }

    // MARK: Reports

    /// The reported sensor, if it is not the link's any more; returned once.
    fileprivate mutating func popLostSensor() -> SensorID? {
        guard let reported, reported.id != id else { return nil }
        self.reported = nil
        return reported.id
    }

    /// Reports the sensor if its status has changed.
    ///
    /// - Parameter name: the name that the sensor advertises.
    fileprivate mutating func reportChange(name: SanitizedText?, into actions: inout [SensorDriver.Action]) {
        guard let id else { return }
        var status = link.status
        status.address = current.address?.address
        status.name = name ?? current.name
        let sensor = current.status(id, status)
        guard sensor != reported else { return }
        reported = sensor
        actions.append(.report(.sensor(sensor)))
    }

    /// The strap's link has a strap while it waits for one or is connected.
    fileprivate var id: SensorID? {
        guard let sensor = current.address, address != nil || link.status.address != nil else { return nil }
        return .bluetooth(sensor)
    }
}

extension [SensorSlot] {
    /// Serves a sensor over a free link, or a further one.
    mutating func serve(_ sensor: LEAddress, _ kinds: Set<SensorKind>, isActive: Bool, at now: Instant) {
        let free = indices.dropFirst().first { self[$0].address == nil }
        if free == nil { append(SensorSlot(SensorLink(.other, at: now))) }
        self[free ?? endIndex - 1].serve(sensor, kinds, isActive: isActive, at: now)
    }

    /// Reports the sensors that have gone, come or changed since the last call.
    ///
    /// - Parameter name: returns the name that a sensor advertises, if it is not the strap.
    mutating func report(named name: (LEAddress) -> SanitizedText?, into actions: inout [SensorDriver.Action]) {
        for index in indices {
            guard let lost = self[index].popLostSensor(), !contains(where: { $0.id == lost }) else { continue }
            actions.append(.report(.sensorRemoved(lost)))
        }
        for index in indices { self[index].reportChange(name: self[index].address.flatMap(name), into: &actions) }
    }
}

/// The sensor that a link uses, or used last.
struct CurrentSensor: Sendable {
    private(set) var address: LEAddress?
    /// The name that the sensor advertised or reported.
    private(set) var name: SanitizedText?
    /// In the order of `SensorKind.allCases`.
    private var kinds: [SensorKind] = []
    var batteryPercent: Int?
    private var information = DeviceInformation()

    mutating func change(to sensor: LEAddress) {
        if sensor != address { self = CurrentSensor() }
        address = sensor
    }

    mutating func add(_ new: Set<SensorKind>) {
        if new.isSubset(of: kinds) { return }
        kinds = SensorKind.allCases.filter { new.contains($0) || kinds.contains($0) }
    }

    /// - Returns: the description with the name in use.
    mutating func described(_ information: DeviceInformation) -> DeviceInformation {
        // An advertised name is kept: another name would be that of another sensor.
        name = name ?? information.name
        self.information = information
        self.information.name = name
        return self.information
    }

    func status(_ id: SensorID, _ link: LinkStatus) -> SensorStatus {
        var status = SensorStatus(id, kinds: kinds, link: link)
        status.batteryPercent = batteryPercent
        status.manufacturer = information.manufacturer
        status.model = information.model
        status.serialNumber = information.serialNumber
        status.firmware = information.firmware
        return status
    }

    /// The link status with the name of the strap, or with all names if several straps match.
    mutating func status(of link: SensorLink, _ selector: StrapSelector, at now: Instant) -> LinkStatus {
        var status = link.status
        if status.reason == .ambiguous {
            status.name = selector.names(at: now)
        } else if status.address != nil {
            name = name ?? address.flatMap(selector.name)
            status.name = name
        }
        return status
    }
}
