import Domain
import Linux
import Sensors

/// One line for each decision, on standard error.
///
/// No line holds a coordinate, and of an address only its last two bytes.
enum Log {
    /// - Parameter isOurs: nothing in it comes from outside: an address is an example.
    static func write(_ level: LogLevel, _ text: String, isOurs: Bool = false) {
        level.write(isOurs ? text : shortened(text), of: "paced")
    }

    /// Writes a line of what may happen at any time and again and again: too many of one subject are left out.
    static func write(_ level: LogLevel, about subject: LogRateLimiter.Subject, _ text: @autoclosure () -> String) {
        if limit.withLock({ $0.allows(subject, at: Clock.now()) }) { write(level, text()) }
    }

    /// Who asks for what: the kernel says which user and which process opened the connection.
    static func write(of peer: PeerCredentials, _ text: String) {
        write(.info, about: .commands, "user \(peer.user), process \(peer.process), \(text)")
    }

    /// Says how many lines were left out; to be called each second.
    static func reportSuppressed() {
        for (subject, count) in limit.withLock({ $0.popSuppressed(at: Clock.now()) }) {
            write(.warning, "\(count) more \(count == 1 ? "line" : "lines") about \(subject.rawValue) left out")
        }
    }

    private static let limit = Locked(LogRateLimiter())

    /// Of each Bluetooth address in a text only the last two bytes, whoever wrote it there: bluetoothd names a device that has no name by
    /// its address.
    static func shortened(_ text: String) -> String {
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

    /// `A0:9E:1A:00:00:01`; names and paths of the bus have other marks between.
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

    /// A run by its number, if it has one yet.
    static func run(_ activity: Int?) -> String {
        if let activity, activity > 0 { "run \(activity)" } else { "run" }
    }

    /// What an event reads in the log; nil for those that say where somebody is or that come too often.
    static func line(of event: Event) -> (LogLevel, String)? {
        switch event.kind {
        case .start(let sport, _, resumed: true):
            (.notice, "\(run(event.activity)) goes on: \(sport.rawValue)")
        case .start(let sport, let back, _):
            (
                .notice,
                "\(run(event.activity)) started: \(sport.rawValue)"
                    + (back >= .seconds(1) ? ", \(Int(back.inSeconds)) s ago" : "")
            )
        case .pause(_, _, .auto): (.notice, "run paused, the time stood still for too long")
        case .pause: (.notice, "run paused")
        case .resume: (.notice, "run resumed")
        case .lap(_, let number, .command): (.info, "lap \(number) closed")
        // A lap of its own each minute, or a street of houses: nothing that anybody decided.
        case .lap, .fix(.stale, _, _): nil
        case .stop(let summary):
            (.notice, "\(run(summary.id)) stopped after \(summary.total.elapsedMilliseconds / 1000) s")
        case .discard(let summary): (.notice, "\(run(summary.id)) discarded")
        case .link(let owner, let status, let after): (.notice, link(owner, status, after: after))
        case .fix(let freshness, _, _): (.info, "position \(freshness.rawValue)")
        case .gap(.sleep, let seconds, _, let counted):
            (.warning, "nothing ran for \(Int(seconds)) s, \(counted ? "counted" : "not counted")")
        case .gap(.restart, let seconds, _, counted: true):
            (.notice, "the run continued over a restart of \(Int((seconds * 1000).rounded())) ms: the time counts")
        case .gap(.restart, let seconds, _, _): (.notice, "an outage of \(Int(seconds)) s, not counted")
        case .gap(_, let seconds, _, let counted):
            (.info, "no position for \(Int(seconds)) s, the way is \(counted ? "counted" : "not counted")")
        case .clock(let source, let step):
            (.notice, "time of day from the \(source.rawValue)" + (step.map { ", stepped \($0) ms" } ?? ""))
        case .recorder(.stalled, let message), .recorder(.failed, let message):
            (.error, "recording: \(message ?? "the disk takes nothing")")
        case .recorder(let state, _): (.notice, "recording: \(state.rawValue)")
        case .fault(let fault, raised: true): (.warning, "\(fault.name.rawValue): \(fault.message)")
        case .fault(let fault, raised: false): (.notice, "\(fault.name.rawValue): over")
        case .settings(let key, _): (.notice, "setting \(key.rawValue) changed")
        }
    }

    static func subject(of event: Event) -> LogRateLimiter.Subject {
        switch event.kind {
        case .start, .pause, .resume, .lap, .stop, .discard: .run
        case .link: .links
        case .fix, .gap: .position
        case .clock: .clock
        case .recorder: .recording
        case .fault: .faults
        case .settings: .settings
        }
    }

    /// What a strap says of itself.
    static func line(of information: DeviceInformation) -> String {
        let parts = [
            information.manufacturer, information.model,
            information.firmware.flatMap { SanitizedText("firmware " + $0.text) },
        ]
        return "the strap is " + parts.compactMap { $0?.text }.joined(separator: ", ")
    }

    private static func link(_ owner: Event.LinkOwner, _ status: LinkStatus, after: Duration) -> String {
        let peer = owner == .heart ? "strap" : "gpsd"
        let address = status.address.map { " …\($0.description.suffix(5))" } ?? ""
        let name = status.name.map { " \($0.text)" } ?? ""
        let reason = status.reason.map { ": \($0.rawValue)" } ?? ""
        return "\(peer)\(name)\(address) \(status.state.rawValue)\(reason), after \(after.wholeMilliseconds / 1000) s"
    }
}
