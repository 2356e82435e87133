/// A data field of a run screen, by its name on the wire.
///
/// Each is one row of ``row``. The block `fields` of STATE, its schema, the page of the protocol and `rpc.discover`
/// follow from it. A new field is a row and its ``value(in:)``.
package enum DataField: String, CaseIterable, Sendable {
    case time
    case lapTime = "lap_time"
    case movingTime = "moving_time"
    case lapMovingTime = "lap_moving_time"
    case timeOfDay = "time_of_day"
    case distance
    case lapDistance = "lap_distance"
    case pace
    case pace3s = "pace_3s"
    case lapPace = "lap_pace"
    case averagePace = "average_pace"
    case averageMovingPace = "average_moving_pace"
    case maxPace = "max_pace"
    case speed
    case speed3s = "speed_3s"
    case lapSpeed = "lap_speed"
    case averageSpeed = "average_speed"
    case averageMovingSpeed = "average_moving_speed"
    case maxSpeed = "max_speed"
    case heartRate = "heart_rate"
    case lapHeartRate = "lap_heart_rate"
    case averageHeartRate = "average_heart_rate"
    case maxHeartRate = "max_heart_rate"
    case heartRatePercentMax = "heart_rate_percent_max"
    case heartRatePercentReserve = "heart_rate_percent_reserve"
    case zone
    case timeInZone = "time_in_zone"
    case rmssd
    case dfaAlpha1 = "dfa_alpha1"
    case respirationRate = "respiration_rate"
    case energy
    case trimp
    case power
    case power3s = "power_3s"
    case power10s = "power_10s"
    case lapPower = "lap_power"
    case averagePower = "average_power"
    case maxPower = "max_power"
    case normalizedPower = "normalized_power"
    case lapNormalizedPower = "lap_normalized_power"
    case powerPercentFTP = "power_percent_ftp"
    case powerZone = "power_zone"
    case timeInPowerZone = "time_in_power_zone"
    case powerBalance = "power_balance"
    case work
    case cadence
    case lapCadence = "lap_cadence"
    case averageCadence = "average_cadence"
    case maxCadence = "max_cadence"
    case vehicles
    case vehicleDistance = "vehicle_distance"
    case vehicleSpeed = "vehicle_speed"
    case pressure
    case temperature
    case humidity
    case altitude
    case ascent
    case descent
    case lapAscent = "lap_ascent"
    case lapDescent = "lap_descent"
    case grade
    case gradeAdjustedPace = "grade_adjusted_pace"
    case averageGradeAdjustedPace = "average_grade_adjusted_pace"
    case lapGradeAdjustedPace = "lap_grade_adjusted_pace"
    case verticalSpeed = "vertical_speed"
    case laps
    case battery
    case strapBattery = "strap_battery"
    case gpsAccuracy = "gps_accuracy"
    case courseProgress = "course_progress"
    case courseRemaining = "course_remaining"
    case offCourse = "off_course"
    case nextCueDistance = "next_cue_distance"
    case nextCueTime = "next_cue_time"
    case arrival
    case timeToEnd = "time_to_end"
    case courseRemainingAscent = "course_remaining_ascent"
    case courseGrade = "course_grade"
    case climbRemaining = "climb_remaining"
    case climbRemainingAscent = "climb_remaining_ascent"
    case climbAverageGrade = "climb_average_grade"
    case climbGradeAhead = "climb_grade_ahead"
    case partnerTime = "partner_time"
    case partnerDistance = "partner_distance"
    case sunrise
    case sunset
    case lightLeft = "light_left"
    case headwind
    case crosswind
    case windAngle = "wind_angle"

    /// The unit of the value on the wire.
    package enum Unit: String, Sendable {
        case seconds = "s"
        case metres = "m"
        case metresPerSecond = "m/s"
        case metresPerHour = "m/h"
        case secondsPerMetre = "s/m"
        case beatsPerMinute = "bpm"
        case percent = "%"
        case watts = "W"
        case kilojoules = "kJ"
        case kilocalories = "kcal"
        case perMinute = "rpm"
        case milliseconds = "ms"
        case breathsPerMinute = "/min"
        case pascals = "Pa"
        case degreesCelsius = "°C"
        case degrees = "°"
        case none = ""
    }

    /// How a screen shows the value.
    package enum Format: String, CaseIterable, Sendable {
        /// `S.t`, `M:SS` or `H:MM:SS`.
        case duration
        /// A duration with its sign.
        case difference
        /// The local time of day: `H:MM`, of 12 or 24 hours.
        case clock
        /// Kilometres or miles with two decimals.
        case distance
        /// Whole metres or feet.
        case height
        /// `M:SS` per kilometre or mile.
        case pace
        /// Kilometres or miles an hour with one decimal.
        case speed
        /// A whole number in the wire's unit.
        case integer
        /// Two decimals in the wire's unit.
        case hundredths
        /// A bar of the heart-rate zones.
        case zone
        /// Hectopascals.
        case pressure
    }

    /// What the value is measured or counted from; a field is empty while its source is away.
    package enum Source: String, CaseIterable, Sendable {
        case timer, clock, heart, power
        /// The position, or a wheel, a foot pod or a machine.
        case distance
        case position
        /// The barometer or the receiver's altitude.
        case altitude
        /// Another sensor of the list.
        case sensor
        /// The loaded course.
        case course
        /// The virtual partner.
        case partner
        /// The sun at the place of the last position.
        case sun
        /// The wind of a weather station, and the direction of movement.
        case wind
    }

    package var title: String { row.title }
    package var unit: Unit { row.unit }
    package var format: Format { row.format }
    package var source: Source { row.source }
    /// The sports whose screens offer the field.
    package var sports: [Sport] { row.sports }
    /// The meaning of the value, for the schema and the pages.
    package var text: String { row.text }

    typealias Row = (
        title: String, unit: Unit, format: Format, source: Source, sports: [Sport], text: String
    )

    static let all = Sport.allCases
    private static let onFoot: [Sport] = [.run, .walk, .hike, .other]
    private static let graded: [Sport] = [.run, .walk, .hike]

    private var row: Row {
        switch self {
        case .time: ("Time", .seconds, .duration, .timer, Self.all, "Active time.")
        case .lapTime: ("Lap Time", .seconds, .duration, .timer, Self.all, "Active time of the lap.")
        case .movingTime:
            ("Moving Time", .seconds, .duration, .timer, Self.all, "Active time without standing.")
        case .lapMovingTime:
            ("Lap Moving Time", .seconds, .duration, .timer, Self.all, "Active time of the lap without standing.")
        case .timeOfDay: ("Time of Day", .none, .clock, .clock, Self.all, "The time of day in UTC.")
        case .distance: ("Distance", .metres, .distance, .distance, Self.all, "Counted distance.")
        case .lapDistance:
            ("Lap Distance", .metres, .distance, .distance, Self.all, "Counted distance of the lap.")
        case .pace: ("Pace", .secondsPerMetre, .pace, .distance, Self.onFoot, "Pace of about the last 5 s.")
        case .pace3s: ("Pace 3 s", .secondsPerMetre, .pace, .distance, Self.onFoot, "Pace of the last 3 s.")
        case .lapPace:
            ("Lap Pace", .secondsPerMetre, .pace, .distance, Self.onFoot, "Active time over distance of the lap.")
        case .averagePace:
            ("Average Pace", .secondsPerMetre, .pace, .distance, Self.onFoot, "Active time over distance.")
        case .averageMovingPace:
            ("Moving Pace", .secondsPerMetre, .pace, .distance, Self.onFoot, "Moving time over distance.")
        case .maxPace: ("Best Pace", .secondsPerMetre, .pace, .distance, Self.onFoot, "Pace at the highest speed.")
        case .speed:
            ("Speed", .metresPerSecond, .speed, .distance, Self.all, "Speed of the newest position, or of the sensor.")
        case .speed3s: ("Speed 3 s", .metresPerSecond, .speed, .distance, Self.all, "Speed of the last 3 s.")
        case .lapSpeed:
            ("Lap Speed", .metresPerSecond, .speed, .distance, Self.all, "Distance over active time of the lap.")
        case .averageSpeed:
            ("Average Speed", .metresPerSecond, .speed, .distance, Self.all, "Distance over active time.")
        case .averageMovingSpeed:
            ("Moving Speed", .metresPerSecond, .speed, .distance, Self.all, "Distance over moving time.")
        case .maxSpeed: ("Max Speed", .metresPerSecond, .speed, .distance, Self.all, "The highest 3 s speed.")
        case .heartRate:
            ("Heart Rate", .beatsPerMinute, .integer, .heart, Self.all, "The newest valid heart rate.")
        case .lapHeartRate:
            ("Lap Heart Rate", .beatsPerMinute, .integer, .heart, Self.all, "The average heart rate of the lap.")
        case .averageHeartRate:
            ("Average Heart Rate", .beatsPerMinute, .integer, .heart, Self.all, "The average heart rate.")
        case .maxHeartRate:
            ("Max Heart Rate", .beatsPerMinute, .integer, .heart, Self.all, "The highest heart rate.")
        case .heartRatePercentMax:
            ("% Max HR", .percent, .integer, .heart, Self.all, "Heart rate over the setting max_heart_rate.")
        case .heartRatePercentReserve:
            (
                "% HR Reserve", .percent, .integer, .heart, Self.all,
                "Place of the heart rate between the settings resting_heart_rate and max_heart_rate."
            )
        case .zone: ("Zone", .none, .zone, .heart, Self.all, "The heart-rate zone, 0 to 5.")
        case .timeInZone:
            ("Time in Zone", .seconds, .duration, .heart, Self.all, "Active time in the present heart-rate zone.")
        case .rmssd:
            (
                "RMSSD", .milliseconds, .integer, .heart, Self.all,
                "The difference of successive RR intervals, over two minutes."
            )
        case .dfaAlpha1:
            (
                "DFA α1", .none, .hundredths, .heart, Self.all,
                "The scaling exponent of the RR intervals of two minutes: about 0.75 at the aerobic threshold."
            )
        case .respirationRate:
            (
                "Respiration", .breathsPerMinute, .integer, .heart, Self.all,
                "Breaths per minute, estimated from the RR intervals, while their rhythm is clear."
            )
        case .energy:
            (
                "Energy", .kilocalories, .integer, .heart, Self.all,
                "Energy of the body, by the strap or by the heart rate."
            )
        case .trimp:
            ("TRIMP", .none, .integer, .heart, Self.all, "The training impulse of Banister, by the heart rate.")
        case .power: ("Power", .watts, .integer, .sensor, Self.all, "Power of the last second.")
        case .power3s: ("Power 3 s", .watts, .integer, .sensor, Self.all, "Average power of the last 3 s.")
        case .power10s: ("Power 10 s", .watts, .integer, .sensor, Self.all, "Average power of the last 10 s.")
        case .lapPower: ("Lap Power", .watts, .integer, .sensor, Self.all, "The average power of the lap.")
        case .averagePower: ("Average Power", .watts, .integer, .sensor, Self.all, "The average power.")
        case .maxPower: ("Max Power", .watts, .integer, .sensor, Self.all, "The highest power of a second.")
        case .normalizedPower:
            ("Normalized Power", .watts, .integer, .sensor, Self.all, "The power that weighs hard efforts more.")
        case .lapNormalizedPower:
            ("Lap NP", .watts, .integer, .sensor, Self.all, "The normalized power of the lap.")
        case .powerPercentFTP: ("% FTP", .percent, .integer, .sensor, Self.all, "Power over the setting ftp.")
        case .powerZone: ("Power Zone", .none, .integer, .sensor, Self.all, "The power zone, 1 to 7.")
        case .timeInPowerZone:
            ("Time in P Zone", .seconds, .duration, .sensor, Self.all, "Active time in the present power zone.")
        case .powerBalance:
            ("Left Power", .percent, .integer, .sensor, Self.all, "The left pedal's part of the power.")
        case .work: ("Work", .kilojoules, .integer, .sensor, Self.all, "Work on the pedals.")
        case .cadence:
            ("Cadence", .perMinute, .integer, .sensor, Self.all, "Turns of the crank, or steps, per minute.")
        case .lapCadence: ("Lap Cadence", .perMinute, .integer, .sensor, Self.all, "The average cadence of the lap.")
        case .averageCadence:
            ("Average Cadence", .perMinute, .integer, .sensor, Self.all, "The average cadence without zeros.")
        case .maxCadence: ("Max Cadence", .perMinute, .integer, .sensor, Self.all, "The highest cadence of a second.")
        case .vehicles: ("Vehicles", .none, .integer, .sensor, [.ride, .other], "Vehicles behind, by the radar.")
        case .vehicleDistance:
            ("Vehicle", .metres, .height, .sensor, [.ride, .other], "Distance to the nearest vehicle behind.")
        case .vehicleSpeed:
            ("Vehicle Speed", .metresPerSecond, .speed, .sensor, [.ride, .other], "Speed of approach of that vehicle.")
        case .pressure: ("Pressure", .pascals, .pressure, .sensor, Self.all, "Air pressure at the sensor.")
        case .temperature: ("Temperature", .degreesCelsius, .integer, .sensor, Self.all, "Temperature at the sensor.")
        case .humidity: ("Humidity", .percent, .integer, .sensor, Self.all, "Relative humidity at the sensor.")
        case .altitude: ("Altitude", .metres, .height, .position, Self.all, "Altitude above mean sea level.")
        case .ascent: ("Ascent", .metres, .height, .altitude, Self.all, "Metres climbed.")
        case .descent: ("Descent", .metres, .height, .altitude, Self.all, "Metres descended.")
        case .lapAscent: ("Lap Ascent", .metres, .height, .altitude, Self.all, "Metres climbed in the lap.")
        case .lapDescent: ("Lap Descent", .metres, .height, .altitude, Self.all, "Metres descended in the lap.")
        case .grade: ("Grade", .percent, .integer, .altitude, Self.all, "The slope of the last 30 m or more.")
        case .gradeAdjustedPace:
            ("GAP", .secondsPerMetre, .pace, .altitude, Self.graded, "The pace on level ground that costs as much.")
        case .averageGradeAdjustedPace:
            (
                "Average GAP", .secondsPerMetre, .pace, .altitude, Self.graded,
                "Active time over the metres on level ground that cost as much."
            )
        case .lapGradeAdjustedPace:
            ("Lap GAP", .secondsPerMetre, .pace, .altitude, Self.graded, "The average grade-adjusted pace of the lap.")
        case .verticalSpeed:
            (
                "Vertical Speed", .metresPerHour, .height, .altitude, Self.all,
                "Metres climbed an hour, negative downwards."
            )
        case .laps: ("Lap", .none, .integer, .timer, Self.all, "The number of the lap in progress, from 1.")
        case .battery: ("Battery", .percent, .integer, .power, Self.all, "The charge of the board's battery.")
        case .strapBattery:
            ("Strap Battery", .percent, .integer, .heart, Self.all, "The charge of the strap's battery.")
        case .gpsAccuracy:
            ("GPS Accuracy", .metres, .height, .position, Self.all, "The estimated horizontal error of the position.")
        case .courseProgress, .courseRemaining, .offCourse, .nextCueDistance, .nextCueTime, .arrival, .timeToEnd,
            .courseRemainingAscent, .courseGrade:
            courseRow
        case .climbRemaining, .climbRemainingAscent, .climbAverageGrade, .climbGradeAhead, .partnerTime,
            .partnerDistance:
            climbRow
        case .sunrise: ("Sunrise", .none, .clock, .sun, Self.all, "Sunrise of this solar day, in UTC.")
        case .sunset: ("Sunset", .none, .clock, .sun, Self.all, "Sunset of this solar day, in UTC.")
        case .lightLeft:
            ("Light Left", .seconds, .duration, .sun, Self.all, "Time to the end of civil twilight; 0 in the dark.")
        case .headwind:
            (
                "Headwind", .metresPerSecond, .speed, .wind, Self.all,
                "Wind against the movement, at the height of the rider; negative from behind."
            )
        case .crosswind:
            (
                "Crosswind", .metresPerSecond, .speed, .wind, Self.all,
                "Wind across the movement, at the height of the rider; positive from the right."
            )
        case .windAngle:
            (
                "Wind Angle", .degrees, .integer, .wind, Self.all,
                "Where the wind comes from: 0 from ahead, positive on the right, negative on the left."
            )
        }
    }
}

