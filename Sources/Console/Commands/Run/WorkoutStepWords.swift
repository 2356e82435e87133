import Domain

extension WorkoutStep {
    /// The text of a step in words; a text that this release cannot read stays as it is.
    package static func words(of text: String) -> String {
        WorkoutStep(text)?.words ?? text
    }

    /// The step for people, such as `10 min · Heart-rate zone 2 · Warm-up`, in the units of its text.
    var words: String {
        [lengthWords, target.map { targetWords($0.quantity) }, name].compactMap(\.self).joined(separator: " · ")
    }

    private var lengthWords: String {
        switch length {
        case .lap: return "Until the next lap"
        case .time(let milliseconds):
            let seconds = Double(milliseconds % 60_000) / 1000
            let parts = [
                (Double(milliseconds / 3_600_000), "h"), (Double(milliseconds / 60_000 % 60), "min"), (seconds, "s"),
            ]
            return parts.filter { $0.0 > 0 }.map { Self.number($0.0) + " " + $0.1 }.joined(separator: " ")
        case .distance(let metres):
            if text.drop(while: { !$0.isLetter }).hasPrefix("mi") { return Self.number(metres / 1609.344) + " mi" }
            return metres < 1000 ? Self.number(metres) + " m" : Self.number(metres / 1000) + " km"
        }
    }

    /// The range behind the word of its quantity: `120..165`, `..165`, `2` or `4:00..4:15 /km`.
    private func targetWords(_ quantity: TargetQuantity) -> String {
        let words = text.prefix { $0 != "#" }.split(separator: " ").drop { $0 != quantity.rawValue }
        let range = words.dropFirst().joined()
        let unit = range.drop { $0.isNumber || ".:".contains($0) }
        let numbers = range.prefix(range.count - unit.count)
        let dots = numbers.place(of: "..")
        let low = dots.map { numbers[..<$0] } ?? numbers
        let high = dots.map { numbers[$0...].dropFirst(2) } ?? numbers
        let isPace = quantity == .pace
        let limits: String
        switch (low, high) {
        case ("", let high): limits = isPace ? "\(high) or faster" : "at most \(high)"
        case (let low, ""): limits = isPace ? "\(low) or slower" : "at least \(low)"
        case (let low, let high): limits = low == high ? "\(low)" : "\(low)–\(high)"
        }
        let (name, ownUnit) = quantity.words
        return [name, limits, unit.isEmpty ? ownUnit : String(unit)].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// At most three decimals, none that are 0.
    private static func number(_ value: Double) -> String {
        let rounded = (value * 1000).rounded() / 1000
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }
}

extension TargetQuantity {
    /// Its name, and the unit that its text leaves out.
    var words: (name: String, unit: String) {
        switch self {
        case .heartRate: ("Heart rate", "bpm")
        case .zone: ("Heart-rate zone", "")
        case .power: ("Power", "W")
        case .powerZone: ("Power zone", "")
        case .cadence: ("Cadence", "rpm")
        case .speed: ("Speed", "")
        case .pace: ("Pace", "")
        }
    }
}
