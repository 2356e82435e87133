package import Domain

/// Which strap is ours, from what is heard, what was said (the setting `straps`), and what is remembered.
///
///     said          ours
///     straps        those; the first one heard wins and is left for another only after 30 s without it
///     nothing       those that are remembered, in the same manner
///     nothing, and none is remembered:
///                   the only one heard for 15 s, or one at -55 dBm or more that is 10 dB above the next;
///                   else nobody may say but a person: ``Decision/choose``
///
/// A strap is remembered once it has given a beat, never before; from then on a stranger is not connected.
///
/// The shell hands over each sighting, asks for the ``verdict(at:asleep:)`` after it and no later than
/// ``deadline(at:)``, and tells what came of the connection: ``received(_:from:at:)``, ``lost(at:)``,
/// ``described(_:of:)``. It keeps ``remembered`` in a file whenever one of these says that it has changed.
package struct StrapSelector: Sendable {
    package enum Decision: Equatable, Sendable {
        /// Nobody that may be connected has been heard yet.
        case wait
        case connect(LEAddress)
        /// Several strangers were heard, and any may be meant.
        case choose
    }

    /// The most devices that are known at a time. A new one takes the place of the one that was not heard for longest.
    package static let sightingLimit = 64

    /// The most straps that are remembered. A new one takes the place of the one that was not used for longest.
    package static let memoryLimit = 16

    /// How long a sighting says that somebody is there: a search tells each device about every 10 s.
    package static let advertisementTTL = Duration.seconds(15)

    /// How long a sighting is kept.
    package static let retention = Duration.seconds(60)

    /// How long a stranger must have been the only one.
    package static let soleCandidateTime = Duration.seconds(15)

    /// What is held against the device, in dBm, and how far the next one must be, in dB.
    package static let minimumRSSI = -55
    package static let rssiMargin = 10

    /// How long a stranger must have been heard for that: others advertise every 1 to 2.5 s, and are not heard before.
    package static let decisionTime = Duration.seconds(3)

    /// How long the strap of before is waited for while another of ours is there.
    package static let holdTime = Duration.seconds(30)

    private struct Heard: Sendable {
        var sighting: ScanResult
        /// Judged once for each change, not for each question: a crowd may say a thousand things a second.
        var isOurs: Bool
        let first: Instant
        var last: Instant
    }

    struct Current: Sendable {
        var address: LEAddress
        /// When it was taken, or was last connected.
        var thereAt: Instant
    }

    /// What the setting `straps` says; empty leaves it to what is heard and remembered.
    package internal(set) var ours: [StrapMatcher] {
        didSet { judgeAnew() }
    }

    /// The straps that gave a beat, the last used first.
    package internal(set) var remembered: [KnownStrap] {
        didSet { judgeAnew() }
    }

    private var heard: [Heard] = []
    /// The strap that is used, or was last.
    var current: Current?
    /// The last straps that had the name of ours and another serial number.
    var strangers: [LEAddress] = [] {
        didSet { judgeAnew() }
    }
    /// The strap that turned out to need wide parameters before it gave a beat.
    var wide: LEAddress?
    /// Which of several known addresses is tried next.
    var turn = 0

    package init(ours: [StrapMatcher] = [], remembered: [KnownStrap] = []) {
        self.ours = ours
        self.remembered = Array(remembered.prefix(Self.memoryLimit))
    }

    // MARK: Who is there

    /// A device was heard. What neither gives heart rate nor may be ours is passed over.
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

    /// Makes room: a crowd of strangers does not drive ours out.
    private mutating func forgetOne() {
        let others = heard.indices.filter { !heard[$0].isOurs }
        let candidates = others.isEmpty ? Array(heard.indices) : others
        if let oldest = candidates.min(by: { heard[$0].last < heard[$1].last }) { heard.remove(at: oldest) }
    }

    /// Those that are there, in the order in which they were first heard: for people to choose from.
    package func sightings(at now: Instant) -> [ScanResult] {
        present(at: now).map(\.sighting)
    }

    var heardAddresses: [LEAddress] {
        heard.map(\.sighting.address)
    }

    private func present(at now: Instant) -> [Heard] {
        heard.filter { now - $0.last < Self.advertisementTTL }
    }

    /// The names of those that are there, for ``Decision/choose``; an address where one has no name.
    package func names(at now: Instant) -> SanitizedText? {
        SanitizedText(
            sightings(at: now).map { $0.name?.text ?? $0.address.address.description }.joined(separator: ", "))
    }

    /// What a strap calls itself, as far as it was heard or is remembered.
    package func name(of address: LEAddress) -> SanitizedText? {
        heard.first { $0.sighting.address == address }?.sighting.name
            ?? remembered.first { $0.address == address }?.name
    }

    // MARK: Which one is ours

    /// Nobody has said which strap is ours, and none has given a beat yet.
    var mayTakeStranger: Bool {
        ours.isEmpty && remembered.isEmpty
    }

    func isOurs(_ sighting: ScanResult) -> Bool {
        if strangers.contains(sighting.address) { return false }
        if ours.isEmpty { return remembered.contains { $0.matches(sighting.address, name: sighting.name) } }
        return ours.contains { $0.matches(sighting.address, name: sighting.name) }
    }

    private mutating func judgeAnew() {
        for index in heard.indices { heard[index].isOurs = isOurs(heard[index].sighting) }
    }

    /// Whom to connect to now.
    ///
    /// - Parameter asleep: the strap that is left alone because it was taken off (``StrapLink``); another of ours may be used.
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

    /// Whether a device heard now is the one that was known by an address; that may have changed since.
    private func isSame(_ sighting: ScanResult, as address: LEAddress) -> Bool {
        sighting.address == address
            || remembered.contains { $0.address == address && $0.matches(sighting.address, name: sighting.name) }
    }

    /// Until when the strap of before is waited for.
    private func heldUntil(_ current: Current, asleep: LEAddress?) -> Instant {
        let heardAt = heard.first { $0.sighting.address == current.address && current.address != asleep }?.last
        return max(current.thereAt, heardAt ?? current.thereAt) + Self.holdTime
    }

    /// When the verdict may change, if nothing is heard before.
    package func deadline(at now: Instant) -> Instant? {
        var moments = heard.flatMap {
            [$0.first + Self.decisionTime, $0.first + Self.soleCandidateTime, $0.last + Self.advertisementTTL]
        }
        if let current { moments.append(heldUntil(current, asleep: nil)) }
        return moments.filter { $0 > now }.min()
    }
}
