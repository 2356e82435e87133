import Domain
import Foundation

/// Metres on the plane that touches the ellipsoid between two places; for places some kilometres apart, not at a pole.
func step(_ from: Coordinate, _ to: Coordinate) -> (east: Double, north: Double) {
    let latitude = (from.latitude + to.latitude) / 2 * .pi / 180
    let (flattening, radius) = (1 / 298.257223563, 6_378_137.0)
    let square = flattening * (2 - flattening)
    let part = 1 - square * sin(latitude) * sin(latitude)
    var east = to.longitude - from.longitude
    if east > 180 { east -= 360 } else if east < -180 { east += 360 }
    return (
        east * .pi / 180 * cos(latitude) * radius / part.squareRoot(),
        (to.latitude - from.latitude) * .pi / 180 * radius * (1 - square) / (part * part.squareRoot())
    )
}

func metres(_ from: Coordinate, _ to: Coordinate) -> Double {
    let (east, north) = step(from, to)
    return (east * east + north * north).squareRoot()
}

func moved(_ place: Coordinate, east: Double, north: Double) -> Coordinate {
    var result = place
    for _ in 0..<4 {
        let off = step(place, result)
        result.latitude += (north - off.north) / 111_320
        result.longitude += (east - off.east) / (111_320 * cos(place.latitude * .pi / 180))
    }
    if result.longitude >= 180 { result.longitude -= 360 } else if result.longitude < -180 { result.longitude += 360 }
    return result
}

/// A course as one place each metre, or two, with the metres from its start.
struct CourseSamples {
    var places: [Coordinate] = []
    var along: [Double] = []

    /// By spherical interpolation of each leg.
    init(_ track: [Coordinate]) {
        guard let first = track.first else { return }
        places = [first]
        along = [0]
        for (from, to) in zip(track, track.dropFirst()) {
            func vector(_ place: Coordinate) -> (Double, Double, Double) {
                let (north, east) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
                return (cos(north) * cos(east), cos(north) * sin(east), sin(north))
            }
            let (a, b) = (vector(from), vector(to))
            let cosine = a.0 * b.0 + a.1 * b.1 + a.2 * b.2
            let half =
                ((a.0 - b.0) * (a.0 - b.0) + (a.1 - b.1) * (a.1 - b.1) + (a.2 - b.2) * (a.2 - b.2)).squareRoot() / 2
            let angle = cosine < 0 ? acos(cosine) : 2 * asin(half)
            let count = Int(angle * 6_371_000) + 1
            guard angle > 1e-12 else { continue }
            for index in 1...count {
                let part = Double(index) / Double(count)
                let (one, other) = (sin((1 - part) * angle) / sin(angle), sin(part * angle) / sin(angle))
                let (x, y, z) = (a.0 * one + b.0 * other, a.1 * one + b.1 * other, a.2 * one + b.2 * other)
                let place = Coordinate(
                    latitude: atan2(z, (x * x + y * y).squareRoot()) * 180 / .pi, longitude: atan2(y, x) * 180 / .pi)
                along.append(along[along.count - 1] + metres(places[places.count - 1], place))
                places.append(place)
            }
        }
    }

    struct Answer {
        var along: Double
        var metres: Double
        var sample: Int
    }

    /// The next passing, with the bounds of the definition; nil for none.
    func passing(
        _ distances: [Double], _ place: Coordinate, from start: Int, width: Double, departure: Double,
        tolerance: Double,
        behind: Double
    ) -> Answer? {
        var index = start
        while index < places.count {
            while index < places.count, distances[index] > width { index += 1 }
            let first = index
            while index < places.count, distances[index] <= width { index += 1 }
            var minima = minima(distances, first..<index, departure)
            if minima.first == start, start > 0, start + 1 < places.count {
                let (ahead, toPlace) = (step(places[start], places[start + 1]), step(places[start], place))
                let length = (ahead.east * ahead.east + ahead.north * ahead.north).squareRoot()
                let along = (ahead.east * toPlace.east + ahead.north * toPlace.north) / max(length, 1e-9)
                if along < -behind { minima.removeFirst() }
            }
            guard let least = minima.map({ distances[$0] }).min() else { continue }
            guard let chosen = minima.first(where: { distances[$0] <= least + tolerance }) else { continue }
            return Answer(along: along[chosen] - along[start], metres: distances[chosen], sample: chosen)
        }
        return nil
    }

    /// The lowest samples between rises of `departure` to both sides.
    func minima(_ distances: [Double], _ range: Range<Int>, _ departure: Double) -> [Int] {
        var (minima, low, high): ([Int], Int?, Double) = ([], range.first, 0)
        for index in range {
            if let lowest = low {
                if distances[index] < distances[lowest] - 1e-6 { low = index }
                if distances[index] > distances[lowest] + departure {
                    minima.append(lowest)
                    (low, high) = (nil, distances[index])
                }
            } else {
                high = max(high, distances[index])
                if distances[index] < high - departure { low = index }
            }
        }
        return minima + (low.map { [$0] } ?? [])
    }

    /// Metres to the left of the course just before and just after a sample, as far as that can be said.
    func left(of sample: Int, _ place: Coordinate) -> [Double] {
        [sample - 4, sample + 2].compactMap { from in
            guard from >= 0, from + 2 < places.count else { return nil }
            let (ahead, toPlace) = (step(places[from], places[from + 2]), step(places[sample], place))
            let length = (ahead.east * ahead.east + ahead.north * ahead.north).squareRoot()
            return length > 0.5 ? (ahead.east * toPlace.north - ahead.north * toPlace.east) / length : nil
        }
    }
}
