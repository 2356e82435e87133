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
}
