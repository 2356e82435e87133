import Domain

/// The header of a FIT activity: sport, device and totals.
struct FitSummary {
    private(set) var sport: Sport?
    private(set) var isIndoor = false
    private(set) var isSwim = false
    /// The sensors with their indexes in the file.
    private var devices: [(index: Int64?, sensor: RecordingSensor)] = []
    private static let sensorLimit = 16
    private var creator: SanitizedText?
    private var maker: Int64?
    private var product: Int64?
    private var sums = SourceTotals()
    /// Whether the file lists a barometer, and a receiver, of the device itself.
    private var hasBarometer = false
    private var hasReceiver = false
    private var sessions = 0

    var sensors: [RecordingSensor] { devices.map(\.sensor) }

    /// What has measured the altitudes; nil if the file does not list the sensors of its device.
    var altitudeSource: AscentSource? {
        if hasBarometer { return .barometer }
        return hasReceiver || creator?.text == "paced" ? .receiver : nil
    }

    /// Whether paced has written the file.
    var isOurs: Bool { maker == Fit.developmentMaker && creator?.text == "paced" }

    var sourceTotals: SourceTotals {
        var totals = sums
        totals.creator = creator ?? maker.flatMap { SanitizedText(Self.creator($0, product: product)) }
        return totals
    }

    mutating func file(_ message: FitMessage) {
        maker = message[Fit.FileID.maker]
        product = message[Fit.FileID.product]
        creator = message.text(Fit.FileID.productName)
    }

    mutating func device(_ message: FitMessage) {
        if message[Fit.DeviceInfo.index] == Fit.DeviceInfo.creator {
            creator = creator ?? message.text(Fit.DeviceInfo.productName)
        }
        if message[Fit.DeviceInfo.source] == Fit.DeviceInfo.local {
            if message[Fit.DeviceInfo.type] == FitSensor.barometer { hasBarometer = true }
            if message[Fit.DeviceInfo.type] == Fit.DeviceInfo.gps { hasReceiver = true }
        }
        let kind = FitSensor.kind(source: message[Fit.DeviceInfo.source], number: message[Fit.DeviceInfo.type])
        let index = message[Fit.DeviceInfo.index]
        let known = devices.firstIndex { device in
            index == nil ? kind.map(device.sensor.kinds.contains) ?? false : device.index == index
        }
        guard let known else {
            guard let kind, devices.count < Self.sensorLimit else { return }
            devices.append((index, RecordingSensor([kind])))
            return Self.update(&devices[devices.count - 1].sensor, from: message)
        }
        if let kind, !devices[known].sensor.kinds.contains(kind) {
            let kinds = devices[known].sensor.kinds + [kind]
            devices[known].sensor.kinds = SensorKind.allCases.filter(kinds.contains)
        }
        Self.update(&devices[known].sensor, from: message)
    }

    /// Takes the values of a message. Devices repeat it at the end with fewer fields.
    private static func update(_ sensor: inout RecordingSensor, from message: FitMessage) {
        sensor.name = message.text(Fit.DeviceInfo.productName) ?? sensor.name
        sensor.model = message.text(Fit.DeviceInfo.descriptor) ?? sensor.model
        let serialNumber = message[Fit.DeviceInfo.serialNumber]
        sensor.serialNumber = serialNumber.flatMap { SanitizedText(String($0)) } ?? sensor.serialNumber
        let version = message[Fit.DeviceInfo.softwareVersion]
        sensor.firmware = version.flatMap(FitSensor.firmwareText).flatMap { SanitizedText($0) } ?? sensor.firmware
        let manufacturer = message[Fit.DeviceInfo.maker]
        sensor.manufacturer = manufacturer.flatMap(FitSensor.manufacturer) ?? sensor.manufacturer
        sensor.batteryPercent = message.integer(Fit.DeviceInfo.batteryLevel, in: 0...100) ?? sensor.batteryPercent
    }

    /// Adds a session of the activity. Of several sessions, as in a triathlon, it has the sums.
    mutating func session(_ message: FitMessage) {
        sessions += 1
        let sport = message[Fit.Session.sport].map { Fit.sport(number: $0, subSport: message[Fit.Session.subSport]) }
        self.sport = sessions == 1 || self.sport == sport ? sport : .other
        isIndoor = message[Fit.Session.subSport].map(Fit.isIndoor) ?? false
        isSwim = message[Fit.Session.sport] == Fit.swimming && (sessions == 1 || isSwim)
        let metres = message[Fit.Session.distance].map { Double($0) / 100 }
        let ascent = message[Fit.Session.ascent].map { Double($0) }
        let maximum = message.integer(Fit.Session.maximumHeartRate, in: 1...254)
        sums.elapsedMilliseconds = Self.sum(sums.elapsedMilliseconds, message[Fit.Session.timer])
        sums.totalMilliseconds = Self.sum(sums.totalMilliseconds, message[Fit.Session.elapsed])
        sums.distanceMetres = Self.sum(sums.distanceMetres, metres)
        sums.ascentMetres = Self.sum(sums.ascentMetres, ascent)
        sums.maximumHeartRate = [sums.maximumHeartRate, maximum].compactMap(\.self).max()
        let average = message[Fit.Session.averageHeartRate].map { Double($0) }
        sums.averageHeartRate = sessions == 1 ? average : nil
        let power = message[Fit.Session.averagePower].map { Double($0) }
        let normalized = message[Fit.Session.normalizedPower].map { Double($0) }
        let maximumPower = message.integer(Fit.Session.maximumPower, in: 0...65_534)
        // Some devices write 0 for unknown.
        let energy = message[Fit.Session.calories].flatMap { $0 > 0 ? Double($0) : nil }
        sums.energyKilocalories = Self.sum(sums.energyKilocalories, energy)
        sums.averagePower = sessions == 1 ? power : nil
        sums.normalizedPower = sessions == 1 ? normalized : nil
        sums.maximumPower = [sums.maximumPower, maximumPower].compactMap(\.self).max()
    }

