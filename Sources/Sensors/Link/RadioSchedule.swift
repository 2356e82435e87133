import Domain

/// Shares one radio among the links of a ``SensorDriver``.
///
/// The radio either scans, or waits for the advertisements of all absent sensors whose addresses are known. The kernel
/// waits with one passive scan for all of them, so an absent sensor costs the others nothing.
///
///     a link must scan       all absent sensors are found by the scan; one that was heard is connected in a pause of it
///     no link must scan      each absent sensor has a pending connection
///
/// During a run a strap that was heard goes first.
struct RadioSchedule: Sendable {
    /// What a person has requested.
    enum Request: Sendable {
        case nothing
        /// A scan, or the search for a sensor to pair.
        case scan
        /// Silence: bluetoothd suspends discovery while it pairs, and does not reply to calls about it.
        case pairing
    }

    private struct Link: Sendable {
        /// The sensor to connect as soon as the host can.
        var wanted: LEAddress?
        /// Whether ``wanted`` was heard.
        var isHeard = false
        var isConnecting = false
        var isConnected = false
        /// Whether the link needs a scan.
        var isSearching = false
    }

    /// How long the other sensors leave the radio to a strap that was heard during a run.
    static let strapFirstLimit = Duration.seconds(5)

    var request = Request.nothing
    var runIsActive = false
    /// The strap's link comes first, and the scan for sensors that were never heard last.
    private var links = [Link](repeating: Link(), count: SensorDriver.linkLimit + 1)
    /// Until when the other sensors wait for the strap.
    private var strapFirstUntil: Instant?

    /// The next time to call ``startAttempts(of:_:at:into:)`` if nothing happens before.
    func deadline(at now: Instant) -> Instant? {
        strapFirstUntil.flatMap { $0 > now ? $0 : nil }
    }

    /// The sensors that wait for a connection.
    var wanted: [LEAddress] {
        links.compactMap(\.wanted)
    }

    /// Whether a link scans, or waits for its sensor.
    func isUsed(by link: Int) -> Bool {
        links[link].isSearching || links[link].wanted != nil
    }

    func isSearching(_ link: Int) -> Bool {
        links[link].isSearching
    }

    func isConnected(_ link: Int) -> Bool {
        links[link].isConnected
    }

    /// Whether a scan is needed now.
    private var needsScan: Bool {
        switch request {
        case .scan: true
        case .pairing: false
        case .nothing: links.contains(where: \.isSearching) && !links.contains(where: \.isHeard)
        }
    }

    // MARK: Changes

    /// Sets whether a link needs a scan.
    mutating func search(_ isSearching: Bool, link: Int) {
        links[link].isSearching = isSearching
    }

    /// Sets the sensor that a link wants to connect.
    mutating func want(_ sensor: LEAddress, isHeard: Bool, link: Int) {
        links[link].isSearching = false
        links[link].wanted = sensor
        links[link].isHeard = isHeard
    }

    /// Records that a wanted sensor was heard.
    mutating func heard(link: Int) {
        links[link].isHeard = true
    }

    mutating func connected(link: Int) {
        let isSearching = links[link].isSearching
        links[link] = Link(isConnected: true, isSearching: isSearching)
    }

    /// Records that a link has neither a connection nor an attempt any more, and wants none.
    mutating func ended(link: Int) {
        links[link] = Link(isSearching: links[link].isSearching)
    }

    /// Records that a connection or an attempt was lost with the backend's state. A wanted sensor is tried again.
    mutating func dropped(link: Int) {
        links[link].isConnecting = false
        links[link].isConnected = false
    }

    // MARK: Actions

    /// Starts or stops the scan as it is needed. A pending connection is repeated after the scan.
    mutating func updateScan(into actions: inout [SensorDriver.Action]) {
        guard needsScan else { return actions.append(.stopScan(isConnecting: false)) }
        suspendAttempts(into: &actions)
        actions.append(.startScan)
    }

    /// Stops the scan for a connection, unless it is needed.
    mutating func pauseScan(into actions: inout [SensorDriver.Action]) {
        guard request == .nothing, !needsScan else { return updateScan(into: &actions) }
        actions.append(.stopScan(isConnecting: true))
    }

    /// Continues a scan after the pause for a connection.
    mutating func resumeScan(into actions: inout [SensorDriver.Action]) {
        if links.contains(where: \.isSearching) { updateScan(into: &actions) }
    }

    /// Cancels the connection attempts. They are repeated when no scan and no pairing is in progress.
    mutating func suspendAttempts(into actions: inout [SensorDriver.Action]) {
        for index in links.indices where links[index].isConnecting {
            links[index].isConnecting = false
            actions.append(.suspendAttempt(link: index))
        }
    }

    /// Starts the connection attempts that are possible now. In a pause of a scan these are only those to sensors that
    /// were heard.
    ///
    /// - Parameter kinds: returns the kinds of measurements that a link reads.
    mutating func startAttempts(
        of kinds: (Int) -> [SensorKind], _ host: SensorDriver.Host, at now: Instant,
        into actions: inout [SensorDriver.Action]
    ) {
        guard host.canConnect, request == .nothing, !needsScan else { return }
        let isPause = links.contains(where: \.isSearching)
        for index in links.indices {
            let link = links[index]
            guard let sensor = link.wanted, !link.isConnecting, !link.isConnected, !host.closing.contains(index),
                link.isHeard || !isPause, index == 0 || !strapIsFirst(at: now)
            else { continue }
            links[index].isConnecting = true
            if index == 0, runIsActive, link.isHeard { strapFirstUntil = now + Self.strapFirstLimit }
            actions.append(.connect(sensor, kinds(index), link: index))
        }
    }

    /// Whether the other sensors leave the radio to the strap.
    private func strapIsFirst(at now: Instant) -> Bool {
        links[0].isHeard && strapFirstUntil.map { now < $0 } ?? false
    }
}
