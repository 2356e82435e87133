package import Domain

/// The life of the connection to gpsd.
///
///                due              connected             VERSION 3
///     resting ─────────▶ connecting ─────────▶ greeting ─────────▶ watching
///        ▲                   │ late, failed        │ late, closed      │ closed, unanswered, silent for 30 s
///        └───────────────────┴─────────────────────┴───────────────────┘
///
/// gpsd says nothing when its receiver falls silent, when the receiver is unplugged, or when the connection is half-open, so silence
/// is asked about and ended by the clock. Whatever is wrong, it is tried again for ever, and gpsd's return is found within 2 s.
///
/// The machine does no input or output. The shell reports what happened with the moment it happened, carries out the returned
/// ``Action``, and calls ``tick(at:)`` no later than ``deadline``.
package struct GpsdSession: Sendable {
    package enum Action: Equatable, Sendable {
        /// Begin to connect to the address of this number.
        case connect(Int)
        case send([UInt8])
        /// Close the connection, or give up connecting. It is not reported back.
        case close
    }

    /// How long a connection may take to stand, and then gpsd to greet. One that is starting up greets after 3 s or more; the next
    /// connection finds it then.
    package static let answerLimit = Duration.seconds(2)
    /// From one round of attempts to the next while nobody listens.
    package static let retry = Duration.milliseconds(500)
    /// Before the next attempt when gpsd took the connection and ended it without a report. systemd gives up a socket-activated gpsd
    /// that is started more than 5 times in 10 s.
    package static let retryDelay = Duration.seconds(2)
    /// From the last report to the first question whether gpsd is still there.
    package static let probeAfter = Duration.seconds(3)
    /// From the last report until the receiver counts as silent.
    package static let silenceTimeout = Duration.seconds(5)
    /// For an answer to a question. gpsd 3.22 stands still for 3 s while it opens a receiver.
    package static let connectTimeout = Duration.seconds(5)
    /// From one question to the next in a long silence.
    package static let askAgain = Duration.seconds(10)
    /// From one request for a receiver that gpsd does not know to the next.
    package static let requestAgain = Duration.seconds(1)
    /// From the last report until gpsd is connected to anew, which makes it open its receivers again.
    package static let reopen = Duration.seconds(30)
    /// The most receivers that are kept in mind.
    package static let deviceLimit = 16

    private enum State: Sendable {
        case resting(until: Instant)
        case connecting(until: Instant)
        case greeting(until: Instant)
        case watching(Watch)
    }

    private struct Watch: Sendable {
        /// When the last report came; at first, when it was asked for.
        var reportedAt: Instant
        var hasReported = false
        /// When the question was sent that no line has come after.
        var unansweredSince: Instant?
        var askAt: Instant
        /// Receivers that gpsd knows; nil until it says.
        var devices: [String]?
        /// gpsd does not know the receiver that is wanted.
        var isRefused = false
    }

    private let addresses: Int
    private let wanted: String?
    private var state = State.resting(until: Instant(nanoseconds: 0))
    private var address = 0
    /// Addresses of this round that have been tried, and when the round began.
    private var tried = 0
    private var triedAt = Instant(nanoseconds: 0)

    /// How gpsd stands; nil until the first attempt has ended.
    package private(set) var status: LinkStatus?

    /// - Parameters:
    ///   - addresses: how many addresses gpsd may be at, from 1. Each round tries all, beginning with the one that answered last.
    ///   - device: the one receiver to use, as gpsd names it.
    package init(addresses: Int, device: String? = nil) {
        self.addresses = addresses
        wanted = device
    }

    /// When ``tick(at:)`` has something to do.
    package var deadline: Instant {
        switch state {
        case .resting(let until), .connecting(let until), .greeting(let until): return until
        case .watching(let watch):
            var deadline = min(watch.askAt, watch.reportedAt + Self.reopen)
            if let since = watch.unansweredSince { deadline = min(deadline, since + Self.connectTimeout) }
            if watch.hasReported { deadline = min(deadline, watch.reportedAt + Self.silenceTimeout) }
            return deadline
        }
    }

    package mutating func tick(at now: Instant) -> Action? {
        switch state {
        case .resting(let until):
            guard now >= until else { return nil }
            if tried == 0 { triedAt = now }
            state = .connecting(until: now + Self.answerLimit)
            return .connect(address)
        case .connecting(let until), .greeting(let until):
            guard now >= until else { return nil }
            failed(at: now)
            return .close
        case .watching(var watch):
            if let since = watch.unansweredSince, now >= since + Self.connectTimeout { return reconnect(at: now) }
            if now >= watch.reportedAt + Self.reopen { return reconnect(at: now) }
            if watch.hasReported, now >= watch.reportedAt + Self.silenceTimeout {
                watch.hasReported = false
                status = absence(watch)
            }
            defer { state = .watching(watch) }
            guard now >= watch.askAt else { return nil }
            watch.askAt = now + (watch.isRefused ? Self.requestAgain : Self.askAgain)
            watch.unansweredSince = watch.unansweredSince ?? now
            return .send(watch.isRefused ? watchRequest : Array("?DEVICES;\n".utf8))
        }
    }

    /// The connection stands.
    package mutating func connected(at now: Instant) {
        state = .greeting(until: now + Self.answerLimit)
    }

    /// The connection could not be made.
    package mutating func failed(at now: Instant) {
        tried += 1
        address = (address + 1) % addresses
        if tried < addresses {
            state = .resting(until: now)
        } else {
            tried = 0
            state = .resting(until: max(now, triedAt + Self.retry))
            status = LinkStatus(.disconnected, reason: .notRunning)
        }
    }

    /// gpsd has ended the connection, or it broke.
    package mutating func closed(at now: Instant) {
        guard case .watching(let watch) = state else {
            refused(at: now)
            return
        }
        tried = 0
        state = .resting(until: now + (watch.hasReported ? Self.retry : Self.retryDelay))
        status = LinkStatus(.disconnected, reason: .notRunning)
    }

    /// A line has come.
    package mutating func received(_ message: GpsdMessage, at now: Instant) -> Action? {
        switch state {
        case .resting, .connecting: return nil
        case .greeting:
            guard message == .version(major: 3) else {
                refused(at: now)
                return .close
            }
            tried = 0
            let watch = Watch(reportedAt: now, unansweredSince: now, askAt: now + Self.probeAfter)
            if status?.state != .connecting { status = absence(watch) }
            state = .watching(watch)
            return .send(watchRequest)
        case .watching(var watch):
            watch.unansweredSince = nil
            receive(message, at: now, &watch)
            if !watch.hasReported { status = absence(watch) }
            state = .watching(watch)
            return nil
        }
    }

    /// A fix of the receiver in use has closed.
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
            watch.isRefused = false
            watch.askAt = now + Self.probeAfter
        case .devices(let devices):
            watch.devices = Array(devices.prefix(Self.deviceLimit))
            watch.isRefused = false
        case .device(let device, let isPresent):
            var devices = watch.devices ?? []
            devices.removeAll { $0 == device }
            if isPresent, devices.count < Self.deviceLimit { devices.append(device) }
            watch.devices = devices
        case .error:
            // The one request of ours that gpsd can refuse is that for a receiver.
            guard wanted != nil, !watch.hasReported else { return }
            watch.isRefused = true
            watch.askAt = min(watch.askAt, now + Self.requestAgain)
        case .version, .sky, .other: break
        }
    }

    /// What to say while no report comes.
    private func absence(_ watch: Watch) -> LinkStatus {
        var isAbsent = watch.isRefused
        if let devices = watch.devices {
            isAbsent = isAbsent || (wanted.map { !devices.contains($0) } ?? devices.isEmpty)
        }
        let name = wanted ?? watch.devices?.first
        return LinkStatus(
            .connecting, reason: isAbsent ? .noDevice : .silent, name: name.flatMap { SanitizedText($0) })
    }

    /// Connects anew without a word: the receiver is as silent as it was.
    private mutating func reconnect(at now: Instant) -> Action {
        tried = 0
        state = .resting(until: now)
        return .close
    }

    /// Something took the connection that is no gpsd, or wants nothing of us.
    private mutating func refused(at now: Instant) {
        tried = 0
        state = .resting(until: now + Self.retryDelay)
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
