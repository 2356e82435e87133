import CMath
package import Domain

extension Course {
    /// Where a course passes a place.
    package struct Passing: Equatable, Sendable {
        /// Metres from the start of the course.
        package var metres: Double
        /// Metres from the course to the place.
        package var distance: Double
        /// Whether the place is on the right of the course.
        package var isRight: Bool
    }

    /// Metres by which the course departs from a place between two approaches.
    package static let departure = 20.0
    /// Metres by which a later approach must be nearer than the best one to replace it. A place that lies more metres behind
    /// the progress is not passed.
    package static let tolerance = 10.0

    /// The next passing of a place: the nearest point of the first stretch of the course within `width` of the place.
    ///
    /// - Parameters:
    ///   - metres: the progress along the course.
    ///   - width: metres to each side.
    /// - Returns: nil if the course ahead does not come near the place.
    package func passing(_ place: Coordinate, from metres: Double, width: Double) -> Passing? {
        let plane = LocalPlane(around: place)
        let start = segment(at: max(metres, 0))
        var approaches = Approaches()
        var previous: Int?
        var hasEnded = false
        eachSegment(within: width, from: metres, in: plane) { segment in
            if hasEnded { return }
            let vertex = plane.point(latitude: latitudes[segment], longitude: longitudes[segment])
            let departed = (vertex.x * vertex.x + vertex.y * vertex.y).squareRoot()
            if let last = previous, segment != last + 1 || departed > width {
                // The stretch has ended. If it only led away from the place, the next one counts.
                if approaches.chosen != nil {
                    hasEnded = true
                    return
                }
                approaches = Approaches()
                previous = nil
            }
            var point = self.place(on: segment, in: plane)
            var isBehind = false
            if segment == start, metres > 0, point.metres <= metres {
                point = self.place(at: metres, in: plane)
                let ahead = -point.distance * cos((point.direction - point.bearing) * .pi / 180)
                isBehind = ahead < -Self.tolerance
            }
            if point.distance > width { return }
            if previous != nil { approaches.depart(to: departed) }
            approaches.approach(point, isBehind: isBehind)
            previous = segment
        }
        return approaches.chosen.map { Passing(metres: $0.metres, distance: $0.distance, isRight: $0.isRight) }
    }

    /// Chooses one of several approaches to a place in a stretch.
    private struct Approaches {
        private var best: Place?
        /// The nearest point of the current approach; nil after a departure.
        private var low: Place?
        /// Whether that point is where the way ahead begins, with the place behind.
        private var isLowBehind = false
        /// The greatest distance since the departure. The stretch begins with an approach.
        private var high = Double.infinity

        /// Receives the distance of a vertex.
        mutating func depart(to distance: Double) {
            guard let lowest = low else {
                high = max(high, distance)
                return
            }
            if distance > lowest.distance + Course.departure {
                best = chosen
                low = nil
                high = distance
            }
        }

        /// Receives the nearest point of a segment.
        mutating func approach(_ point: Place, isBehind: Bool) {
            if point.distance >= low?.distance ?? (high - Course.departure) { return }
            low = point
            isLowBehind = isBehind
        }

        var chosen: Place? {
            guard let low, !isLowBehind else { return best }
            guard let best else { return low }
            return low.distance < best.distance - Course.tolerance ? low : best
        }
    }
}
