import Domain
import JSONCoding
import Linux
import MapStorage
import SQLite
import Transit
import Weather

extension Invocation {
    // MARK: Departures

    func transitDepartures(_ text: String?, _ options: TransitOptions) throws(Failure) {
        try checkClock(options)
        let limit = options.limit ?? 10
        let database: TransitDatabase
        do throws(Failure) {
            database = try options.database()
        } catch {
            // InfoPoint needs no timetable.
            guard let text, options.time == nil else { throw error }
            return try show(try announced(from: text, options, limit: limit, orElse: error), departuresText)
        }
        let stops = try stops(named: text, database, options)
        let lines = try lineNumbers(options.lines, database)
        let answer = try answer(options, "transit.departures") { () throws(Failure) in
            let ids = try reading(database) { () throws(SQLiteError) in
                var ids: [String] = []
                for stop in stops { ids += [try database.stop(stop)?.id].compactMap(\.self) }
                return ids
            }
            let lineIDs = try reading(database) { () throws(SQLiteError) in
                try database.lines().filter { lines?.contains($0.number) ?? false }.map(\.line.id)
            }
            return parameters {
                $0.array("stops") { list in for id in ids { list.value(id) } }
                if lines != nil { $0.array("lines") { list in for id in lineIDs.prefix(64) { list.value(id) } } }
                if text != nil { $0.member("named", true) }
                $0.member("limit", min(limit, 100))
            }
        } locally: { (reason) throws(Failure) in
            let time = try options.time(by: database.clock)
            return try reading(database) { () throws(SQLiteError) in
                try TransitAnswer(database, status: .schedule(reason: reason)).departures(
                    from: stops, lines: lines, after: time, limit: limit)
            }
        }
        try show(answer, departuresText)
    }

    /// Asks paced-net for the departures that the agency announces from a stop.
    private func announced(
        from stop: String, _ options: TransitOptions, limit: Int, orElse failure: Failure
    ) throws(Failure) -> [UInt8] {
        guard var net = try? ControlClient(path: RuntimeDirectory.netSocket(options.netDirectory), of: .pacedNet) else {
            throw failure
        }
        let parameters = parameters {
            $0.array("stops") { $0.value(stop) }
            $0.member("named", true)
            $0.array("lines") { list in for line in options.lines { list.value(line) } }
            $0.member("limit", min(limit, 100))
        }
        return Array(try net.call("transit.departures", parameters, lasting: .seconds(30)).utf8)
    }

    /// Asks paced-net, which has live data. Without it, or for another time than now, the timetable answers.
    private func answer(
        _ options: TransitOptions, _ method: String, _ parameters: () throws(Failure) -> String,
        locally: (_ reason: String) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt8] {
        if options.time != nil { return try locally("live data is for now only") }
        let socket = RuntimeDirectory.netSocket(options.netDirectory)
        guard var net = try? ControlClient(path: socket, of: .pacedNet) else {
            return try locally("paced-net is not running")
        }
        do throws(Failure) {
            return Array(try net.call(method, try parameters(), lasting: .seconds(30)).utf8)
        } catch {
            return try locally(error.message)
        }
    }

