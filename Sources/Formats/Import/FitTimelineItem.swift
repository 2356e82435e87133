import Domain

/// A timer event or a record, with the beats that follow it in the file.
package struct FitTimelineItem: Sendable {
    enum Kind: Sendable {
        case start(RecordingRow.TimerTrigger)
        case stop(RecordingRow.TimerTrigger)
        case record(FitValues)
        /// More beats of the item before, at its time.
        case beats
    }

    /// Seconds since the epoch of FIT.
    var time: Int64
    var kind: Kind
    /// In milliseconds, one array for each message.
    var beats: [[Int64]] = []

    init(time: Int64, kind: Kind) {
        self.time = time
        self.kind = kind
    }

    /// A timer event; nil for an event that neither starts nor stops the timer.
    init?(_ message: FitMessage) {
        guard message[Fit.Event.event] == Fit.Event.timer, let time = message.time else { return nil }
        let trigger: RecordingRow.TimerTrigger = message[Fit.Event.data] == Fit.Event.auto ? .auto : .command
        switch message[Fit.Event.type] {
        case Fit.Event.start: self.init(time: time, kind: .start(trigger))
        case Fit.Event.stop, Fit.Event.stopAll, Fit.Event.stopDisable, Fit.Event.stopDisableAll:
            self.init(time: time, kind: .stop(trigger))
        default: return nil
        }
    }

    /// The distance of a record.
    var metres: Double? {
        if case .record(let values) = kind { values.sample.distanceMetres } else { nil }
    }

    var isStart: Bool {
        if case .start = kind { true } else { false }
    }

    var isEvent: Bool {
        switch kind {
        case .start, .stop: true
        case .record, .beats: false
        }
    }
}

/// The imported values of a record.
struct FitValues: Sendable {
    static let imported: Set<Fit.Field> = [
        Fit.timestamp, Fit.Record.latitude, Fit.Record.longitude, Fit.Record.altitude, Fit.Record.heartRate,
        Fit.Record.cadence, Fit.Record.distance, Fit.Record.speed, Fit.Record.power, Fit.Record.temperature,
        Fit.Record.enhancedSpeed, Fit.Record.enhancedAltitude, Fit.Record.balance, Fit.Record.compressedSpeedDistance,
    ]

    /// The sample; its times are set later.
    var sample = RecordingSample(at: 0, elapsedMilliseconds: 0)

    init() {}

    init(_ message: FitMessage) {
        if let latitude = message[Fit.Record.latitude], let longitude = message[Fit.Record.longitude],
            abs(latitude) <= 1 << 30, (latitude, longitude) != (0, 0)
        {
            sample.coordinate = Coordinate(
                latitude: Fit.degrees(semicircles: latitude), longitude: Fit.degrees(semicircles: longitude))
        }
        sample.distanceMetres = message[Fit.Record.distance].map { Double($0) / 100 }
        let altitude = message[Fit.Record.enhancedAltitude] ?? message[Fit.Record.altitude]
        sample.altitude = altitude.map { Double($0) / 5 - 500 }
        let speed = message[Fit.Record.enhancedSpeed] ?? message[Fit.Record.speed]
        sample.speed = speed.map { Double($0) / 1000 }
        sample.heartRate = message.integer(Fit.Record.heartRate, in: 1...240)
        sample.cadence = message.integer(Fit.Record.cadence, in: 0...254)
        sample.power = message.integer(Fit.Record.power, in: 0...65534)
        sample.temperature = message.integer(Fit.Record.temperature, in: -127...126)
        // Without the bit, the pedal is unknown.
        let right = Fit.Record.rightBalance
        sample.leftBalance = message.integer(Fit.Record.balance, in: right...right | 100).map { 100 - ($0 & 0x7F) }
    }

    /// Returns these values, completed and overridden by another record of the same second.
    func completed(by other: FitValues) -> FitValues {
        var result = self
        result.sample.coordinate = other.sample.coordinate ?? sample.coordinate
        result.sample.distanceMetres = other.sample.distanceMetres ?? sample.distanceMetres
        result.sample.altitude = other.sample.altitude ?? sample.altitude
        result.sample.speed = other.sample.speed ?? sample.speed
        result.sample.heartRate = other.sample.heartRate ?? sample.heartRate
        result.sample.cadence = other.sample.cadence ?? sample.cadence
        result.sample.power = other.sample.power ?? sample.power
        result.sample.temperature = other.sample.temperature ?? sample.temperature
        result.sample.leftBalance = other.sample.leftBalance ?? sample.leftBalance
        for (index, value) in other.sample.fields.enumerated() {
            if index >= result.sample.fields.count { result.sample.fields.append(nil) }
            result.sample.fields[index] = value ?? result.sample.fields[index]
        }
        return result
    }
}