extension DataField {
    /// The value in ``unit``; nil if it is unknown, and for times of day: ``time(in:)``.
    package func value(in state: State) -> Double? {
        switch source {
        case .timer, .clock: timerValue(in: state)
        case .distance: distanceValue(in: state)
        case .position: positionValue(in: state)
        case .heart, .power: deviceValue(in: state)
        case .sensor: sensorValue(in: state)
        case .altitude: climbValue(in: state)
        case .course: courseValue(in: state)
        case .partner: self == .partnerTime ? state.partner?.secondsAhead : state.partner?.metresAhead
        case .sun: self == .lightLeft ? state.sun?.lightLeft : nil
        case .wind: windValue(in: state)
        }
    }

    private func windValue(in state: State) -> Double? {
        switch self {
        case .headwind: state.wind?.headwind
        case .crosswind: state.wind?.crosswind
        default: state.wind?.relative
        }
    }

    private func timerValue(in state: State) -> Double? {
        guard let activity = state.activity else { return nil }
        return switch self {
        case .time: Double(activity.total.elapsedMilliseconds) / 1000
        case .lapTime: Double(activity.lap.elapsedMilliseconds) / 1000
        case .movingTime: Double(activity.total.movingMilliseconds) / 1000
        case .lapMovingTime: Double(activity.lap.movingMilliseconds) / 1000
        case .laps: Double(activity.lapNumber)
        default: nil
        }
    }

