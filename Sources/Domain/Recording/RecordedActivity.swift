/// Header of a recorded activity: the values that lists show and files begin or end with.
///
/// The ``RecordingRow``s hold its content. Moments are milliseconds of the boot
/// clock since the recording's start, pauses and outages included; no step of the
/// system's clock changes them. Their time of day is ``started`` plus the moment.
package struct RecordedActivity: Equatable, Sendable {
    /// From 1; nil if the activity is not in a journal.
    package var id: Int?
    /// Its name for ever and on every board; nil in a file that has none, and without what names its owner.
    package var uuid: UUID?
    package var sport: Sport
    package var isIndoor = false
    package var isDemo = false
    /// Whether an imported file says swimming, which is no sport of its own. Not stored.
    package var isSwim = false
    /// Name given by the user.
    package var name: SanitizedText?
    package var started: UTC
    /// Whether the time of day was never known in its boot: ``started`` is a guess.
    package var isTimeUncertain = false
    /// Whether ``started`` is by a real-time clock that nothing has confirmed.
    package var isTimeGuessed = false
    /// Time from start to end, pauses and outages included, in milliseconds.
    package var totalMilliseconds: Int64 = 0
    /// Totals over the active time.
    package var total = Totals()
    /// Laps in order; the end of the activity closes the last one. Not empty if there is any active time.
    package var laps: [RecordingLap] = []
    /// Active time in zones 0 to 5, in milliseconds; empty if no zones were set.
    package var zoneMilliseconds: [Int64] = []
    package var zones: Zones?
    /// At most ``RecordedMark/limit``, in order.
    package var marks: [RecordedMark] = []
    /// At most ``OwnField/limit``. The samples have their values in this order.
    package var fields: [OwnField] = []
    /// The sensors that sent values. Of several straps the one that sent most of the beats comes first.
    package var sensors: [RecordingSensor] = []
    /// What has measured the altitudes of the samples, as an imported file states it; nil if it does not. Not stored.
    package var altitudeSource: AscentSource?
    /// The course that was followed, for files that name it; nil if there was none. The journal stores it by its hash.
    package var course: LoadedCourse?
    /// For the files and pages that show it; nil if it is unknown. The journal has it in its entries.
    package var weather: StartWeather?
    /// Totals stated by an imported file, shown beside the computed ones.
    package var sourceTotals: SourceTotals?

    package init(sport: Sport, started: UTC) {
        self.sport = sport
        self.started = started
    }

    /// The strap that sent most of the beats.
    package var strap: RecordingSensor? {
        sensors.first { $0.kinds.contains(.heartRate) }
    }

    /// The recording without what names its owner or a device: no uuid, and of each sensor neither name nor serial number nor
    /// address. Names of sensors have serial numbers in them.
    package var anonymous: RecordedActivity {
        var recording = self
        recording.uuid = nil
        for index in sensors.indices {
            recording.sensors[index].name = nil
            recording.sensors[index].serialNumber = nil
            recording.sensors[index].address = nil
        }
        return recording
    }

    /// Adopts the energy that an imported file states, in kilocalories: of the whole, and of its first laps.
    package mutating func adoptEnergy(_ kilocalories: Double?, ofLaps lapKilocalories: [Double?]) {
        total.energyKilocalories = kilocalories
        for index in laps.indices {
            let isStated = kilocalories != nil && lapKilocalories.indices.contains(index)
            laps[index].figures.energyKilocalories = isStated ? lapKilocalories[index] : nil
        }
    }

    /// The energy of each lap in whole kilocalories, whose sum is that of the whole within rounding; nil if unknown.
    package var lapCalories: [Int?] {
        var sum = 0.0
        var written = 0
        return laps.map { lap in
            guard let energy = lap.figures.energyKilocalories else { return nil }
            sum += energy
            let whole = DecimalFormat.scaled(sum, decimals: 0).map { Int($0) } ?? written
            defer { written = whole }
            return whole - written
        }
    }

    /// Adopts the heart rates and powers that an imported file states, for one whose samples have none.
    package mutating func adoptSourceTotals(_ source: SourceTotals) {
        total.adopt(source)
        if laps.count == 1 { laps[0].figures.adopt(source) }
    }

    /// Converts the cadences of the totals of an imported file, which are those of one foot.
    package mutating func countBothFeet() {
        scaleCadences(by: sport.stepsPerCadence)
    }

    /// Corrects the cadences of the totals of a file whose samples count both feet.
    package mutating func halveCadences() {
        scaleCadences(by: 0.5)
    }

    /// Changes the sport, and the cadences of the totals if only one of both counts steps.
    package mutating func changeSport(to other: Sport) {
        let factor = other.stepsPerCadence / sport.stepsPerCadence
        sport = other
        scaleCadences(by: factor)
    }

    private mutating func scaleCadences(by factor: Double) {
        guard factor != 1 else { return }
        total.scaleCadence(by: factor)
        for index in laps.indices { laps[index].figures.scaleCadence(by: factor) }
    }
}

