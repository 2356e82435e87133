/// Where a search for routes leads.
package enum RouteGoal: Equatable, Sendable {
    /// To a place, over others in their order.
    case place(Coordinate, via: [Coordinate])
    /// Back to the start, after about so many metres.
    case loop(metres: Double)

    /// The most places on the way.
    package static let viaLimit = 8
    /// Metres of a round trip.
    package static let loopLengths = 500.0...200_000

    /// The metres of a length such as `10km`, `6.2 mi` or `800 m`; nil for another text, and for a length outside a range.
    package static func metres(of text: String, in range: ClosedRange<Double>) -> Double? {
        var words = TargetText(text)
        guard let metres = words.metres(), words.isAtEnd, range.contains(metres) else { return nil }
        return metres
    }
}
