/// A part of the Earth between two parallels and two meridians, in degrees. ``west`` is at most ``east``.
package struct GeographicBox: Hashable, Sendable {
    package var south: Double
    package var west: Double
    package var north: Double
    package var east: Double

    package init(south: Double, west: Double, north: Double, east: Double) {
        self.south = south
        self.west = west
        self.north = north
        self.east = east
    }

    /// The area between two parallels and two meridians: two boxes if it lies on both sides of the meridian of 180 degrees.
    ///
    /// - Parameters:
    ///   - west: at least -540.
    ///   - east: at least ``west``, at most 540.
    package static func boxes(south: Double, west: Double, north: Double, east: Double) -> [GeographicBox] {
        func box(_ west: Double, _ east: Double) -> GeographicBox {
            GeographicBox(south: south, west: west, north: north, east: east)
        }
        if east - west >= 360 { return [box(-180, 180)] }
        if west < -180 { return [box(west + 360, 180), box(-180, east)] }
        if east > 180 { return [box(west, 180), box(-180, east - 360)] }
        return [box(west, east)]
    }
}