extension Sport {
    /// The cadence of totals over that of samples: on foot a total counts the steps of both feet, a sample those of one.
    package var stepsPerCadence: Double {
        isOnFoot ? 2 : 1
    }

    package var isOnFoot: Bool {
        self != .ride && self != .other
    }
}

extension Totals {
    fileprivate mutating func adopt(_ source: SourceTotals) {
        // Some devices write 0 for unknown.
        averageHeartRate = averageHeartRate ?? source.averageHeartRate.flatMap { $0 > 0 ? $0 : nil }
        maximumHeartRate = maximumHeartRate ?? source.maximumHeartRate.flatMap { $0 > 0 ? $0 : nil }
        averagePower = averagePower ?? source.averagePower
        maximumPower = maximumPower ?? source.maximumPower
        normalizedPower = normalizedPower ?? source.normalizedPower
    }

    fileprivate mutating func scaleCadence(by factor: Double) {
        averageCadence = averageCadence.map { $0 * factor }
        maximumCadence = maximumCadence.map { $0 * factor }
    }
}

/// A lap of a recording.
package struct RecordingLap: Equatable, Sendable {
    /// Why the lap was closed; nil for the last one, closed by the end of the activity.
    package var trigger: Event.Trigger?
    /// Milliseconds since the start of the recording, pauses included.
    package var beganAt: Int64
    package var endedAt: Int64
    package var figures: Totals

    package init(trigger: Event.Trigger?, beganAt: Int64, endedAt: Int64, figures: Totals) {
        self.trigger = trigger
        self.beganAt = beganAt
        self.endedAt = endedAt
        self.figures = figures
    }
}

/// A sensor as files describe it.
package struct RecordingSensor: Equatable, Sendable {
    /// In the order of `SensorKind.allCases`.
    package var kinds: [SensorKind]
    /// Nil for the sensors of the board.
    package var address: BluetoothAddress?
    package var name: SanitizedText?
    package var manufacturer: SanitizedText?
    package var model: SanitizedText?
    package var serialNumber: SanitizedText?
    package var firmware: SanitizedText?
    /// 0 to 100, last value received.
    package var batteryPercent: Int?

    package init(_ kinds: [SensorKind]) {
        self.kinds = kinds
    }
}

/// Totals that an imported file states.
package struct SourceTotals: Equatable, Sendable {
    /// The program or device that wrote the file.
    package var creator: SanitizedText?
    package var elapsedMilliseconds: Int64?
    package var totalMilliseconds: Int64?
    package var distanceMetres: Double?
    /// The distance by the file's samples, if it differs so much that the stated one counts.
    package var sampleMetres: Double?
    package var ascentMetres: Double?
    package var averageHeartRate: Double?
    package var maximumHeartRate: Int?
    package var averagePower: Double?
    package var maximumPower: Int?
    package var normalizedPower: Double?
    package var energyKilocalories: Double?

    package init() {}

    /// Whether there is a time or a distance.
    package var hasLength: Bool {
        (elapsedMilliseconds ?? totalMilliseconds ?? 0) > 0 || distanceMetres ?? 0 > 0
    }
}
