import Client
import Domain
import Glibc
import JSONCoding
import Linux
import Wire

/// `pacectl watch` on a terminal. Waits for the daemon whenever it is away.
final class Watch {
    private let directory: RuntimeDirectory
    /// The daemon of a replay, which does not come back.
    private let daemon: ReplayDaemon?
    /// The directory of the sockets of paced-web; nil for the default.
    private let webDirectory: String?
    private let terminal: Terminal
    private let loop: EventLoop
    private var view: WatchModel
    private var shown: Frame?
    /// Nothing is drawn before the settings are known: units and the pages of the screen depend on them.
    private var knowsSettings = false
    /// The daemon has answered the WATCH line. A STATE before that has no data fields.
    private var isWatching = false
    /// The view has changed while the terminal was still accepting the previous frame.
    private var isBehind = false
    /// Lines have arrived that are not drawn yet.
    private var isChanged = false
    private var failure: Failure?

    private var client: ReconnectingClient?
    private var sources: [AnyObject] = []
    private var writeSource: DescriptorSource?
    private var second: TimerSource?
    private var commands: RunCommandClient?
    private var profileExchange: LineExchange?
    private var codeExchange: LineExchange?
    /// When the next code of the page is made, while its address is shown.
    private var nextCodeAt: Instant?
    /// The course whose profile was asked for.
    private var profiledCourse: String?

    private var receivedAt = Clock.now()
    /// The number of the last event before the connection.
    private var lastEvent = 0
    private var bannerEndsAt: Instant?
    private var messageEndsAt: Instant?
    private var summaryEndsAt: Instant?

    /// How long an ended lap is shown.
    private static let bannerTime = Duration.seconds(8)
    /// How long the outcome of a command is shown.
    private static let messageTime = Duration.seconds(6)
    /// How long a summary is shown where no key can close it.
    private static let summaryTime = Duration.seconds(60)
    /// The daemon sends a line each second. A longer silence is shown.
    private static let timeout = Duration.seconds(3)
    /// How long a daemon that is away is waited for before the next attempt, and an answer before it is given up.
    private static let retryTime = Duration.seconds(1)
    private static let answerTime = Duration.seconds(5)
    /// A code is valid for two minutes, once: who reads it has half of them at least.
    private static let codeTime = Duration.seconds(60)

    /// Blocks the signals that end the program, so that the terminal is restored first.
    init(
        _ directory: RuntimeDirectory, _ daemon: ReplayDaemon?, _ options: WatchOptions, metric: Bool?,
        on terminal: Terminal
    ) throws(SystemError) {
        blockSignals([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH])
        self.directory = directory
        self.daemon = daemon
        webDirectory = options.webDirectory
        self.terminal = terminal
        loop = try EventLoop()
        view = WatchModel(metric: metric, directory: SanitizedText.line(directory.path, limit: 256) ?? "")
        view.endsWhenLeft = daemon != nil ? "replay" : options.endsDaemon ? "demo" : nil
    }

    /// Shows the run until the user quits.
    func run() throws(Failure) {
        do {
            try connect()
            try listen()
            terminal.enter()
            draw()
            _ = try loop.run()
        } catch let error as Failure {
            throw error
        } catch {
            failure = .failed("\(error)")
        }
        disconnect()
        terminal.restore()
        if let failure { throw failure }
    }

