import Adapters
import Domain
import Foundation
import Linux
import Sensors
import TestKit
import Testing

/// A strap's client in a loop of its own, and what it reported.
final class StrapBench {
    let loop: EventLoop
    let path: String
    private(set) var inputs: [Timed<Input>] = []
    private(set) var information: [DeviceInformation] = []
    private(set) var strap: UnixStrap?
    private var isDone: (StrapBench) -> Bool = { _ in false }
    private var timers: [TimerSource] = []
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "paced-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        path = directory.appending(path: "strap").path
        loop = try EventLoop()
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    func connect() throws {
        strap = try UnixStrap(
            path: path, loop: loop,
            report: { [unowned self] input in
                inputs.append(Timed(input, at: Clock.now()))
                check()
            },
            describe: { [unowned self] in
                information.append($0)
                check()
            })
    }

    func release() {
        strap = nil
    }

    /// Does something after a while, in the loop.
    func after(_ duration: Duration, _ body: @escaping () -> Void) throws {
        let timer = try loop.timer(body)
        timer.arm(at: Clock.now() + duration)
        timers.append(timer)
    }

    /// Runs the loop until a condition that reports can bring about; false when the time is over. Once a bench.
    @discardableResult
    func run(for limit: Duration, until isDone: @escaping (StrapBench) -> Bool = { _ in false }) throws -> Bool {
        self.isDone = isDone
        try after(limit) { [unowned self] in loop.stop(1) }
        // What a test has the loop do may hold the bench.
        defer {
            timers = []
            self.isDone = { _ in false }
        }
        return try loop.run() == 0
    }

    func check() {
        if isDone(self) { loop.stop(0) }
    }

    var links: [LinkStatus] {
        inputs.compactMap { if case .heartLink(let status) = $0.value { status } else { nil } }
    }

    var hearts: [Timed<HeartRateMeasurement>] {
        inputs.compactMap { if case .heart(let value) = $0.value { Timed(value, at: $0.measuredAt) } else { nil } }
    }

    /// Processor time of this thread.
    static func processorTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
