import Domain
import JSONCoding
import Linux
import MQTT
import Wire

/// The result of `link.status`.
struct LinkStatus {
    private struct Sink {
        let name: String
        var state = LinkRequest.SinkState.off
        var reason: String?
        var warning: String?
        var lastSuccess: Instant?
        var nextTry: Instant?
        var rows: Int?
        var bytes: Int?
        var activities: Int?
        var rejected: Int?
    }

    /// Packed bytes of a row until some were sent: a row with its beats takes about 60.
    private static let usualRowBytes = 60

    private var sinks: [Sink] = []

    /// The status as JSON.
    static func text(_ service: LinkService, at now: Instant) -> [UInt8] {
        let status = LinkStatus(service, now)
        var line = JSONWriter(capacity: 1024)
        line.object { line in
            line.member("device", service.device.uuid)
            line.member("level", service.configuration.level.word)
            line.array("sinks") { line in
                for sink in status.sinks {
                    line.object {
                        $0.member("name", sink.name)
                        $0.member("state", sink.state.rawValue)
                        $0.member("reason", sink.reason)
                        $0.member("warning", sink.warning)
                        $0.member("last_success_ms", sink.lastSuccess.map { (now - $0).wholeMilliseconds })
                        $0.member("next_try_ms", sink.nextTry.map { max((($0 - now)).wholeMilliseconds, 0) })
                        $0.member("rows", sink.rows)
                        $0.member("bytes", sink.bytes)
                        $0.member("activities", sink.activities)
                        $0.member("rejected", sink.rejected)
                    }
                }
            }
        }
        return line.bytes
    }

    private init(_ service: LinkService, _ now: Instant) {
        var broker = Sink(name: "mqtt")
        switch service.connection {
        case .off: broker.reason = "Host= is empty"
        case .connecting: broker.state = .connecting
        case .connected: broker.state = .connected
        case .waiting(let reason, let until):
            (broker.state, broker.reason, broker.nextTry) = (.waiting, reason, until)
        }
        if broker.state != .off {
            broker.lastSuccess = service.lastSuccess
            broker.rejected = service.refusals
            if broker.reason == nil { broker.reason = service.refusal }
            if service.configuration.isPlain {
                broker.warning = "without TLS: everybody on the way reads and changes it"
            }
        }
        sinks.append(broker)
        for index in service.delivery.sinks.indices { sinks.append(Self.collector(index, service, broker, now)) }
        if let tracks = service.parts.tracks {
            var sink = Sink(name: "owntracks", state: .connected, reason: tracks.failure)
            if tracks.topic != nil { (sink.state, sink.reason) = (broker.state, broker.reason) }
            if tracks.failure != nil { (sink.state, sink.nextTry) = (.waiting, tracks.retryAt) }
            if tracks.isPlain { sink.warning = "without TLS: everybody on the way reads the locations" }
            sink.lastSuccess = tracks.lastSuccess
            sinks.append(sink)
        }
        if let commands = service.parts.commands {
            var sink = Sink(name: "commands", state: broker.state, reason: broker.reason)
            if broker.state == .connected, let obstacle = commands.obstacle {
                (sink.state, sink.reason) = (.paused, obstacle)
            }
            (sink.lastSuccess, sink.rejected) = (commands.lastSuccess, commands.refusals)
            sinks.append(sink)
        }
        if let uploads = service.parts.uploads {
            for index in uploads.queue.services.indices { sinks.append(Self.upload(index, uploads, now)) }
        }
        for source in service.parts.planner.sources { sinks.append(Self.plan(source, service.parts.planner, now)) }
        if service.configuration.discoveryPrefix != nil {
            sinks.append(Sink(name: "homeassistant", state: broker.state, reason: broker.reason))
        }
    }

    private static func upload(_ index: Int, _ uploads: Uploader, _ now: Instant) -> Sink {
        let service = uploads.queue.services[index]
        var sink = Sink(name: "upload \(service.settings.name)", state: .connected, reason: service.reason)
        if service.settings.isUnencrypted { sink.warning = "without TLS: everybody on the way reads the activities" }
        sink.lastSuccess = service.lastSuccess
        sink.activities = service.waiting
        if service.isPaused {
            sink.state = .paused
        } else if sink.activities != 0, let obstacle = uploads.obstacle(of: index) {
            (sink.state, sink.reason) = (obstacle == Uploader.clockObstacle ? .waiting : .paused, obstacle)
        } else if let next = service.retryAt, next > now {
            (sink.state, sink.nextTry) = (.waiting, next)
        }
        return sink
    }

    private static func plan(_ source: Planner.Source, _ planner: Planner, _ now: Instant) -> Sink {
        var sink = Sink(name: "plan \(source.settings.name)", state: .connected, reason: source.failure)
        if source.settings.address.hasPrefix("http:") {
            sink.warning = "without TLS: everybody on the way reads and changes it"
        }
        sink.lastSuccess = source.lastSuccess
        if let obstacle = planner.obstacle {
            (sink.state, sink.reason) = (.paused, obstacle)
        } else if source.isPaused {
            sink.state = .paused
        } else if let next = source.retryAt, next > now {
            (sink.state, sink.nextTry) = (.waiting, next)
        }
        return sink
    }

    private static func collector(_ index: Int, _ service: LinkService, _ broker: Sink, _ now: Instant) -> Sink {
        let collector = service.delivery.sinks[index]
        var sink = Sink(name: collector.name, state: broker.state, reason: broker.reason)
        sink.lastSuccess = collector.acknowledgedAt
        let rows = service.delivery.backlog(of: index)
        sink.rows = rows
        sink.bytes = rows * (service.sentRows > 0 ? service.sentBytes / service.sentRows : usualRowBytes)
        guard broker.state == .connected else { return sink }
        if let failure = service.storeFailure {
            (sink.state, sink.reason) = (.paused, "cannot store what was delivered: \(failure)")
        } else if service.isMetered {
            (sink.state, sink.reason) = (
                .paused, "the network is metered: pacectl link flush sends the rows all the same"
            )
        } else if collector.isAbsent {
            (sink.state, sink.reason) = (.paused, "no collector listens")
        } else if service.delivery.isPaused(index, at: now) {
            (sink.state, sink.reason) = (.paused, service.refusal)
        } else if collector.isSilent {
            (sink.state, sink.reason) = (
                .paused, "the broker takes the rows, and the collector does not acknowledge them"
            )
        }
        return sink
    }
}
