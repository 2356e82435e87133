import Domain
import Linux
import TestKit
import Testing

/// A private bus and an event loop that runs until a condition holds.
final class BusFixture {
    let daemon: PrivateBus
    let loop: EventLoop

    init(isThere: Bool = true) throws {
        daemon = try PrivateBus(isThere: isThere)
        loop = try EventLoop()
    }

    func connect(happened: @escaping (Bus.Event) -> Void = { _ in }) throws -> Bus {
        try Bus(at: daemon.address, loop: loop, happened: happened)
    }

    /// Returns a connection that owns a name.
    func own(_ name: String) throws -> Bus {
        let bus = try connect()
        var answer: Result<[BusValue], BusError>?
        let call = bus.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string(name), .uint32(4)], timeout: .seconds(10)
        ) { answer = $0 }
        try turn { answer != nil }
        #expect(try answer?.get() == [.uint32(1)])
        withExtendedLifetime(call) {}
        return bus
    }

    /// Runs the loop until a condition holds; fails after `limit`.
    func turn(
        limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation, until isSo: () -> Bool
    ) throws {
        let deadline = Clock.now() + limit
        while !isSo() {
            try #require(Clock.now() < deadline, "it did not come to it", sourceLocation: sourceLocation)
            try loop.runOnce(waiting: .milliseconds(20))
        }
    }

    /// Runs the loop for a duration.
    func turn(for duration: Duration) throws {
        let deadline = Clock.now() + duration
        while Clock.now() < deadline { try loop.runOnce(waiting: .milliseconds(5)) }
    }
}
