import Domain

/// Our discoveries, one after the other while a search is wanted.
///
/// The kernel ends each after 10.24 s and reports a device once in each. It drops what it receives in the first
/// milliseconds, and the adapter does not repeat that. So the first discoveries are cut short.
struct DiscoveryCycle: Equatable, Sendable {
    /// The lengths of the first discoveries; the later ones last until the kernel ends them.
    static let firstLengths: [Duration] = [1, 1, 1, 2, 2, 4].map { .seconds($0) }

    /// The pause between two discoveries.
    static let pause = Duration.milliseconds(100)

    /// A discovery without an end event counts as ended after this time.
    static let limit = Duration.seconds(15)

    /// The delay while another program discovers, which reports to all, and after a failure.
    static let busyRetryDelay = Duration.seconds(5)
    static let failureRetryDelay = Duration.seconds(2)

    enum Step: Equatable {
        case start, stop
    }

    private(set) var isWanted = false
    private var since: Instant?
    private var cutAt: Instant?
    private var isCut = false
    /// The discovery was started over a channel that broke; it may have ended, or may not have begun.
    private var isLeftover = false
    private var startAt: Instant?
    private var count = 0

    var deadline: Instant? {
        [since.map { $0 + Self.limit }, cutAt, startAt].compactMap { $0 }.min()
    }

    /// Whether a discovery of ours runs, as far as is known.
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

    /// Receives the status of Start Discovery.
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

    /// Records the end of a discovery, by the kernel or by request.
    mutating func ended(at now: Instant) {
        reset()
        if isWanted { startAt = now + Self.pause }
    }

    /// Records that the channel broke. A discovery outlives it, and a requested one may have begun.
    mutating func abandoned(asked: Instant?) {
        let begun = asked ?? since
        reset()
        since = begun
        isLeftover = begun != nil
        startAt = nil
    }

    /// Records that no discovery runs.
    mutating func reset() {
        since = nil
        cutAt = nil
        isCut = false
        isLeftover = false
    }
}
