import CMath
package import Domain

extension GeographicBox {
    /// The boxes that contain all places within `metres` of a place: two on both sides of the meridian of 180 degrees.
    package static func boxes(around place: Coordinate, metres: Double) -> [GeographicBox] {
        GeographicBox(south: place.latitude, west: place.longitude, north: place.latitude, east: place.longitude)
            .widened(by: metres)
    }

    /// The box with a margin on each side.
    package func widened(by metres: Double) -> [GeographicBox] {
        // A degree of longitude has fewer metres than one of latitude. 1 m more for the rounding of an R*Tree.
        let margin = (metres + 1) / Coordinate.metresPerDegree * 1.01
        let (lowest, highest) = (max(south - margin, -90), min(north + margin, 90))
        let scale = cos(max(lowest.magnitude, highest.magnitude) * .pi / 180)
        let side = scale > 1e-3 ? margin / scale : 360
        let (left, right) = (west - side, east + side)
        func box(_ west: Double, _ east: Double) -> GeographicBox {
            GeographicBox(south: lowest, west: west, north: highest, east: east)
        }
        if right - left >= 360 { return [box(-180, 180)] }
        if left < -180 { return [box(left + 360, 180), box(-180, right)] }
        if right > 180 { return [box(left, 180), box(-180, right - 360)] }
        return [box(left, right)]
    }
}
