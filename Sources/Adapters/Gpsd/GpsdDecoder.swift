package import Domain
package import Sensors

/// One gpsd from its bytes to the inputs that they are: lines, messages, receivers and the connection's life, without the socket.
///
/// Tell it what happened, then take what is to be done with ``next(at:)`` until that is nil; again no later than ``deadline``.
package struct GpsdDecoder: Sendable {
    package enum Step: Equatable, Sendable {
        case input(Input)
        case connection(GpsdSession.Action)
    }

    private var session: GpsdSession
    private var lines = GpsdLines()
    private var receivers: ReceiverSelector
    /// What was last told of the link.
    private var told: LinkStatus?
    private var fixes = TokenBucket(burst: fixBurst, interval: fixInterval)
    private var changes = TokenBucket(burst: linkBurst, interval: linkInterval)
    private var flood = FloodFault(name: .gpsdFlood) {
        "gpsd sends more than 25 positions a second; \($0) \($0 == 1 ? "was" : "were") not used"
    }

    /// 25 fixes a second, after a stall of the loop 50 at once; the fastest receivers give 20 to 25. Those beyond are dropped.
    package static let fixBurst = 50
    package static let fixInterval = Duration.milliseconds(40)
    /// Ten changes of the link at once and one each second. A change beyond waits, and a later one replaces it.
    package static let linkBurst = 10
    package static let linkInterval = Duration.seconds(1)

    /// - Parameters:
    ///   - addresses: how many addresses gpsd may be at, from 1.
    ///   - device: the one receiver to use, as gpsd names it; nil for the best.
    package init(addresses: Int, device: String? = nil) {
        session = GpsdSession(addresses: addresses, device: device)
        receivers = ReceiverSelector(wanted: device)
    }

    package var deadline: Instant {
        var deadline = session.deadline
        if let fixAt = receivers.deadline { deadline = min(deadline, fixAt) }
        if let faultAt = flood.deadline { deadline = min(deadline, faultAt) }
        if session.status != told, let linkAt = changes.nextAt { deadline = min(deadline, linkAt) }
        return deadline
    }

    package mutating func connected(at now: Instant) {
        lines = GpsdLines()
        session.connected(at: now)
    }

    package mutating func failed(at now: Instant) {
        session.failed(at: now)
    }

    package mutating func closed(at now: Instant) {
        session.closed(at: now)
    }

    /// Bytes have come, cut anywhere.
    package mutating func received(_ bytes: some Collection<UInt8>) {
        lines.append(bytes)
    }

    package mutating func next(at now: Instant) -> Step? {
        while true {
            if let fix = receivers.next(at: now) {
                guard fixes.consume(at: now) else {
                    flood.dropped(at: now)
                    continue
                }
                session.merged(fix)
                return .input(.fix(fix))
            }
            if let input = flood.next(at: now) { return .input(input) }
            if let status = changedStatus(at: now) { return .input(.gpsdLink(status)) }
            guard let message = lines.next().map({ GpsdMessage(line: $0) }) else {
                if let action = session.tick(at: now) { return .connection(action) }
                // The clock alone may have changed the link.
                return changedStatus(at: now).map { .input(.gpsdLink($0)) }
            }
            switch message {
            case .report(let report): receivers.received(report, at: now)
            case .sky(let device, let satellites?): receivers.received(satellites: satellites, of: device, at: now)
            default: break
            }
            if let action = session.received(message, at: now) {
                // What is left of a connection that is given up is not for the next one.
                if action == .close { lines = GpsdLines() }
                return .connection(action)
            }
        }
    }

    /// The link's new status, when it may be reported.
    private mutating func changedStatus(at now: Instant) -> LinkStatus? {
        guard let status = session.status, status != told, changes.consume(at: now) else { return nil }
        told = status
        return status
    }
}
