package import Domain
package import Maps
package import SQLite

/// Writes a new `places.db`.
package final class PlacesWriter {
    private let database: SQLiteDatabase
    private let insert: SQLiteStatement
    private let insertBox: SQLiteStatement
    private let insertWords: SQLiteStatement
    private let insertStreet: SQLiteStatement
    private let insertStanding: SQLiteStatement
    /// How many rows each rank has.
    private var ranks: [Int64: Int64] = [:]
    /// The places written so far.
    package private(set) var counts: [PlaceKind: Int] = [:]

    /// Ways of one street within a cell of this many degrees are one place.
    private static let streetCell = 0.02

    /// - Parameter path: an empty file, or none. It is no database until ``finish(source:at:)`` returns.
    package init(at path: String) throws(SQLiteError) {
        database = try SQLiteDatabase(path, .writing)
        // The import deletes the file if it fails. Temporary data may be larger than the memory.
        try database.execute(
            """
            PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE; PRAGMA cache_size = -8000;
            BEGIN;
            """)
        try database.execute(PlacesSchema.tables)
        try database.execute(
            "CREATE TEMP TABLE street(name, row, column, PRIMARY KEY(name, row, column)) WITHOUT ROWID")
        insert = try database.prepare(
            "INSERT OR IGNORE INTO place VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        insertBox = try database.prepare("INSERT INTO box VALUES(?, ?, ?, ?, ?, ?, ?)")
        insertWords = try database.prepare("INSERT INTO words(rowid, names) VALUES(?, ?)")
        insertStanding = try database.prepare("INSERT INTO standing VALUES(?, ?, ?)")
        insertStreet = try database.prepare("INSERT OR IGNORE INTO street VALUES(?, ?, ?)")
    }

    package func add(_ feature: PlaceFeature) throws(SQLiteError) {
        for place in feature.places { try add(place, otherNames: feature.otherNames) }
    }

    /// Writes a place once: osmium exports a closed way as a line and as an area.
    private func add(_ place: Place, otherNames: String) throws(SQLiteError) {
        let (latitude, longitude) = (place.position.latitude, place.position.longitude)
        if place.kind == .street, let name = place.name {
            let (row, column) = (latitude / Self.streetCell, longitude / Self.streetCell)
            try insertStreet.run(name, Int(row.rounded(.down)), Int(column.rounded(.down)))
            if database.changes == 0 { return }
        }
        let rank = PlacesSchema.rank(of: place)
        let number = PlacesSchema.firstNumber(of: rank) + ranks[rank, default: 0]
        try insert.run(
            number, place.id.stored, place.kind.rawValue, place.detail, latitude, longitude, place.name, place.address,
            place.hours, place.phone, place.website)
        if database.changes == 0 { return }
        ranks[rank, default: 0] += 1
        counts[place.kind, default: 0] += 1
        if place.kind.isPointOfInterest {
            let kind = Double(place.kind.rawValue)
            try insertBox.run(number, latitude, latitude, longitude, longitude, kind, kind + 0.5)
        }
        if place.prominence != nil || place.photo != nil {
            try insertStanding.run(number, place.prominence, place.photo?.text)
        }
        let other = place.kind == .address ? place.address ?? "" : otherNames
        if let name = place.name { try insertWords.run(number, other.isEmpty ? name : name + " " + other) }
    }

    /// Completes the file.
    ///
    /// - Parameters:
    ///   - source: the name of the imported file.
    ///   - time: nil if the clock is not set.
    package func finish(source: String, at time: UTC?) throws(SQLiteError) {
        try database.execute("INSERT INTO words(words) VALUES('optimize')")
        let meta = try database.prepare("INSERT INTO meta VALUES(?, ?)")
        try meta.run("source", source)
        try meta.run("attribution", Place.attribution)
        if let time { try meta.run("imported_ms", time.milliseconds) }
        try database.execute("COMMIT")
    }
}
