package import Domain

/// The lines that a KML file draws, such as the way of a bus.
package struct KMLTrace: Equatable, Sendable {
    /// The most lines of a file.
    package static let lineLimit = 2000
    /// The most positions of a file.
    package static let positionLimit = 200_000

    /// One for each LineString, in the order of the file. Each has two positions or more, all on the Earth.
    package var paths: [[Coordinate]] = []
    /// The number of placemarks.
    package var placemarks = 0
    /// The number of LineStrings, with those of fewer than two positions, which are not in ``paths``.
    package var lineStrings = 0
    /// The polygons and the rings outside of them, which are not drawn.
    package var skipped = SkippedElements()

    package init() {}
}

/// Reads the LineStrings of all placemarks of a KML file, also those in a MultiGeometry. Altitudes, and geometry of
/// other kinds, are left out.
package struct KMLTraceParser: ElementParser {
    private enum Place {
        case document, container, placemark, line, coordinates, skipped
    }

    package private(set) var trace = KMLTrace()
    private var places: [Place] = [.document]
    private var coordinates = KMLCoordinates()
    /// The positions of the current LineString.
    private var path: [Coordinate] = []
    /// The number of positions before the current LineString.
    private var positions = 0

    package init() {}

    package mutating func begin(_ name: String, _ attributes: [XMLAttribute]) throws(FileError) -> XMLText {
        let place = next(name)
        places.append(place)
        return place == .coordinates ? .pieces : .none
    }

    private mutating func next(_ name: String) -> Place {
        switch (places.last, name) {
        case (.document, "kml"), (.container, "Document"), (.container, "Folder"): return .container
        case (.container, "Placemark"):
            trace.placemarks += 1
            return .placemark
        case (.placemark, "MultiGeometry"): return .placemark
        case (.placemark, "LineString"):
            trace.lineStrings += 1
            path = []
            return .line
        case (.line, "coordinates"):
            coordinates = KMLCoordinates()
            return .coordinates
        case (.placemark, "Polygon"), (.placemark, "LinearRing"):
            trace.skipped.count(name)
            return .skipped
        default: return .skipped
        }
    }

    package mutating func append(_ piece: Span<UInt8>) throws(FileError) {
        for index in piece.indices { try take(piece[index]) }
    }

    private mutating func take(_ byte: UInt8) throws(FileError) {
        guard let (coordinate, _) = try coordinates.take(byte) else { return }
        try CourseBuilder.check(coordinate)
        guard positions + path.count < KMLTrace.positionLimit else {
            throw FileError("the lines have more than \(KMLTrace.positionLimit) positions")
        }
        path.append(coordinate)
    }

    package mutating func end(_ text: String) throws(FileError) {
        // The last position needs no white space after it.
        if places.last == .coordinates { try take(UInt8(ascii: " ")) }
        guard places.popLast() == .line else { return }
        positions += path.count
        guard path.count > 1 else { return }
        guard trace.paths.count < KMLTrace.lineLimit else {
            throw FileError("the file has more than \(KMLTrace.lineLimit) lines")
        }
        trace.paths.append(path)
    }
}
