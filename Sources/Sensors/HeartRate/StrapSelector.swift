package import Domain

/// Selects our strap from advertisements, the setting `straps`, and the remembered straps.
///
///     setting       our strap
///     straps        the first one heard that matches; another replaces it only after 30 s without it
///     empty         the same among the remembered straps
///     empty, and none is remembered:
///                   the only one heard for 15 s, or one at -55 dBm or more that is 10 dB above the next;
///                   else a person must choose: ``Decision/choose``
///
/// A strap is remembered after its first beat, never before. While straps are remembered, strangers are not connected.
///
/// The shell passes every ``ScanResult``, calls ``verdict(at:asleep:)`` after it and no later than ``deadline(at:)``,
/// and reports the connection by ``received(_:from:at:)``, ``lost(at:)`` and ``described(_:of:)``. It stores
/// ``remembered`` in a file whenever one of these returns that it has changed.
package struct StrapSelector: Sendable {
    package enum Decision: Equatable, Sendable {
        /// No strap that may be connected was heard yet.
        case wait
        case connect(LEAddress)
        /// Several strangers were heard; a person must choose.
        case choose
    }

    /// The largest number of devices that are kept. A new device replaces the one that was not heard for longest.
    package static let sightingLimit = 64

    /// The largest number of remembered straps. A new strap replaces the one that was not used for longest.
    package static let memoryLimit = 16

    /// How long a device counts as present after a scan result; discovery reports each device about every 10 s.
    package static let advertisementTTL = Duration.seconds(15)

    /// How long a scan result is kept.
    package static let retention = Duration.seconds(60)

    /// How long a stranger must have been the only one.
    package static let soleCandidateTime = Duration.seconds(15)

    /// The lowest signal of a strap that a person holds close to the board, in dBm, and its lead over the next, in dB.
    package static let minimumRSSI = -55
    package static let rssiMargin = 10

    /// How long a stranger must have been heard for that: others advertise every 1 to 2.5 s and must have had time to.
    package static let decisionTime = Duration.seconds(3)

    /// How long the previous strap is awaited while another of ours is present.
    package static let holdTime = Duration.seconds(30)

    private struct Heard: Sendable {
        var sighting: ScanResult
        /// Judged once a change, not once a question: a crowd may send a thousand reports a second.
        var isOurs: Bool
        let first: Instant
        var last: Instant
    }

    struct Current: Sendable {
        var address: LEAddress
        /// When the strap was chosen or was last connected.
        var thereAt: Instant
    }

    /// The setting `straps`; if empty, the choice depends on scan results and ``remembered``.
    package internal(set) var ours: [StrapMatcher] {
        didSet { judgeAgain() }
    }

    /// The straps that have sent a beat, the last used first.
    package internal(set) var remembered: [KnownStrap] {
        didSet { judgeAgain() }
    }

    private var heard: [Heard] = []
    /// The strap in use, or the last one.
    var current: Current?
    /// The last straps with our strap's name and another serial number.
    var strangers: [LEAddress] = [] {
        didSet { judgeAgain() }
    }
    /// The strap that needed wide parameters before its first beat.
    var wide: LEAddress?
    /// The index of the known address to try next.
    var turn = 0

    package init(ours: [StrapMatcher] = [], remembered: [KnownStrap] = []) {
        self.ours = ours
        self.remembered = Array(remembered.prefix(Self.memoryLimit))
    }

    // MARK: Present devices

    /// Receives a scan result. Devices that neither advertise heart rate nor may be ours are ignored.
    package mutating func received(_ sighting: ScanResult, at now: Instant) {
        heard.removeAll { now - $0.last > Self.retention }
        if let index = heard.firstIndex(where: { $0.sighting.address == sighting.address }) {
            let completed = sighting.completed(by: heard[index].sighting)
            if completed.name != heard[index].sighting.name { heard[index].isOurs = isOurs(completed) }
            heard[index].sighting = completed
            heard[index].last = now
            return
        }
        let isOurs = isOurs(sighting)
        guard sighting.advertisesHeartRate || isOurs else { return }
        if heard.count >= Self.sightingLimit { forgetOne() }
        heard.append(Heard(sighting: sighting, isOurs: isOurs, first: now, last: now))
    }

    /// Makes room in `heard`. Strangers go first, so that a crowd cannot displace our strap.
    private mutating func forgetOne() {
        let others = heard.indices.filter { !heard[$0].isOurs }
        let candidates = others.isEmpty ? Array(heard.indices) : others
        if let oldest = candidates.min(by: { heard[$0].last < heard[$1].last }) { heard.remove(at: oldest) }
    }

    /// The present devices in the order in which they were first heard, for people to choose from.
    package func sightings(at now: Instant) -> [ScanResult] {
        present(at: now).map(\.sighting)
    }

    var heardAddresses: [LEAddress] {
        heard.map(\.sighting.address)
    }

    private func present(at now: Instant) -> [Heard] {
        heard.filter { now - $0.last < Self.advertisementTTL }
    }

    /// The names of the present devices, for ``Decision/choose``; the address of a device without a name.
    package func names(at now: Instant) -> SanitizedText? {
        SanitizedText(
            sightings(at: now).map { $0.name?.text ?? $0.address.address.description }.joined(separator: ", "))
    }

    /// The name of a strap from its scan results or from ``remembered``.
    package func name(of address: LEAddress) -> SanitizedText? {
        heard.first { $0.sighting.address == address }?.sighting.name
            ?? remembered.first { $0.address == address }?.name
    }

    // MARK: Selection

    /// Whether strangers may be used: the setting is empty and no strap has sent a beat yet.
    var mayTakeStranger: Bool {
        ours.isEmpty && remembered.isEmpty
    }

    func isOurs(_ sighting: ScanResult) -> Bool {
        if strangers.contains(sighting.address) { return false }
        if ours.isEmpty { return remembered.contains { $0.matches(sighting.address, name: sighting.name) } }
        return ours.contains { $0.matches(sighting.address, name: sighting.name) }
    }

    private mutating func judgeAgain() {
        for index in heard.indices { heard[index].isOurs = isOurs(heard[index].sighting) }
    }

    /// Returns the strap to connect now.
    ///
    /// - Parameter asleep: the strap that is left alone because it was taken off; another of ours may be used.
    package func verdict(at now: Instant, asleep: LEAddress? = nil) -> Decision {
        let present = present(at: now)
        let known = present.filter { $0.isOurs || $0.sighting.address == current?.address }
        if let current, now < heldUntil(current, asleep: asleep) {
            let it = known.last { isSame($0.sighting, as: current.address) && $0.sighting.address != asleep }
            return it.map { .connect($0.sighting.address) } ?? .wait
        }
        if mayTakeStranger { return stranger(among: present, at: now, asleep: asleep) }
        let first = known.filter { $0.isOurs && $0.sighting.address != asleep }.min { $0.first < $1.first }
        return first.map { .connect($0.sighting.address) } ?? .wait
    }

    private func stranger(among present: [Heard], at now: Instant, asleep: LEAddress?) -> Decision {
        let levels = present.compactMap(\.sighting.rssi).sorted(by: >)
        let nearest = present.first { $0.sighting.rssi == levels.first }
        if let level = levels.first, level >= Self.minimumRSSI, let nearest, nearest.sighting.address != asleep,
            levels.count == 1 || level - levels[1] >= Self.rssiMargin, now - nearest.first >= Self.decisionTime
        {
            return .connect(nearest.sighting.address)
        }
        guard present.count == 1 else { return present.isEmpty ? .wait : .choose }
        let only = present[0]
        return now - only.first >= Self.soleCandidateTime && only.sighting.address != asleep
            ? .connect(only.sighting.address) : .wait
    }

    /// Whether a device is the strap that was known by an address; the address may have changed since.
    private func isSame(_ sighting: ScanResult, as address: LEAddress) -> Bool {
        sighting.address == address
            || remembered.contains { $0.address == address && $0.matches(sighting.address, name: sighting.name) }
    }

    /// The time until which the previous strap is awaited.
    private func heldUntil(_ current: Current, asleep: LEAddress?) -> Instant {
        let heardAt = heard.first { $0.sighting.address == current.address && current.address != asleep }?.last
        return max(current.thereAt, heardAt ?? current.thereAt) + Self.holdTime
    }

    /// The time at which the verdict may change if nothing is heard before.
    package func deadline(at now: Instant) -> Instant? {
        var moments = heard.flatMap {
            [$0.first + Self.decisionTime, $0.first + Self.soleCandidateTime, $0.last + Self.advertisementTTL]
        }
        if let current { moments.append(heldUntil(current, asleep: nil)) }
        return moments.filter { $0 > now }.min()
    }
}
