/// Reads the words of an alert and of a step of a workout, such as `pace 4:30..5:00 /km` or `10 min`.
struct TargetText {
    /// The words that have not been read.
    private var words: ArraySlice<Substring>

    /// The longest text, in bytes.
    static let limit = 64

    init(_ text: String) {
        words = text.split(separator: " ")[...]
    }

    var isAtEnd: Bool { words.isEmpty }

    /// The next word, if it is one of an enumeration.
    mutating func word<Word: RawRepresentable<String>>(_ type: Word.Type) -> Word? {
        guard let word = words.first.flatMap({ Word(rawValue: String($0)) }) else { return nil }
        words.removeFirst()
        return word
    }

    /// A name, written behind `#`: the rest of the text.
    mutating func name() -> String? {
        guard let first = words.first, first.hasPrefix("#") else { return nil }
        let name = ([first.dropFirst()] + words.dropFirst()).filter { !$0.isEmpty }.joined(separator: " ")
        words = []
        return name.isEmpty ? nil : name
    }

    /// The range of a quantity: `120..165`, `..165`, `120..`, for a zone also `2`; then the unit of a speed or pace.
    mutating func range(of quantity: TargetQuantity) -> TargetRange? {
        guard var word = words.popFirst() else { return nil }
        var unit: Substring?
        if quantity == .speed || quantity == .pace {
            guard let start = word.lastIndex(where: { $0.isNumber || $0 == "." }) else { return nil }
            let rest = word[word.index(after: start)...]
            word = word[...start]
            unit = rest.isEmpty ? words.popFirst() : rest
        }
        let ends = Self.ends(of: word)
        func value(_ text: Substring) -> Double? {
            switch quantity {
            case .heartRate, .power, .cadence, .zone, .powerZone: Int(text).map(Double.init)
            case .speed: Self.number(text).flatMap { number in unit.flatMap(Self.speed).map { number * $0 } }
            case .pace:
                Self.clock(text).flatMap { seconds in unit.flatMap(Self.metresOfPace).map { $0 / seconds } }
            }
        }
        let first = ends.first.isEmpty ? nil : value(ends.first)
        let second = ends.second.isEmpty ? nil : value(ends.second)
        guard (first == nil) == ends.first.isEmpty, (second == nil) == ends.second.isEmpty else { return nil }
        guard ends.isRange || quantity.isZone else { return nil }
        // The first pace is the fast end.
        return quantity == .pace
            ? TargetRange(.pace, low: second, high: first) : TargetRange(quantity, low: first, high: second)
    }

    /// A distance in metres: `400 m`, `1.5 km`, `1 mi`.
    mutating func metres() -> Double? {
        amount { ["m": 1, "km": 1000, "mi": 1609.344][$0] }
    }

    /// A time in seconds: `90 s`, `10 min`, `1 h`.
    mutating func seconds() -> Double? {
        amount { ["s": 1, "min": 60, "h": 3600][$0] }
    }

    /// A number and its unit, with or without a space between. Reads nothing if it is no such amount.
    private mutating func amount(_ factor: (Substring) -> Double?) -> Double? {
        guard let word = words.first else { return nil }
        let digits = word.prefix { $0.isNumber || $0 == "." }
        let isOneWord = digits.count < word.count
        guard let number = Self.number(digits),
            let unit = isOneWord ? word[digits.endIndex...] : words.dropFirst().first, let factor = factor(unit)
        else { return nil }
        words.removeFirst(isOneWord ? 1 : 2)
        return number * factor
    }

    private static func ends(of word: Substring) -> (first: Substring, second: Substring, isRange: Bool) {
        var index = word.startIndex
        while index < word.endIndex {
            let rest = word[index...]
            if rest.hasPrefix("..") { return (word[..<index], rest.dropFirst(2), true) }
            index = word.index(after: index)
        }
        return (word, word, false)
    }

    /// A positive decimal number without an exponent.
    private static func number(_ text: Substring) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (48...57).contains($0) }),
            let number = Double(text), number > 0
        else { return nil }
        return number
    }

    /// Minutes and seconds as seconds: `4:30`.
    private static func clock(_ text: Substring) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let minutes = UInt16(parts[0]), parts[1].utf8.count == 2,
            let seconds = UInt16(parts[1]), seconds < 60
        else { return nil }
        let total = Double(minutes) * 60 + Double(seconds)
        return total > 0 ? total : nil
    }

    /// Metres per second of one of the unit.
    private static func speed(_ unit: Substring) -> Double? {
        ["m/s": 1, "km/h": 1 / 3.6, "mph": 0.44704][unit]
    }

    private static func metresOfPace(_ unit: Substring) -> Double? {
        ["/km": 1000, "/mi": 1609.344][unit]
    }
}
