/// The tables of `transit.db`. Rows refer to each other by numbers, in the order of the feed.
///
/// - `meta`: the name of the imported file, the time of the import, the name of the agency.
/// - `clock`: the offsets of the agency's local time from UTC, see `AgencyClock`.
/// - `service`: the days of the week on which trips run, as bits from Monday on, between two days.
/// - `exception`: the days on which a service runs besides, or not.
/// - `line`, `stop`: those of the agency. `box` is an R*Tree of the stops.
/// - `station`, `platform`: the stations, and the stops in them.
/// - `trip`: each trip, and each run of a trip with frequencies. `start` is the first arrival in seconds of the service day.
/// - `pattern`: the stops and relative times of trips, see `CallPattern`.
/// - `call`: the departures of each stop in the order of time.
/// - `shape`: the ways of trips, as pairs of latitude and longitude in 1e-5 degrees, each as the difference from the one
///   before: 32 bits, the lowest byte first.
enum TransitSchema {
    /// `PRAGMA application_id`: "pact" in ASCII.
    static let applicationID: Int64 = 0x7061_6374
    /// `PRAGMA user_version`. ``TransitDatabase`` rejects a file of another version and asks the user to import again.
    static let version: Int64 = 2

    static let tables = """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
        CREATE TABLE clock(start INTEGER PRIMARY KEY, offset INTEGER NOT NULL);
        CREATE TABLE service(
            number INTEGER PRIMARY KEY, weekdays INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL);
        CREATE TABLE exception(day INTEGER, service INTEGER, runs INTEGER NOT NULL, PRIMARY KEY(day, service))
            WITHOUT ROWID;
        CREATE TABLE line(
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, code TEXT NOT NULL, name TEXT NOT NULL, color TEXT,
            sort INTEGER);
        CREATE TABLE stop(
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, code TEXT, name TEXT NOT NULL, latitude REAL NOT NULL,
            longitude REAL NOT NULL);
        CREATE VIRTUAL TABLE box USING rtree(number, south, north, west, east);
        CREATE TABLE station(
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, code TEXT, name TEXT NOT NULL, latitude REAL NOT NULL,
            longitude REAL NOT NULL);
        CREATE TABLE platform(station INTEGER, stop INTEGER, PRIMARY KEY(station, stop)) WITHOUT ROWID;
        CREATE TABLE trip(
            number INTEGER PRIMARY KEY, id TEXT NOT NULL, line INTEGER NOT NULL, service INTEGER NOT NULL,
            pattern INTEGER NOT NULL, start INTEGER NOT NULL, headsign TEXT, direction INTEGER, bikes INTEGER,
            headway INTEGER, shape INTEGER);
        CREATE TABLE pattern(number INTEGER PRIMARY KEY, calls BLOB NOT NULL);
        CREATE TABLE call(
            stop INTEGER, time INTEGER, trip INTEGER, place INTEGER, service INTEGER NOT NULL,
            PRIMARY KEY(stop, time, trip, place)) WITHOUT ROWID;
        CREATE TABLE shape(number INTEGER PRIMARY KEY, points BLOB NOT NULL);
        """
}
