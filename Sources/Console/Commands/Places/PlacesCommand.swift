import Domain
import Glibc
import JSONCoding
import Linux
import MapStorage
import Maps
import Pipeline
import SQLite
import Storage
import Tiles
import Weather

extension Command {
    /// What lies around or along the way, from an extract of OpenStreetMap.
    static let places = [
        Command(
            "places import", words: [.one("FILE", "a file", .files)], options: [Options.force], others: hidden,
            "store the places of an extract of OpenStreetMap: FILE.osm.pbf (needs osmium-tool) or FILE.geojsonseq",
            read: { ($0.words[0], PlacesOptions($0)) }, run: { try $0.importPlaces($1.0, $1.1) }),
        Command(
            "places near", options: [Options.at, Options.kind, Options.radius, Options.placesOrder, Options.limit],
            others: hidden,
            "list the nearest places, here or at a position, or the best known ones first; K is water, toilets, food "
                + "and the like, several with commas between",
            read: { PlacesOptions($0) }, run: { try $0.placesNear($1) }),
        Command(
            "places along", options: [Options.kind, Options.radius, Options.limit], others: hidden,
            "list the places along the loaded course, in order", read: { PlacesOptions($0) },
            run: { try $0.placesAlong($1) }),
        Command(
            "places search", words: [.some("TEXT", "a text")], options: [Options.at, Options.limit], others: hidden,
            "find places, streets and addresses by name; the last word may be incomplete",
            read: { ($0.text, PlacesOptions($0)) }, run: { try $0.placesSearch($1.0, $1.1) }),
        Command(
            "places show", words: [.one("ID", "the ID of a place, such as n123")], others: hidden,
            "show a place: opening hours, address and website; --maps-dir DIR names the directory of the places, also "
                + "for route",
            read: { arguments in
                guard let id = PlaceID(arguments.words[0]) else {
                    throw Failure.usage("places show needs the ID of a place, such as n123")
                }
                return (id, PlacesOptions(arguments))
            }, run: { try $0.placeText($1.0, $1.1) }),
    ]

    private static let hidden: [any CommandOptionRow] = [Options.mapsDirectory, Options.root]
}

extension Options {
    fileprivate static let kind = CommandOption<Set<PlaceKind>>(
        "--kind", word: "K", "of these kinds", .words(PlaceKind.pointsOfInterest.map(\.name)),
        needs: "some of \(PlaceKind.pointsOfInterest.map(\.name).joined(separator: ", ")), with commas between",
        parse: { PlaceKind.pointsOfInterest(named: $0) })
    fileprivate static let placesOrder = CommandOption<PlacesDatabase.Order>.choice("--order", "what comes first")
    static let radius = CommandOption.number(
        "--radius", "METRES", "how far", PlacesOptions.radii, needs: "a number of metres")
}

/// The options of `pacectl places`.
package struct PlacesOptions: Equatable {
    /// Nil for the position that the daemon has.
    var position: Coordinate?
    /// Empty for the common ones.
    var kinds: Set<PlaceKind> = []
    /// Metres; nil for the default of the command.
    var radius: Double?
    var order = PlacesDatabase.Order.distance
    var limit = 20
    /// Nil for the default.
    var directory: String?
    /// Imports in spite of little memory and of a run.
    var isForced = false
    /// Instead of `/`, for tests.
    var root = ""

    static let radii = 10...100_000

    init() {}

    init(_ arguments: Arguments) {
        position = arguments[Options.at]
        kinds = arguments[Options.kind] ?? []
        radius = arguments[Options.radius].map(Double.init)
        order = arguments[Options.placesOrder] ?? order
        limit = arguments[Options.limit] ?? limit
        directory = arguments[Options.mapsDirectory]
        isForced = arguments.has(Options.force)
        root = arguments[Options.root] ?? ""
    }

    var wantedKinds: Set<PlaceKind> { kinds.isEmpty ? Set(PlaceKind.common) : kinds }

    /// Where `places.db` is: `/var/lib/paced-maps` if it exists, else `$XDG_DATA_HOME/paced`.
    func mapsDirectory() throws(Failure) -> String {
        guard let path = directory ?? MapsDirectory.path(root: root, environment: environment) else {
            throw .failed(
                "there is no \(root)\(MapsDirectory.system), and HOME is not set: name a directory with --maps-dir")
        }
        return path
    }

    /// Opens the places for reading.
    func database() throws(Failure) -> PlacesDatabase {
        try open(PlacesDatabase.init(in:), missing: PlacesDatabase.missing(in:))
    }

    /// Opens a database of the directory of maps.
    ///
    /// - Parameters:
    ///   - read: opens the database in a directory.
    ///   - missing: the failure for a directory without it.
    func open<Database>(
        _ read: (String) throws(MapsFailure) -> Database, missing: (String) -> MapsFailure
    ) throws(Failure) -> Database {
        let directory = try mapsDirectory()
        do {
            return try read(try Directory(directory).path)
        } catch let error as DirectoryError where error.code == ENOENT {
            throw .failed("\(missing(directory))")
        } catch {
            throw .failed("\(error)")
        }
    }
}