    private func positionValue(in state: State) -> Double? {
        let position = state.positionIsStale ? nil : state.position?.value
        return switch self {
        case .altitude: state.activity?.altitude ?? position?.altitude
        case .gpsAccuracy: position?.accuracy
        default: nil
        }
    }

    private func climbValue(in state: State) -> Double? {
        let activity = state.activity
        return switch self {
        case .ascent: activity?.total.ascent
        case .descent: activity?.total.descent
        case .lapAscent: activity?.lap.ascent
        case .lapDescent: activity?.lap.descent
        case .grade: activity?.grade
        case .gradeAdjustedPace: activity?.gradeAdjustedPace
        case .averageGradeAdjustedPace: activity?.total.gradeAdjustedPace
        case .lapGradeAdjustedPace: activity?.lap.gradeAdjustedPace
        case .verticalSpeed: (activity?.verticalSpeed).map { $0 * 3600 }
        default: nil
        }
    }

    private func distanceValue(in state: State) -> Double? {
        if self == .speed {
            if let activity = state.activity, activity.speedSource != .position { return activity.sensorSpeed }
            return state.run == .paused || state.positionIsStale ? nil : state.position?.value.speed
        }
        guard let activity = state.activity, activity.hasDistance else { return nil }
        return switch self {
        case .distance: activity.total.distanceMetres
        case .lapDistance: activity.lap.distanceMetres
        case .pace: activity.pace
        case .pace3s: Self.pace(at: activity.speed)
        case .lapPace: activity.lap.averagePace
        case .averagePace: activity.total.averagePace
        case .averageMovingPace: activity.total.averageMovingPace
        case .maxPace: Self.pace(at: activity.total.maximumSpeed)
        case .speed3s: activity.speed
        case .lapSpeed: activity.lap.averageSpeed
        case .averageSpeed: activity.total.averageSpeed
        case .averageMovingSpeed: activity.total.averageMovingSpeed
        case .maxSpeed: activity.total.maximumSpeed
        default: nil
        }
    }

