import Domain
import Sensors
import TestKit

/// A session connected to a fake kernel.
struct MgmtAdapterFixture {
    var clock = ManualClock()
    var kernel = FakeKernel()
    var session: MgmtAdapterSession
    var found: [ScanResult] = []
    var keys: [LongTermKey] = []
    var pairings: [PairingResult] = []

    init(_ choice: AdapterChoice = .any) {
        session = MgmtAdapterSession(choice)
    }

    mutating func open() {
        carryOut(session.opened(at: clock.now))
    }

    mutating func carryOut(_ actions: [MgmtAdapterSession.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes): for answer in kernel.answers(to: bytes) { hear(answer) }
            case .found(let result): found.append(result)
            case .keep(let keys): self.keys = keys
            case .endPairing(let outcome): pairings.append(outcome)
            }
        }
    }

    mutating func hear(_ packet: [UInt8]) {
        carryOut(session.received(packet.span, at: clock.now))
    }

    mutating func hear(_ packets: [[UInt8]]) {
        for packet in packets { hear(packet) }
    }

    mutating func pair(_ device: LEAddress, for duration: Duration) {
        carryOut(session.pair(device, until: clock.now + duration, at: clock.now))
    }

    mutating func search(_ isWanted: Bool = true) {
        carryOut(session.search(isWanted, at: clock.now))
    }

    /// Advances the clock from deadline to deadline.
    mutating func pass(_ duration: Duration) {
        let end = clock.now + duration
        while let deadline = session.deadline, deadline <= end {
            clock.now = max(deadline, clock.now)
            carryOut(session.tick(at: clock.now))
        }
        clock.now = end
    }
}
