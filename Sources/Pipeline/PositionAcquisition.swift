package import Domain

/// Follows the search for a position, so that a user always gets an answer within 30 s. It counts ticks of 100 ms.
///
///     network ─▶ searching ─▶ extended ─┬─▶ found ─▶ updated ─▶ expired ─▶ updating ─┬─▶ updated
///       ▲            ▲                  └─▶ error-idle                       ▲       └─▶ expired-error
///       │            └───────── 5 s ────────────┘                            └──── 10 s ─────┘
///       └── from any state, when gpsd or its receiver is gone
///
/// Source: ParkFinder's LocationVerificationManager and CurrentLocationManager; docs/behaviour.md, "The search for a position".
package struct PositionAcquisition: Equatable, Sendable {
    private var state = AcquisitionStatus.State.network
    /// Since the state was entered.
    private var ticks = 0
    /// Searches that ended without a position, and the ticks of the present one.
    private var failedSearches = 0
    private var searchTicks = 0
    /// The smallest error of the fixes since the request began, in metres.
    private var best: Double?
    private var isFound = false

    package static let tick = Duration.milliseconds(100)

    /// The ticks after which a state is left by itself. ParkFinder adds 0.1 s to a Double, and compares with `>`.
    private static let searchingTicks = 3
    private static let errorIdleTicks = 51
    private static let updatedTicks = 300
    private static let updatingTicks = 300
    private static let expiredErrorTicks = 101

    /// Metres. A first position is good enough at once, or at the end of the search.
    private static let goodFirst = 100.0
    private static let sufficientFirst = 5000.0
    /// Metres. A later position is good enough at once, or at the end of the update.
    private static let good = 15.0
    private static let sufficient = 5000.0

    /// A search lasts 10 s, each further one 5 s longer, up to 30 s.
    private var searchLimit: Int { min(100 + 50 * failedSearches, 300) }

    package init() {}

    package var status: AcquisitionStatus {
        AcquisitionStatus(state, age: Self.tick * ticks)
    }

    /// gpsd has a receiver.
    package mutating func connect() {
        guard state == .network else { return }
        enter(isFound ? .updating : .searching)
    }

    /// gpsd or its receiver is gone.
    package mutating func disconnect() {
        if state != .network { enter(.network) }
    }

    /// A fix was accepted.
    ///
    /// - Parameter accuracy: the estimated error in metres; nil if the receiver does not state it.
    package mutating func receive(accuracy: Double?) {
        // A fix proves the connection.
        connect()
        let error = accuracy ?? Self.goodFirst
        best = min(best ?? error, error)
        switch state {
        case .searching, .extended: if error <= Self.goodFirst { enter(.found) }
        case .updating: if error <= Self.good { enter(.updated) }
        case .updated: if error <= Self.good { enter(.updated) }
        case .network, .found, .errorIdle, .expired, .expiredError: break
        }
    }

    /// Lets a number of ticks pass.
    package mutating func advance(ticks count: Int) {
        var left = count
        while left > 0 {
            let step = min(left, max(limit - ticks, 1))
            ticks += step
            if state == .searching || state == .extended { searchTicks += step }
            left -= step
            if ticks >= limit { leave() }
        }
    }

    /// The ticks in the state after which ``leave()`` is called.
    private var limit: Int {
        switch state {
        case .network: .max
        case .searching: min(Self.searchingTicks, ticks + searchLimit - searchTicks)
        case .extended: ticks + searchLimit - searchTicks
        case .errorIdle: Self.errorIdleTicks
        case .updated: Self.updatedTicks
        case .updating: Self.updatingTicks
        case .expiredError: Self.expiredErrorTicks
        case .found, .expired: 1
        }
    }

    private mutating func leave() {
        switch state {
        case .network: break
        case .searching: enter(.extended)
        case .extended:
            let isSufficient = best.map { $0 <= Self.sufficientFirst } ?? false
            if !isSufficient { failedSearches += 1 }
            enter(isSufficient ? .found : .errorIdle)
        case .found: enter(.updated)
        case .errorIdle: enter(.searching)
        case .updated: enter(.expired)
        case .expired: enter(.updating)
        case .updating: enter((best.map { $0 <= Self.sufficient } ?? false) ? .updated : .expiredError)
        case .expiredError: enter(.updating)
        }
    }

    private mutating func enter(_ next: AcquisitionStatus.State) {
        let isSearch = next == .searching || next == .updating
        state = next
        ticks = 0
        if isSearch {
            searchTicks = 0
            best = nil
        }
        if next == .found { isFound = true }
    }
}
