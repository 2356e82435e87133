import Client
import Domain
import Glibc
import JSONCoding
import Linux
import MQTT
import Program
import SQLite
import Servers
import Storage
import Wire

/// `paced-link`: sends what paced measures and records off the board. Answers requests on link.sock.
package final class LinkDaemon {
    private static let socketName = "link"
    /// The topic of its notices.
    private static let topic = "x-link"

    private let loop: EventLoop
    private let paced: String
    private var service: LinkService?
    private var server: ControlServer?
    /// Messages to the user that wait, the first one under way.
    private var notices: [(topic: String, key: String, text: String)] = []
    private var notice: LineExchange?
    private var noticeTimer: TimerSource?
    private static let noticeLimit = 16
    /// paced takes a notice of a topic each 10 s.
    private static let noticePause = Duration.seconds(11)
    private var nextReply = 0

    /// - Returns: the exit status of the program.
    package static func main(_ arguments: [String]) -> Int32 {
        LinkOptions.description.main(arguments, start: start)
    }

    private static func log(_ level: LogLevel, _ text: String) {
        level.write(text, of: "paced-link")
    }

    private static func start(_ options: LinkOptions) throws -> Int32 {
        let configuration = try LinkConfiguration.read(options.configuration)
        if options.checks {
            print(
                LinkExamples.text(
                    configuration, host: configuration.host ?? configuration.ownTracks.url), terminator: "")
            return 0
        }
        let loop = try ServiceLoop()
        let handed = try ProgramSockets.handed([socketName], to: "paced-link").numbers
        let environment = ProgramEnvironment.current
        let directories = try LinkDirectories(options, hasSocket: handed[socketName] != nil, environment)
        try prepareDirectory(directories.state, option: "--state-dir")
        var sockets = try ProgramSockets([socketName], handed, in: directories.runtime, of: "paced-link")
        for line in sockets.hardLinks { log(.warning, line) }
        guard let socket = try sockets.listen(socketName) else {
            preconditionFailure("a program without this socket has a runtime directory")
        }
        let daemon = try LinkDaemon(configuration, directories, environment, socket: socket, loop: loop.loop)
        log(.notice, "paced-link \(Release.version) serves \(directories.runtime ?? "the socket of systemd")")
        let status = try loop.run()
        daemon.service?.close()
        daemon.server?.close()
        sockets.close()
        log(.notice, "stopped")
        return status
    }

    private init(
        _ configuration: LinkConfiguration, _ directories: LinkDirectories, _ environment: ProgramEnvironment,
        socket: consuming FileDescriptor, loop: EventLoop
    ) throws {
        self.loop = loop
        paced = directories.paced
        let device = try Self.device(in: directories.journal)
        let store = try Self.store(in: directories.state, device: device.uuid)
        var hidden: HiddenCircles?
        if configuration.hiddenRadius > 0 {
            hidden = try HiddenCircles(
                radius: configuration.hiddenRadius, journal: directories.journal, own: directories.state)
        }
        var tracks: OwnTracksSender?
        if configuration.ownTracks.mode != .off {
            tracks = try OwnTracksSender(
                configuration.ownTracks, device: device.uuid,
                password: environment.credential("owntracks-password"), authorities: nil, loop: loop)
        }
        let notify: (String, String) -> Void = { [unowned self] in self.notify($0, $1) }
        let pacectl = PacectlRunner(paced: directories.paced, directory: directories.state, loop: loop)
        var uploads: Uploader?
        if configuration.uploads.isEmpty {
            try store.forgetUploads()
        } else {
            uploads = try Uploader(
                configuration.uploads, metered: configuration.metered, pacectl: pacectl, journal: directories.journal,
                directory: directories.state, store: store, environment, loop: loop, log: Self.log, notify: notify)
        }
        var commands: LinkCommands?
        if !configuration.allowed.isEmpty {
            commands = LinkCommands(
                configuration.allowed, paced: directories.paced, origin: configuration.host ?? "", loop: loop,
                log: Self.log
            ) { [unowned self] in self.notify($1, $2, topic: $0) }
        }
        let planner = try Planner(
            configuration.plans, metered: configuration.metered, pacectl: pacectl, paced: directories.paced,
            directory: directories.state, store: store, environment, loop: loop, log: Self.log, notify: notify)
        service = try LinkService(
            configuration, Self.options(configuration, device, environment), device: device,
            journal: directories.journal, paced: directories.paced, store: store, hidden: hidden,
            parts: .init(tracks: tracks, uploads: uploads, commands: commands, planner: planner), loop: loop,
            log: Self.log, notify: notify)
        let methods = ControlServer.Service(LinkRequest.table) { [unowned self] call, peer, _ in
            answer(call.request, peer)
        }
        server = try ControlServer(
            socket: socket, methods, loop: loop, spareDescriptors: ClientLimits.othersSpareDescriptors)
    }

    private static func options(
        _ configuration: LinkConfiguration, _ device: Device, _ environment: ProgramEnvironment
    ) throws(StartFailure) -> MQTTConnection.Options? {
        guard let host = configuration.host else { return nil }
        var options = MQTTConnection.Options(
            host: host, port: configuration.port ?? (configuration.isPlain ? 1883 : 8883), client: "\(device.uuid)",
            will: LinkMessages(device: device.uuid).status)
        options.user = configuration.user
        options.password = try environment.credential("mqtt-password")
        if configuration.isPlain { return options }
        options.authorities = configuration.authorities
        options.certificate = configuration.certificate
        if configuration.certificate != nil {
            options.key = configuration.key ?? environment.credentialFile("mqtt-key")
        }
        return options
    }

    private static func device(in directory: String) throws(StartFailure) -> Device {
        do throws(DeviceFile.Failure) {
            guard let device = try DeviceFile(in: directory).read(isOwn: false) else {
                throw DeviceFile.Failure.absent(path: directory + "/" + DeviceFile.name)
            }
            return device
        } catch {
            throw StartFailure(line: "\(error); start paced first, or give another --journal-dir")
        }
    }

    /// A file that cannot be read is set aside: without it all is sent again, and nothing is lost.
    private static func store(in directory: String, device: UUID) throws(StartFailure) -> LinkStore {
        do {
            return try LinkStore(in: directory, device: device)
        } catch let error as SQLiteError where error.isDamage {
            log(.warning, "\(directory)/\(LinkStore.name) is damaged: it is set aside, and all rows are sent again")
            for suffix in ["", "-wal", "-shm"] {
                let path = "\(directory)/\(LinkStore.name)"
                rename(path + suffix, path + ".damaged" + suffix)
            }
        } catch {
            throw StartFailure(line: "cannot use \(directory)/\(LinkStore.name): \(error); or give another --state-dir")
        }
        do {
            return try LinkStore(in: directory, device: device)
        } catch {
            throw StartFailure(line: "cannot use \(directory)/\(LinkStore.name): \(error); or give another --state-dir")
        }
    }

    private func answer(_ request: LinkRequest, _ peer: PeerCredentials) -> ControlServer.Reply {
        switch request {
        case .status:
            return .now(.success(.encoded(service.map { LinkStatus.text($0, at: Clock.now()) } ?? [])))
        case .flush:
            service?.flush()
            return .now(.success(.done))
        case .upload(let activities, let name):
            do throws(RPCError) {
                guard let uploads = service?.parts.uploads else { throw Self.noUploads }
                return .now(.success(.encoded(try uploads.upload(activities, service: name))))
            } catch {
                return .now(.failure(error))
            }
        case .uploads(let activity):
            return .now(
                .success(.encoded(service?.parts.uploads?.uploads(of: activity) ?? Array(#"{"uploads":[]}"#.utf8))))
        case .login(let name, let answer): return login(name, answer, peer)
        case .plan: return .now(.success(.encoded(service?.parts.planner.list() ?? [])))
        case .fetch:
            do throws(RPCError) {
                guard let planner = service?.parts.planner, !planner.sources.isEmpty else { throw Self.noPlans }
                try planner.fetch()
                return .now(.success(.encoded(planner.list())))
            } catch {
                return .now(.failure(error))
            }
        case .workout(let number):
            do throws(RPCError) {
                guard let planner = service?.parts.planner, !planner.sources.isEmpty else { throw Self.noPlans }
                return .now(.success(.encoded(try planner.workout(number: number))))
            } catch {
                return .now(.failure(error))
            }
        }
    }

    /// A reply that may follow later.
    private func deferred(
        _ start: (@escaping (Result<[UInt8], RPCError>) -> Void) -> Void
    ) -> ControlServer.Reply {
        nextReply += 1
        let token = nextReply
        var early: Result<[UInt8], RPCError>?
        var isReturned = false
        start { [unowned self] result in
            guard isReturned else {
                early = result
                return
            }
            server?.complete(token, result.map { .encoded($0) })
        }
        isReturned = true
        if let early { return .now(early.map { .encoded($0) }) }
        return .later(token)
    }

    private static let noPlans = RPCError.unavailable("paced-link.conf has no section [Plan NAME]")

    private static let noUploads = RPCError.unavailable("paced-link.conf has no section [Upload NAME]")

    /// A login decides into whose account activities go: the group of the socket may watch only.
    private func login(_ name: String, _ answer: String?, _ peer: PeerCredentials) -> ControlServer.Reply {
        guard let uploads = service?.parts.uploads else { return .now(.failure(Self.noUploads)) }
        guard peer.user == 0 || peer.user == getuid() else {
            return .now(.failure(.unavailable("only root may log in: sudo pacectl upload login")))
        }
        return deferred { uploads.login(name, answer: answer, completed: $0) }
    }

    /// Sends a message to the user of paced, once: one that is lost is in the log and in `link.status`.
    private func notify(_ key: String, _ text: String, topic: String = topic) {
        guard notices.count < Self.noticeLimit else { return }
        notices.append((topic, key, text))
        if notices.count == 1 { sendNotice() }
    }

    private func sendNotice() {
        guard let (topic, key, text) = notices.first else { return }
        var parameters = JSONWriter(capacity: 256)
        parameters.object {
            $0.member("topic", topic)
            $0.member("key", key)
            $0.member("text", "paced-link: " + text)
        }
        let line = requestLine("notice", String(decoding: parameters.bytes, as: UTF8.self))
        do throws(LineExchange.Failure) {
            notice = try LineExchange(
                line, at: paced + "/publish.sock", loop: loop, timeout: .seconds(5), lineLimit: 4096,
                isWanted: { (try? JSON(parsing: $0))?["id"] != nil },
                completed: { [unowned self] result in
                    let answer = (try? result.get()).flatMap { try? JSON(parsing: $0) }
                    finishNotice(isLate: answer?["error"]?["code"]?.integer == -32002)
                })
        } catch {
            finishNotice(isLate: false)
        }
    }

    /// - Parameter isLate: whether it is sent again later, since another one of its topic was just before.
    private func finishNotice(isLate: Bool) {
        if !isLate { notices.removeFirst() }
        noticeTimer = noticeTimer ?? (try? loop.timer { [unowned self] in sendNotice() })
        if !notices.isEmpty { noticeTimer?.arm(at: Clock.now() + (isLate ? Self.noticePause : .zero)) }
    }
}
