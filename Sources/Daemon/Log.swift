package import Domain
package import Linux
import Sensors

/// Writes the daemon's log to standard error, one line for each decision.
///
/// Lines never contain coordinates, and only the last two bytes of Bluetooth addresses.
package enum Log {
    /// - Parameter isOurs: the text has no foreign content: an address in it is an example and stays whole.
    static func write(_ level: LogLevel, _ text: String, isOurs: Bool = false) {
        level.write(isOurs ? text : shortened(text), of: "paced")
    }

    /// Writes a line about a recurring subject, unless the subject exceeds its rate limit.
    static func write(_ level: LogLevel, about subject: LogRateLimiter.Subject, _ text: @autoclosure () -> String) {
        if limit.withLock({ $0.allows(subject, at: Clock.now()) }) { write(level, text()) }
    }

    /// Logs a client's request with the user and process that opened the connection, from the kernel.
    static func write(of peer: PeerCredentials, _ text: String) {
        write(.info, about: .commands, "user \(peer.user), process \(peer.process): \(text)")
    }

    /// Logs the number of suppressed lines. Called each second.
    static func reportSuppressed() {
        for (subject, count) in limit.withLock({ $0.popSuppressed(at: Clock.now()) }) {
            write(.warning, "\(count) more \(count == 1 ? "line" : "lines") about \(subject.rawValue) left out")
        }
    }

    private static let limit = Locked(LogRateLimiter())

    /// Shortens each Bluetooth address to its last two bytes, wherever it
    /// comes from: bluetoothd names a device without a name by its address.
    package static func shortened(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var kept: [UInt8] = []
        var place = 0
        while place < bytes.count {
            if isAddress(bytes[place...].prefix(addressLength)) {
                kept += Array("…".utf8) + bytes[place + addressLength - 5..<place + addressLength]
                place += addressLength
            } else {
                kept.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// The length of `A0:9E:1A:00:00:01`. Names have `-` and D-Bus paths have `_` as the separator.
    private static let addressLength = 17

    private static func isAddress(_ text: ArraySlice<UInt8>) -> Bool {
        let mark = text.dropFirst(2).first
        guard text.count == addressLength,
            mark == UInt8(ascii: ":") || mark == UInt8(ascii: "-") || mark == UInt8(ascii: "_")
        else { return false }
        return text.enumerated().allSatisfy { place, byte in
            place % 3 == 2 ? byte == mark : Character(Unicode.Scalar(byte)).isHexDigit
        }
    }

    /// "run" with its number, if it has one yet.
    static func run(_ activity: Int?) -> String {
        if let activity, activity > 0 { "run \(activity)" } else { "run" }
    }

    /// The log line of an event; nil for events that reveal a position or come too often.
    package static func line(of event: Event) -> (LogLevel, String)? {
        switch event.kind {
        case .start(let sport, _, resumed: true):
            (.notice, "\(run(event.activity)) resumed: \(sport.rawValue)")
        case .start(let sport, let back, _):
            (
                .notice,
                "\(run(event.activity)) started: \(sport.rawValue)"
                    + (back >= .seconds(1) ? ", \(Int(back.inSeconds)) s ago" : "")
            )
        case .pause(_, _, .auto): (.notice, "run paused: the daemon did not run for too long")
        case .pause: (.notice, "run paused")
        case .resume: (.notice, "run resumed")
        case .lap(_, let number, .command): (.info, "lap \(number) closed")
        // Automatic laps, and fixes that go stale among buildings, are not decisions.
        case .lap, .fix(.stale, _, _): nil
        case .stop(let summary):
            (.notice, "\(run(summary.id)) stopped after \(summary.total.elapsedMilliseconds / 1000) s")
        case .discard(let summary): (.notice, "\(run(summary.id)) discarded")
        case .link(let owner, let status, let after): (.notice, link(owner, status, after: after))
        case .fix(let freshness, _, _): (.info, "position \(freshness.rawValue)")
        case .gap(.sleep, let seconds, _, let counted):
            (.warning, "the daemon did not run for \(Int(seconds)) s, \(counted ? "counted" : "not counted")")
        case .gap(.restart, let seconds, _, counted: true):
            (.notice, "the run continued over a restart of \(Int((seconds * 1000).rounded())) ms: the time counts")
        case .gap(.restart, let seconds, _, _): (.notice, "run interrupted for \(Int(seconds)) s, not counted")
        case .gap(_, let seconds, _, let counted):
            (.info, "no position for \(Int(seconds)) s, the distance is \(counted ? "counted" : "not counted")")
        case .clock(let source, let step):
            (.notice, "time of day from the \(source.rawValue)" + (step.map { ", stepped \($0) ms" } ?? ""))
        case .recorder(.stalled, let message), .recorder(.failed, let message):
            (.error, "recording: \(message ?? "the disk does not respond")")
        case .recorder(let state, _): (.notice, "recording: \(state.rawValue)")
        case .fault(let fault, raised: true): (.warning, "\(fault.name.rawValue): \(fault.message)")
        case .fault(let fault, raised: false): (.notice, "\(fault.name.rawValue): cleared")
        case .settings(let key, _): (.notice, "setting \(key.rawValue) changed")
        case .source(let source, let previous):
            (.info, "speed and distance from the \(source.rawValue), before from the \(previous.rawValue)")
        case .calibration(let key, let value): (.notice, "the position gives \(key.rawValue) \(value)")
        // Events of the ride and of the athlete, not of the service: clients show them.
        case .radar, .alert, .workout, .autoPause, .autoResume, .badge, .cue, .climb, .light, .notice, .mark: nil
        case .course(let change): line(of: change)
        }
    }

    package static func subject(of event: Event) -> LogRateLimiter.Subject {
        switch event.kind {
        case .start, .pause, .resume, .autoPause, .autoResume, .lap, .stop, .discard, .alert, .workout, .badge, .course,
            .cue, .climb, .light, .notice, .mark:
            .run
        case .link: .links
        case .fix, .gap: .position
        case .clock: .clock
        case .recorder: .recording
        case .fault: .faults
        case .settings, .calibration: .settings
        case .source, .radar: .position
        }
    }

    private static func line(of change: CourseEvent) -> (LogLevel, String)? {
        switch change {
        case .loaded(let loaded):
            (
                .notice,
                "course" + (loaded.number.map { " \($0)" } ?? "") + " loaded"
                    + (loaded.course.map { ": \(Int($0.length.rounded())) m" } ?? "")
            )
        case .unloaded: (.notice, "course unloaded")
        case .on(_, let skipped):
            (.info, "on the course" + (skipped > 0 ? ", \(Int(skipped.rounded())) m of it left out" : ""))
        case .off(_, let metres): (.info, "off the course by \(Int(metres.rounded())) m")
        case .wrongWay: (.info, "on the course against its direction")
        case .done: (.info, "the end of the course is reached")
        }
    }

    /// The log line of a sensor's device information.
    static func line(of information: DeviceInformation) -> String {
        let parts = [
            information.manufacturer, information.model,
            information.firmware.flatMap { SanitizedText("firmware " + $0.text) },
        ]
        return (information.name?.text ?? "the sensor") + " is " + parts.compactMap { $0?.text }.joined(separator: ", ")
    }

    private static func link(_ owner: Event.LinkOwner, _ status: LinkStatus, after: Duration) -> String {
        let peer = owner == .heart ? "strap" : owner.rawValue
        let address = status.address.map { " …\($0.description.suffix(5))" } ?? ""
        let name = status.name.map { " \($0.text)" } ?? ""
        let reason = status.reason.map { ": \($0.rawValue)" } ?? ""
        return "\(peer)\(name)\(address) \(status.state.rawValue)\(reason), after \(after.wholeMilliseconds / 1000) s"
    }
}