extension Invocation {
    fileprivate func placesNear(_ options: PlacesOptions) throws(Failure) -> String {
        let database = try options.database()
        let present = options.position == nil ? try presentState() : try? presentState()
        guard let here = options.position ?? present?.state.here else {
            throw .failed("paced has no position: wait for one, or name one with --at LAT,LON")
        }
        let radius = options.radius ?? 2000
        let found = try reading(database) { () throws(SQLiteError) in
            try database.near(
                here, radius: radius, kinds: options.wantedKinds, limit: options.limit,
                order: options.order)
        }
        if options.order == .prominence, !database.knowsProminence {
            complain("these places say not how well known they are, so the nearest are first: import the extract again")
        }
        let text = placesText(present?.settings)
        let lines = found.map { place, metres in
            PlaceLine(place, metres: metres, bearing: GreatCircle(from: here, to: place.position).bearing)
        }
        if isJSON { return text.geoJSON(lines) }
        guard !lines.isEmpty else {
            throw .failed(
                "no such place within \(text.units.distance(radius)); try a larger --radius, or another --kind")
        }
        return text.table(lines)
    }

    fileprivate func placesAlong(_ options: PlacesOptions) throws(Failure) -> String {
        let database = try options.database()
        let present = try presentState(blocks: #","blocks":["course"]"#)
        guard let loaded = present.state.course else { throw .noCourseLoaded }
        let state = StateDirectory(stateDirectory)
        let course: Course?
        do {
            let journal = try state.journal()
            course = try loaded.number.flatMap { try journal.course($0) }.flatMap { summary in
                try journal.loadableCourse(summary)?.course
            }
        } catch {
            throw state.failure(reading: error)
        }
        guard let course else { throw .failed("the loaded course is not in the list of courses; load another one") }
        let width = options.radius ?? 500
        let found = try reading(database) { () throws(SQLiteError) in
            try database.along(
                course, from: loaded.progressMetres ?? 0, width: width, kinds: options.wantedKinds,
                limit: options.limit)
        }
        let text = placesText(present.settings)
        let lines = found.map { PlaceLine($0) }
        if isJSON { return text.geoJSON(lines) }
        guard !lines.isEmpty else {
            throw .failed(
                "no such place ahead within \(text.units.distance(width)) of the course; try a larger --radius, "
                    + "or another --kind")
        }
        return text.table(lines)
    }

    fileprivate func placesSearch(_ words: String, _ options: PlacesOptions) throws(Failure) -> String {
        let present = try? presentState()
        var options = options
        options.position = options.position ?? present?.state.here
        let (lines, missing) = try places(named: words, options)
        let text = placesText(present?.settings)
        if isJSON { return text.geoJSON(lines, missing: missing) }
        guard !lines.isEmpty else { throw .noPlace(named: words) }
        tell(missing: missing)
        return text.table(lines)
    }

    private func tell(missing words: [String]) {
        if !words.isEmpty { complain("no place has all words; these have not: \(words.joined(separator: ", "))") }
    }

    /// The places whose names match, best first; those near `options.position` first among equals. And the words that they
    /// do not have.
    private func places(
        named words: String, _ options: PlacesOptions
    ) throws(Failure) -> (lines: [PlaceLine], missing: [String]) {
        let (database, here) = (try options.database(), options.position)
        let found = try reading(database) { () throws(SQLiteError) in
            try database.search(words, near: here, limit: options.limit)
        }
        let lines = found.places.map { place, metres in
            PlaceLine(place, metres: metres, bearing: here.map { GreatCircle(from: $0, to: place.position).bearing })
        }
        return (lines, found.missing)
    }

    /// Finds the place that a route leads to, and prints which one it is.
    func place(_ reference: PlaceReference, _ options: PlacesOptions) throws(Failure) -> Place {
        let present = try? presentState()
        let line: PlaceLine
        switch reference {
        case .id(let id): line = PlaceLine(try places(of: id, options)[0])
        case .name(let name):
            var options = options
            options.position = options.position ?? present?.state.here
            options.limit = 2
            let (lines, missing) = try places(named: name, options)
            tell(missing: missing)
            guard let best = lines.first else { throw .noPlace(named: name) }
            line = best
            if lines.count > 1 {
                complain("other places match too: 'pacectl places search' lists them, and --to takes their IDs")
            }
        }
        if !isJSON { try writeOut(placesText(present?.settings).table([line])) }
        return line.place
    }

    /// The places of an element, at least one.
    private func places(of id: PlaceID, _ options: PlacesOptions) throws(Failure) -> [Place] {
        let database = try options.database()
        let places = try reading(database) { () throws(SQLiteError) in try database.places(of: id) }
        guard !places.isEmpty else { throw .failed("there is no place \(id.text) in \(database.path)") }
        return places
    }

    fileprivate func placeText(_ id: PlaceID, _ options: PlacesOptions) throws(Failure) -> String {
        let places = try places(of: id, options)
        let text = placesText((try? presentState())?.settings)
        if isJSON { return text.geoJSON(places.map { PlaceLine($0) }) }
        return text.description(of: places)
    }

    private func placesText(_ settings: Settings?) -> PlacesText {
        let now = Clock.systemTime()
        return PlacesText(
            units: WeatherUnits(
                metric: metric ?? settings?.isMetric ?? LocaleUnits.isMetric,
                twelveHour: settings?.twelveHourClock ?? false),
            now: now >= Release.date ? now : nil)
    }

    private func reading<Result>(
        _ database: PlacesDatabase, _ body: () throws(SQLiteError) -> Result
    ) throws(Failure) -> Result {
        do throws(SQLiteError) {
            return try body()
        } catch {
            throw .failed("cannot read \(database.path) (\(error)): import the places again")
        }
    }
}

extension Failure {
    fileprivate static func noPlace(named words: String) -> Failure {
        .failed("no place has the name '\(SanitizedText.line(words, limit: 64) ?? "")'")
    }
}

extension ReceivedState {
    /// The current position; nil if it is unknown or old.
    var here: Coordinate? {
        positionIsStale ? nil : position?.coordinate
    }
}
