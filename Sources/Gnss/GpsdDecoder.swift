package import Domain
package import Sensors

/// Converts the bytes of gpsd to inputs: framing, messages, choice of the receiver, state of the connection. No socket.
///
/// After each event, and no later than ``deadline``, call ``next(at:)`` until it returns nil.
package struct GpsdDecoder: Sendable {
    package enum Step: Equatable, Sendable {
        case input(Input)
        case connection(GpsdSession.Action)
    }

    private var session: GpsdSession
    private var lines = GpsdLines()
    private var receivers: ReceiverSelector
    /// The link status that was reported last.
    private var reported: LinkStatus?
    private var fixes = TokenBucket(burst: fixBurst, interval: fixInterval)
    private var changes = TokenBucket(burst: linkBurst, interval: linkInterval)
    private var flood = FloodFault(name: .gpsdFlood) {
        "gpsd sends more than 25 positions a second; \($0) \($0 == 1 ? "was" : "were") discarded"
    }

    /// 25 fixes per second, and bursts of 50 after a stall; more are dropped. The fastest receivers send 20 to 25.
    package static let fixBurst = 50
    package static let fixInterval = Duration.milliseconds(40)
    /// One change of the link per second, and bursts of ten. A further change is delayed, and a later one replaces it.
    package static let linkBurst = 10
    package static let linkInterval = Duration.seconds(1)

    /// - Parameters:
    ///   - addresses: the number of addresses to try, at least 1.
    ///   - device: the gpsd path of the only receiver to use. Nil for the best one.
    package init(addresses: Int, device: String? = nil) {
        session = GpsdSession(addresses: addresses, device: device)
        receivers = ReceiverSelector(wanted: device)
    }

    package var deadline: Instant {
        var deadline = session.deadline
        if let fixAt = receivers.deadline { deadline = min(deadline, fixAt) }
        if let faultAt = flood.deadline { deadline = min(deadline, faultAt) }
        if session.status != reported, let linkAt = changes.nextAt { deadline = min(deadline, linkAt) }
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

    /// Receives bytes, split at any position.
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
                // The clock alone may change the link.
                return changedStatus(at: now).map { .input(.gpsdLink($0)) }
            }
            switch message {
            case .report(let report): receivers.received(report, at: now)
            case .sky(let device, let satellites?): receivers.received(satellites: satellites, of: device, at: now)
            default: break
            }
            if let action = session.received(message, at: now) {
                // The remaining lines of a closed connection are discarded.
                if action == .close { lines = GpsdLines() }
                return .connection(action)
            }
        }
    }

    /// The new link status, if it has changed and the rate limit allows a report.
    private mutating func changedStatus(at now: Instant) -> LinkStatus? {
        guard let status = session.status, status != reported, changes.consume(at: now) else { return nil }
        reported = status
        return status
    }
}
