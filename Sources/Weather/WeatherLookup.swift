package import Domain

/// Finds the weather at a place or of a station: which stations are near, and what they have reported.
///
///     stations ──▶ reports of the nearest 8 ──▶ done
///        ▲ │                │  ▲
///        └─┘ farther        └──┘ none has reported: the next 8
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
    /// How many stations are asked at once.
    static let batchSize = 8

    package private(set) var step: Step

    private let place: Coordinate?
    private let altitude: Double?
    private var boxes: [GeographicBox] = []
    private var isFarSearch = false
    /// The nearest first.
    private var stations: [WeatherStation] = []
    private var asked = 0

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

    /// Continues with the stations of a box.
    package mutating func receive(_ found: [WeatherStation]) {
        guard case .stations = step, let place else { return }
        stations += found
        boxes.removeFirst()
        if let next = boxes.first {
            step = .stations(next)
            return
        }
        let sorted = stations.map { (station: $0, metres: GreatCircle(from: place, to: $0.place).metres) }
            .filter { $0.metres <= Self.distanceLimit }.sorted { $0.metres < $1.metres }
        let isComplete = sorted.count >= Self.batchSize && sorted[Self.batchSize - 1].metres <= 55_000
        if !isFarSearch, !isComplete {
            isFarSearch = true
            stations = []
            boxes = StationArea.boxes(around: place, margin: Self.farMargin)
            step = .stations(boxes[0])
            return
        }
        stations = sorted.map(\.station)
        askNext()
    }

    private mutating func askNext() {
        let batch = stations.dropFirst(asked).prefix(Self.batchSize)
        if batch.isEmpty || asked >= 2 * Self.batchSize {
            step = .failed(
                stations.isEmpty
                    ? "no weather station within 100 km" : "no station within 100 km reported in the last 90 min")
            return
        }
        asked += batch.count
        var names = batch.map(\.name)
        if let forecast = stations.first(where: \.hasForecast), !names.contains(forecast.name) {
            names.append(forecast.name)
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
        } else if place == nil {
            step = .failed("\(names[0]) has no report of the last 90 min")
        } else {
            askNext()
        }
    }
}
