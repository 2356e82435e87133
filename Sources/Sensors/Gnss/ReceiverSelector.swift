package import Domain

/// The receivers that gpsd reports of, and the one of them whose fixes count.
///
/// That is the one asked for; else the best, by mode and then by error estimate. Once chosen, a receiver is left only when it has
/// given no position for ``silence`` and another has. For ``settling`` after the choice a better one still takes its place, because
/// the first to be heard need not be the best. While no receiver has a position, the first one heard says so for all.
package struct ReceiverSelector: Sendable {
    /// How long a receiver may be without a position before another is taken.
    package static let silenceTimeout = Duration.seconds(10)
    /// How long a choice is open to a better receiver.
    package static let settling = Duration.seconds(2)
    /// The most receivers that are told apart; gpsd has 4 to 6. Beyond it, the one not heard for longest is forgotten.
    package static let limit = 8

    private struct Receiver: Sendable {
        let device: String?
        var merger: EpochMerger
        var heardAt: Instant
        /// The quality of its last position.
        var position: Timestamped<Quality>?
    }

    private struct Quality: Sendable {
        var mode: UInt8
        var accuracy: Double

        func isBetter(than other: Quality) -> Bool {
            mode != other.mode ? mode > other.mode : accuracy < other.accuracy
        }
    }

    private let wanted: String?
    private var receivers: [Receiver] = []
    /// The chosen one's place in `receivers`.
    private var chosen: Int?
    private var settlesAt: Instant?

    /// - Parameter wanted: the one receiver to use, as gpsd names it; nil leaves the choice open.
    package init(wanted: String? = nil) {
        self.wanted = wanted
    }

    /// When ``next(at:)`` may have a fix if no report comes.
    package var deadline: Instant? {
        receivers.lazy.compactMap(\.merger.deadline).min()
    }

    /// Takes a report; then take the fixes that it closed, with ``next(at:)``.
    package mutating func received(_ report: TPVReport, at now: Instant) {
        guard let index = place(of: report.device, at: now) else { return }
        receivers[index].merger.received(report, at: now)
    }

    /// Takes a receiver's count of satellites.
    package mutating func received(satellites: Int, of device: String?, at now: Instant) {
        guard let index = place(of: device, at: now) else { return }
        receivers[index].merger.received(satellites: satellites, at: now)
    }

    /// The next fix of the receiver in use that is complete by `now`; call it until it is nil.
    package mutating func next(at now: Instant) -> Fix? {
        for index in receivers.indices {
            while let fix = receivers[index].merger.next(at: now) {
                if uses(fix, of: index) { return fix }
            }
        }
        return nil
    }

    private mutating func place(of device: String?, at now: Instant) -> Int? {
        if let wanted, device != wanted { return nil }
        if let index = receivers.firstIndex(where: { $0.device == device }) {
            receivers[index].heardAt = now
            return index
        }
        let receiver = Receiver(device: device, merger: EpochMerger(device: device), heardAt: now)
        if receivers.count < Self.limit {
            receivers.append(receiver)
            return receivers.count - 1
        }
        let others = receivers.indices.filter { $0 != chosen }
        guard let index = others.min(by: { receivers[$0].heardAt < receivers[$1].heardAt }) else { return nil }
        receivers[index] = receiver
        return index
    }

    /// Whether a fix of this receiver counts; it may make it the chosen one.
    private mutating func uses(_ fix: Fix, of index: Int) -> Bool {
        if fix.hasPosition {
            let quality = Quality(mode: fix.mode, accuracy: fix.accuracy ?? .infinity)
            receivers[index].position = Timestamped(quality, at: fix.arrivedAt)
        }
        let now = fix.arrivedAt
        if let chosen, let present = quality(of: chosen, at: now) {
            guard chosen != index else { return true }
            guard let settlesAt, now < settlesAt, fix.hasPosition, let other = quality(of: index, at: now),
                other.isBetter(than: present)
            else { return false }
            self.chosen = index
            return true
        }
        let candidates = receivers.indices.filter { quality(of: $0, at: now) != nil }
        let best = candidates.min { left, right in
            guard let left = quality(of: left, at: now), let right = quality(of: right, at: now) else { return false }
            return left.isBetter(than: right)
        }
        if let best {
            chosen = best
            settlesAt = now + Self.settling
        } else if chosen.map({ now - receivers[$0].heardAt >= Self.silenceTimeout }) ?? true {
            chosen = index
        }
        return chosen == index
    }

    private func quality(of index: Int, at now: Instant) -> Quality? {
        guard let position = receivers[index].position, position.age(at: now) < Self.silenceTimeout else { return nil }
        return position.value
    }
}

extension Fix {
    /// Whether it says where the receiver is, true or not. Modes 2 and 3 alone do not.
    package var hasPosition: Bool {
        mode >= 2 && latitude != nil && longitude != nil
    }
}
