package import Domain
import Glibc

/// The cells of 0.002 degrees, some 200 m, in which an activity has positions: where it passed by, for a search.
struct PassedCells: Equatable {
    private(set) var cells: Set<Int64> = []

    /// Enough for 2000 km.
    private static let limit = 20_000
    private static let perDegree = 500.0
    private static let columns: Int64 = 180_000

    mutating func insert(_ place: Coordinate) {
        guard cells.count < Self.limit else { return }
        cells.insert(Self.row(place.latitude) * Self.columns + Self.column(place.longitude))
    }

    private static func row(_ latitude: Double) -> Int64 {
        Int64(((latitude + 90) * perDegree).rounded(.down))
    }

    private static func column(_ longitude: Double) -> Int64 {
        let column = Int64(((longitude + 180) * perDegree).rounded(.down)) % columns
        return column < 0 ? column + columns : column
    }

    /// Whether a cell is in an area, at least in part.
    func areIn(_ area: SearchArea) -> Bool {
        let (latitudes, longitudes) = area.degrees
        let rows = Self.row(area.centre.latitude - latitudes)...Self.row(area.centre.latitude + latitudes)
        let width = Int64((2 * longitudes * Self.perDegree).rounded(.up))
        let first = Self.column(area.centre.longitude - longitudes)
        return cells.contains { cell in
            let (row, column) = (cell / Self.columns, cell % Self.columns)
            guard rows.contains(row) else { return false }
            // An area may lie on both sides of the meridian of 180 degrees.
            return (column - first + Self.columns) % Self.columns <= width
        }
    }

    // MARK: Storage

    /// As five bytes each, little-endian, in ascending order.
    var bytes: [UInt8] {
        cells.sorted().flatMap { cell in (0..<5).map { UInt8(truncatingIfNeeded: cell >> (8 * $0)) } }
    }

    init() {}

    init(bytes: [UInt8]) {
        for start in stride(from: 0, to: bytes.count - bytes.count % 5, by: 5) {
            cells.insert((0..<5).reduce(0) { $0 | Int64(bytes[start + $1]) << (8 * $1) })
        }
    }
}

/// Where a search looks for activities.
package struct SearchArea: Equatable, Sendable {
    package var centre: Coordinate
    /// Metres.
    package var radius: Double

    package init(centre: Coordinate, radius: Double) {
        self.centre = centre
        self.radius = radius
    }

    /// From the centre to the edges of the square around the area, in degrees.
    fileprivate var degrees: (latitude: Double, longitude: Double) {
        let latitude = radius / Coordinate.metresPerDegree
        let parallel = max(cos(centre.latitude * .pi / 180), 0.001)
        return (latitude, min(latitude / parallel, 179))
    }
}

extension JournalReader {
    /// The numbers of those activities that passed through an area, to some 200 m: from the index where it is up to date,
    /// else from the rows. Nothing is written.
    ///
    /// - Parameter directory: the state directory, which may have an index.
    package func activities(
        in area: SearchArea, among activities: [ActivityTotals], in directory: String
    ) throws -> Set<Int> {
        let entries = ActivityIndex.cells(in: directory)
        var found: Set<Int> = []
        for totals in activities {
            let cells: PassedCells
            if let entry = entries[totals.id], entry.totals == totals {
                cells = entry.cells
            } else {
                var search = try RowSearch(totals, of: self)
                while try search.advance(in: self, atMost: .max) {}
                cells = search.cells
            }
            if cells.areIn(area) { found.insert(totals.id) }
        }
        return found
    }
}
