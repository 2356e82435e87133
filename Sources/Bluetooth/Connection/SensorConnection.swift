package import Domain
import Glibc
package import Linux
package import Sensors

/// A connection to a sensor over a socket with one ATT PDU per datagram: an L2CAP channel or a Unix SEQPACKET socket.
///
/// It performs the actions of its ``SensorSession`` until it ends or is released. It has no timer: its
/// owner calls ``tick(at:)`` no later than ``deadline``.
@safe
package final class SensorConnection {
    package enum Event {
        case reported(SensorSession.Report)
        /// ``SensorConnection/deadline`` has changed.
        case rescheduled
        /// The connection ended without a call of its owner. No further event follows.
        case ended(DisconnectCause)
    }

    /// The most datagrams read in one iteration of the loop, so that no peer stalls it.
    private static let turnLimit = 32

    /// The most datagrams queued for a peer that does not read. With more, the connection is closed.
    private static let outboxLimit = 16

    private let socket: FileDescriptor
    private var source: DescriptorSource?
    private var session: SensorSession
    private var queue = ActionQueue<SensorSession.Action>()
    private var outbox: [[UInt8]] = []
    private var hasEnded = false
    private let happened: (Event, Instant) -> Void

    /// One byte more than the largest PDU, so that a larger one is detected.
    private var buffer = [UInt8](repeating: 0, count: GattClient.mtuLimit + 1)

    /// Takes over a connected, non-blocking socket. `happened` is called from the loop or from the methods below.
    ///
    /// - Parameter kinds: the kinds of measurements to look for, the most important one first.
    package init(
        over socket: consuming FileDescriptor, _ kinds: [SensorKind] = [.heartRate], loop: EventLoop,
        happened: @escaping (Event, Instant) -> Void
    ) throws(SystemError) {
        self.socket = socket
        session = SensorSession(kinds)
        self.happened = happened
        source = try loop.watch(self.socket, for: .reading) { [unowned self] in onReady($0) }
    }

    deinit {
        // Leaves the loop before its descriptor is closed.
        source = nil
    }

    package var deadline: Instant? {
        session.deadline
    }

    /// Starts the session, which enables notifications.
    package func subscribe(at now: Instant) {
        perform(session.start(at: now), at: now)
    }

    /// Enables notifications again.
    package func resubscribe(at now: Instant) {
        perform(session.resubscribe(at: now), at: now)
    }

    /// Starts the offset compensation of a power meter.
    package func compensateOffset(at now: Instant) {
        perform(session.compensateOffset(at: now), at: now)
    }

    /// Reads the pending datagrams, then advances timers to `now`, so that a stall of the loop causes no timeout.
    package func tick(at now: Instant) {
        _ = read(at: now)
        if let deadline, now >= deadline, !hasEnded { perform(session.tick(at: now), at: now) }
    }

    private func onReady(_ readiness: Readiness) {
        let now = Clock.now()
        let before = deadline
        if readiness.contains(.writing) { flush(at: now) }
        let hasRead = read(at: now)
        // A failed socket without data would wake the loop forever.
        if !hasRead, !readiness.isDisjoint(with: [.failed, .hungUp]) { end(.ended, at: now) }
        if !hasEnded, deadline != before { happened(.rescheduled, now) }
    }

    /// Reads the available datagrams. False if there were none.
    private func read(at now: Instant) -> Bool {
        for count in 0..<Self.turnLimit {
            if hasEnded { return true }
            var size: Int?
            do {
                size = try unsafe buffer.withUnsafeMutableBytes { bytes throws(SystemError) in
                    unsafe try socket.read(into: bytes)
                }
            } catch {
                end((error as? SystemError).map(Self.disconnectCause) ?? .ended, at: now)
                return true
            }
            guard let size else {
                perform(session.drained(at: now), at: now)
                return count > 0
            }
            if size == 0 {
                end(.remoteTerminated, at: now)
                return true
            }
            perform(session.received(buffer.span.extracting(0..<size), hasMore: true, at: now), at: now)
        }
        return true
    }

    private func perform(_ actions: [SensorSession.Action], at now: Instant) {
        queue.actions += actions
        guard queue.begin() else { return }
        while let action = queue.popFirst() {
            switch action {
            case _ where hasEnded: break
            case .send(let bytes):
                outbox.append(bytes)
                flush(at: now)
            case .report(let report): happened(.reported(report), now)
            case .close(let cause): end(cause, at: now)
            }
        }
        queue.end()
    }

    private func flush(at now: Instant) {
        while let bytes = outbox.first, !hasEnded {
            switch socket.send(bytes[...]) {
            case .sent: outbox.removeFirst()
            case .full:
                if outbox.count > Self.outboxLimit { return end(.ended, at: now) }
                source?.watch(for: [.reading, .writing])
                return
            case .gone: return end(.ended, at: now)
            }
        }
        source?.watch(for: .reading)
    }

    /// The cause for an error of the socket. The kernel reports many causes with the same error, `ENOSYS`.
    ///
    /// Source: `bt_to_errno` in Linux, net/bluetooth/lib.c.
    private static func disconnectCause(_ error: SystemError) -> DisconnectCause {
        switch error.code {
        case ECONNRESET: .remoteTerminated
        case ETIMEDOUT: .supervisionTimeout
        case EACCES, EBADE: .pairingNeeded
        default: .ended
        }
    }

    private func end(_ cause: DisconnectCause, at now: Instant) {
        if hasEnded { return }
        hasEnded = true
        source = nil
        happened(.ended(cause), now)
    }
}
