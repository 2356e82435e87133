package import Domain

/// Selects the receiver whose fixes count.
///
/// A configured receiver is the only one. Else the best is chosen: one whose positions are at most ``steadyGap`` apart
/// before others, then by mode, then by error estimate. It is replaced only
///
/// - when it has had no position for ``silenceTimeout`` and another has one,
/// - by a better one within ``settling`` after the choice, because the first to report need not be the best,
/// - when all of its last positions were more than ``steadyGap`` apart, by one that is steady.
///
/// While no receiver has a position, the fixes of the first one to report are used.
package struct ReceiverSelector: Sendable {
    /// How long the chosen receiver may lack a position before another replaces it.
    package static let silenceTimeout = Duration.seconds(10)
    /// How long a better receiver can still replace a new choice.
    package static let settling = Duration.seconds(2)
    /// The longest time between two positions of a receiver that keeps the position fresh.
    package static let steadyGap = Duration.seconds(2)
    /// The largest number of receivers; gpsd has 4 to 6. A new one replaces the one with the oldest report.
    package static let limit = 8

    private struct Receiver: Sendable {
        let device: String?
        var merger: EpochMerger
        var receivedAt: Instant
        /// The quality of its last position.
        var position: Timestamped<Quality>?
        var rhythm = Rhythm()
    }

    private struct Quality: Sendable {
        var isSteady: Bool
        var mode: UInt8
        var accuracy: Double

        func isBetter(than other: Quality) -> Bool {
            if isSteady != other.isSteady { return isSteady }
            return mode != other.mode ? mode > other.mode : accuracy < other.accuracy
        }
    }

    /// The times between the last positions of a receiver.
    private struct Rhythm: Sendable {
        private static let memory = 4
        private var gaps: [Duration] = []

        mutating func add(_ gap: Duration) {
            if gaps.count == Self.memory { gaps.removeFirst() }
            gaps.append(gap)
        }

        /// A new receiver is, until it is late.
        var isSteady: Bool { gaps.allSatisfy { $0 <= steadyGap } }
        var isKnownSteady: Bool { gaps.count == Self.memory && isSteady }
        /// Never in time, unlike a receiver that loses its position now and then.
        var isSlow: Bool { gaps.count > 1 && gaps.allSatisfy { $0 > steadyGap } }
    }

    private let wanted: String?
    private var receivers: [Receiver] = []
    /// The index of the chosen receiver in `receivers`.
    private var chosen: Int?
    private var settlesAt: Instant?
    /// The fixes of one receiver that were closed now. Kept for its capacity.
    private var closed: [Fix] = []

    /// - Parameter wanted: the path of the one receiver to use; nil chooses the best.
    package init(wanted: String? = nil) {
        self.wanted = wanted
    }

    /// The next time to call ``tick(at:into:)`` if no report comes.
    package var deadline: Instant? {
        receivers.lazy.compactMap(\.merger.deadline).min()
    }

    /// Receives a report, and appends the fixes that it closes, if its receiver is the one in use.
    package mutating func received(_ report: TPVReport, at now: Instant, into fixes: inout [Fix]) {
        guard let index = place(of: report.device, at: now) else { return }
        receivers[index].merger.received(report, at: now, into: &closed)
        select(from: index, into: &fixes)
    }

    /// Receives a receiver's number of satellites.
    package mutating func received(satellites: Int, of device: String?, at now: Instant) {
        guard let index = place(of: device, at: now) else { return }
        receivers[index].merger.received(satellites: satellites, at: now)
    }

    /// Advances timers to `now`, and appends the fixes of the receiver in use that are complete.
    package mutating func tick(at now: Instant, into fixes: inout [Fix]) {
        for index in receivers.indices {
            receivers[index].merger.tick(at: now, into: &closed)
            select(from: index, into: &fixes)
        }
    }

    private mutating func select(from index: Int, into fixes: inout [Fix]) {
        for place in closed.indices where uses(closed[place], of: index) { fixes.append(closed[place]) }
        closed.removeAll(keepingCapacity: true)
    }

    private mutating func place(of device: String?, at now: Instant) -> Int? {
        if let wanted, device != wanted { return nil }
        if let index = receivers.firstIndex(where: { $0.device == device }) {
            receivers[index].receivedAt = now
            return index
        }
        let receiver = Receiver(device: device, merger: EpochMerger(device: device), receivedAt: now)
        if receivers.count < Self.limit {
            receivers.append(receiver)
            return receivers.count - 1
        }
        let others = receivers.indices.filter { $0 != chosen }
        guard let index = others.min(by: { receivers[$0].receivedAt < receivers[$1].receivedAt }) else { return nil }
        receivers[index] = receiver
        return index
    }

    /// Whether a fix of this receiver counts. The call may change the choice.
    private mutating func uses(_ fix: Fix, of index: Int) -> Bool {
        let now = fix.arrivedAt
        if fix.hasPosition {
            if let last = receivers[index].position { receivers[index].rhythm.add(last.age(at: now)) }
            let quality = Quality(
                isSteady: receivers[index].rhythm.isSteady, mode: fix.mode, accuracy: fix.accuracy ?? .infinity)
            receivers[index].position = Timestamped(quality, at: now)
        }
        if let chosen, let present = quality(of: chosen, at: now) {
            guard chosen != index else { return true }
            guard fix.hasPosition, let other = quality(of: index, at: now) else { return false }
            let isSettling = settlesAt.map { now < $0 } ?? false
            let isOvertaken = receivers[chosen].rhythm.isSlow && receivers[index].rhythm.isKnownSteady
            guard isOvertaken || isSettling && other.isBetter(than: present) else { return false }
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
        } else if chosen.map({ now - receivers[$0].receivedAt >= Self.silenceTimeout }) ?? true {
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
    /// Whether the fix has coordinates. Modes 2 and 3 alone do not guarantee them.
    package var hasPosition: Bool {
        mode >= 2 && latitude != nil && longitude != nil
    }
}
