import Domain
import Glibc
import Linux
import Sensors

/// The management channel of the kernel's Bluetooth: a socket, opened anew whenever it fails, and the ``MgmtAdapterSession`` that speaks on it.
///
/// Its owner calls ``tick(at:)`` no later than ``deadline``; it has no timer of its own.
@safe
final class ManagementChannel {
    /// The most packets that are read in one turn of the loop, so that a crowd on the air does not hold it.
    private static let turnLimit = 32

    /// The waits before the channel is opened again, the last one repeated, and the one where the kernel has no Bluetooth at all.
    static let rests: [Duration] = [.milliseconds(100), .milliseconds(500), .seconds(1), .seconds(2), .seconds(5)]
    static let restWithoutBluetooth = Duration.seconds(60)

    /// How long a channel must have stood for the waits to begin anew.
    private static let stableAfter = Duration.seconds(30)

    private(set) var session: MgmtAdapterSession
    /// Why the channel could not be opened; nil while it stands.
    private(set) var failure: SystemError?

    /// Called from the loop with each device that is heard, and with none after a turn that may have changed something.
    var happened: (ScanResult?, Instant) -> Void = { _, _ in }

    /// Called from the loop with the keys that are to be had from now on, whenever they change.
    var kept: ([LongTermKey]) -> Void = { _ in }

    /// Called from the loop when the pairing that was asked for has ended.
    var paired: (PairingResult, Instant) -> Void = { _, _ in }

    private let open: () throws(SystemError) -> FileDescriptor
    private let loop: EventLoop
    private var socket: Socket?
    private var openAt: Instant?
    private var openedAt: Instant?
    private var failures = 0
    private var buffer = [UInt8](repeating: 0, count: MgmtPacket.sizeLimit)

    /// The socket in the loop.
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

    /// The first ``tick(at:)``, which is due at once, opens it.
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

    /// Whether the kernel has no Bluetooth, or keeps it to other network namespaces.
    var isWithoutBluetooth: Bool {
        failure?.code == EAFNOSUPPORT || failure?.code == EPROTONOSUPPORT
    }

    var deadline: Instant? {
        [openAt, socket == nil ? nil : session.deadline].compactMap { $0 }.min()
    }

    /// Says what time it is.
    func tick(at now: Instant) {
        if let openAt, now >= openAt { reopen(at: now) }
        if let deadline = session.deadline, now >= deadline, socket != nil { perform(session.tick(at: now), at: now) }
    }

    /// Searches from now on, or does not.
    func search(_ isWanted: Bool, at now: Instant) {
        perform(session.search(isWanted, at: now), at: now)
    }

    /// Changes what searches and connections to come are like.
    func tune(_ tuning: MgmtAdapterSession.ScanParameters, at now: Instant) {
        perform(session.tune(tuning, at: now), at: now)
    }

    /// Ends the connection to a strap at once.
    func disconnect(_ strap: LEAddress, at now: Instant) {
        perform(session.disconnect(strap, at: now), at: now)
    }

    /// Pairs with a strap and nobody else.
    func pair(_ strap: LEAddress, until: Instant, at now: Instant) {
        perform(session.pair(strap, until: until, at: now), at: now)
    }

    /// Gives up a pairing that is under way.
    func stopPairing(at now: Instant) {
        perform(session.stopPairing(at: now), at: now)
    }

    /// Forgets the keys of some straps.
    func forgetKeys(of isMeant: (LEAddress) -> Bool, at now: Instant) {
        perform(session.forgetKeys(of: isMeant, at: now), at: now)
    }

    /// Leaves the adapter alone, as far as that can be done at once, before the channel is released.
    func part(from strap: LEAddress?, at now: Instant) {
        perform(session.parted(from: strap), at: now)
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
        // A dead socket that has nothing to say would wake the loop for ever.
        if !hasRead, socket != nil, !readiness.isDisjoint(with: [.failed, .hungUp]) {
            fail(SystemError("read", code: EPIPE), at: now)
        }
        happened(nil, now)
    }

    /// Reads what is there; false when nothing was.
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
        for action in actions {
            switch action {
            case .send(let bytes):
                // The kernel takes a command whole and at once, or the channel is no use. Of one that it does not permit it says that it
                // took 0 bytes, and then answers it.
                guard let socket else { break }
                guard case .sent = socket.descriptor.send(bytes[...]) else {
                    fail(SystemError("send", code: EPIPE), at: now)
                    break
                }
            case .found(let sighting): happened(sighting, now)
            case .keep(let keys): kept(keys)
            case .endPairing(let outcome): paired(outcome, now)
            }
        }
    }
}
