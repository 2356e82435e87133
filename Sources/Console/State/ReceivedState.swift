package import Domain
package import JSONCoding
import Wire

/// The fields of a STATE line that are shown to users.
///
/// Values that are absent, of the wrong type or out of range are nil. Text is sanitised.
package struct ReceivedState: Equatable {
    package internal(set) var run: RunState
    package var time: UTC?
    package var activity: Int?
    package internal(set) var sport: Sport?
    package internal(set) var total = Figures()
    /// Seconds per metre.
    package internal(set) var pace: Double?
    var averagePace: Double?
    var ascentMetres: Double?
    package internal(set) var lap: Lap?
    package internal(set) var heart = Heart()
    package internal(set) var position: Position?
    var positionIsStale = false
    /// How far the search for a position is; nil if this release does not know the state.
    var acquisition: AcquisitionStatus.State?
    /// Whether a run starts at the next position.
    var isWaitingForPosition = false
    package var gpsd = Link()
    package var bluetooth = Link()
    var recorder: String?
    var power = Power()
    package var faults: [String] = []
    /// An automatic pause is in progress; the timer runs.
    var isAutoPaused = false
    /// No position is used in the run.
    var isIndoor = false
    /// Whether something measures the distance.
    var hasDistance = true
    /// Metres per second over the last 3 s.
    var speed: Double?
    /// The values of the block `fields`, in their wire units.
    var fields: [DataField: Double] = [:]
    /// The own fields of the block `own_fields`.
    var ownFields: [OwnFieldName: ReceivedField] = [:]
    /// The values of the block `fields` that are times of day.
    var times: [DataField: UTC] = [:]
    /// Nil without a workout in progress.
    package var workout: Workout?

    /// Nil if no course is loaded.
    package var course: CourseStatus?
    package var partner: PartnerStatus?
    /// Nil without a place or the time of day.
    package var sun: SunStatus?
    /// Nil without an observation.
    package var wind: WindStatus?

    /// Totals of a run or a lap.
    package struct Figures: Equatable {
        package internal(set) var elapsedMilliseconds: Int64?
        var movingMilliseconds: Int64?
        package internal(set) var distanceMetres: Double?
        package internal(set) var averageBPM: Int?
        package internal(set) var maximumBPM: Int?

        /// Seconds per metre; nil in the first metre.
        var averagePace: Double? {
            guard let metres = distanceMetres, metres >= 1, let time = elapsedMilliseconds else { return nil }
            return Double(time) / 1000 / metres
        }
    }

    package struct Lap: Equatable {
        package internal(set) var number: Int
        package internal(set) var figures: Figures
    }

    /// The step of the workout in progress.
    package struct Workout: Equatable {
        var step: Int
        var steps: Int
        var text: String
        /// What is left of the step; nil if the next lap ends it.
        var remaining: Remaining?
        /// Where the value of the step's target is; nil without a target.
        var target: TargetState?
        /// The step that follows.
        var next: String?

        enum Remaining: Equatable {
            case milliseconds(Int64)
            case metres(Double)
        }

        package init?(_ json: JSON) {
            guard let steps = json["steps"]?.integer(in: 1...WorkoutStep.countLimit),
                let step = json["step"]?.integer(in: 1...steps), let text = json["text"]?.harmlessText()
            else { return nil }
            self.step = step
            self.steps = steps
            self.text = text
            target = json["target_state"]?.string.flatMap { TargetState(rawValue: $0) }
            next = json["next"]?.harmlessText()
            if let milliseconds = json["remaining_ms"]?.integer(in: 0...86_400_000) {
                remaining = .milliseconds(Int64(milliseconds))
            } else if let metres = json["remaining_m"]?.number, (0...1e6).contains(metres) {
                remaining = .metres(metres)
            }
        }
    }

    /// A link to a device or service.
    package struct Link: Equatable {
        /// Nil for a state of a later release.
        var state: LinkState?
        /// The token; ``LinkReason`` has those that this release knows.
        var reason: String?
        /// The strap's name or address, gpsd's receiver, or the Bluetooth backend.
        package internal(set) var name: String?

        package init(state: LinkState? = nil, reason: String? = nil, name: String? = nil) {
            self.state = state
            self.reason = reason
            self.name = name
        }
    }

    package struct Heart: Equatable {
        package internal(set) var link = Link()
        package internal(set) var bpm: Int?
        var ageMilliseconds: Int?
        var isStale = false
        var contact: Bool?
        package internal(set) var batteryPercent: Int?
        package internal(set) var zone: Int?
        var zoneName: String?
        /// 0 to 1.
        package internal(set) var zoneFraction: Double?
    }

    /// The board's own battery.
    struct Power: Equatable {
        var batteryPercent: Int?
        var isCharging: Bool?
    }

    package init(run: RunState) {
        self.run = run
    }

    /// Nil if it is not a STATE line, or its run state is not known to this release.
    package init?(_ json: JSON) {
        guard json["class"]?.string == "STATE", let run = json["run"]?.string.flatMap(RunState.init) else { return nil }
        self.run = run
        time = json["time"]?.string.flatMap(UTC.init(iso8601:))
        activity = json["activity"]?.integer(in: 0...Int(Int32.max))
        sport = json["sport"]?.string.flatMap(Sport.init)
        total = Figures(json)
        isAutoPaused = json["auto_paused"]?.bool ?? false
        isIndoor = json["indoor"]?.bool ?? false
        hasDistance = json["source"] != nil || !isIndoor
        speed = json["speed_mps"]?.number
        if let fields = json["blocks"]?["fields"] {
            for field in DataField.allCases {
                if field.format == .clock {
                    times[field] = fields[field.rawValue]?.string.flatMap(UTC.init(iso8601:))
                }
                // A limit of values that are formatted as whole numbers.
                if let value = fields[field.rawValue]?.number, abs(value) < 1e9 { self.fields[field] = value }
            }
        }
        for json in (json["blocks"]?["own_fields"]?.array ?? []).prefix(OwnField.limit) {
            guard let field = try? OwnField(json) else { continue }
            ownFields[field.name] = ReceivedField(field: field, value: json["value"]?.number)
        }
        workout = json["blocks"]?["workout"].flatMap { Workout($0) }
        course = json["blocks"]?["course"].flatMap { CourseStatus($0) }
        partner = json["blocks"]?["partner"].flatMap { PartnerStatus($0) }
        sun = json["blocks"]?["sun"].flatMap { SunStatus($0) }
        wind = json["blocks"]?["wind"].flatMap { WindStatus($0) }
        pace = json["pace_s_per_m"]?.number
        averagePace = json["average_pace_s_per_m"]?.number
        ascentMetres = json["ascent_m"]?.number
        lap = json["lap"].flatMap { Lap($0) }
        if let heart = json["heart"] {
            self.heart = Heart(heart)
            total.averageBPM = heart["average_bpm"]?.integer(in: 0...999)
            total.maximumBPM = heart["max_bpm"]?.integer(in: 0...999)
        }
        position = json["position"].flatMap { Position($0) }
        positionIsStale = json["position"]?["stale"]?.bool ?? false
        acquisition = json["acquisition"]?["state"]?.string.flatMap(AcquisitionStatus.State.init)
        isWaitingForPosition = json["waiting"]?.string == "position"
        if let gpsd = json["gpsd"] { self.gpsd = Link(gpsd, name: "device") }
        if let bluetooth = json["bluetooth"] { self.bluetooth = Link(bluetooth, name: "backend") }
        recorder = json["recorder"]?["state"]?.harmlessText()
        power.batteryPercent = json["power"]?["battery_percent"]?.integer(in: 0...100)
        power.isCharging = json["power"]?["charging"]?.bool
        faults = (json["faults"]?.array ?? []).prefix(16).compactMap { fault in
            fault["message"]?.harmlessText(limit: 256) ?? fault["fault"]?.harmlessText()
        }
    }
}

