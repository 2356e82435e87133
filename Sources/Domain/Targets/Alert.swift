/// An alert of a run, as the setting `alerts` has it.
///
///     heart_rate 120..165     zone 2..3     power ..280     power_zone 3     cadence 80..
///     speed 25..35 km/h       pace 4:30..5:00 /km
///     distance 1 km           time 10 min
///     sensor_lost             position_lost
package struct Alert: Equatable, Sendable {
    package enum Subject: Equatable, Sendable {
        case range(TargetRange)
        /// Each multiple of a distance in metres.
        case distance(Double)
        /// Each multiple of an active time in milliseconds.
        case time(Int64)
        case sensorLost
        case positionLost
    }

    /// The name of an alert, on the wire and in the setting.
    package enum Kind: String, CaseIterable, Sendable {
        case heartRate = "heart_rate"
        case zone
        case power
        case powerZone = "power_zone"
        case cadence
        case speed
        case pace
        case distance
        case time
        case sensorLost = "sensor_lost"
        case positionLost = "position_lost"

        package init(_ quantity: TargetQuantity) {
            switch quantity {
            case .heartRate: self = .heartRate
            case .zone: self = .zone
            case .power: self = .power
            case .powerZone: self = .powerZone
            case .cadence: self = .cadence
            case .speed: self = .speed
            case .pace: self = .pace
            }
        }
    }

    /// The words of the alert, with single spaces.
    package let text: String
    package let subject: Subject

    /// What words that are no alert should be, for errors.
    package static func rule(for text: String) -> String {
        var words = TargetText(text)
        switch words.word(Kind.self) {
        case .distance?: return "distance 1 km; distance is 100 m to 1000 km"
        case .time?: return "time 10 min; time is 10 s to 24 h"
        case let kind?: if let quantity = TargetQuantity(rawValue: kind.rawValue) { return quantity.rule }
        case nil: break
        }
        return """
            heart_rate, zone, power, power_zone, cadence with LOW..HIGH, speed LOW..HIGH km/h, pace 4:30..5:00 /km, \
            distance 1 km, time 10 min, sensor_lost or position_lost
            """
    }

    /// Nil if the words are no alert.
    package init?(_ text: String) {
        guard text.utf8.count <= TargetText.limit else { return nil }
        var words = TargetText(text)
        guard let kind = words.word(Kind.self) else { return nil }
        switch kind {
        case .distance:
            guard let metres = words.metres(), (100...1_000_000).contains(metres) else { return nil }
            subject = .distance(metres)
        case .time:
            guard let seconds = words.seconds(), (10...86_400).contains(seconds) else { return nil }
            subject = .time(Int64((seconds * 1000).rounded()))
        case .sensorLost: subject = .sensorLost
        case .positionLost: subject = .positionLost
        case .heartRate, .zone, .power, .powerZone, .cadence, .speed, .pace:
            guard let quantity = TargetQuantity(rawValue: kind.rawValue), let range = words.range(of: quantity) else {
                return nil
            }
            subject = .range(range)
        }
        guard words.isAtEnd else { return nil }
        self.text = text.split(separator: " ").joined(separator: " ")
    }

    package var kind: Kind {
        switch subject {
        case .range(let range): Kind(range.quantity)
        case .distance: .distance
        case .time: .time
        case .sensorLost: .sensorLost
        case .positionLost: .positionLost
        }
    }
}

/// What an EVENT `alert` reports.
package struct AlertReport: Equatable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        case low, within, high, reached, lost, back

        package init(_ state: TargetState) {
            switch state {
            case .low: self = .low
            case .within: self = .within
            case .high: self = .high
            }
        }
    }

    package var kind: Alert.Kind
    package var state: State
    /// In the unit of ``TargetRange``, metres of the run, or seconds of active time.
    package var value: Double?
    /// The range that the value has left or entered.
    package var range: TargetRange?
    /// A kind of the sensor that is lost or back.
    package var sensor: SensorKind?

    package init(
        _ kind: Alert.Kind, _ state: State, value: Double? = nil, range: TargetRange? = nil, sensor: SensorKind? = nil
    ) {
        self.kind = kind
        self.state = state
        self.value = value
        self.range = range
        self.sensor = sensor
    }
}
