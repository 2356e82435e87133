package import Domain
package import Sensors

/// One gpsd from its bytes to the inputs that they are: lines, messages, receivers and the connection's life, without the socket.
///
/// Tell it what happened, then take what is to be done with ``next(at:)`` until that is nil; again no later than ``deadline``.
package struct GpsdStream: Sendable {
    package enum Step: Equatable, Sendable {
        case input(Input)
        case connection(GpsdSession.Action)
    }

    private var session: GpsdSession
    private var lines = GpsdLines()
    private var receivers: ReceiverChoice
    /// What was last told of the link.
    private var told: LinkStatus?

    /// - Parameters:
    ///   - addresses: how many addresses gpsd may be at, from 1.
    ///   - device: the one receiver to use, as gpsd names it; nil for the best.
    package init(addresses: Int, device: String? = nil) {
        session = GpsdSession(addresses: addresses, device: device)
        receivers = ReceiverChoice(wanted: device)
    }

    package var deadline: Instant {
        receivers.deadline.map { min($0, session.deadline) } ?? session.deadline
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
                session.merged(fix)
                return .input(.fix(fix))
            }
            if let status = session.status, status != told {
                told = status
                return .input(.gpsdLink(status))
            }
            guard let message = lines.next().map({ GpsdMessage(line: $0) }) else {
                if let action = session.tick(at: now) { return .connection(action) }
                // The clock alone may have changed the link.
                if session.status == told { return nil }
                continue
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
}