    private func listen() throws(SystemError) {
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            sources.append(try loop.onSignal(signal) { [unowned self] in loop.stop(0) })
        }
        sources.append(try loop.onSignal(SIGWINCH) { [unowned self] in draw() })
        sources.append(
            try loop.watch(terminal.stopSignal.descriptor, for: .reading) { [unowned self] _ in
                suspend(wholeJob: false)
            })
        if terminal.hasKeys {
            sources.append(try loop.watch(terminal.input, for: .reading) { [unowned self] _ in press() })
            commands = RunCommandClient(directory.controlSocket, loop: loop) { [unowned self] command, outcome in
                if case .rejected(let reason) = outcome { show("cannot \(command.word.text): \(reason)") }
            }
        }
        writeSource = try loop.watch(terminal.output, for: []) { [unowned self] readiness in
            if readiness.contains(.hungUp) || readiness.contains(.failed) { return loop.stop(0) }
            terminal.flush()
            if terminal.isReady, isBehind { draw() } else { watchForWriting() }
        }
        sources.append(
            try loop.afterEach { [unowned self] in
                if isChanged { draw() }
            })
        second = try loop.timer { [unowned self] in pass() }
        second?.arm(at: Clock.now() + .seconds(1))
    }

    // MARK: The daemon

    /// - Throws: an error that a retry would not fix.
    private func connect() throws {
        let client = try ReconnectingClient(
            directory.stateSocket, loop: loop, lineLimit: Connection.lineLimit, delays: Self.retryTime...Self.retryTime
        ) { [unowned self] in receive($0) }
        self.client = client
        do throws(SystemError) {
            try client.connect()
        } catch {
            if !Self.isTemporary(error) { throw Failure(connectingTo: client.path, error) }
        }
    }

    private static func isTemporary(_ error: SystemError) -> Bool {
        [ENOENT, ECONNREFUSED, EAGAIN].contains(error.code)
    }

    private func receive(_ event: ReconnectingClient.Event) {
        switch event {
        case .connected:
            // The events before have the laps of the run in progress.
            client?.send(
                #"{"class":"WATCH","classes":["STATE","EVENT","SETTINGS"],"interval_ms":100,"blocks":["fields","workout","course","partner","sun","wind","own_fields"],"topics":["\#(WeatherTopic.name)"],"since":0}"#
                    .utf8)
            receivedAt = Clock.now()
            lastEvent = 0
            view.mayCommand = terminal.hasKeys && mayCommand()
        case .line(let line): if let json = try? JSON(parsing: line) { receive(json) }
        case .lost(.connecting(let error)):
            if !Self.isTemporary(error) { view.error = Failure(connectingTo: directory.stateSocket, error).message }
        case .lost: disconnect()
        }
        isChanged = true
    }

    /// Asks a socket of JSON-RPC one question. A question without an answer gives none.
    private func ask(
        _ path: String, _ method: String, _ parameters: String, received: @escaping (JSON?) -> Void
    ) -> LineExchange? {
        do throws(LineExchange.Failure) {
            return try LineExchange(
                requestLine(method, parameters), at: path, loop: loop, timeout: Self.answerTime,
                lineLimit: Connection.lineLimit
            ) { received((try? JSON(parsing: (try? $0.get()) ?? []))?["result"]) }
        } catch {
            received(nil)
            return nil
        }
    }

    /// Whether control.sock accepts connections of this user.
    private func mayCommand() -> Bool {
        do {
            _ = try Connection(to: directory.controlSocket)
            return true
        } catch {
            return error.code == EAGAIN
        }
    }

    private func disconnect() {
        knowsSettings = false
        isWatching = false
        profiledCourse = nil
        view.disconnected()
    }

    private func receive(_ line: JSON) {
        if let state = ReceivedState(line) {
            if isWatching {
                view.received(state)
                followCourse()
            }
            receivedAt = Clock.now()
        } else if let settings = Settings(line: line) {
            view.settings = settings
            knowsSettings = true
        } else if line["class"]?.string == "EVENT" {
            receive(event: line)
        } else if line["class"]?.string == "DATA" {
            view.received(data: line)
        } else if let reason = Failure(version: line) {
            failure = reason
            loop.stop(1)
        } else if line["class"]?.string == "VERSION" {
            lastEvent = line["events"]?["last"]?.integer ?? 0
        } else if line["class"]?.string == "WATCH" {
            isWatching = true
        } else if line["class"]?.string == "ERROR" {
            view.error = line["message"]?.harmlessText(limit: 256)
        }
    }

    /// Asks for the profile of a course that has been loaded.
    private func followCourse() {
        let course = view.state?.course.map { "\($0.number ?? 0) \($0.lengthMetres) \($0.name?.text ?? "")" }
        guard course != profiledCourse else { return }
        profiledCourse = course
        view.profile = nil
        if course != nil {
            profileExchange = ask(directory.controlSocket, "course.profile", #"{"points":\#(CourseProfile.points)}"#) {
                [unowned self] result in
                view.profile = result.flatMap { CourseProfile($0) }
                draw()
            }
        }
    }

    private func receive(event: JSON) {
        // Another course may have the same name and length.
        if event["event"]?.string == "course", event["change"]?.string == "loaded" { profiledCourse = nil }
        let before = (view.banner, view.overlay, view.message)
        view.received(event: event, isReplayed: (event["seq"]?.integer ?? .max) <= lastEvent)
        let now = Clock.now()
        if view.banner != before.0 { bannerEndsAt = now + Self.bannerTime }
        if view.message != before.2 { messageEndsAt = now + Self.messageTime }
        if view.overlay != before.1, !terminal.hasKeys { summaryEndsAt = now + Self.summaryTime }
    }

    private func show(_ error: String) {
        view.message = WatchModel.Message(text: error, isError: true)
        messageEndsAt = Clock.now() + Self.messageTime
        draw()
    }

    // MARK: User input

    private func press() {
        guard let keys = terminal.keys() else { return loop.stop(0) }
        for key in keys {
            if let suspendKey = terminal.suspendKey, key == .character(suspendKey) {
                suspend(wholeJob: true)
                continue
            }
            switch view.pressed(key, at: Clock.now()) {
            case .leave: loop.stop(0)
            case .redraw: shown = nil
            case .askForPage: askForCode()
            case .perform(let command): commands?.perform(command)
            case nil: break
            }
        }
        if view.message != nil { messageEndsAt = Clock.now() + Self.messageTime }
        draw()
    }

    /// Asks for a code of the page: one that lets a browser command, if this user may make it.
    private func askForCode() {
        nextCodeAt = Clock.now() + Self.codeTime
        let sockets = RuntimeDirectory.webDirectory(webDirectory)
        let mayCommand = access(sockets + "/admin.sock", W_OK) == 0
        codeExchange = ask(
            sockets + (mayCommand ? "/admin.sock" : "/code.sock"), "web.code", mayCommand ? #"{"control":true}"# : "{}"
        ) { [unowned self] result in
            if case .page = view.overlay {
                view.overlay = .page(result.flatMap { PageCode($0, machine: NetworkInterfaces.addresses()) })
            }
            draw()
        }
    }

    /// Draws again when the shell continues the process.
    private func suspend(wholeJob: Bool) {
        terminal.suspend(wholeJob: wholeJob)
        shown = nil
        draw()
    }

    /// Each second: updates what does not depend on received lines.
    private func pass() {
        let now = Clock.now()
        second?.arm(at: now + .seconds(1))
        if client?.isConnected != true {
            if let ended = daemon?.failure {
                failure = ended
                return loop.stop(1)
            }
        } else if now - receivedAt >= Self.timeout {
            view.silentSeconds = Int((now - receivedAt).inSeconds)
        }
        let sockets = RuntimeDirectory.webDirectory(webDirectory)
        view.hasPage = access(sockets + "/code.sock", W_OK) == 0
        if case .page = view.overlay, let next = nextCodeAt, now >= next { askForCode() }
        if let end = bannerEndsAt, now >= end {
            view.banner = nil
            bannerEndsAt = nil
        }
        if let end = messageEndsAt, now >= end {
            view.message = nil
            messageEndsAt = nil
        }
        if let end = summaryEndsAt, now >= end {
            view.overlay = .none
            summaryEndsAt = nil
        }
        var time = Glibc.time(nil)
        var local = tm()
        localtime_r(&time, &local)
        view.minutesFromUTC = local.tm_gmtoff / 60
        draw()
    }

    // MARK: The screen

    /// Draws the view once the terminal has accepted the previous frame: a slow terminal gets fewer frames.
    private func draw() {
        isChanged = false
        if view.state != nil, !knowsSettings { return }
        guard terminal.isReady else {
            isBehind = true
            return
        }
        isBehind = false
        let size = terminal.size
        let rows = Screen(size: size, palette: terminal.palette).rows(of: view)
        let frame = Frame(size: size, rows: rows.map { $0.shown(in: .ofTerminal) })
        terminal.send(frame.sequence(after: shown))
        shown = frame
        watchForWriting()
    }

    private func watchForWriting() {
        writeSource?.watch(for: terminal.isReady ? [] : .writing)
    }
}
