import Domain
import Formats
import Import
import JSONCoding
import Linux
import MapStorage
import Pipeline
import SQLite
import Transit
import Weather
import Wire

extension Invocation {
    /// The position of the user: of the options, else that of the daemon.
    func here(_ options: TransitOptions) throws(Failure) -> Coordinate {
        if let position = options.maps.position { return position }
        guard let position = try presentState(needsSettings: false).state.here else {
            throw .failed("paced has no position: wait for one, or name one with --at LAT,LON")
        }
        return position
    }

    // MARK: Lines

    func transitLines(_ options: TransitOptions) throws(Failure) {
        let list = try LineListFile(in: try options.maps.mapsDirectory()).read()
        let all = try knownLines(list, options)
        guard !all.isEmpty else {
            _ = try options.database()
            throw .failed("the timetable has no lines")
        }
        let lines = all.filter { $0.isFound(by: options.text, options.scope) }
        guard !lines.isEmpty else { throw .failed("no line is found by this text; see 'pacectl transit lines'") }
        if let format = options.format { return try export(lines, as: format, options) }
        if isJSON {
            let sections = Dictionary(
                list.lines.map { ($0.line.id, $0.section) }, uniquingKeysWith: { first, _ in first })
            var writer = JSONWriter()
            for line in lines {
                writer.object {
                    $0.member("line", line.id)
                    $0.member("code", line.code.isEmpty ? nil : line.code)
                    $0.member("name", line.name.isEmpty ? nil : line.name)
                    $0.member("color", line.color.map { "#" + $0.text })
                    $0.member("section", sections[line.id] ?? nil)
                }
                writer.newline()
            }
            return try writeOut(writer.bytes)
        }
        var table = TextTable([
            .init(head: "LINE"), .init(head: "NAME"), .init(head: "COLOR"), .init(head: "ID"), .init(head: "SHOWN"),
        ])
        for line in lines {
            table.append([
                line.code, line.name, line.color?.text ?? "", line.id, list.initial == .line(line.id) ? "first" : "",
            ])
        }
        let groups = list.showsGroupsFirst && options.text.isEmpty ? groupsText(list, all) + "\n" : ""
        try writeOut(groups + table.lines.map { $0 + "\n" }.joined())
    }

    /// Writes the ways of lines for maps: those of the timetable, of KML traces, or of paced-net.
    private func export(_ lines: [TransitLine], as format: TransitOptions.Format, _ options: TransitOptions)
        throws(Failure)
    {
        guard options.trace == nil || lines.count == 1 else {
            throw .failed("a trace is the way of one line: name it with --match CODE")
        }
        var drawn: [(line: TransitLine, paths: [[Coordinate]])] = []
        var reason: String?
        for line in lines {
            do throws(Failure) {
                drawn.append((line, try paths(of: line, options)))
            } catch {
                reason = error.message
            }
        }
        guard drawn.contains(where: { !$0.paths.isEmpty }) else { throw .failed(reason ?? "no line has a way") }
        if let reason { complain("some lines are left out: \(reason)") }
        let bytes = format == .kml ? LineExport.kml(drawn) : LineExport.geoJSON(drawn)
        guard let file = options.file else { return try writeOut(bytes) }
        do {
            try OutputFile(file, replaces: options.maps.isForced).write { try $0(bytes.span) }
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .failed("cannot write \(file): \(error)")
        }
    }

    private func paths(of line: TransitLine, _ options: TransitOptions) throws(Failure) -> [[Coordinate]] {
        if let trace = options.trace { return try readTraceFile(trace) }
        if let database = try? options.database() {
            let paths = try reading(database) { () throws(SQLiteError) in
                try database.lineNumber(id: line.id).map { number throws(SQLiteError) in
                    try database.paths(ofLine: number)
                } ?? []
            }
            if !paths.isEmpty { return paths }
        }
        var net = try ControlClient(path: RuntimeDirectory.netSocket(options.netDirectory), of: .pacedNet)
        var writer = JSONWriter()
        writer.object { $0.member("line", line.id) }
        let text = try net.call("transit.path", String(decoding: writer.bytes, as: UTF8.self), lasting: .seconds(60))
        let paths = (try? JSON(parsing: text.utf8))?["paths"]?.array ?? []
        if paths.isEmpty { throw .failed("line \(line.id) has no trace") }
        return paths.map { path in
            (path.array ?? []).compactMap { position in
                guard let pair = position.array, pair.count == 2, let longitude = pair[0].number,
                    let latitude = pair[1].number
                else { return nil }
                return Coordinate(latitude: latitude, longitude: longitude)
            }
        }
    }

