/// The mean wind 10 m above the ground.
package struct Wind: Hashable, Sendable {
    /// The direction from which it blows, in degrees from true north, 1 to 360. Nil if it is calm, variable or missing.
    package var fromDegrees: Int?
    /// The direction varies; within which degrees may be known (``range``).
    package var isVariable = false
    /// Metres per second; 0 in a calm. Nil if it is missing.
    package var metresPerSecond: Double?
    /// Metres per second.
    package var gustMetresPerSecond: Double?
    /// The directions between which the wind varies, clockwise.
    package var range: Range?

    package struct Range: Hashable, Sendable {
        /// Degrees from true north, 0 to 360.
        package var fromDegrees: Int
        /// Degrees from true north, 0 to 360.
        package var toDegrees: Int

        package init(fromDegrees: Int, toDegrees: Int) {
            self.fromDegrees = fromDegrees
            self.toDegrees = toDegrees
        }
    }
}

/// The result of a group that a report may have in order to say that the value is missing.
enum Reported<Value> {
    case value(Value)
    case missing
}

extension Reported: Equatable where Value: Equatable {}

extension Reported {
    var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }
}

extension Wind {
    /// Parses the wind at the next word, and skips it: `24015G25KT`, `VRB02MPS`, `/////KT`, `07004 KT`, `09004`.
    ///
    /// A wind without a unit is in knots: stations whose unit is m/s write it. Nil if the next word is no wind.
    static func parse(_ words: inout ReportWords) -> Reported<Wind>? {
        var reader = GroupReader(words.peek())
        var wind = Wind()
        // "E": estimated.
        _ = reader.skip("E")
        if reader.skip("VRB") {
            wind.isVariable = true
        } else if let degrees = reader.digits(3) {
            guard degrees <= 360 else { return nil }
            wind.fromDegrees = degrees == 0 ? nil : degrees
        } else if !reader.skip("///") {
            return nil
        }
        guard let speed = Self.speed(&reader) else { return nil }
        var gust: Reported<Int>?
        if reader.skip("G") {
            gust = Self.speed(&reader)
            if gust == nil { return nil }
        }
        var count = 1
        var unit = reader.skip(WindUnit.self)
        if unit == nil, reader.isAtEnd {
            var next = GroupReader(words.peek(1))
            unit = next.skip(WindUnit.self)
            if unit != nil, next.isAtEnd { count = 2 } else { unit = .knots }
        }
        guard let unit, reader.isAtEnd else { return nil }
        words.skip(words: count)
        wind.metresPerSecond = speed.value.map { Double($0) * unit.metresPerSecond }
        wind.gustMetresPerSecond = gust?.value.map { Double($0) * unit.metresPerSecond }
        if wind.metresPerSecond == 0 { wind.isVariable = false }
        return wind == Wind() ? .missing : .value(wind)
    }

    /// Two or three digits, with a `P` for "more than", or slashes.
    private static func speed(_ reader: inout GroupReader) -> Reported<Int>? {
        _ = reader.skip("P")
        if let number = reader.digits(2...3) { return .value(number) }
        return reader.skip("//") ? .missing : nil
    }

    /// Parses `180V240`.
    static func range(_ word: ArraySlice<UInt8>) -> Range? {
        var reader = GroupReader(word)
        guard let from = reader.digits(3), reader.skip("V"), let to = reader.digits(3), reader.isAtEnd,
            from <= 360, to <= 360
        else { return nil }
        return Range(fromDegrees: from, toDegrees: to)
    }
}

private enum WindUnit: String, CaseIterable {
    case knotsPlural = "KTS"
    case knots = "KT"
    case metresPerSecond = "MPS"
    case kilometresPerHour = "KMH"

    var metresPerSecond: Double {
        switch self {
        case .knots, .knotsPlural: 1852.0 / 3600
        case .metresPerSecond: 1
        case .kilometresPerHour: 1 / 3.6
        }
    }
}
