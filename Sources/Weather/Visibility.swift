/// How far one can see: horizontally, vertically or along a runway.
package struct Visibility: Hashable, Sendable {
    package enum Bound: Hashable, Sendable {
        case exact, atLeast, lessThan
    }

    package var metres: Double
    package var bound = Bound.exact

    package init(metres: Double, bound: Bound = .exact) {
        self.metres = metres
        self.bound = bound
    }

    /// 10 km or more, which is all that metric reports say of clear air.
    package static let tenKilometres = Visibility(metres: 10_000, bound: .atLeast)

    static let metresPerMile = 1609.344
    static let metresPerFoot = 0.3048
}

/// The visibility in one direction, if it differs.
package struct DirectionalVisibility: Hashable, Sendable {
    package enum Direction: String, CaseIterable, Sendable {
        case northEast = "NE"
        case northWest = "NW"
        case southEast = "SE"
        case southWest = "SW"
        case north = "N"
        case east = "E"
        case south = "S"
        case west = "W"
    }

    package var visibility: Visibility
    package var direction: Direction

    package init(visibility: Visibility, direction: Direction) {
        self.visibility = visibility
        self.direction = direction
    }
}

/// How far a pilot on a runway can see its lights.
package struct RunwayVisualRange: Hashable, Sendable {
    /// Two digits, and perhaps L, C or R.
    package var runway: String
    package var visibility: Visibility
    /// The largest value, if it varies; ``visibility`` is the smallest one then.
    package var maximum: Visibility?

    package init(runway: String, visibility: Visibility, maximum: Visibility? = nil) {
        self.runway = runway
        self.visibility = visibility
        self.maximum = maximum
    }
}

extension Visibility {
    /// A visibility of a report, with the direction of one that is not everywhere the same.
    struct Group: Equatable {
        var visibility: Visibility
        var direction: DirectionalVisibility.Direction?
    }

    /// Parses the visibility at the next word, and skips it: `9999`, `0400NE`, `4000NDV`, `10SM`, `1 1/2SM`, `M1/4SM`,
    /// `P6SM`, `10KM`, `////`, `////SM`. Nil if the next word is no visibility.
    static func parse(_ words: inout ReportWords) -> Reported<Group>? {
        let word = words.peek()
        if word.elementsEqual("////".utf8) || word.elementsEqual("////SM".utf8) || word.elementsEqual("//SM".utf8) {
            words.skip()
            return .missing
        }
        if let group = metric(word) {
            words.skip()
            return .value(group)
        }
        if let visibility = miles(word) {
            words.skip()
            return .value(Group(visibility: visibility))
        }
        // "1 1/2SM", "10 SM"
        var whole = GroupReader(word)
        guard let number = whole.digits(1...2), whole.isAtEnd else { return nil }
        if words.peek(1).elementsEqual("SM".utf8) {
            words.skip(words: 2)
            return .value(Group(visibility: Visibility(metres: Double(number) * metresPerMile)))
        }
        guard let rest = miles(words.peek(1)), rest.metres < metresPerMile, rest.bound == .exact else { return nil }
        words.skip(words: 2)
        return .value(Group(visibility: Visibility(metres: Double(number) * metresPerMile + rest.metres)))
    }

    private static func metric(_ word: ArraySlice<UInt8>) -> Group? {
        var reader = GroupReader(word)
        let bound: Bound = reader.skip("P") ? .atLeast : reader.skip("M") ? .lessThan : .exact
        if let metres = reader.digits(4) {
            let visibility = metres == 9999 ? tenKilometres : Visibility(metres: Double(metres), bound: bound)
            _ = reader.skip("NDV")
            if reader.isAtEnd { return Group(visibility: visibility) }
            guard let direction = reader.skip(DirectionalVisibility.Direction.self), reader.isAtEnd else { return nil }
            return Group(visibility: visibility, direction: direction)
        }
        guard bound == .exact, let kilometres = reader.digits(1...2), reader.skip("KM"), reader.isAtEnd else {
            return nil
        }
        return Group(
            visibility: kilometres == 10 ? tenKilometres : Visibility(metres: Double(kilometres) * 1000))
    }

    /// Parses `10SM`, `1/2SM`, `11/2SM` (one and a half) and these with `P` or `M`.
    private static func miles(_ word: ArraySlice<UInt8>) -> Visibility? {
        var reader = GroupReader(word)
        let bound: Bound = reader.skip("P") ? .atLeast : reader.skip("M") ? .lessThan : .exact
        guard var number = reader.digits(1...3) else { return nil }
        var fraction = 0.0
        if reader.skip("/") {
            guard let denominator = reader.digits(1...2), [2, 3, 4, 8, 16].contains(denominator) else { return nil }
            // "11/2" is one and a half, "11/16" is not.
            var whole = 0
            if number >= denominator {
                let size = number >= 100 || denominator < 10 ? 10 : 100
                let tens = number / size
                whole = tens
                number -= tens * size
            }
            guard (1..<denominator).contains(number) else { return nil }
            fraction = Double(number) / Double(denominator)
            number = whole
        }
        guard reader.skip("SM"), reader.isAtEnd else { return nil }
        return Visibility(metres: (Double(number) + fraction) * metresPerMile, bound: bound)
    }
}

extension RunwayVisualRange {
    /// Parses `R24L/P2000N`, `R06/0600V1200U`, `R27/1000VP6000FT/D`.
    static func parse(_ word: ArraySlice<UInt8>) -> RunwayVisualRange? {
        var reader = GroupReader(word)
        guard reader.skip("R"), reader.digits(2) != nil else { return nil }
        _ = reader.skip("L") || reader.skip("C") || reader.skip("R")
        let runway = String(decoding: word.dropFirst()[..<reader.rest.startIndex], as: UTF8.self)
        guard reader.skip("/"), var lowest = Self.value(&reader) else { return nil }
        var highest: Visibility?
        if reader.skip("V") {
            highest = Self.value(&reader)
            if highest == nil { return nil }
        }
        if reader.skip("FT") {
            lowest.metres *= Visibility.metresPerFoot
            highest?.metres *= Visibility.metresPerFoot
        }
        _ = reader.skip("/")
        _ = reader.skip("U") || reader.skip("D") || reader.skip("N")
        guard reader.isAtEnd else { return nil }
        return RunwayVisualRange(runway: runway, visibility: lowest, maximum: highest)
    }

    private static func value(_ reader: inout GroupReader) -> Visibility? {
        let bound: Visibility.Bound = reader.skip("P") ? .atLeast : reader.skip("M") ? .lessThan : .exact
        return reader.digits(4).map { Visibility(metres: Double($0), bound: bound) }
    }
}
