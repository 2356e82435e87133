import Domain
import Sensors
import TestKit

/// A session and a kernel that answer each other.
struct AdapterStage {
    var clock = ManualClock()
    var kernel = FakeKernel()
    var session: AdapterSession
    var found: [StrapSighting] = []

    init(_ choice: AdapterChoice = .any) {
        session = AdapterSession(choice)
    }

    mutating func open() {
        carryOut(session.opened(at: clock.now))
    }

    mutating func carryOut(_ actions: [AdapterSession.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes): for answer in kernel.answers(to: bytes) { hear(answer) }
            case .found(let sighting): found.append(sighting)
            }
        }
    }

    mutating func hear(_ packet: [UInt8]) {
        carryOut(session.received(packet.span, at: clock.now))
    }

    mutating func search(_ isWanted: Bool = true) {
        carryOut(session.search(isWanted, at: clock.now))
    }

    /// Lets time pass, from deadline to deadline.
    mutating func pass(_ duration: Duration) {
        let end = clock.now + duration
        while let deadline = session.deadline, deadline <= end {
            clock.now = max(deadline, clock.now)
            carryOut(session.tick(at: clock.now))
        }
        clock.now = end
    }
}
