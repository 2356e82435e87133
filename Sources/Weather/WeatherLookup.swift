package import Domain

/// Finds the weather at a place or of a station: which stations are near, and what they have reported.
///
///     stations ──▶ reports of the nearest 8 ──▶ done
///        ▲ │
///        └─┘ farther
///
/// The service chooses what is in the list of stations, and sees whose reports are asked for. So the place decides only of
/// which cell of 0.1° it is: the stations are those near the middle of the cell, and a denser list tells no more. The place
/// ranks what was fetched.
package struct WeatherLookup: Sendable {
    /// What is needed next.
    package enum Step: Equatable, Sendable {
        case stations(GeographicBox)
        /// The reports of these stations.
        case reports([String])
        case found(StationWeather)
        /// There is no weather, for this reason.
        case failed(String)
    }

    /// Stations that are farther away have no figures.
    package static let distanceLimit = 100_000.0
    /// A report that is older is not used.
    package static let ageLimit: Int64 = 90 * 60_000
    /// How many stations are asked.
    static let batchSize = StationBudget.limit
    /// Of stations that are nearer to each other one is asked, in metres.
    private static let spacing = 2000.0
    /// How many stations are looked through for one with a forecast.
    private static let candidates = 64
    /// In degrees.
    private static let cell = 0.1

    package private(set) var step: Step

    private let place: Coordinate?
    private let altitude: Double?
    private var boxes: [GeographicBox] = []
    private var isFarSearch = false
    private var listed: [WeatherStation] = []
    /// The nearest to the middle of the cell first.
    private var stations: [WeatherStation] = []

    /// The degrees of latitude around the cell of the place: 55 km, then 110 km if few stations are so near.
    private static let nearMargin = 0.5
    private static let farMargin = 1.0

    /// - Parameter altitude: metres above the sea; nil if it is unknown.
    package init(at place: Coordinate, altitude: Double? = nil) {
        self.place = place
        self.altitude = altitude
        boxes = StationArea.boxes(around: place, margin: Self.nearMargin)
        step = .stations(boxes[0])
    }

    /// - Parameter station: four letters or digits.
    package init(station: String) {
        place = nil
        altitude = nil
        step = .reports([station])
    }

    /// Whether a station is named, and not a place.
    package var isOfStation: Bool { place == nil }

    /// Continues with the stations of a box.
    package mutating func receive(_ found: [WeatherStation]) {
        guard case .stations = step, let place else { return }
        let middle = Coordinate(
            latitude: ((place.latitude / Self.cell).rounded(.down) + 0.5) * Self.cell,
            longitude: ((place.longitude / Self.cell).rounded(.down) + 0.5) * Self.cell)
        listed += found
        boxes.removeFirst()
        if let next = boxes.first {
            step = .stations(next)
            return
        }
        let sorted = listed.map { (station: $0, metres: GreatCircle(from: middle, to: $0.place).metres) }
            .filter { $0.metres <= Self.distanceLimit }.sorted { $0.metres < $1.metres }
        let isComplete = sorted.count >= Self.batchSize && sorted[Self.batchSize - 1].metres <= 55_000
        if !isFarSearch, !isComplete {
            isFarSearch = true
            listed = []
            boxes = StationArea.boxes(around: place, margin: Self.farMargin)
            step = .stations(boxes[0])
            return
        }
        for (station, _) in sorted where stations.count < Self.candidates {
            let isApart = stations.allSatisfy { GreatCircle(from: $0.place, to: station.place).metres >= Self.spacing }
            if isApart { stations.append(station) }
        }
        ask()
    }

    private mutating func ask() {
        guard !stations.isEmpty else {
            step = .failed("no weather station within 100 km")
            return
        }
        var names = stations.prefix(Self.batchSize).map(\.name)
        if let forecast = stations.first(where: \.hasForecast), !names.contains(forecast.name) {
            names[names.count - 1] = forecast.name
        }
        step = .reports(names)
    }

    /// Continues with the reports of the stations.
    package mutating func receive(_ reports: [StationReport], at time: UTC) {
        guard case .reports(let names) = step else { return }
        let known =
            place == nil
            ? reports
            : reports.map { report in
                var report = report
                report.station = stations.first { $0.name == report.station.name } ?? report.station
                return report
            }
        let asked = known.filter { names.contains($0.station.name) }
        if let ahead = asked.compactMap(\.metar).map(\.time.milliseconds).max(),
            ahead > time.milliseconds + StationWeather.clockTolerance
        {
            step = .failed("the clock is wrong: a report is newer than now")
            return
        }
        let from = place ?? asked.first?.station.place
        if let from, let weather = StationWeather(asked, around: from, altitude: altitude, at: time) {
            step = .found(weather)
        } else {
            let silent = place == nil ? "\(names[0]) has no report" : "none of the nearest 8 stations has a report"
            step = .failed(silent + " of the last 90 min")
        }
    }
}
