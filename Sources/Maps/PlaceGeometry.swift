import CMath
package import Domain
package import JSONCoding

/// The position of a place with an extent: a point inside of an area, or the middle of a line.
package enum PlaceGeometry {
    private struct Point {
        /// Degrees.
        var x: Double
        var y: Double
    }

    private typealias Ring = [Point]

    /// - Parameter geometry: a geometry of GeoJSON (RFC 7946).
    /// - Returns: nil for another value, and for one without a position on Earth.
    package static func position(of geometry: JSON) -> Coordinate? {
        guard let coordinates = geometry["coordinates"] else { return nil }
        let point: Point?
        switch geometry["type"]?.string {
        case "Point": point = Self.point(coordinates)
        case "MultiPoint": point = ring(coordinates)?.first
        case "LineString": point = ring(coordinates).flatMap(middle)
        case "MultiLineString": point = rings(coordinates)?.max { $0.count < $1.count }.flatMap(middle)
        case "Polygon": point = rings(coordinates).flatMap(inside)
        case "MultiPolygon":
            guard let polygons = coordinates.array else { return nil }
            var largest: (area: Double, rings: [Ring])?
            for polygon in polygons {
                guard let rings = rings(polygon), let outer = rings.first else { return nil }
                let area = area(outer)
                if area >= largest?.area ?? 0 { largest = (area, rings) }
            }
            point = largest.flatMap { inside($0.rings) }
        default: point = nil
        }
        return point.map { Coordinate(latitude: $0.y, longitude: $0.x) }
    }

    /// The area of a geometry in square metres, without its holes; 0 for a point and an open line.
    package static func area(of geometry: JSON) -> Double {
        guard let coordinates = geometry["coordinates"] else { return 0 }
        let outer: [Ring]
        switch geometry["type"]?.string {
        case "LineString": outer = ring(coordinates).map { [$0] } ?? []
        case "Polygon": outer = rings(coordinates)?.first.map { [$0] } ?? []
        case "MultiPolygon": outer = (coordinates.array ?? []).compactMap { rings($0)?.first }
        default: outer = []
        }
        return outer.reduce(0) { sum, ring in
            guard let first = ring.first, let last = ring.last, first.x == last.x, first.y == last.y else { return sum }
            return sum + area(ring) * metresOfDegree * metresOfDegree * cos(first.y * .pi / 180)
        }
    }

    /// Along a meridian.
    private static let metresOfDegree = 111_195.0

    private static func point(_ json: JSON) -> Point? {
        guard let values = json.array, values.count >= 2, let x = values[0].number, let y = values[1].number,
            (-180...180).contains(x), (-90...90).contains(y)
        else { return nil }
        return Point(x: x, y: y)
    }

    private static func ring(_ json: JSON) -> Ring? {
        guard let elements = json.array, !elements.isEmpty else { return nil }
        let points = elements.compactMap(point)
        return points.count == elements.count ? points : nil
    }

    private static func rings(_ json: JSON) -> [Ring]? {
        guard let elements = json.array, !elements.isEmpty else { return nil }
        let rings = elements.compactMap(ring)
        return rings.count == elements.count ? rings : nil
    }

    /// In square degrees.
    private static func area(_ ring: Ring) -> Double {
        abs(zip(ring, ring.dropFirst()).reduce(0) { $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y }) / 2
    }

    /// The point halfway along a line. A closed line is an area.
    private static func middle(_ line: Ring) -> Point? {
        guard let first = line.first, let last = line.last else { return nil }
        if line.count >= 4, first.x == last.x, first.y == last.y { return inside([line]) }
        let scale = cos(first.y * .pi / 180)
        let lengths = zip(line, line.dropFirst()).map { from, to in
            let (x, y) = ((to.x - from.x) * scale, to.y - from.y)
            return (x * x + y * y).squareRoot()
        }
        var rest = lengths.reduce(0, +) / 2
        for (index, length) in lengths.enumerated() {
            if length > 0, length >= rest {
                let (from, to) = (line[index], line[index + 1])
                return Point(x: from.x + (to.x - from.x) * rest / length, y: from.y + (to.y - from.y) * rest / length)
            }
            rest -= length
        }
        return first
    }

    /// The middle of the widest part of the area on one parallel: that through the middle of the outer ring.
    ///
    /// - Parameter rings: the outer ring, and those of the holes.
    private static func inside(_ rings: [Ring]) -> Point? {
        guard let outer = rings.first, let first = outer.first else { return nil }
        let (low, high) = outer.reduce((first.y, first.y)) { (min($0.0, $1.y), max($0.1, $1.y)) }
        let y = (low + high) / 2
        var crossings: [Double] = []
        for ring in rings {
            for (from, to) in zip(ring, ring.dropFirst()) where (from.y <= y) != (to.y <= y) {
                crossings.append(from.x + (to.x - from.x) * (y - from.y) / (to.y - from.y))
            }
        }
        crossings.sort()
        var widest: (width: Double, x: Double)?
        for index in stride(from: 0, to: crossings.count - 1, by: 2) {
            let width = crossings[index + 1] - crossings[index]
            if width > widest?.width ?? 0 { widest = (width, (crossings[index] + crossings[index + 1]) / 2) }
        }
        return widest.map { Point(x: $0.x, y: y) } ?? first
    }
}
