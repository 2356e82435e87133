import Bluetooth
import Domain
import Foundation
import Linux
import Sensors
import TestKit
import Testing

/// A strap backend in its own loop, and its reports.
final class StrapFixture: LoopFixture {
    let loop: EventLoop
    let path: String
    private(set) var inputs: [Timestamped<Input>] = []
    private(set) var information: [DeviceInformation] = []
    private(set) var strap: UnixSensor?
    var isDone: (StrapFixture) -> Bool = { _ in false }
    var timers: [TimerSource] = []
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
        strap = try UnixSensor(
            path: path, loop: loop,
            report: { [unowned self] input in
                inputs.append(Timestamped(input, at: Clock.now()))
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

    var hearts: [Timestamped<HeartRateMeasurement>] {
        inputs.compactMap {
            if case .heart(let value) = $0.value { Timestamped(value, at: $0.measuredAt) } else { nil }
        }
    }
}
