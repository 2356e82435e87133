import Domain

/// Power, cadence and sensors of a recorded activity.
extension StatusText {
    static func effort(_ total: Totals, _ sport: Sport, _ bests: [BestEffort], words: StatusText) -> [(String, String)]
    {
        let power = words.joined(
            total.averagePower.map { whole($0) + " W on average" },
            total.normalizedPower.map { whole($0) + " W normalized" }, total.maximumPower.map { "\($0) W at most" },
            total.workJoules.map { whole($0 / 1000) + " kJ" })
        let best = total.bestPowers(orOf: bests).map { "\(duration($0.seconds)) \(whole($0.watts)) W" }
        let unit = sport.isOnFoot ? " steps a minute" : " rpm"
        let cadence = words.joined(
            total.averageCadence.map { whole($0) + unit + " on average" },
            total.maximumCadence.map { whole($0) + " at most" })
        let climb = words.joined(
            total.ascent.map { RunFormat.height(metres: $0, metric: words.metric) + " up" },
            total.descent.map { RunFormat.height(metres: $0, metric: words.metric) + " down" },
            total.ascentError.map { "± " + RunFormat.height(metres: $0, metric: words.metric) },
            total.ascentSource.map { "by " + $0.rawValue })
        return [("Climb", climb), ("Power", power), ("Best power", best.joined(separator: ", ")), ("Cadence", cadence)]
            .filter { !$0.1.isEmpty }
    }

    static func row(of sensor: RecordingSensor, words: StatusText) -> (String, String) {
        let title = sensor.kinds.contains(.heartRate) ? "Strap" : "Sensor"
        let kinds = sensor.kinds == [.heartRate] ? nil : sensor.kinds.map(\.rawValue).joined(separator: ", ")
        let name = (sensor.name ?? sensor.model)?.text ?? sensor.address?.description
        let text = words.joined(
            name, kinds, sensor.manufacturer?.text, sensor.batteryPercent.map { "battery \($0) %" })
        return (title, text)
    }

    static func whole(_ value: Double) -> String {
        DecimalFormat.text(value, decimals: 0) ?? "--"
    }

    private static func duration(_ seconds: Int) -> String {
        seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min"
    }
}
