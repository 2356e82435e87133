package import Domain
import Glibc
package import Maps
import Pipeline
package import SQLite

/// The places of `places.db`, for reading. The file is never changed: an import replaces it.
///
/// Source: docs/decisions/maps.md.
package final class PlacesDatabase {
    package static let fileName = "places.db"

    private let database: SQLiteDatabase
    private let columns: String
    package let path: String
    /// Whether the file says how well known its places are.
    package let knowsProminence: Bool

    /// Which places come first.
    package enum Order: String, CaseIterable, Sendable {
        case distance
        /// The best known ones first, and of those that are as well known, the nearest.
        case prominence
    }

    /// - Parameter directory: a path without symbolic links.
    package init(in directory: String) throws(MapsFailure) {
        path = directory + "/" + Self.fileName
        guard access(path, F_OK) == 0 || errno != ENOENT else {
            throw Self.missing(in: directory)
        }
        do throws(SQLiteError) {
            database = try SQLiteDatabase(
                maps: path, applicationID: PlacesSchema.applicationID, version: PlacesSchema.version,
                kind: "a database of places")
            knowsProminence = try database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'standing'").step()
            columns = PlacesSchema.columns(hasStanding: knowsProminence)
        } catch {
            throw MapsFailure(
                description: "cannot read \(path) (\(error)): replace it with 'pacectl places import FILE.osm.pbf'")
        }
    }

    /// The failure for a directory without the file.
    package static func missing(in directory: String) -> MapsFailure {
        MapsFailure(
            description: "there are no places in \(directory): import an extract of OpenStreetMap with "
                + "'pacectl places import FILE.osm.pbf'")
    }

    // MARK: Around a position

    /// The places within a circle, the nearest or the best known first.
    ///
    /// - Parameters:
    ///   - kinds: points of interest.
    ///   - radius: metres.
    package func near(
        _ position: Coordinate, radius: Double, kinds: Set<PlaceKind>, limit: Int, order: Order = .distance
    ) throws(SQLiteError) -> [(place: Place, metres: Double)] {
        let isByProminence = order == .prominence && knowsProminence
        let prominence = isByProminence ? "(SELECT prominence FROM standing WHERE number = place.number)" : "NULL"
        let query = try Query(
            "place.number, place.latitude, place.longitude, place.kind, \(prominence)", kinds, in: database)
        // Searches circles of growing radius, because the full circle may hold millions of places. Any of them may be the best
        // known one.
        var circle = isByProminence ? radius : min(radius, Self.firstCircle)
        while true {
            var found: [(number: Int64, metres: Double, prominence: Int64)] = []
            for box in GeographicBox.boxes(around: position, metres: circle) {
                try query.each(in: box) { row in
                    guard let kind = row.integer(3).flatMap({ PlaceKind(rawValue: Int(clamping: $0)) }),
                        kinds.contains(kind), let number = row.integer(0), let latitude = row.real(1),
                        let longitude = row.real(2)
                    else { return true }
                    let metres = position.metres(to: Coordinate(latitude: latitude, longitude: longitude))
                    if metres <= circle { found.append((number, metres, row.integer(4) ?? 0)) }
                    return found.count < Self.circleLimit
                }
            }
            if found.count >= limit || circle >= radius {
                found.sort { (-$0.prominence, $0.metres, $0.number) < (-$1.prominence, $1.metres, $1.number) }
                return try places(found.prefix(limit).map { ($0.number, $0.metres) })
            }
            circle = min(circle * 2, radius)
        }
    }

    /// Metres.
    private static let firstCircle = 250.0
    /// Bounds the memory of a search in a hostile file.
    private static let circleLimit = 100_000

    /// Reads the places with these row numbers, and pairs each with its value.
    private func places<Value>(_ rows: [(number: Int64, Value)]) throws(SQLiteError) -> [(place: Place, metres: Value)]
    {
        let statement = try database.prepare("SELECT \(columns) FROM place WHERE number = ?")
        var places: [(place: Place, metres: Value)] = []
        for (number, value) in rows {
            try statement.bind(number)
            guard try statement.step(), let place = PlacesSchema.place(statement) else { continue }
            places.append((place, value))
        }
        return places
    }

    // MARK: Along a course

    /// The places along a course, in the order in which the course passes them.
    ///
    /// - Parameters:
    ///   - metres: the progress along the course.
    ///   - width: metres to each side.
    package func along(
        _ course: Course, from metres: Double, width: Double, kinds: Set<PlaceKind>, limit: Int
    ) throws(SQLiteError) -> [CoursePlace] {
        let query = try Query(columns, kinds, in: database)
        var seen: Set<Int64> = []
        var found: [CoursePlace] = []
        for box in course.corridor(from: metres, width: width) {
            if seen.count >= Self.corridorLimit { break }
            try query.each(in: box) { row in
                guard let place = PlacesSchema.place(row), kinds.contains(place.kind) else { return true }
                if seen.insert(place.id.stored << 5 | Int64(place.kind.rawValue)).inserted,
                    let passed = CoursePlace(place, along: course, from: metres, width: width)
                {
                    found.append(passed)
                }
                return seen.count < Self.corridorLimit
            }
        }
        return Array(found.sorted(by: CoursePlace.isBefore).prefix(limit))
    }

    /// The most places that one search along a course looks at; the corridor is searched from the progress on.
    private static let corridorLimit = 20_000

    /// Finds points of interest in boxes, and some of other kinds.
    private struct Query {
        private let statement: SQLiteStatement
        private let lowest: Int
        private let highest: Int

        init(_ columns: String, _ kinds: Set<PlaceKind>, in database: SQLiteDatabase) throws(SQLiteError) {
            lowest = kinds.map(\.rawValue).min() ?? 0
            highest = kinds.map(\.rawValue).max() ?? 0
            statement = try database.prepare(
                """
                SELECT \(columns) FROM box JOIN place USING (number)
                WHERE south <= ? AND north >= ? AND west <= ? AND east >= ? AND kind_end >= ? AND box.kind <= ?
                """)
        }

        /// - Parameter body: receives the statement at a row; returns false to end the search.
        func each(in box: GeographicBox, _ body: (SQLiteStatement) -> Bool) throws(SQLiteError) {
            try statement.bind(box.north, box.south, box.east, box.west, lowest, highest)
            defer { statement.reset() }
            while try statement.step() {
                if !body(statement) { return }
            }
        }
    }

    // MARK: By text

    /// The places whose names have all words of a text; the last word may be incomplete.
    ///
    /// Names that are the text come first, then names that begin with it, settlements before streets before addresses,
    /// and near ones before far ones. Of more than ``matchLimit`` matches, the less important ones are not found.
    ///
    /// If no place has all words, those that have most of them are found, at least half: an address may name a house or a
    /// country that the map lacks. Of as many words the first ones count.
    ///
    /// - Parameter position: nil if it is unknown.
    package func search(_ text: String, near position: Coordinate?, limit: Int) throws(SQLiteError) -> Matches {
        let words = Array(text.split { !$0.isLetter && !$0.isNumber }.prefix(Self.wordLimit))
        for count in stride(from: words.count, through: max((words.count + 1) / 2, 1), by: -1) {
            for chosen in words.indices.choices(of: count) {
                let places = try places(
                    with: chosen.map { words[$0] }, isOpen: chosen.last == words.count - 1, position, limit)
                if places.isEmpty { continue }
                return Matches(
                    places: places, missing: words.indices.filter { !chosen.contains($0) }.map { String(words[$0]) })
            }
        }
        return Matches(places: [], missing: [])
    }

    /// The places that a search has found.
    package struct Matches {
        package let places: [(place: Place, metres: Double?)]
        /// The words of the text that they do not have.
        package let missing: [String]
    }

    /// - Parameter isOpen: whether the last word may be incomplete.
    private func places(
        with words: [Substring], isOpen: Bool, _ position: Coordinate?, _ limit: Int
    ) throws(SQLiteError) -> [(place: Place, metres: Double?)] {
        // In quotes, words are no operators. Letters and digits have no quotes.
        let match = words.map { "\"\($0)\"" }.joined(separator: " ") + (isOpen ? "*" : "")
        let statement = try database.prepare(
            """
            SELECT place.number, place.latitude, place.longitude, place.name FROM words JOIN place ON place.number = words.rowid
            WHERE words MATCH ? ORDER BY words.rowid LIMIT \(Self.matchLimit)
            """)
        try statement.bind(match)
        let wanted = words.joined(separator: " ").lowercased()
        var found: [(number: Int64, metres: Double?, closeness: Int)] = []
        while try statement.step() {
            guard let number = statement.integer(0), let latitude = statement.real(1), let longitude = statement.real(2)
            else { continue }
            let name = (statement.text(3) ?? "").lowercased()
            let metres = position.map { $0.metres(to: Coordinate(latitude: latitude, longitude: longitude)) }
            found.append((number, metres, name == wanted ? 0 : name.hasPrefix(wanted) ? 1 : 2))
        }
        found.sort { one, other in
            let (rank, otherRank) = (PlacesSchema.rank(of: one.number), PlacesSchema.rank(of: other.number))
            return (one.closeness, rank, one.metres ?? 0, one.number)
                < (other.closeness, otherRank, other.metres ?? 0, other.number)
        }
        return try places(found.prefix(limit).map { ($0.number, $0.metres) })
    }

    private static let wordLimit = 8
    private static let matchLimit = 2000

    // MARK: By number

    /// The places of an element, one for each of its kinds.
    package func places(of id: PlaceID) throws(SQLiteError) -> [Place] {
        let statement = try database.prepare(
            "SELECT \(columns) FROM place WHERE element = ? ORDER BY kind")
        try statement.bind(id.stored)
        var places: [Place] = []
        while try statement.step() { places += [PlacesSchema.place(statement)].compactMap(\.self) }
        return places
    }
}

extension Range<Int> {
    /// All choices of so many of the numbers, in order: those with the first numbers come first.
    fileprivate func choices(of count: Int) -> [[Int]] {
        guard count > 0 else { return [[]] }
        guard count <= self.count else { return [] }
        let rest = lowerBound + 1..<upperBound
        return rest.choices(of: count - 1).map { [lowerBound] + $0 } + rest.choices(of: count)
    }
}
