package import Domain
import Foundation
import Gnss
import Sensors

/// A log of a receiver, and the reports that the real gpsd makes of it.
package struct GpsdLog: Sendable {
    /// The log's file.
    package let path: String

    /// A log in `Tests/Data`, for example `gpsd/sirf2.log`.
    package init(_ name: String) {
        path = Checkout.path("Tests/Data/\(name)")
    }

    package func bytes() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    /// gpsd's JSON lines for one replay of the log at full speed
    /// (gpsfake). Uses TCP, because datagrams get lost on a busy machine.
    ///
    /// It takes 2 to 4 s. The times of logs from before 2007 are 1024 weeks late.
    package func json() throws -> [String] {
        // gpsfake looks for a free port. If another process takes it first, gpsfake waits without end.
        var data: [UInt8]?
        for attempt in 1...3 where data == nil {
            // An explicit port allows parallel runs. Without "nmea" the log is not echoed.
            let process = try ChildProcess(
                ["gpsfake", "-1", "-q", "-p", "-t", "-c", "0", "-P", "\(try FakeGpsd.freePort())"]
                    + ["-r", #"?WATCH={"enable":true,"json":true};"#, path])
            do {
                let output = try process.readToEnd(limit: .seconds(20))
                if !output.isEmpty { data = output }
            } catch  where attempt < 3 {}
        }
        return String(decoding: data ?? [], as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
            .filter { $0.hasPrefix("{") }
    }

    /// The recorded JSON beside the log (`.chk`), made by a gpsd of
    /// 2026. It has more reports for each fix than gpsd 3.22 sends.
    package func recordedJSON() throws -> [String] {
        try String(contentsOf: URL(filePath: path + ".chk"), encoding: .utf8).split(whereSeparator: \.isNewline)
            .map(String.init).filter { $0.hasPrefix("{") }
    }

    /// The fixes of the log as the daemon receives them, each with the arrival of its first report.
    package func fixes() throws -> [(Instant, Fix)] {
        GpsdLog.fixes(json: try json())
    }

    /// The fixes in gpsd's lines with realistic arrivals: each epoch 150 ms after its time, its reports 20 ms apart.
    ///
    /// - Parameter start: the arrival of the first report.
    package static func fixes(
        json lines: [String], from start: Instant = Instant(milliseconds: 1_000_000)
    ) -> [(Instant, Fix)] {
        var receivers = ReceiverSelector()
        var fixes: [Fix] = []
        for (now, line) in arrivals(of: lines, from: start) {
            // Deadlines before the line's arrival come first.
            while let deadline = receivers.deadline, deadline < now { receivers.tick(at: deadline, into: &fixes) }
            switch GpsdMessage(line: Array(line.utf8)[...]) {
            case .report(let report): receivers.received(report, at: now, into: &fixes)
            case .sky(let device, let satellites?): receivers.received(satellites: satellites, of: device, at: now)
            default: break
            }
            receivers.tick(at: now, into: &fixes)
        }
        if let deadline = receivers.deadline { receivers.tick(at: deadline, into: &fixes) }
        return fixes.map { ($0.arrivedAt, $0) }
    }

    /// gpsd's lines with plausible arrivals.
    package static func arrivals(of lines: [String], from start: Instant) -> [(Instant, String)] {
        var now = start
        var newest: UTC?
        return lines.map { line in
            guard case .report(let report) = GpsdMessage(line: Array(line.utf8)[...]) else { return (now, line) }
            let step = report.time.flatMap { time in newest.map { time.milliseconds - $0.milliseconds } }
            switch step {
            case .some(1...3_600_000): now += .milliseconds(step ?? 0)
            // A later report of the same epoch, or one without time.
            case .some(-2_000...0), nil: now += .milliseconds(20)
            // The receiver's clock has jumped.
            default: now += .seconds(1)
            }
            if let time = report.time, !(-2_000...0).contains(step ?? 1) { newest = time }
            return (now, line)
        }
    }
}
