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
        return GeographicBox.boxes(south: lowest, west: west - side, north: highest, east: east + side)
    }
}