    /// The ways in a KML file, as CATA has one for each line.
    private func readTraceFile(_ path: String) throws(Failure) -> [[Coordinate]] {
        let file = InputFile(path: path)
        do {
            return try readTrace(try file.bytes(limit: Self.traceLimit)).paths
        } catch {
            throw error as? Failure ?? .failed("\(file.name): \(error)")
        }
    }

    private static let traceLimit = 16 << 20

    // MARK: Stops

    func transitStops(_ text: String?, _ options: TransitOptions) throws(Failure) {
        let database = try options.database()
        let here = text == nil ? try here(options) : options.maps.position
        let lines = try reading(database) { () throws(SQLiteError) -> [(stop: TransitStop, metres: Double?)] in
            if let text {
                let wanted = text.lowercased()
                let found = try database.stops { stop in
                    [stop.id, stop.code ?? "", stop.name].contains { $0.lowercased().containsText(wanted) }
                }
                return found.map(\.stop).map { stop in (stop, here.map { $0.metres(to: stop.position) }) }
                    .sorted { ($0.metres ?? 0, $0.stop.name) < ($1.metres ?? 0, $1.stop.name) }
            }
            return try here.map { here throws(SQLiteError) in
                try database.stops(within: options.maps.radius ?? 1000, of: here).map { ($0.stop, $0.metres) }
            } ?? []
        }
        let units = transitUnits()
        if isJSON {
            var writer = JSONWriter()
            for (stop, metres) in lines.prefix(options.maps.limit) {
                writer.object {
                    $0.member("stop", stop.id)
                    $0.member("code", stop.code)
                    $0.member("name", stop.name)
                    $0.member("latitude", stop.position.latitude, decimals: 6)
                    $0.member("longitude", stop.position.longitude, decimals: 6)
                    $0.member("distance_m", metres, decimals: 0)
                }
                writer.newline()
            }
            return try writeOut(writer.bytes)
        }
        guard !lines.isEmpty else {
            throw .failed(
                text.map { "no stop has the text '\(SanitizedText.line($0, limit: 64) ?? "")'" }
                    ?? "no stop within \(units.distance(options.maps.radius ?? 1000)); try a larger --radius")
        }
        var table = TextTable([
            .init(head: "DISTANCE", isNumber: true), .init(head: "TO"), .init(head: "NAME"), .init(head: "CODE"),
            .init(head: "ID"),
        ])
        for (stop, metres) in lines.prefix(options.maps.limit) {
            table.append([
                metres.map(units.distance) ?? "",
                here.map { RunFormat.compass(GreatCircle(from: $0, to: stop.position).bearing) } ?? "", stop.name,
                stop.code ?? "", stop.id,
            ])
        }
        try writeOut(table.lines.map { $0 + "\n" }.joined())
    }

    /// The stop or the station with an ID.
    func stop(id: String, _ options: TransitOptions) throws(Failure) -> TransitStop {
        let database = try options.database()
        let found = try reading(database) { () throws(SQLiteError) -> TransitStop? in
            if let stop = try database.stop(id: id)?.stop { return stop }
            return try database.stations(id: id).first?.station
        }
        guard let stop = found else {
            throw .failed(
                "no stop has the ID '\(SanitizedText.line(id, limit: 64) ?? "")'; "
                    + "'pacectl transit stops' lists those around you")
        }
        return stop
    }

    func transitUnits() -> WeatherUnits {
        let settings = (try? presentState())?.settings
        return WeatherUnits(
            metric: metric ?? settings?.isMetric ?? LocaleUnits.isMetric, twelveHour: settings?.twelveHourClock ?? false
        )
    }

    func reading<Result>(
        _ database: TransitDatabase, _ body: () throws(SQLiteError) -> Result
    ) throws(Failure) -> Result {
        do throws(SQLiteError) {
            return try body()
        } catch {
            throw .failed("cannot read \(database.path) (\(error)): import the timetable again")
        }
    }
}
