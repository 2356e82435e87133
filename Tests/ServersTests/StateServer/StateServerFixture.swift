import Domain
import Glibc
import JSONCoding
import Linux
import Servers
import TestKit
import Wire

/// A state server on a socket in its own directory, with its loop.
final class StateServerFixture {
    let directory = TemporaryDirectory()
    let loop = try! EventLoop()
    let stateServer: StateServer
    private var nextEvent = 1
    var path: String { directory.path + "/state.sock" }

    init(limits: ClientLimits = ClientLimits(total: 256, perUser: 256), stallLimit: Duration = .seconds(30)) throws {
        stateServer = try StateServer(
            socket: UnixSocket.listen(at: directory.path + "/state.sock"), loop: loop, limits: limits,
            bootID: "boot", instance: "instance", settings: Settings(), stallLimit: stallLimit)
    }

    /// A connected client that has read its greeting.
    func client(_ watch: String? = nil) throws -> SocketClient {
        let client = try SocketClient(path)
        loop.settle()
        if let watch { client.send(watch + "\n") }
        loop.settle()
        _ = client.lines()
        return client
    }

    func tick(_ elapsed: Int64) {
        stateServer.publish(.active(elapsedMilliseconds: elapsed), isChange: false)
    }

    func event() {
        let event = Event(at: Clock.now(), kind: .fix(.fresh, mode: 3, after: .zero))
        stateServer.publish([.event(event)], events: [EventLine(event, number: nextEvent)])
        nextEvent += 1
    }

    func heart(_ beats: UInt16 = 120) {
        let sample = HeartRateSample(
            at: Clock.now(), time: nil, measurement: HeartRateMeasurement(beatsPerMinute: beats), quality: .good,
            gap: false, beatAt: nil)
        stateServer.publish([.heart(sample)], events: [])
    }
}

func elapsed(_ lines: [String]) -> [Int] {
    lines.filter { $0.lineClass == "STATE" }.map { $0["elapsed_ms"]!.integer! }
}
