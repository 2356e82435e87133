import Domain

/// Our discoveries, one after the other as long as a search is wanted.
///
/// The kernel ends each after 10.24 s, and tells a device once in each, but for those that are heard in the first milliseconds: it
/// drops what comes before it calls itself discovering, and the adapter does not repeat it. So the first ones are cut short.
struct DiscoveryCycle: Equatable, Sendable {
    /// How long the first ones last; those after them last as long as the kernel has them.
    static let firstLengths: [Duration] = [1, 1, 1, 2, 2, 4].map { .seconds($0) }

    /// The pause between two.
    static let pause = Duration.milliseconds(100)

    /// One that has not ended by then has ended unheard.
    static let limit = Duration.seconds(15)

    /// The wait while somebody else discovers, whose finds are told to all, and after a failure.
    static let busyRetryDelay = Duration.seconds(5)
    static let failureRetryDelay = Duration.seconds(2)

    enum Step: Equatable {
        case start, stop
    }

    private(set) var isWanted = false
    private var since: Instant?
    private var cutAt: Instant?
    private var isCut = false
    /// It was begun over a channel that broke, and may have ended, or not begun.
    private var isLeftover = false
    private var startAt: Instant?
    private var count = 0

    var deadline: Instant? {
        [since.map { $0 + Self.limit }, cutAt, startAt].compactMap { $0 }.min()
    }

    /// Whether one of ours goes on, as far as is known.
    var isOnAir: Bool {
        since != nil
    }

    var step: Step? {
        if since != nil, !(isLeftover && isWanted) { return isWanted && !isCut ? nil : .stop }
        return isWanted && startAt == nil ? .start : nil
    }

    mutating func want(_ isWanted: Bool) {
        if isWanted, !self.isWanted { count = 0 }
        self.isWanted = isWanted
        if !isWanted { startAt = nil }
    }

    mutating func tick(at now: Instant) {
        if let at = startAt, now >= at { startAt = nil }
        if let at = cutAt, now >= at {
            cutAt = nil
            isCut = true
        }
        if let begun = since, now >= begun + Self.limit { reset() }
    }

    /// What came of asking the kernel to start one.
    mutating func started(_ status: MgmtStatus, at now: Instant) {
        let wasLeftover = isLeftover
        isLeftover = false
        switch status {
        case .success:
            since = now
            cutAt = count < Self.firstLengths.count ? now + Self.firstLengths[count] : nil
            count += 1
        case .busy where wasLeftover: break
        case .busy: startAt = now + Self.busyRetryDelay
        default:
            reset()
            startAt = now + Self.failureRetryDelay
        }
    }

    /// One has ended, by itself or because it was to.
    mutating func ended(at now: Instant) {
        reset()
        if isWanted { startAt = now + Self.pause }
    }

    /// The channel is gone. One of ours outlives it, and one that was asked for may have begun.
    mutating func abandoned(asked: Instant?) {
        let begun = asked ?? since
        reset()
        since = begun
        isLeftover = begun != nil
        startAt = nil
    }

    /// Nothing goes on any more.
    mutating func reset() {
        since = nil
        cutAt = nil
        isCut = false
        isLeftover = false
    }
}
