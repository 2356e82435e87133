package import Domain

/// State machine of the connection to gpsd.
///
///                due              connected             VERSION 3
///     resting ─────────▶ connecting ─────────▶ greeting ─────────▶ watching
///        ▲                   │ late, failed        │ late, closed      │ closed, unanswered, silent for 30 s
///        └───────────────────┴─────────────────────┴───────────────────┘
///
/// gpsd sends nothing when its receiver falls silent or is unplugged, or when the connection is half-open. So the
/// machine probes a silent gpsd. It retries without end, and finds a restarted gpsd within 2 s.
///
/// The machine does no input or output. The shell reports events with their time, performs the returned ``Action``s, and
/// calls ``tick(at:)`` no later than ``deadline``.
package struct GpsdSession: Sendable {
    package enum Action: Equatable, Sendable {
        /// Connect to the address of this index.
        case connect(Int)
        case send([UInt8])
        /// Close the connection, or stop connecting. The shell does not report it back.
        case close
    }

    /// The time limit for connecting, and again for gpsd's greeting. A gpsd that is starting may need 3 s or more to
    /// greet; a later attempt reaches it.
    package static let connectTimeout = Duration.seconds(2)
    /// Minimum time between two rounds of attempts while no gpsd listens.
    package static let retryDelay = Duration.milliseconds(500)
    /// Delay before the next attempt if gpsd accepted the connection and closed it without a report. systemd stops
    /// restarting a socket-activated gpsd that is started more than 5 times in 10 s.
    package static let closedRetryDelay = Duration.seconds(2)
    /// Time from the last report to the first probe.
    package static let probeAfter = Duration.seconds(3)
    /// Time from the last report until the receiver counts as silent.
    package static let silenceTimeout = Duration.seconds(5)
    /// Time limit for the answer to a probe. gpsd 3.22 blocks for 3 s while it opens a receiver.
    package static let probeTimeout = Duration.seconds(5)
    /// Time between two probes in a long silence.
    package static let askAgain = Duration.seconds(10)
    /// Time between two requests for a receiver that gpsd does not know.
    package static let requestAgain = Duration.seconds(1)
    /// Time from the last report until a reconnect, which makes gpsd reopen its receivers.
    package static let reopen = Duration.seconds(30)
    /// The largest number of receivers to remember.
    package static let deviceLimit = 16

    private enum State: Sendable {
        case resting(until: Instant)
        case connecting(until: Instant)
        case greeting(until: Instant)
        case watching(Watch)
    }

    private struct Watch: Sendable {
        /// The time of the last report; at first, of the request for reports.
        var reportedAt: Instant
        var hasReported = false
        /// The time of the oldest probe that no line has followed.
        var unansweredSince: Instant?
        var askAt: Instant
        /// The receivers of gpsd; nil until it lists them.
        var devices: [String]?
        /// gpsd does not know the wanted receiver.
        var isRejected = false
    }

    private let addresses: Int
    private let wanted: String?
    private var state = State.resting(until: Instant(nanoseconds: 0))
    private var address = 0
    /// The number of addresses tried in this round, and the time when the round began.
    private var tried = 0
    private var triedAt = Instant(nanoseconds: 0)

    /// The link's state; nil until the first attempt has ended.
    package private(set) var status: LinkStatus?

    /// - Parameters:
    ///   - addresses: the number of addresses, at least 1. Each round tries all, the last that answered first.
    ///   - device: the path of the one receiver to use; nil uses any.
    package init(addresses: Int, device: String? = nil) {
        self.addresses = addresses
        wanted = device
    }

    /// The next time to call ``tick(at:)``.
    package var deadline: Instant {
        switch state {
        case .resting(let until), .connecting(let until), .greeting(let until): return until
        case .watching(let watch):
            var deadline = min(watch.askAt, watch.reportedAt + Self.reopen)
            if let since = watch.unansweredSince { deadline = min(deadline, since + Self.probeTimeout) }
            if watch.hasReported { deadline = min(deadline, watch.reportedAt + Self.silenceTimeout) }
            return deadline
        }
    }

    /// Advances timers to `now`.
    package mutating func tick(at now: Instant) -> [Action] {
        switch state {
        case .resting(let until):
            guard now >= until else { return [] }
            if tried == 0 { triedAt = now }
            state = .connecting(until: now + Self.connectTimeout)
            return [.connect(address)]
        case .connecting(let until), .greeting(let until):
            guard now >= until else { return [] }
            failed(at: now)
            return [.close]
        case .watching(var watch):
            if let since = watch.unansweredSince, now >= since + Self.probeTimeout { return reconnect(at: now) }
            if now >= watch.reportedAt + Self.reopen { return reconnect(at: now) }
            if watch.hasReported, now >= watch.reportedAt + Self.silenceTimeout {
                watch.hasReported = false
                status = absence(watch)
            }
            defer { state = .watching(watch) }
            guard now >= watch.askAt else { return [] }
            watch.askAt = now + (watch.isRejected ? Self.requestAgain : Self.askAgain)
            watch.unansweredSince = watch.unansweredSince ?? now
            return [.send(watch.isRejected ? watchRequest : Array("?DEVICES;\n".utf8))]
        }
    }

    /// Records that the connection is established.
    package mutating func connected(at now: Instant) {
        state = .greeting(until: now + Self.connectTimeout)
    }

    /// Records that connecting failed.
    package mutating func failed(at now: Instant) {
        tried += 1
        address = (address + 1) % addresses
        if tried < addresses {
            state = .resting(until: now)
        } else {
            tried = 0
            state = .resting(until: max(now, triedAt + Self.retryDelay))
            status = LinkStatus(.disconnected, reason: .notRunning)
        }
    }

    /// Records that gpsd closed the connection, or that it broke.
    package mutating func closed(at now: Instant) {
        guard case .watching(let watch) = state else {
            reject(at: now)
            return
        }
        tried = 0
        state = .resting(until: now + (watch.hasReported ? Self.retryDelay : Self.closedRetryDelay))
        status = LinkStatus(.disconnected, reason: .notRunning)
    }

    /// Receives a line.
    package mutating func received(_ message: GpsdMessage, at now: Instant) -> [Action] {
        switch state {
        case .resting, .connecting: return []
        case .greeting:
            guard message == .version(major: 3) else {
                reject(at: now)
                return [.close]
            }
            tried = 0
            let watch = Watch(reportedAt: now, unansweredSince: now, askAt: now + Self.probeAfter)
            if status?.state != .connecting { status = absence(watch) }
            state = .watching(watch)
            return [.send(watchRequest)]
        case .watching(var watch):
            watch.unansweredSince = nil
            receive(message, at: now, &watch)
            if !watch.hasReported { status = absence(watch) }
            state = .watching(watch)
            return []
        }
    }

    /// Receives a merged fix of the receiver in use.
    package mutating func merged(_ fix: Fix) {
        guard case .watching = state else { return }
        status =
            fix.hasPosition
            ? LinkStatus(.connected, name: fix.device) : LinkStatus(.connecting, reason: .noFix, name: fix.device)
    }

    private func receive(_ message: GpsdMessage, at now: Instant, _ watch: inout Watch) {
        switch message {
        case .report(let report):
            guard wanted == nil || report.device == wanted else { return }
            watch.reportedAt = now
            watch.hasReported = true
            watch.isRejected = false
            watch.askAt = now + Self.probeAfter
        case .devices(let devices):
            watch.devices = Array(devices.prefix(Self.deviceLimit))
            watch.isRejected = false
        case .device(let device, let isPresent):
            var devices = watch.devices ?? []
            devices.removeAll { $0 == device }
            if isPresent, devices.count < Self.deviceLimit { devices.append(device) }
            watch.devices = devices
        case .error:
            // The only request that gpsd can reject is the one for a receiver.
            guard wanted != nil, !watch.hasReported else { return }
            watch.isRejected = true
            watch.askAt = min(watch.askAt, now + Self.requestAgain)
        case .version, .sky, .other: break
        }
    }

    /// The status while no report arrives.
    private func absence(_ watch: Watch) -> LinkStatus {
        var isAbsent = watch.isRejected
        if let devices = watch.devices {
            isAbsent = isAbsent || (wanted.map { !devices.contains($0) } ?? devices.isEmpty)
        }
        let name = wanted ?? watch.devices?.first
        return LinkStatus(
            .connecting, reason: isAbsent ? .noDevice : .silent, name: name.flatMap { SanitizedText($0) })
    }

    /// Reconnects and keeps the status: the receiver is still silent.
    private mutating func reconnect(at now: Instant) -> [Action] {
        tried = 0
        state = .resting(until: now)
        return [.close]
    }

    /// Handles a peer that accepts the connection but is not gpsd 3, or closes it before the greeting.
    private mutating func reject(at now: Instant) {
        tried = 0
        state = .resting(until: now + Self.closedRetryDelay)
        status = LinkStatus(.disconnected, reason: .refused)
    }

    private var watchRequest: [UInt8] {
        var request = Array(#"?WATCH={"enable":true,"json":true"#.utf8)
        if let wanted {
            request += Array(#","device":""#.utf8)
            for byte in wanted.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): request += [UInt8(ascii: "\\"), byte]
                case 0..<0x20: request.append(UInt8(ascii: "?"))
                default: request.append(byte)
                }
            }
            request.append(UInt8(ascii: "\""))
        }
        request += Array("};\n".utf8)
        return request
    }
}
