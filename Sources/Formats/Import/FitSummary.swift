import Domain

/// The header of a FIT activity: sport, device and totals.
struct FitSummary {
    private(set) var sport: Sport?
    private(set) var isIndoor = false
    private(set) var strap: RecordingStrap?
    private var creator: SanitizedText?
    private var maker: Int64?
    private var product: Int64?
    private var sums = SourceTotals()
    private var sessions = 0

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
        switch (message[Fit.DeviceInfo.source], message[Fit.DeviceInfo.type]) {
        case (Fit.DeviceInfo.bluetooth, Fit.DeviceInfo.bluetoothHeartRate),
            (Fit.DeviceInfo.antplus, Fit.DeviceInfo.antHeartRate):
            break
        default: return
        }
        // Devices repeat the strap's message at the end with fewer fields.
        var strap = strap ?? RecordingStrap()
        strap.name = message.text(Fit.DeviceInfo.productName) ?? strap.name
        strap.serialNumber =
            message[Fit.DeviceInfo.serialNumber].flatMap { SanitizedText(String($0)) } ?? strap.serialNumber
        strap.manufacturer = message[Fit.DeviceInfo.maker].flatMap(Self.maker) ?? strap.manufacturer
        strap.batteryPercent = message.integer(Fit.DeviceInfo.batteryLevel, in: 0...100) ?? strap.batteryPercent
        self.strap = strap
    }

    /// Adds a session. Several sessions, as in a triathlon, are one activity.
    mutating func session(_ message: FitMessage) {
        sessions += 1
        let sport = message[Fit.Session.sport].map(Fit.sport(number:))
        self.sport = sessions == 1 || self.sport == sport ? sport : .other
        isIndoor = message[Fit.Session.subSport].map(Fit.isIndoor) ?? false
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
    }

    private static func sum<Number: AdditiveArithmetic>(_ first: Number?, _ second: Number?) -> Number? {
        guard let first, let second else { return first ?? second }
        return first + second
    }

    private static func creator(_ maker: Int64, product: Int64?) -> String {
        let name = self.maker(maker)?.text ?? "maker \(maker)"
        return product.map { "\(name), product \($0)" } ?? name
    }

    /// Returns the name of a common manufacturer.
    private static func maker(_ number: Int64) -> SanitizedText? {
        switch number {
        case 1: SanitizedText("Garmin")
        case 23: SanitizedText("Suunto")
        case 32: SanitizedText("Wahoo Fitness")
        case 123: SanitizedText("Polar Electro")
        case 265: SanitizedText("Strava")
        default: nil
        }
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
        case 8: "record compressed_speed_distance"
        case 9: "record grade"
        case 29: "record accumulated_power"
        case 30: "record left_right_balance"
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

    /// Nil for a lap without a start or an end.
    init?(_ message: FitMessage) {
        guard let start = message[Fit.Lap.start] ?? message.time else { return nil }
        let untilTime = message.time.map { max($0 - start, 0) * 1000 }
        guard let elapsed = message[Fit.Lap.elapsed] ?? untilTime else { return nil }
        self.start = start
        milliseconds = elapsed
        let trigger = message[Fit.Lap.trigger]
        switch trigger {
        case Fit.Lap.time: self.trigger = .time
        case Fit.Lap.metres: self.trigger = .distance
        default: self.trigger = .command
        }
        endsSession = trigger == Fit.Lap.sessionEnd
        sport = message[Fit.Lap.sport].map(Fit.sport(number:))
        var figures = Totals()
        figures.elapsedMilliseconds = message[Fit.Lap.timer] ?? elapsed
        figures.movingMilliseconds = figures.elapsedMilliseconds
        figures.distanceMetres = message[Fit.Lap.distance].map { Double($0) / 100 } ?? 0
        figures.maximumSpeed = message[Fit.Lap.maximumSpeed].map { Double($0) / 1000 }
        figures.averageHeartRate = message[Fit.Lap.averageHeartRate].map { Double($0) }
        figures.maximumHeartRate = message.integer(Fit.Lap.maximumHeartRate, in: 1...254)
        self.figures = figures
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
