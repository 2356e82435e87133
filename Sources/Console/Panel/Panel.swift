import Board
import Domain
import Glibc
import Linux

/// `pacectl panel`: serves the keys and LEDs of a board without a screen, as an ordinary client of both sockets.
///
///     keys ──▶ PanelKeys ──▶ RunCommandClient ──▶ control.sock
///     LEDs ◀── LEDPatterns ◀── StateClient ◀── state.sock
///     beeper ◀──────────────────────┘
package final class Panel {
    private let loop: EventLoop
    private var state: StateClient?
    private var commands: RunCommandClient?
    private var devices: InputDevices?
    private var keys: PanelKeys
    private var lights: LEDPatterns
    private let indicators: [LED]
    /// The last reported error of each failing LED, by its name.
    private var errors: [String: SystemError] = [:]
    /// When failing LEDs are retried.
    private var retryAt: Instant?
    private let beeper: Beeper?
    /// The last reported error of the beeper.
    private var beeperError: SystemError?
    private var timer: TimerSource?
    private var signals: [CallbackSource] = []

    /// The delay before a failing LED is retried.
    private static let retryDelay = Duration.seconds(5)

    /// The directories of the devices.
    package struct Paths: Equatable {
        var input = "/dev/input"
        var leds = "/sys/class/leds"

        package init(input: String = "/dev/input", leds: String = "/sys/class/leds") {
            self.input = input
            self.leds = leds
        }
    }

    init(
        _ configuration: PanelConfiguration, _ directory: RuntimeDirectory, _ places: Paths
    ) throws(SystemError) {
        blockSignals([SIGINT, SIGTERM, SIGHUP])
        let now = Clock.now()
        loop = try EventLoop()
        keys = PanelKeys(configuration)
        lights = LEDPatterns(configuration.lights, at: now)
        indicators = lights.names.map { LED($0, in: places.leds) }
        beeper = configuration.beeper.map { Beeper($0, in: places.input) }
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signals.append(try loop.onSignal(signal) { [unowned self] in loop.stop(0) })
        }
        timer = try loop.timer { [unowned self] in onTimer() }
        state = try StateClient(directory.stateSocket, loop: loop) { [unowned self] in
            lights.update(state?.status, at: Clock.now())
            updateLights()
        } alerted: { [unowned self] in
            alerted($0)
        }
        commands = RunCommandClient(directory.controlSocket, loop: loop) { [unowned self] in receive($0, $1) }
        devices = try InputDevices(configuration, in: places.input, loop: loop) { [unowned self] in receive($0) }
    }

    /// Runs until a signal ends it.
    func run() throws(SystemError) {
        updateLights()
        defer {
            for indicator in indicators { indicator.restore() }
            beeper?.silence()
        }
        _ = try loop.run()
    }

    // MARK: Keys

    private func receive(_ report: InputDevices.Report) {
        switch report {
        case .pressed(let key, let device, let at): perform(keys.pressed(key, of: device, at: at))
        case .released(let key, let device, let at): perform(keys.released(key, of: device, at: at))
        case .found(let name, let path): LogLevel.notice.write("listening to \(name), \(path)", of: "pacectl")
        case .disconnected(let device, let name):
            LogLevel.notice.write("\(name) was disconnected", of: "pacectl")
            keys.gone(device)
        case .failed(let path, let error):
            LogLevel.warning.write(
                "cannot read \(path) (\(error)), retrying; members of group input may read it", of: "pacectl")
        }
        updateLights()
    }

    private func onTimer() {
        // Reads pending key events first: a key that was released meanwhile must not count as held.
        devices?.drain()
        let now = Clock.now()
        perform(keys.tick(at: now))
        lights.tick(at: now)
        sound { beeper throws(SystemError) in try beeper.tick(at: now) }
        updateLights()
    }

    // MARK: Alerts

    private func alerted(_ beep: Beep) {
        let now = Clock.now()
        lights.alerted(at: now)
        sound { beeper throws(SystemError) in try beeper.play(beep, at: now) }
        updateLights()
    }

    private func sound(_ action: (Beeper) throws(SystemError) -> Void) {
        guard let beeper else { return }
        do throws(SystemError) {
            try action(beeper)
            beeperError = nil
        } catch {
            if error != beeperError {
                LogLevel.warning.write(
                    "cannot beep on \(beeper.name) (\(error)); Beeper= needs a sound device, and members of group input "
                        + "may write to it", of: "pacectl")
            }
            beeperError = error
        }
    }

    private func perform(_ list: [RunCommand]) {
        for command in list {
            // The command is dropped: a daemon that starts later must not perform it.
            guard state?.status != nil else {
                LogLevel.notice.write("cannot \(command.word.text): not connected to paced", of: "pacectl")
                lights.rejected(at: Clock.now())
                continue
            }
            commands?.perform(command)
        }
    }

    private func receive(_ command: RunCommand, _ outcome: RunCommandClient.Outcome) {
        switch outcome {
        case .accepted(let run):
            LogLevel.info.write("\(command.word.text): \(run.rawValue)", of: "pacectl")
            lights.accepted(run, at: Clock.now())
        case .rejected(let reason):
            LogLevel.notice.write("cannot \(command.word.text): \(reason)", of: "pacectl")
            lights.rejected(at: Clock.now())
        }
        updateLights()
    }

    // MARK: LEDs

    /// Updates the LEDs and arms the timer for their next change or the next key.
    private func updateLights() {
        let now = Clock.now()
        if let at = retryAt, at <= now { retryAt = nil }
        let isWaiting = retryAt != nil
        for indicator in indicators {
            if isWaiting, errors[indicator.name] != nil { continue }
            do throws(SystemError) {
                try indicator.light(lights.isLit(indicator.name, at: now))
                errors[indicator.name] = nil
            } catch {
                if errors.updateValue(error, forKey: indicator.name) != error {
                    LogLevel.warning.write("cannot set LED \(indicator.name) (\(error)), retrying", of: "pacectl")
                }
                retryAt = now + Self.retryDelay
            }
        }
        let working = errors.count < indicators.count
        let times = [beeper?.deadline, keys.deadline, working ? lights.deadline(after: now) : nil, retryAt]
        timer?.arm(at: times.compactMap(\.self).min())
    }
}

