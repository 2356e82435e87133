package import Domain
package import JSONCoding

extension JSONWriter {
    /// Writes a STATE line.
    ///
    /// - Parameter sequence: the number since the daemon's start, from 1; nil in a replay, which omits host members.
    package mutating func stateLine(_ state: State, sequence: Int?) {
        self.state(state, sequence: sequence)
        newline()
    }

    /// Writes a state as one object.
    package mutating func state(_ state: State, sequence: Int?) {
        let isReplay = sequence == nil
        object { line in
            line.member("class", "STATE")
            line.member("seq", sequence)
            line.member("time", state.time)
            line.member("boot_ms", isReplay ? nil : state.at.milliseconds)
            line.member("clock", state.clock.rawValue)
            line.member("run", state.run.rawValue)
            if let activity = state.activity { line.activity(activity, isReplay: isReplay) }
            line.object("heart") { $0.heart(state) }
            if let position = state.position {
                line.object("position") {
                    var value = position.value
                    $0.members { value.members(&$0) }
                    $0.member("age_ms", position.age(at: state.at).wholeMilliseconds)
                    $0.member("stale", state.positionIsStale)
                }
            }
            if state.isDemo { line.member("demo", true) }
            if !isReplay { line.machine(state) }
        }
    }

    /// Writes the members that depend on the host; a replay has none of them.
    private mutating func machine(_ state: State) {
        if state.isWaitingForPosition { member("waiting", "position") }
        if let acquisition = state.acquisition {
            object("acquisition") {
                $0.member("state", acquisition.state.rawValue)
                $0.member("age_ms", acquisition.age.wholeMilliseconds)
            }
        }
        object("gpsd") {
            $0.member("link", state.gpsd.state.rawValue)
            $0.member("reason", state.gpsd.reason?.rawValue)
            $0.member("device", state.gpsd.name?.text)
        }
        object("bluetooth") {
            $0.member("backend", state.bluetooth.backend.rawValue)
            $0.member("adapter", state.bluetooth.adapter)
            $0.member("reason", state.bluetooth.reason?.text)
        }
        object("recorder") {
            $0.member("state", state.recorder.state.rawValue)
            $0.member("lag_ms", state.recorder.behindMilliseconds)
            $0.member("sync_age_ms", state.recorder.syncedMillisecondsAgo)
            $0.member("free_mib", state.recorder.freeMebibytes)
        }
        if let power = state.power, power.batteryPercent != nil || power.isCharging != nil {
            object("power") {
                $0.member("battery_percent", power.batteryPercent)
                $0.member("charging", power.isCharging)
            }
        }
        object("ticks") {
            $0.member("late", state.ticks.late)
            $0.member("worst_ms", state.ticks.worst.inSeconds * 1000, decimals: 1)
        }
        array("faults") { faults in
            for fault in state.faults {
                faults.object {
                    $0.member("fault", fault.name.rawValue)
                    $0.member("since_boot_ms", fault.since.milliseconds)
                    $0.member("message", fault.message)
                }
            }
        }
    }

    private mutating func activity(_ activity: Activity, isReplay: Bool) {
        member("activity", number: isReplay ? nil : activity.id)
        member("sport", activity.sport.rawValue)
        if activity.isIndoor { member("indoor", true) }
        switch activity.speedSource {
        case .none, .position: break
        case .wheel, .footPod, .machine: member("source", activity.speedSource.rawValue)
        }
        if activity.isAutoPaused { member("auto_paused", true) }
        times(activity.total)
        member("pace_s_per_m", activity.pace, decimals: 4)
        averagePaces(activity.total)
        member("speed_mps", activity.speed, decimals: 2)
        member("max_speed_mps", activity.total.maximumSpeed, decimals: 2)
        load(activity.total)
        climb(activity.total)
        member("grade_percent", activity.grade, decimals: 1)
        member("grade_adjusted_pace_s_per_m", activity.gradeAdjustedPace, decimals: 4)
        member("vertical_mps", activity.verticalSpeed, decimals: 2)
        object("lap") { $0.lap(activity.lap, number: activity.lapNumber) }
    }

