import Board
package import Domain
import Linux

/// Formats states and activities as text for users.
package struct StatusText {
    /// Kilometres if true, else miles.
    var metric: Bool
    /// Times of day of 12 hours if true, else of 24.
    var twelveHour = false

    package init(metric: Bool, twelveHour: Bool = false) {
        self.metric = metric
        self.twelveHour = twelveHour
    }

    /// The run on one line, for a log or a small display.
    package func line(_ state: ReceivedState) -> String {
        var parts = [Self.run(state)]
        if state.run != .idle {
            parts.append(elapsed(state.total))
            parts.append(distance(state.total))
            parts.append(rate(of: state))
        }
        parts.append(state.heart.link.state == .connected ? heart(state.heart) : Self.heartLink(state))
        if let problem = Self.positionProblem(state) { parts.append(problem) }
        return (parts + state.faults).joined(separator: "  ")
    }

    /// All details, one on each line.
    ///
    /// - Parameter device: the name and the uuid of the board; nil without a row of it.
    package func report(_ state: ReceivedState, device: String? = nil) -> String {
        var rows: [(String, String)] = []
        if state.run != .idle {
            rows.append(("Time", joined(duration(state.total), moving(state.total))))
            rows.append(("Distance", joined(distance(state.total), ascent(state))))
            let average = state.averagePace.map { "average " + rate(secondsPerMetre: $0, state.sport) }
            rows.append(
                (Self.rateTitle(state.sport), joined(rate(of: state), average)))
            if let lap = state.lap {
                rows.append(("Lap \(lap.number)", joined(duration(lap.figures), distance(lap.figures))))
            }
        }
        let extremes = joined(
            state.total.averageBPM.map { "average \($0)" }, state.total.maximumBPM.map { "highest \($0)" })
        if state.heart.link.state == .connected {
            rows.append(("Heart", joined(heart(state.heart), extremes)))
        } else if !extremes.isEmpty {
            rows.append(("Heart", extremes))
        }
        rows.append(("Strap", strap(state)))
        rows.append(("Position", position(state)))
        rows.append(("gpsd", gpsd(state)))
        if let sun = state.sun { rows.append(("Light", light(sun, at: state.time))) }
        if let device { rows.append(("Device", device)) }
        if let recorder = state.recorder, recorder != "off" { rows.append(("Recorder", recorder)) }
        if let battery = Self.battery(state) { rows.append(("Battery", battery)) }
        rows += state.faults.map { ("Fault", $0) }
        let title = joined(Self.run(state), state.activity.map { "activity \($0)" })
        let table = rows.map { name, text in
            "  " + name + String(repeating: " ", count: max(10 - name.count, 1)) + text + "\n"
        }
        return title + "\n" + table.joined()
    }

    /// An ended activity on one line.
    package func summary(_ total: ReceivedState.Figures, averagePace: Double?, _ sport: Sport?) -> String {
        joined(
            distance(total), "in " + duration(total), averagePace.map { rate(secondsPerMetre: $0, sport) },
            total.averageBPM.map { "\($0) bpm on average" }, total.maximumBPM.map { "\($0) bpm at most" })
    }

    func elapsed(_ figures: ReceivedState.Figures) -> String {
        RunFormat.elapsed(milliseconds: figures.elapsedMilliseconds ?? 0)
    }

    /// Elapsed time with a unit, for text that does not identify it as a time.
    func duration(_ figures: ReceivedState.Figures) -> String {
        Self.duration(figures.elapsedMilliseconds ?? 0)
    }

    static func duration(_ milliseconds: Int64) -> String {
        RunFormat.elapsed(milliseconds: milliseconds) + (milliseconds < 60_000 ? " s" : "")
    }

    package func distance(_ figures: ReceivedState.Figures) -> String {
        RunFormat.distance(metres: figures.distanceMetres ?? 0, metric: metric) + " "
            + RunFormat.distanceUnit(metric: metric)
    }

    /// The step in progress and what is left of it.
    func workout(_ workout: ReceivedState.Workout) -> String {
        let remaining: String? =
            switch workout.remaining {
            case .milliseconds(let milliseconds):
                // Rounded up, so that the step ends at 0.
                Self.duration((milliseconds + 999) / 1000 * 1000) + " left"
            case .metres(let metres):
                RunFormat.distance(metres: metres, metric: metric) + " " + RunFormat.distanceUnit(metric: metric)
                    + " left"
            case nil: nil
            }
        return joined("\(workout.step)/\(workout.steps)", remaining, WorkoutStep.words(of: workout.text))
    }

    func pace(_ secondsPerMetre: Double?) -> String {
        RunFormat.pace(secondsPerMetre: secondsPerMetre, metric: metric) + " " + RunFormat.paceUnit(metric: metric)
    }

    /// The present pace, or the present speed of a ride.
    private func rate(of state: ReceivedState) -> String {
        guard let sport = state.sport, !sport.isByPace else { return pace(state.pace) }
        return RunFormat.speed(metresPerSecond: state.speed, metric: metric) + " " + RunFormat.speedUnit(metric: metric)
    }

    /// The pace, or the speed of a ride.
    func rate(secondsPerMetre pace: Double?, _ sport: Sport?) -> String {
        guard let sport, !sport.isByPace else { return self.pace(pace) }
        let speed = pace.flatMap { $0 > 0 ? 1 / $0 : nil }
        return RunFormat.speed(metresPerSecond: speed, metric: metric) + " " + RunFormat.speedUnit(metric: metric)
    }

    /// The title of ``rate(secondsPerMetre:_:)``.
    static func rateTitle(_ sport: Sport?) -> String {
        sport?.isByPace ?? true ? "Pace" : "Speed"
    }

    private func moving(_ figures: ReceivedState.Figures) -> String? {
        figures.movingMilliseconds.map { "moving " + Self.duration($0) }
    }

    private func ascent(_ state: ReceivedState) -> String? {
        state.ascentMetres.map { RunFormat.height(metres: $0, metric: metric) + " up" }
    }

    private func heart(_ heart: ReceivedState.Heart) -> String {
        joined(
            (heart.bpm.map(String.init) ?? "--") + " bpm", heart.zoneName,
            heart.isStale ? "\((heart.ageMilliseconds ?? 0) / 1000) s old" : nil,
            heart.contact == false ? "no contact" : nil)
    }

    func strap(_ state: ReceivedState) -> String {
        joined(
            Self.heartLink(state),
            state.heart.link.state == .connected ? state.heart.batteryPercent.map { "battery \($0) %" } : nil)
    }

    private func position(_ state: ReceivedState) -> String {
        guard let position = state.position else {
            let search = Self.searchText(state)
            return search != "no position" ? "not known, " + search : "not known"
        }
        return joined(
            "\(Self.degrees(position.coordinate.latitude)) \(Self.degrees(position.coordinate.longitude))",
            position.altitude.map { RunFormat.height(metres: $0, metric: metric) + " high" },
            position.accuracy.map { "±" + RunFormat.height(metres: $0, metric: metric) },
            position.satellites.map { "\($0) satellites" }, state.positionIsStale ? "stale" : nil)
    }

    private func gpsd(_ state: ReceivedState) -> String {
        state.gpsd.state == .connected ? joined("connected", state.gpsd.name) : Self.gpsdLink(state)
    }

    func joined(_ parts: String?...) -> String {
        parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private static func degrees(_ value: Double) -> String {
        DecimalFormat.text(value, decimals: 5) ?? "--"
    }
}

extension StatusText {
    /// The state of the run.
    static func run(_ state: ReceivedState) -> String {
        switch state.run {
        case .idle: return state.isWaitingForPosition ? "Waiting for a position" : "Ready"
        case .paused: return "Paused"
        case .active where state.isAutoPaused: return "Auto-paused"
        case .active:
            switch state.sport {
            case .run: return "Running"
            case .walk: return "Walking"
            case .hike: return "Hiking"
            case .ride: return "Riding"
            case .other, nil: return "Active"
            }
        }
    }

    /// The state of the link to the strap, in the order of RunFree's heart-rate view.
    ///
    /// A connected strap has precedence over the state of Bluetooth: a simulated strap needs none.
    package static func heartLink(_ state: ReceivedState) -> String {
        let link = state.heart.link
        switch link.state {
        case .connected: return (link.name ?? "strap") + " connected"
        case .connecting: return "connecting \(link.name ?? "strap")…"
        case .disconnected, nil:
            if isOff(link) { return "sensors are switched off" }
            let reason = link.reason.map(heartReason)
            if isBluetoothDisabled(state) { return "Bluetooth disabled" + inBrackets(reason) }
            return "no HR monitor connected" + inBrackets(reason)
        }
    }

    /// Whether a user has switched sensors off: by `--sensors off`, `Sensors=off` in paced.conf, or `pacectl sensors off`.
    static func isOff(_ link: ReceivedState.Link) -> Bool {
        link.reason == LinkReason.off.rawValue
    }

    /// The link to the strap in a few words, for a place labelled as the strap's.
    static func strapInShort(_ state: ReceivedState) -> String {
        switch state.heart.link.state {
        case .connected:
            let battery = state.heart.batteryPercent.map { " \($0) %" }
            return (state.heart.link.name ?? "connected") + (battery ?? "")
        case .connecting: return "connecting…"
        case .disconnected, nil: return state.heart.link.reason.map(heartReason) ?? "none"
        }
    }

    static func isBluetoothDisabled(_ state: ReceivedState) -> Bool {
        guard state.heart.link.state == .disconnected || state.heart.link.state == nil else { return false }
        let reason = state.heart.link.reason.flatMap(LinkReason.init)
        return state.bluetooth.name == "off" || reason == .adapterOff || reason == .adapterBlocked
    }

    /// The state of the link to gpsd.
    static func gpsdLink(_ state: ReceivedState) -> String {
        switch state.gpsd.state {
        case .connecting where state.gpsd.name == "simulated": "no GPS: the demo's tunnel"
        case .connected: "GPS connected"
        case .connecting: state.gpsd.reason.map(gpsdReason) ?? "GPS connecting…"
        case .disconnected, nil: state.gpsd.reason.map(gpsdReason) ?? "no GPS"
        }
    }

    /// Why there is no good position; nil if there is one.
    package static func positionProblem(_ state: ReceivedState) -> String? {
        if state.gpsd.state != .connected { return gpsdLink(state) }
        if state.position == nil { return searchText(state) }
        return state.positionIsStale ? "position stale" : nil
    }

    /// How far the search for a position is.
    private static func searchText(_ state: ReceivedState) -> String {
        switch state.acquisition {
        case .searching, .extended: "searching for a position"
        case .errorIdle, .expiredError: "no position found: go under the open sky"
        case .expired, .updating: "position lost: searching"
        case .network, .found, .updated, nil: "no position"
        }
    }

    /// The quality of the position in a few words.
    package static func positionInShort(_ state: ReceivedState, metric: Bool) -> String {
        if let problem = positionProblem(state) { return problem }
        let satellites = state.position?.satellites.map { " \($0) satellites" }
        let accuracy = state.position?.accuracy.map { " ±" + RunFormat.height(metres: $0, metric: metric) }
        return "GPS" + (satellites ?? "") + (accuracy ?? "")
    }

    /// The charge of the board's battery; nil if it has none.
    static func battery(_ state: ReceivedState) -> String? {
        state.power.batteryPercent.map { "\($0) %" + (state.power.isCharging == true ? ", charging" : "") }
    }

    private static func inBrackets(_ text: String?) -> String {
        text.map { " (\($0))" } ?? ""
    }

    /// Unknown tokens are shown unchanged.
    private static func heartReason(_ token: String) -> String {
        switch LinkReason(rawValue: token) {
        case .off: "switched off"
        case .noBluetooth: "no Bluetooth"
        case .noAdapter: "no adapter"
        case .adapterOff: "the adapter is off"
        case .adapterBlocked: "the adapter is blocked: rfkill unblock bluetooth"
        case .noPermission: "no permission"
        case .searching: "searching"
        case .ambiguous: "more than one strap: select yours"
        case .outOfRange: "out of range"
        case .offBody: "not worn"
        case .backoff: "sends too much data; retrying within a minute"
        case .silent: "the strap is silent"
        case .parametersRefused: "the host rejected the strap's connection parameters"
        case .inUse: "the strap is connected to another device"
        case .needsPairing: "the strap requires pairing"
        case .adapterFull: "the adapter has no room for another connection"
        default: token
        }
    }

    /// Why a sensor is not connected, in words.
    static func sensorReason(_ token: String) -> String {
        switch LinkReason(rawValue: token) {
        case .silent: "sends nothing"
        case .parametersRefused: "the host rejected its connection parameters"
        case .inUse: "connected to another device"
        case .needsPairing: "requires pairing"
        default: heartReason(token)
        }
    }

    private static func gpsdReason(_ token: String) -> String {
        switch LinkReason(rawValue: token) {
        case .off: "GPS off"
        case .notRunning: "gpsd is not running"
        case .refused: "gpsd rejected the connection"
        case .noDevice: "gpsd has no receiver"
        case .silent: "the receiver is silent"
        case .noFix: "no GPS fix"
        default: "no GPS: " + token
        }
    }
}

extension StatusText {
    /// The light of the day, with times in local time.
    func light(_ sun: SunStatus, at now: UTC?) -> String {
        let left = sun.lightLeft.map { Self.duration(Int64($0) * 1000) + " left" }
        return switch sun.phase {
        case .day: joined(left ?? "no dusk", sun.set.map { "sunset " + clock($0) })
        case .twilight: joined(left, "twilight")
        case .night:
            if let rise = sun.rise, let now, now < rise { "dark, sunrise " + clock(rise) } else { "dark" }
        case .polarDay: "polar day"
        case .polarNight: "polar night"
        }
    }

    private func clock(_ time: UTC) -> String {
        Screen.clock(time, minutesFromUTC: Machine.localOffset(at: time) / 60, twelveHour: twelveHour)
    }
}