    private func parameters(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.object(body)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The numbers of the stops that the user means.
    private func stops(
        named text: String?, _ database: TransitDatabase, _ options: TransitOptions
    ) throws(Failure) -> [Int] {
        if let text {
            let found = try reading(database) { () throws(SQLiteError) in try database.stops(named: text) }
            guard !found.isEmpty else {
                throw .failed(
                    "no stop has the ID, the code or the name '\(SanitizedText.line(text, limit: 64) ?? "")'; "
                        + "'pacectl transit stops' lists those around you")
            }
            guard found.count <= Self.stopLimit else {
                throw .failed("\(found.count) stops have this text: name one by its ID; see 'pacectl transit stops'")
            }
            return found
        }
        let here = try here(options)
        let radius = options.maps.radius ?? 300
        let found = try reading(database) { () throws(SQLiteError) in
            try database.stops(within: radius, of: here).map(\.number)
        }
        guard !found.isEmpty else {
            throw .failed("no stop within \(transitUnits().distance(radius)); try a larger --radius, or name a stop")
        }
        return Array(found.prefix(Self.stopLimit))
    }

    private static let stopLimit = 64

    /// Nil for all lines.
    private func lineNumbers(_ names: [String], _ database: TransitDatabase) throws(Failure) -> Set<Int>? {
        if names.isEmpty { return nil }
        let lines = try reading(database) { () throws(SQLiteError) in try database.lines() }
        var numbers: Set<Int> = []
        for name in names {
            let wanted = name.lowercased()
            let found = lines.filter {
                [$0.line.id, $0.line.code, $0.line.name].contains { $0.lowercased() == wanted }
            }
            guard !found.isEmpty else {
                throw .failed(
                    "no line is called '\(SanitizedText.line(name, limit: 64) ?? "")'; see 'pacectl transit lines'")
            }
            numbers.formUnion(found.map(\.number))
        }
        return numbers
    }

    // MARK: The way home

    func transitNextHome(_ options: TransitOptions) throws(Failure) {
        try checkClock(options)
        let answer = try answer(options, "transit.home") { () throws(Failure) in
            let here = options.maps.position
            return parameters {
                $0.place("from", here)
                $0.place("home", options.home)
                $0.member("within_m", options.within, decimals: 0)
                $0.member("walking_mps", options.walkingSpeed, decimals: 3)
                if options.needsBikes { $0.member("bikes", true) }
                $0.member("limit", min(options.limit ?? Self.journeyLimit, 20))
            }
        } locally: { (reason) throws(Failure) in
            guard let home = options.home else {
                throw .failed("name your home with --home LAT,LON; \(reason)")
            }
            return try wayHome(home, options, reason)
        }
        try show(answer, journeysText)
    }

    private static let journeyLimit = 3

    private func wayHome(
        _ home: Coordinate, _ options: TransitOptions, _ reason: String
    ) throws(Failure) -> [UInt8] {
        let database = try options.database()
        let time = try options.time(by: database.clock)
        let here = try here(options)
        var walking = WalkingRule()
        walking.radius = options.within ?? walking.radius
        walking.speed = options.walkingSpeed ?? walking.speed
        let answer = TransitAnswer(database, status: .schedule(reason: reason))
        return try reading(database) { () throws(SQLiteError) in
            try answer.journeys(
                from: here, to: home, after: time, walking: walking, needsBikes: options.needsBikes,
                limit: options.limit ?? Self.journeyLimit)
        }
    }

    // MARK: Text

    private func checkClock(_ options: TransitOptions) throws(Failure) {
        guard options.time != nil || Clock.systemTime() >= Release.date else {
            throw .failed("the clock of this machine is not set: set it, or name a time with --time")
        }
    }

    private func show(
        _ answer: [UInt8], _ text: (JSON) throws(Failure) -> String
    ) throws(Failure) {
        if isJSON { return try writeOut(answer + [UInt8(ascii: "\n")]) }
        guard let json = try? JSON(parsing: answer) else { throw .failed("the answer is no JSON") }
        try writeOut(try text(json) + TransitText.status(json))
    }

    private static func end(_ answer: JSON) -> String {
        answer["timetable_ends"]?.harmlessText().map { "; the timetable ends on \($0)" } ?? ""
    }

    private func departuresText(_ answer: JSON) throws(Failure) -> String {
        let text = TransitText(units: transitUnits(), now: Clock.systemTime())
        guard let table = text.departures(answer) else {
            throw .failed("no departure in the next 24 h" + Self.end(answer))
        }
        return table
    }

    private func journeysText(_ answer: JSON) throws(Failure) -> String {
        let text = TransitText(units: transitUnits(), now: Clock.systemTime())
        guard let table = text.journeys(answer) else {
            throw .failed("no way home in the next 24 h; try a larger --within" + Self.end(answer))
        }
        return table
    }
}

extension JSONWriter {
    fileprivate mutating func place(_ name: String, _ position: Coordinate?) {
        guard let position else { return }
        object(name) {
            $0.member("lat", position.latitude, decimals: 7)
            $0.member("lon", position.longitude, decimals: 7)
        }
    }
}
