package import Domain
package import Linux

/// Converts the reports of the board's barometer to inputs of the pipeline and log lines.
package struct BarometerReporter {
    package enum Action: Equatable, Sendable {
        case input(Input)
        case log(LogLevel, String)
    }

    /// The device of the list; nil if there is none.
    private var device: Barometers.Device?
    private var isUnanswered = false
    /// Whether the last reading had no valid pressure.
    private var hasFailed = false

    package init() {}

    package mutating func received(_ report: DeviceReport<Barometers.Reading>) -> [Action] {
        switch report {
        case .reading(let reading): received(reading)
        case .absent: remove()
        case .unanswered(let elapsed): unanswered(for: elapsed)
        }
    }

    private mutating func received(_ reading: Barometers.Reading) -> [Action] {
        var actions: [Action] = []
        if reading.device != device { actions = add(reading) }
        if isUnanswered { actions.append(.log(.notice, "barometer \(reading.device.text) answers again")) }
        isUnanswered = false
        switch reading.result {
        case .success(let measurement):
            if hasFailed { actions.append(.log(.notice, "barometer \(reading.device.text) has valid values again")) }
            hasFailed = false
            actions.append(.input(.measurement(.board, .environment(measurement))))
        case .failure(let problem):
            if !hasFailed {
                actions.append(
                    .log(
                        .warning,
                        "barometer \(reading.device.text) rejected: \(problem.text); "
                            + "there is no pressure until its next valid value"))
            }
            hasFailed = true
        }
        return actions
    }

    private mutating func add(_ reading: Barometers.Reading) -> [Action] {
        var actions = remove()
        var text = "barometer \(reading.device.text) found"
        if case .success(let measurement) = reading.result, let decipascals = measurement.decipascals {
            text += ": \(DecimalFormat.text(Double(decipascals) / 1000, decimals: 1) ?? "") hPa"
        }
        if !reading.others.isEmpty {
            text += "; not used: " + reading.others.map(\.text).joined(separator: ", ")
        }
        actions.append(.log(.notice, text))
        let link = LinkStatus(.connected, name: reading.device.name)
        actions.append(.input(.sensor(SensorStatus(.board, kinds: [.environment], link: link))))
        device = reading.device
        return actions
    }

    private mutating func remove() -> [Action] {
        guard let device else { return [] }
        self = BarometerReporter()
        return [.log(.notice, "barometer \(device.text) is gone"), .input(.sensorRemoved(.board))]
    }

    private mutating func unanswered(for elapsed: Duration) -> [Action] {
        isUnanswered = true
        let name = device.map { " " + $0.text } ?? ""
        return [
            .log(
                .warning,
                "barometer\(name) has not answered for \(elapsed.wholeMilliseconds / 1000) s; "
                    + "there is no pressure until it does")
        ]
    }
}