extension ReceivedState {
    /// An own field and its newest value.
    struct ReceivedField: Equatable {
        var field: OwnField
        var value: Double?
    }
}

extension ReceivedState.Figures {
    init(_ json: JSON) {
        elapsedMilliseconds = json["elapsed_ms"]?.integer(in: 0...1_000_000_000_000).map(Int64.init)
        movingMilliseconds = json["moving_ms"]?.integer(in: 0...1_000_000_000_000).map(Int64.init)
        distanceMetres = json["distance_m"]?.number
        averageBPM = json["average_bpm"]?.integer(in: 0...999)
        maximumBPM = json["max_bpm"]?.integer(in: 0...999)
    }
}

extension ReceivedState.Lap {
    init?(_ json: JSON) {
        guard let number = json["number"]?.integer(in: 1...1_000_000) else { return nil }
        self.init(number: number, figures: ReceivedState.Figures(json))
    }
}

extension ReceivedState.Link {
    fileprivate init(_ json: JSON, name: String) {
        state = json["link"]?.string.flatMap(LinkState.init)
        reason = json["reason"]?.harmlessText()
        self.name = json[name]?.harmlessText()
    }
}

extension ReceivedState.Heart {
    fileprivate init(_ json: JSON) {
        link = ReceivedState.Link(json, name: "name")
        link.name = link.name ?? json["address"]?.harmlessText()
        bpm = json["bpm"]?.integer(in: 0...999)
        ageMilliseconds = json["age_ms"]?.integer(in: 0...1_000_000)
        isStale = json["stale"]?.bool ?? false
        contact = json["contact"]?.bool
        batteryPercent = json["battery_percent"]?.integer(in: 0...100)
        zone = json["zone"]?.integer(in: 0...5)
        zoneName = json["zone_name"]?.harmlessText()
        zoneFraction = json["zone_fraction"]?.number.map { min(max($0, 0), 1) }
    }
}

