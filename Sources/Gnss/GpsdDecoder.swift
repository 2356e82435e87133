package import Domain
package import Sensors

/// Converts the bytes of gpsd to inputs: framing, messages, choice of the receiver, state of the connection. No socket.
///
/// After each event, and no later than ``deadline``, call ``tick(at:into:)`` until it appends nothing.
package struct GpsdDecoder: Sendable {
    package enum Step: Equatable, Sendable {
        case input(Input)
        case connection(GpsdSession.Action)
    }

    private var session: GpsdSession
    private var lines = Self.splitter
    private var receivers: ReceiverSelector
    /// The link status that was reported last.
    private var reported: LinkStatus?
    /// The merged fixes of one event. Kept for its capacity.
    private var merged: [Fix] = []
    private var fixes = TokenBucket(burst: fixBurst, interval: fixInterval)
    private var changes = TokenBucket(burst: linkBurst, interval: linkInterval)
    private var flood = FloodFault(name: .gpsdFlood) {
        "gpsd sends more than 25 positions a second; \($0) \($0 == 1 ? "was" : "were") discarded"
    }

    /// The longest line of gpsd in bytes, with its carriage return (`GPS_JSON_RESPONSE_MAX`). Longer ones are skipped.
    package static let lineLimit = 10_241
    private static var splitter: LineSplitter { LineSplitter(limit: lineLimit, keeping: 2 * lineLimit) }

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
        lines = Self.splitter
        session.connected(at: now)
    }

    package mutating func failed(at now: Instant) {
        session.failed(at: now)
    }

    package mutating func closed(at now: Instant) {
        session.closed(at: now)
    }

    /// Receives bytes, split at any position.
    package mutating func received(_ bytes: some Collection<UInt8>, at now: Instant, into steps: inout [Step]) {
        emit(at: now, into: &steps)
        lines.append(bytes)
        while let next = lines.next() {
            guard case .line(let bytes) = next else { continue }
            // A slice of the buffer, as the line is: removing from it would copy both.
            let line = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
            if !line.isEmpty { received(GpsdMessage(line: line), at: now, into: &steps) }
        }
    }

    /// Advances timers to `now`.
    package mutating func tick(at now: Instant, into steps: inout [Step]) {
        emit(at: now, into: &steps)
        for action in session.tick(at: now) { steps.append(.connection(action)) }
        // The clock alone may change the link.
        if let status = changedStatus(at: now) { steps.append(.input(.gpsdLink(status))) }
    }

    private mutating func received(_ message: GpsdMessage, at now: Instant, into steps: inout [Step]) {
        switch message {
        case .report(let report): receivers.received(report, at: now, into: &merged)
        case .sky(let device, let satellites?): receivers.received(satellites: satellites, of: device, at: now)
        default: break
        }
        for action in session.received(message, at: now) {
            // The remaining lines of a closed connection are discarded.
            if action == .close { lines = Self.splitter }
            steps.append(.connection(action))
        }
        emit(at: now, into: &steps)
    }

    /// Appends the fixes that are complete, and the fault and the link status if they have changed.
    private mutating func emit(at now: Instant, into steps: inout [Step]) {
        receivers.tick(at: now, into: &merged)
        for fix in merged {
            guard fixes.consume(at: now) else {
                flood.dropped(at: now)
                continue
            }
            session.merged(fix)
            steps.append(.input(.fix(fix)))
        }
        merged.removeAll(keepingCapacity: true)
        while let input = flood.next(at: now) { steps.append(.input(input)) }
        if let status = changedStatus(at: now) { steps.append(.input(.gpsdLink(status))) }
    }

    /// The new link status, if it has changed and the rate limit allows a report.
    private mutating func changedStatus(at now: Instant) -> LinkStatus? {
        guard let status = session.status, status != reported, changes.consume(at: now) else { return nil }
        reported = status
        return status
    }
}