extension Command {
    static let panel = [
        Command(
            "panel", options: [Options.configuration], others: [Options.input, Options.leds],
            "read keys and drive LEDs of a board without a screen, by [Panel] of /etc/paced/paced.conf",
            read: { arguments in
                var places = Panel.Paths()
                places.input = arguments[Options.input] ?? places.input
                places.leds = arguments[Options.leds] ?? places.leds
                return (arguments[Options.configuration], places)
            }, run: { try $0.panel($1.0, $1.1) })
    ]
}

extension Options {
    fileprivate static let configuration = CommandOption.text(
        "--config", "FILE", "what is configured", needs: "a file", .files)
    // For tests.
    fileprivate static let input = CommandOption.directory("--input", "")
    fileprivate static let leds = CommandOption.directory("--leds", "")
}

extension Invocation {
    /// Runs the panel. Reads the configuration file once.
    func panel(_ file: String?, _ places: Panel.Paths) throws(Failure) {
        let path = file ?? ConfigurationFile.path
        let configuration = try Self.panelConfiguration(path, mustBeThere: file != nil)
        guard configuration != PanelConfiguration() else {
            return LogLevel.notice.write("\(path) assigns no key and no LED in [Panel], nothing to do", of: "pacectl")
        }
        do {
            try Panel(configuration, RuntimeDirectory(runtimeDirectory), places).run()
        } catch {
            throw .failed("\(error)")
        }
    }

    private static func panelConfiguration(
        _ path: String, mustBeThere: Bool
    ) throws(Failure) -> PanelConfiguration {
        var configuration = PanelConfiguration()
        let assignments: [ConfigurationFile.Assignment]?
        do throws(ConfigurationFile.Failure) {
            assignments = try ConfigurationFile.read(path)
        } catch {
            throw Failure(status: .usage, message: error.line)
        }
        if assignments == nil, mustBeThere {
            throw Failure(
                status: .usage, message: "\(path) does not exist; name another file with --config, or omit it")
        }
        for assignment in assignments ?? [] where assignment.section == PanelConfiguration.section {
            do throws(PanelConfiguration.Wrong) {
                try configuration.apply(assignment)
            } catch {
                throw Failure(status: .usage, message: "\(assignment.path):\(assignment.line): \(error.what)")
            }
        }
        return configuration
    }
}