    private func deviceValue(in state: State) -> Double? {
        let total = state.activity?.total
        return switch self {
        case .heartRate: (state.heart.beatsPerMinute?.value).map(Double.init)
        case .lapHeartRate: state.activity?.lap.averageHeartRate
        case .averageHeartRate: total?.averageHeartRate
        case .maxHeartRate: (total?.maximumHeartRate).map(Double.init)
        case .heartRatePercentMax: state.heart.percentOfMaximum
        case .heartRatePercentReserve: state.heart.percentOfReserve
        case .zone: state.heart.zone.map(Double.init)
        case .timeInZone: state.heart.zone.flatMap { total?.zones.seconds(in: $0) }
        case .rmssd: state.activity?.variability?.rmssd
        case .dfaAlpha1: state.activity?.variability?.alpha1
        case .respirationRate:
            state.activity?.variability.flatMap { $0.isRespirationGood ? $0.respiration : nil }
        case .energy: total?.energyKilocalories
        case .trimp: total?.trainingImpulse
        case .strapBattery: state.heart.batteryPercent.map(Double.init)
        case .battery: (state.power?.batteryPercent).map(Double.init)
        default: nil
        }
    }

    private func sensorValue(in state: State) -> Double? {
        let activity = state.activity
        return switch self {
        case .power: activity == nil ? state.newest { $0.watts }.map(Double.init) : activity?.power
        case .power3s: activity?.power3s
        case .power10s: activity?.power10s
        case .lapPower: activity?.lap.averagePower
        case .averagePower: activity?.total.averagePower
        case .maxPower: (activity?.total.maximumPower).map(Double.init)
        case .normalizedPower: activity?.total.normalizedPower
        case .lapNormalizedPower: activity?.lap.normalizedPower
        case .powerPercentFTP: activity?.percentOfFTP
        case .powerZone: (activity?.powerZone).map(Double.init)
        case .timeInPowerZone: activity?.powerZone.flatMap { activity?.total.powerZones.seconds(in: $0) }
        case .powerBalance: activity?.leftBalance
        case .work: (activity?.total.workJoules).map { $0 / 1000 }
        case .cadence: activity == nil ? state.newest { $0.cadence } : activity?.cadence
        case .lapCadence: activity?.lap.averageCadence
        case .averageCadence: activity?.total.averageCadence
        case .maxCadence: activity?.total.maximumCadence
        case .vehicles: state.newest { $0.vehicles }.map(Double.init)
        case .vehicleDistance: state.newest { $0.vehicleDistance }.map(Double.init)
        case .vehicleSpeed: state.newest { $0.vehicleSpeed }
        case .pressure: state.newest { $0.pressure }
        case .temperature: state.newest { $0.temperature }
        case .humidity: state.newest { $0.humidity }
        default: nil
        }
    }

    /// Seconds per metre; nil below 1/3.6 m/s, as for the pace.
    private static func pace(at speed: Double?) -> Double? {
        speed.flatMap { $0 * 3.6 >= 1 ? 1 / $0 : nil }
    }
}