extension JSON {
    /// A string as sanitised text; nil if it is empty.
    ///
    /// Names are short (``SanitizedText``); messages may be longer.
    func harmlessText(limit: Int = SanitizedText.characterLimit) -> String? {
        guard let text = string else { return nil }
        return SanitizedText.line(text, limit: limit)
    }
}

extension Settings {
    /// Whether to show kilometres.
    var isMetric: Bool { metric ?? LocaleUnits.isMetric }

    /// Parses the settings that a screen uses from a SETTINGS line; nil for any other line.
    ///
    /// Absent and invalid values have their defaults.
    package init?(line json: JSON) {
        guard json["class"]?.string == "SETTINGS" else { return nil }
        self.init()
        metric = json["metric"]?.bool
        twelveHourClock = json["twelve_hour_clock"]?.bool ?? twelveHourClock
        useHeartRateZones = json["use_heart_rate_zones"]?.bool ?? useHeartRateZones
        sport = json["sport"]?.string.flatMap(Sport.init) ?? sport
        guard let json = json["screens"] else { return }
        if let known = try? Screens(json) {
            screens = known
            return
        }
        // A later release may have more: this takes what it knows.
        for sport in Sport.allCases {
            guard let pages = json[sport.rawValue]?.array else { continue }
            screens[sport] = pages.prefix(Screens.pageLimit).map { page in
                (page["fields"]?.array ?? []).prefix(Screens.fieldLimit).compactMap { Self.knownField($0, sport) }
            }
        }
    }

    /// A field of a page with the members that this release knows; nil if it does not know the field.
    private static func knownField(_ json: JSON, _ sport: Sport) -> ScreenField? {
        guard case .object(let members) = json else { return field(json, sport) }
        var known: [String: JSON] = [:]
        known["field"] = members["field"]
        for (name, value) in members {
            let longer = known.merging([name: value]) { $1 }
            if field(.object(longer), sport) != nil { known = longer }
        }
        return field(.object(known), sport)
    }

    private static func field(_ json: JSON, _ sport: Sport) -> ScreenField? {
        let page = JSON.object(["fields": .array([json])])
        return (try? Screens(.object([sport.rawValue: .array([page])])))?[sport].first?.first
    }
}