    private static func sum<Number: AdditiveArithmetic>(_ first: Number?, _ second: Number?) -> Number? {
        guard let first, let second else { return first ?? second }
        return first + second
    }

    private static func creator(_ maker: Int64, product: Int64?) -> String {
        let name = FitSensor.manufacturer(maker)?.text ?? "maker \(maker)"
        return product.map { "\(name), product \($0)" } ?? name
    }

    /// Returns the description of a file type.
    static func fileType(_ number: Int64) -> String {
        switch number {
        case Fit.activityFile: "another activity"
        case 1: "a device's description"
        case 2: "settings"
        case 3: "a sport's settings"
        case 5: "a workout"
        case 6: "a course"
        case 9: "weights"
        case 15, 28, 32: "a day's monitoring"
        default: "a file of type \(number)"
        }
    }

    /// Returns the name of a record field that is not imported.
    static func recordField(_ number: Int) -> String {
        switch number {
        case 9: "record grade"
        case 29: "record accumulated_power"
        case 31: "record gps_accuracy"
        case 32: "record vertical_speed"
        case 33: "record calories"
        case 39: "record vertical_oscillation"
        case 40: "record stance_time_percent"
        case 41: "record stance_time"
        case 53: "record fractional_cadence"
        case 83: "record vertical_ratio"
        case 85: "record step_length"
        default: "record field \(number)"
        }
    }
}

/// A lap of the file.
struct FitLap {
    /// The start in seconds since the epoch of FIT.
    private let start: Int64
    private let milliseconds: Int64
    let trigger: Event.Trigger
    /// Whether the end of the session ended the lap.
    let endsSession: Bool
    let sport: Sport?
    /// The file's totals of the lap.
    let figures: Totals

    /// - Parameter plan: has the steps of the clock.
    /// - Returns: nil for a lap without a start or an end.
    init?(_ message: FitMessage, _ plan: FitPlan) {
        guard let start = message[Fit.Lap.start] ?? message.time else { return nil }
        let untilTime = message.time.map { max($0 - start, 0) * 1000 }
        guard let elapsed = message[Fit.Lap.elapsed] ?? untilTime else { return nil }
        self.start = plan.corrected(start)
        milliseconds = elapsed
        let trigger = message[Fit.Lap.trigger]
        switch trigger {
        case Fit.Lap.time: self.trigger = .time
        case Fit.Lap.metres: self.trigger = .distance
        default: self.trigger = .command
        }
        endsSession = trigger == Fit.Lap.sessionEnd
        sport = message[Fit.Lap.sport].map { Fit.sport(number: $0) }
        var figures = Totals()
        figures.elapsedMilliseconds = message[Fit.Lap.timer] ?? elapsed
        figures.movingMilliseconds = figures.elapsedMilliseconds
        figures.distanceMetres = message[Fit.Lap.distance].map { Double($0) / 100 } ?? 0
        figures.maximumSpeed = message[Fit.Lap.maximumSpeed].map { Double($0) / 1000 }
        figures.averageHeartRate = message[Fit.Lap.averageHeartRate].map { Double($0) }
        figures.maximumHeartRate = message.integer(Fit.Lap.maximumHeartRate, in: 1...254)
        figures.energyKilocalories = message[Fit.Lap.calories].map { Double($0) }
        figures.averagePower = message[Fit.Lap.averagePower].map { Double($0) }
        figures.maximumPower = message.integer(Fit.Lap.maximumPower, in: 0...65_534)
        figures.normalizedPower = message[Fit.Lap.normalizedPower].map { Double($0) }
        figures.workJoules = message[Fit.Lap.work].map { Double($0) }
        figures.averageCadence = Self.cadence(
            message[Fit.Lap.averageCadence], message[Fit.Lap.averageFractionalCadence])
        figures.maximumCadence = Self.cadence(
            message[Fit.Lap.maximumCadence], message[Fit.Lap.maximumFractionalCadence])
        self.figures = figures
    }

    /// Whether the lap has a time or a distance.
    var hasLength: Bool { milliseconds > 0 || figures.distanceMetres > 0 }

    private static func cadence(_ whole: Int64?, _ part: Int64?) -> Double? {
        whole.map { Double($0) + Double(part ?? 0) / 128 }
    }

    /// Returns the start in milliseconds since the start of the recording.
    func began(since started: UTC?) -> Int64 {
        max((start + Fit.epoch) * 1000 - (started?.milliseconds ?? 0), 0)
    }

    /// Returns the end in milliseconds since the start of the recording, rounded to seconds like all times of a file.
    /// Readers should compute it from start and duration: a lap's timestamp is when it was written.
    func ended(since started: UTC?) -> Int64 {
        max((start + (milliseconds + 500) / 1000 + Fit.epoch) * 1000 - (started?.milliseconds ?? 0), 0)
    }
}
