import Domain
import Maps
import SQLite

/// The tables of `places.db`.
///
/// - `place`: a row for each place. The rows are numbered by their rank in a search, then in the order of the import.
/// - `element`: finds the places of an element.
/// - `box`: an R*Tree of the points of interest. Its third dimension is the kind, from the number to half a unit above it:
///   the tree sorts boxes by volume, and a box without a height has none.
/// - `words`: the names of all places that have one.
/// - `standing`: how well known a place is, and the name of its photo. A file of an earlier release has no such table.
/// - `meta`: the name of the imported file, the time of the import and the attribution.
enum PlacesSchema {
    /// `PRAGMA application_id`: "pacp" in ASCII.
    static let applicationID: Int64 = 0x7061_6370
    /// `PRAGMA user_version`. ``PlacesDatabase`` rejects a file of another version and asks the user to import again.
    static let version: Int64 = 1

    static let tables = """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE place(
            number INTEGER PRIMARY KEY, element INTEGER NOT NULL, kind INTEGER NOT NULL, detail TEXT NOT NULL,
            latitude REAL NOT NULL, longitude REAL NOT NULL, name TEXT, address TEXT, hours TEXT, phone TEXT, website TEXT);
        CREATE TABLE standing(number INTEGER PRIMARY KEY, prominence INTEGER, photo TEXT);
        CREATE UNIQUE INDEX element ON place(element, kind);
        CREATE VIRTUAL TABLE box USING rtree(number, south, north, west, east, kind, kind_end);
        CREATE VIRTUAL TABLE words USING fts5(
            names, content='', columnsize=0, prefix='2 3', tokenize='unicode61 remove_diacritics 2');
        """

    /// The columns of a place, as ``place(_:)`` reads them.
    ///
    /// - Parameter hasStanding: whether the file has the table `standing`.
    static func columns(hasStanding: Bool) -> String {
        let standing = ["prominence", "photo"].map {
            hasStanding ? "(SELECT \($0) FROM standing WHERE standing.number = place.number)" : "NULL"
        }
        return "place.element, place.kind, place.detail, place.latitude, place.longitude, place.name, place.address, "
            + "place.hours, place.phone, place.website, " + standing.joined(separator: ", ")
    }

    /// The current row; nil if it is damaged.
    static func place(_ row: SQLiteStatement) -> Place? {
        guard let id = row.integer(0).flatMap({ PlaceID(stored: $0) }),
            let kind = row.integer(1).flatMap({ PlaceKind(rawValue: Int(clamping: $0)) }),
            let latitude = row.real(3), let longitude = row.real(4), latitude.magnitude <= 90,
            longitude.magnitude <= 180
        else { return nil }
        func text(_ column: Int32) -> String? { row.text(column).flatMap { SanitizedText.line($0, limit: 512) } }
        return Place(
            id: id, kind: kind, detail: text(2) ?? "",
            position: Coordinate(latitude: latitude, longitude: longitude), name: text(5), address: text(6),
            hours: text(7), phone: text(8), website: text(9),
            prominence: row.integer(10).map { min(max(Int(clamping: $0), 1), 100) },
            photo: text(11).flatMap { PhotoName($0) })
    }

    /// The rank of a place in a search, the most important one first.
    static func rank(of place: Place) -> Int64 {
        switch place.kind {
        case .settlement: Int64(PlaceRule.settlements.firstIndex(of: place.detail) ?? PlaceRule.settlements.count)
        case .street: 21
        case .address: 22
        default: 20
        }
    }

    /// The lowest row number of a rank.
    static func firstNumber(of rank: Int64) -> Int64 { rank << 40 }

    static func rank(of number: Int64) -> Int64 { number >> 40 }
}
