import Domain
import Glibc
import Linux
import Sensors

/// The kernel's mgmt channel: a socket that is reopened after each failure, and the ``MgmtAdapterSession``
/// that uses it.
///
/// It has no timer. Its owner calls ``tick(at:)`` no later than ``deadline``.
@safe
final class ManagementChannel {
    /// The most packets read in one iteration of the loop, so that many advertisers do not stall it.
    private static let turnLimit = 32

    /// The delays before the channel is reopened, the last one repeated, and the delay if the kernel has no Bluetooth.
    static let rests: [Duration] = [.milliseconds(100), .milliseconds(500), .seconds(1), .seconds(2), .seconds(5)]
    static let restWithoutBluetooth = Duration.seconds(60)

    /// How long a channel must have worked for the delays to restart from the first one.
    private static let stableAfter = Duration.seconds(30)

    private(set) var session: MgmtAdapterSession
    /// Why the channel could not be opened. Nil while it is open.
    private(set) var failure: SystemError?

    /// Called from the loop with each scan result, and with nil after each iteration that may have changed something.
    var happened: (ScanResult?, Instant) -> Void = { _, _ in }

    /// Called from the loop with all keys whenever they change.
    var kept: ([LongTermKey]) -> Void = { _ in }

    /// Called from the loop when the requested pairing has ended.
    var paired: (PairingResult, Instant) -> Void = { _, _ in }

    private let open: () throws(SystemError) -> FileDescriptor
    private let loop: EventLoop
    private var socket: Socket?
    private var openAt: Instant?
    private var openedAt: Instant?
    private var failures = 0
    private var queue = ActionQueue<MgmtAdapterSession.Action>()
    private var buffer = [UInt8](repeating: 0, count: MgmtPacket.sizeLimit)

    /// A descriptor watched by the loop.
    private final class Socket {
        let descriptor: FileDescriptor
        var source: DescriptorSource?

        init(_ descriptor: consuming FileDescriptor) {
            self.descriptor = descriptor
        }

        deinit {
            source = nil
        }
    }

    /// Creates a closed channel. The first ``tick(at:)``, due at once, opens it.
    init(
        _ choice: AdapterChoice, keys: [LongTermKey], open: @escaping () throws(SystemError) -> FileDescriptor,
        loop: EventLoop,
        at now: Instant
    ) {
        session = MgmtAdapterSession(choice)
        session.setKeys(keys)
        self.open = open
        self.loop = loop
        openAt = now
    }

    /// Whether the kernel has no Bluetooth, or denies it to this network namespace.
    var isWithoutBluetooth: Bool {
        failure?.code == EAFNOSUPPORT || failure?.code == EPROTONOSUPPORT
    }

    var deadline: Instant? {
        [openAt, socket == nil ? nil : session.deadline].compactMap { $0 }.min()
    }

    /// Advances timers to `now`.
    func tick(at now: Instant) {
        if let openAt, now >= openAt { reopen(at: now) }
        if let deadline = session.deadline, now >= deadline, socket != nil { perform(session.tick(at: now), at: now) }
    }

    /// Starts or stops scanning.
    func search(_ isWanted: Bool, at now: Instant) {
        perform(session.search(isWanted, at: now), at: now)
    }

    /// Sets the parameters of future scans and connections.
    func tune(_ tuning: MgmtAdapterSession.ScanParameters, at now: Instant) {
        perform(session.tune(tuning, at: now), at: now)
    }

    /// Disconnects a sensor at once.
    func disconnect(_ sensor: LEAddress, at now: Instant) {
        perform(session.disconnect(sensor, at: now), at: now)
    }

    /// Pairs with one sensor.
    func pair(_ sensor: LEAddress, until: Instant, at now: Instant) {
        perform(session.pair(sensor, until: until, at: now), at: now)
    }

    /// Cancels the pairing, if any.
    func stopPairing(at now: Instant) {
        perform(session.stopPairing(at: now), at: now)
    }

    /// Deletes the keys of the sensors that match.
    func forgetKeys(of isMeant: (LEAddress) -> Bool, at now: Instant) {
        perform(session.forgetKeys(of: isMeant, at: now), at: now)
    }

    /// Sends the commands that leave the adapter clean, before the channel is released. Their replies are not awaited.
    func part(from sensors: [LEAddress], at now: Instant) {
        perform(session.parted(from: sensors), at: now)
    }

    private func reopen(at now: Instant) {
        openAt = nil
        do throws(SystemError) {
            let socket = Socket(try open())
            socket.source = try loop.watch(socket.descriptor, for: .reading) { [unowned self] readiness in
                onReady(readiness)
            }
            self.socket = socket
        } catch {
            return fail(error, at: now)
        }
        failure = nil
        openedAt = now
        perform(session.opened(at: now), at: now)
    }

    private func fail(_ error: SystemError, at now: Instant) {
        socket = nil
        session.closed()
        failure = error
        if let openedAt, now - openedAt >= Self.stableAfter { failures = 0 }
        openedAt = nil
        openAt =
            now + (isWithoutBluetooth ? Self.restWithoutBluetooth : Self.rests[min(failures, Self.rests.count - 1)])
        failures += 1
    }

    private func onReady(_ readiness: Readiness) {
        let now = Clock.now()
        let hasRead = read(at: now)
        // A failed socket without data would wake the loop forever.
        if !hasRead, socket != nil, !readiness.isDisjoint(with: [.failed, .hungUp]) {
            fail(SystemError("read", code: EPIPE), at: now)
        }
        happened(nil, now)
    }

    /// Reads the available packets. False if there were none.
    private func read(at now: Instant) -> Bool {
        for count in 0..<Self.turnLimit {
            guard let socket else { return true }
            let result = unsafe buffer.withUnsafeMutableBytes { bytes in
                Result { () throws(SystemError) in unsafe try socket.descriptor.read(into: bytes) }
            }
            switch result {
            case .success(nil): return count > 0
            case .success(let size?) where size > 0:
                perform(session.received(buffer.span.extracting(0..<size), at: now), at: now)
            case .success: fail(SystemError("read", code: EPIPE), at: now)
            case .failure(let error): fail(error, at: now)
            }
        }
        return true
    }

    private func perform(_ actions: [MgmtAdapterSession.Action], at now: Instant) {
        queue.actions += actions
        guard queue.begin() else { return }
        while let action = queue.popFirst() {
            switch action {
            case .send(let bytes):
                // The kernel accepts a command whole and at once; otherwise the channel is broken. For a
                // command that is not permitted it reports 0 bytes written, then sends the reply.
                guard let socket else { break }
                guard case .sent = socket.descriptor.send(bytes[...]) else {
                    fail(SystemError("send", code: EPIPE), at: now)
                    break
                }
            case .found(let result): happened(result, now)
            case .keep(let keys): kept(keys)
            case .endPairing(let result): paired(result, now)
            }
        }
        queue.end()
    }
}
