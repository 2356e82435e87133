import CMath
package import Domain

/// The circles around the start and the end of an activity in which its positions are hidden.
///
/// A circle's centre is not the position but a point up to half of the radius away, so that the middle of many circles is
/// not the home that all of them contain. The way to it depends on a secret and on the place only: activities that begin
/// at one place have the same circle, or almost, and give no more away together than one of them.
package struct HiddenPlaces: Equatable, Sendable {
    /// In metres.
    package let radius: Int
    private var centres: [Coordinate] = []

    /// The largest radius in metres.
    package static let largestRadius = 5000

    /// The size of a cell in degrees of latitude: 500 m.
    private static let cell = 500 / Coordinate.metresPerDegree

    /// - Parameters:
    ///   - radius: in metres, from 1 to ``largestRadius``.
    ///   - hash: of numbers, two numbers from 0 to 1 that nobody can predict without the secret.
    package init(_ rows: some RecordingRows, radius: Int, hash: ([Int64]) throws -> (Double, Double)) throws {
        self.radius = radius
        var ends: (first: Coordinate, last: Coordinate)?
        try rows.each { row in
            guard case .sample(let sample) = row, let coordinate = sample.mapped else { return }
            ends = (ends?.first ?? coordinate, coordinate)
        }
        if let ends { centres = try [ends.first, ends.last].map { try Self.moved($0, radius, hash) } }
    }

    /// Whether the activity has positions.
    var isEmpty: Bool { centres.isEmpty }

    package func contains(_ coordinate: Coordinate) -> Bool {
        centres.contains { centre in
            var east = coordinate.longitude - centre.longitude
            if east > 180 { east -= 360 }
            if east < -180 { east += 360 }
            let x = east * cos(centre.latitude * .pi / 180) * Coordinate.metresPerDegree
            let y = (coordinate.latitude - centre.latitude) * Coordinate.metresPerDegree
            return (x * x + y * y).squareRoot() <= Double(radius)
        }
    }

    /// The point that a position's circle is around: 0.3 to 0.5 of the radius away.
    ///
    /// Direction and distance are means of those of the four corners of the position's 500 m cell, by its distances to
    /// them. So they change little over the noise of a receiver, also where two cells meet.
    private static func moved(
        _ position: Coordinate, _ radius: Int, _ hash: ([Int64]) throws -> (Double, Double)
    ) throws -> Coordinate {
        let row = (position.latitude / cell).rounded(.down)
        let north = position.latitude / cell - row
        var (angle, length) = (0.0, 0.0)
        for (row, share) in [(row, 1 - north), (row + 1, north)] {
            let width = cell / max(cos(row * cell * .pi / 180), 0.01)
            let column = (position.longitude / width).rounded(.down)
            let east = position.longitude / width - column
            for (column, part) in [(column, 1 - east), (column + 1, east)] {
                let value = try hash([Int64(row), Int64(column), Int64(radius)])
                // Two turns, so that all directions are about as likely as their means are.
                angle += share * part * value.0 * 4 * .pi
                length += share * part * (0.3 + 0.2 * value.1) * Double(radius)
            }
        }
        let metresEast = Coordinate.metresPerDegree * max(cos(position.latitude * .pi / 180), 0.01)
        return Coordinate(
            latitude: position.latitude + length * cos(angle) / Coordinate.metresPerDegree,
            longitude: position.longitude + length * sin(angle) / metresEast)
    }
}

/// The rows of a recording without the positions in hidden places.
///
/// What would give the way inside the circles away is left out too: the altitude, the speed and the distance of a hidden
/// sample. The distances of the others count the visible parts only. The samples before the first visible position and
/// those after the last one are hidden as well.
package struct HiddenRows<Rows: RecordingRows>: RecordingRows {
    private let rows: Rows
    private let places: HiddenPlaces
    /// The moment of the last visible position; nil if there is none.
    private var lastVisible: Int64?
    /// The states before some rows, each the first of its moment.
    private var checkpoints: [(at: Int64, state: State)] = []
    /// The number of rows between two of them.
    private static var step: Int { 500 }
    /// The hidden metres of each lap.
    package private(set) var hiddenMetres: [Double] = [0]

    package init(_ rows: Rows, _ places: HiddenPlaces) throws {
        self.rows = rows
        self.places = places
        try rows.each { row in
            guard case .sample(let sample) = row, let coordinate = sample.mapped else { return }
            if !places.contains(coordinate) { lastVisible = sample.at }
        }
        var state = State()
        var (count, last) = (0, Int64(-1))
        try rows.each { row in
            if count >= Self.step, row.at > last {
                checkpoints.append((row.at, state))
                count = 0
            }
            (count, last) = (count + 1, max(last, row.at))
            if case .lap = row { hiddenMetres.append(0) }
            let before = state.hiddenMetres
            _ = shown(row, &state)
            hiddenMetres[hiddenMetres.count - 1] += state.hiddenMetres - before
        }
    }

    /// Whether there are positions, visible or hidden.
    package var hasPositions: Bool { !places.isEmpty }

    /// The laps with the distances of their visible parts.
    package func visible(_ laps: [RecordingLap]) -> [RecordingLap] {
        var laps = laps
        for index in laps.indices where index < hiddenMetres.count && hiddenMetres[index] > 0 {
            laps[index].figures.distanceMetres = max(laps[index].figures.distanceMetres - hiddenMetres[index], 0)
        }
        return laps
    }

    package func each(in moments: ClosedRange<Int64>, _ body: (RecordingRow) throws -> Void) throws {
        // From the last checkpoint on, so that a part of the rows has the same distances as in the whole.
        let checkpoint = checkpoints.last { $0.at <= moments.lowerBound } ?? (0, State())
        var state = checkpoint.state
        try rows.each(in: min(checkpoint.at, moments.lowerBound)...moments.upperBound) { row in
            let wasHidden = state.isHidden
            let shown = shown(row, &state)
            guard moments.contains(row.at) else { return }
            if hasPositions, wasHidden != state.isHidden { try body(.segment(at: row.at)) }
            try body(shown)
        }
    }

    private struct State {
        var isHidden = true
        var hiddenMetres = 0.0
        var lastMetres = 0.0
    }

    private func shown(_ row: RecordingRow, _ state: inout State) -> RecordingRow {
        guard hasPositions, case .sample(var sample) = row else { return row }
        let wasHidden = state.isHidden
        if sample.at > lastVisible ?? -1 {
            state.isHidden = true
        } else if let coordinate = sample.mapped {
            state.isHidden = places.contains(coordinate)
        }
        if let metres = sample.distanceMetres {
            if state.isHidden || wasHidden { state.hiddenMetres += max(metres - state.lastMetres, 0) }
            state.lastMetres = max(metres, state.lastMetres)
            sample.distanceMetres = max(metres - state.hiddenMetres, 0)
        }
        if state.isHidden {
            sample.coordinate = nil
            sample.altitude = nil
            sample.speed = nil
            sample.distanceMetres = nil
        }
        return .sample(sample)
    }
}
