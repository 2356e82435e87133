/// A quantity that has a personal best.
///
/// The raw values are stored in the index and printed; they must not change.
package enum BestKind: String, CaseIterable, Sendable {
    case metres400 = "400m"
    case kilometre = "1km"
    case mile = "1mile"
    case kilometres5 = "5km"
    case kilometres10 = "10km"
    case halfMarathon = "half-marathon"
    case marathon = "marathon"
    /// The longest distance of an activity.
    case distance = "distance"
    /// The greatest ascent of an activity.
    case ascent = "ascent"
    case power5s = "power-5s"
    case power30s = "power-30s"
    case power1min = "power-1min"
    case power5min = "power-5min"
    case power20min = "power-20min"
    case power60min = "power-60min"

    /// The metres over which the shortest time counts. Nil for the other kinds.
    package var metres: Double? {
        switch self {
        case .metres400: 400
        case .kilometre: 1000
        case .mile: RunFormat.metresPerMile
        case .kilometres5: 5000
        case .kilometres10: 10_000
        case .halfMarathon: 21_097.5
        case .marathon: 42_195
        default: nil
        }
    }

    /// The seconds over which the highest mean power counts. Nil for the other kinds.
    package var seconds: Int? {
        switch self {
        case .power5s: 5
        case .power30s: 30
        case .power1min: 60
        case .power5min: 300
        case .power20min: 1200
        case .power60min: 3600
        default: nil
        }
    }

    /// The name in lists and reports.
    package var title: String {
        switch self {
        case .metres400: "400 m"
        case .kilometre: "1 km"
        case .mile: "1 mile"
        case .kilometres5: "5 km"
        case .kilometres10: "10 km"
        case .halfMarathon: "half marathon"
        case .marathon: "marathon"
        case .distance: "longest"
        case .ascent: "highest climb"
        case .power5s: "power of 5 s"
        case .power30s: "power of 30 s"
        case .power1min: "power of 1 min"
        case .power5min: "power of 5 min"
        case .power20min: "power of 20 min"
        case .power60min: "power of 60 min"
        }
    }

    package static let times = allCases.filter { $0.metres != nil }
    package static let powers = allCases.filter { $0.seconds != nil }
}

/// The best of one kind inside one activity.
package struct BestEffort: Equatable, Sendable {
    package var kind: BestKind
    /// Milliseconds of active time, metres, or watts, by the kind.
    package var value: Double
    /// Where it began, in milliseconds of active time. Nil for a total of the activity.
    package var elapsedMilliseconds: Int64?
    /// Where it began, in metres. Nil for a total of the activity, and for power.
    package var distanceMetres: Double?

    package init(
        _ kind: BestKind, _ value: Double, elapsedMilliseconds: Int64? = nil, distanceMetres: Double? = nil
    ) {
        self.kind = kind
        self.value = value
        self.elapsedMilliseconds = elapsedMilliseconds
        self.distanceMetres = distanceMetres
    }

    /// Whether the effort is better than another one of its kind: a shorter time, or a greater value.
    package func beats(_ other: BestEffort) -> Bool {
        kind.metres == nil ? value > other.value : value < other.value
    }
}

extension Totals {
    /// The best powers of a recorded activity by their seconds, else those of its rows: an imported one has these only.
    package func bestPowers(orOf bests: [BestEffort]) -> [(seconds: Int, watts: Double)] {
        let recorded = BestPowers.durations.indices.compactMap { index in
            bestPowers[index].map { (seconds: BestPowers.durations[index], watts: $0) }
        }
        guard recorded.isEmpty else { return recorded }
        return bests.compactMap { best in best.kind.seconds.map { (seconds: $0, watts: best.value) } }
    }
}

/// The best efforts over several activities, for each sport.
package struct PersonalBests: Sendable {
    package struct Best: Equatable, Sendable {
        package var sport: Sport
        package var effort: BestEffort
        package var activity: Int

        package init(sport: Sport, effort: BestEffort, activity: Int) {
            self.sport = sport
            self.effort = effort
            self.activity = activity
        }
    }

    private struct Key: Hashable {
        var sport: Sport
        var kind: BestKind
    }

    private var bests: [Key: Best] = [:]

    package init() {}

    /// Adds the efforts of an activity. The oldest activity comes first: it keeps a best that a later one equals.
    package mutating func add(_ efforts: [BestEffort], of activity: Int, _ sport: Sport) {
        for effort in efforts {
            let key = Key(sport: sport, kind: effort.kind)
            if let known = bests[key]?.effort, !effort.beats(known) { continue }
            bests[key] = Best(sport: sport, effort: effort, activity: activity)
        }
    }

    /// The bests, by sport, then by kind.
    package var all: [Best] {
        Sport.allCases.flatMap { sport in
            BestKind.allCases.compactMap { bests[Key(sport: sport, kind: $0)] }
        }
    }
}