    private mutating func times(_ figures: Totals) {
        member("elapsed_ms", figures.elapsedMilliseconds)
        moving(figures)
        member("distance_m", figures.distanceMetres, decimals: 2)
    }

    /// Writes the moving time, and what automatic pauses took out of it.
    mutating func moving(_ figures: Totals) {
        member("moving_ms", figures.movingMilliseconds)
        member("auto_paused_ms", figures.autoPausedMilliseconds)
    }

    /// Writes the averages over the active and over the moving time.
    mutating func averagePaces(_ figures: Totals) {
        member("average_pace_s_per_m", figures.averagePace, decimals: 4)
        member("average_moving_pace_s_per_m", figures.averageMovingPace, decimals: 4)
        member("average_grade_adjusted_pace_s_per_m", figures.gradeAdjustedPace, decimals: 4)
    }

    /// Writes the members of a lap.
    mutating func lap(_ figures: Totals, number: Int) {
        member("number", number)
        times(figures)
        averagePaces(figures)
        member("max_speed_mps", figures.maximumSpeed, decimals: 2)
        heartRates(figures)
        load(figures)
        effort(figures)
        climb(figures)
    }

    /// Writes the energy of the body and the training impulse.
    mutating func load(_ figures: Totals) {
        member("energy_kcal", figures.energyKilocalories, decimals: 0)
        member("trimp", figures.trainingImpulse, decimals: 1)
    }

    /// Writes ascent and descent.
    mutating func climb(_ figures: Totals) {
        member("ascent_m", figures.ascent, decimals: 1)
        member("descent_m", figures.descent, decimals: 1)
        member("ascent_error_m", figures.ascentError, decimals: 0)
        member("ascent_source", figures.ascentSource?.rawValue)
    }

    /// Writes the totals of power and cadence.
    mutating func effort(_ figures: Totals) {
        member("average_power_w", figures.averagePower, decimals: 0)
        member("max_power_w", figures.maximumPower)
        member("normalized_power_w", figures.normalizedPower, decimals: 0)
        member("work_j", figures.workJoules, decimals: 0)
        member("average_cadence_rpm", figures.averageCadence, decimals: 0)
        member("max_cadence_rpm", figures.maximumCadence, decimals: 0)
    }

    private mutating func heartRates(_ figures: Totals) {
        member("average_bpm", figures.averageHeartRate, decimals: 0)
        member("max_bpm", figures.maximumHeartRate)
    }

    private mutating func heart(_ state: State) {
        let heart = state.heart
        link(heart.link)
        member("address", heart.link.address)
        member("name", heart.link.name?.text)
        member("bpm", heart.beatsPerMinute?.value)
        member("age_ms", heart.beatsPerMinute?.age(at: state.at).wholeMilliseconds)
        if let figures = state.activity?.total { heartRates(figures) }
        if heart.beatsPerMinute != nil { member("stale", heart.isStale) }
        member("contact", heart.contact)
        member("battery_percent", heart.batteryPercent)
        member("zone", heart.zone)
        member("zone_name", heart.zone.map(Zones.name(of:)))
        member("zone_fraction", heart.zoneFraction, decimals: 4)
    }

    /// Writes a link's state, and the reason if it is not connected.
    mutating func link(_ status: LinkStatus) {
        member("link", status.state.rawValue)
        member("reason", status.reason?.rawValue)
    }
}

extension Position: JSONObject {
    package init() { self.init(coordinate: Coordinate(latitude: 0, longitude: 0), mode: 0) }

    package mutating func members(_ list: inout JSONMembers) {
        list.member("latitude", &coordinate.latitude, decimals: 7)
        list.member("longitude", &coordinate.longitude, decimals: 7)
        list.member("altitude_m", &altitude, decimals: 1)
        list.member("accuracy_m", &accuracy, decimals: 1)
        list.member("speed_mps", &speed, decimals: 2)
        list.member("track_deg", &track, decimals: 1)
        var dimensions: Int? = Int(mode)
        list.member("mode", &dimensions, in: 0...3)
        mode = UInt8(dimensions ?? 0)
        list.member("satellites", &satellites, in: 0...999)
    }
}
