import Domain
import Glibc
import JSONCoding

/// A request that a run of `pacectl` answers: its arguments, and the type of what it prints.
package struct ProgramRequest: Equatable {
    package internal(set) var arguments: [String]
    var type: String
    /// The name of a file to save; nil for data.
    var file: String?
    /// Whether the live page sends this request: it draws the loaded course from GeoJSON.
    var isLive = false

    /// Whether the body is a list of words that follow the arguments.
    private(set) var takesWords = false

    private static let lines = "application/x-ndjson"

    /// Nil for a path that there is not.
    ///
    /// - Throws: ``APIRequest/Failure/wrongValue(_:)`` for an unknown argument, or one with a wrong value.
    init?(path: String, query: [String: String]) throws(APIRequest.Failure) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).map(String.init)
        let arguments = try QueryArguments(query)
        type = Self.lines
        switch parts {
        case ["activities"]:
            self.arguments = ["--json", "activities"]
            self.arguments += try arguments.options([
                .limit, .before, .since, .until, .sport, .near, .radius, .least, .most, .trash,
            ])
        case ["activities", "totals"]:
            self.arguments = ["--json", "activities"]
            self.arguments += try arguments.options([.totals, .since, .until, .sport])
            if arguments.values["by"] == nil { self.arguments += ["--totals=month"] }
        case ["badges"]:
            self.arguments = ["--json", "badges"] + (try arguments.options([]))
        case ["bests"]:
            self.arguments = ["--json", "bests"] + (try arguments.options([.since, .sport]))
        case ["courses"]:
            self.arguments = ["--json", "course", "list"] + (try arguments.options([.trash]))
        case ["places", "near"]:
            self.arguments = ["--json", "places", "near"]
            self.arguments += try arguments.options([.at, .kind, .radius, .order, .limit])
        case ["places", "along"]:
            self.arguments = ["--json", "places", "along"] + (try arguments.options([.kind, .radius, .limit]))
        case ["places", "search"]:
            let text = try arguments.text("text")
            self.arguments =
                ["--json", "places", "search"] + (try arguments.options([], besides: "text")) + ["--", text]
        case ["places", "show"]:
            let id = try arguments.text("id")
            self.arguments = ["--json", "places", "show"] + (try arguments.options([], besides: "id")) + ["--", id]
        case ["transit", "lines"]:
            self.arguments = ["--json", "transit", "lines"] + (try arguments.options([]))
        case ["transit", "lines", "file"]:
            let formats = ["geojson", "kml"]
            type = Self.type(of: try arguments.word("format", of: formats))
            self.arguments = ["transit", "lines"] + (try arguments.options([.format(formats)]))
        case ["transit", "groups"]:
            self.arguments = ["--json", "transit", "groups"] + (try arguments.options([]))
        case ["transit", "stops"]:
            let text = query["text"] == nil ? nil : try arguments.text("text")
            self.arguments = ["--json", "transit", "stops"]
            self.arguments += try arguments.options([.at, .radius, .limit], besides: "text")
            if let text { self.arguments += ["--", text] }
        case ["transit", "departures"]:
            let stop = query["stop"] == nil ? nil : try arguments.text("stop")
            self.arguments = ["--json", "transit", "departures"]
            self.arguments += try arguments.options([.at, .line, .radius, .limit], besides: "stop")
            if let stop { self.arguments += ["--", stop] }
        case ["transit", "home"]:
            self.arguments = ["--json", "transit", "next-home"]
            self.arguments += try arguments.options([.at, .home, .within, .limit, .bikes])
        default:
            guard parts.count >= 2, ["activities", "courses"].contains(parts[0]) else { return nil }
            let isLoadedCourse = parts == ["courses", "loaded", "file"]
            guard let id = isLoadedCourse ? "loaded" : Self.record(parts[1]) else { return nil }
            isLive = isLoadedCourse && query["format"] == "geojson"
            self.arguments = []
            guard try read(parts[0], id: id, Array(parts.dropFirst(2)), arguments) else { return nil }
        }
    }

    /// A request that changes something; nil for a path that has none.
    ///
    /// - Throws: ``APIRequest/Failure/wrongValue(_:)`` for an argument.
    init?(changing path: String, query: [String: String]) throws(APIRequest.Failure) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).map(String.init)
        type = "application/json"
        switch parts.count == 3 ? [parts[0], parts[2]] : parts {
        case ["courses", "reverse"]:
            guard let id = Self.record(parts[1]) else { return nil }
            arguments = ["--json", "course", "reverse", id]
        case ["activities", "course"]:
            guard let id = Self.record(parts[1]) else { return nil }
            arguments = ["--json", "course", "from", id]
        case ["transit", "groups"], ["transit", "lines"]:
            arguments = ["--json", "transit", parts[1]]
            type = Self.lines
            takesWords = true
        default: return nil
        }
        _ = try QueryArguments(query).options([])
    }

    /// The most bytes of a body with words.
    static let wordsLimit = 16 << 10

    /// The request with the words of a body, a JSON list of texts: `["add", "Night", "N1"]`.
    package func adding(_ body: [UInt8]) throws(APIRequest.Failure) -> ProgramRequest {
        guard let list = (try? JSON(parsing: body))?.array, (1...512).contains(list.count) else {
            throw .wrongValue("the body must be a list of words, such as [\"add\",\"Night\",\"N1\"]")
        }
        var words: [String] = []
        for item in list {
            guard let word = item.string, (1...256).contains(word.utf8.count),
                word.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
            else { throw .wrongValue("each word must be a text of at most 256 bytes") }
            words.append(word)
        }
        // No word is an option: the first one names the change, the others follow the end of the options.
        guard words[0].utf8.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }) else {
            throw .wrongValue("the first word must name the change")
        }
        var request = self
        request.arguments += [words[0], "--"] + words.dropFirst()
        return request
    }

    /// The number of an activity or a course, or the beginning of its uuid; nil for another text.
    fileprivate static func record(_ text: String) -> String? {
        Int(text).flatMap { (1...Int(Int32.max)).contains($0) ? "\($0)" : nil } ?? UUIDPrefix(text)?.description
    }

    /// The requests of one activity or one course.
    ///
    /// - Returns: false for a path that there is not.
    private mutating func read(
        _ kind: String, id: String, _ rest: [String], _ query: QueryArguments
    ) throws(APIRequest.Failure) -> Bool {
        switch (kind, rest) {
        case ("activities", []):
            arguments = ["--json", "show", id] + (try query.options([]))
            type = "application/json"
        case ("activities", ["report"]):
            arguments = ["report", id] + (try query.options([.hide, .units, .language, .zone]))
            type = "text/html; charset=utf-8"
        case ("activities", ["file"]):
            let formats = ["fit", "gpx", "tcx", "kml", "geojson", "csv"]
            let format = try query.word("format", of: formats)
            arguments = ["export", id] + (try query.options([.format(formats), .hide, .anonymous]))
            type = Self.type(of: format)
            file = "activity-\(id).\(format)"
        case ("courses", []):
            arguments = ["--json", "course", "show", id] + (try query.options([]))
            type = "application/json"
        case ("courses", ["file"]):
            let formats = ["fit", "gpx", "tcx", "kml", "geojson"]
            let format = try query.word("format", of: formats)
            arguments = ["course", "export", id] + (try query.options([.format(formats), .anonymous]))
            type = Self.type(of: format)
            file = "course-\(id).\(format)"
        default: return false
        }
        return true
    }

    private static func type(of format: String) -> String {
        switch format {
        case "gpx": "application/gpx+xml"
        case "kml": "application/vnd.google-earth.kml+xml"
        case "tcx": "application/vnd.garmin.tcx+xml"
        case "geojson": "application/geo+json"
        case "csv": "text/csv; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}

/// The arguments of a request, as options of `pacectl`.
struct QueryArguments {
    let values: [String: String]

    enum Option: Equatable {
        case limit, before, since, until, sport, totals, hide, anonymous, units, at, home, within, bikes, kind, radius,
            order, line, trash, near, least, most, language, zone
        case format([String])
    }

    init(_ values: [String: String]) throws(APIRequest.Failure) {
        // No secret of a browser belongs into an address, which ends up in logs and histories.
        guard values["token"] == nil else { throw .wrongValue("send the token in the header Authorization") }
        self.values = values
    }

    /// The options of those arguments that the request has.
    ///
    /// - Parameter other: an argument that is no option.
    func options(_ known: [Option], besides other: String? = nil) throws(APIRequest.Failure) -> [String] {
        let names = known.map(\.name) + (other.map { [$0] } ?? [])
        if let unknown = values.keys.filter({ !names.contains($0) }).min() {
            let list = names.isEmpty ? "there are none" : "the arguments are \(names.joined(separator: ", "))"
            throw .wrongValue("unknown argument \(SanitizedText(unknown)?.text ?? ""): \(list)")
        }
        var options: [String] = []
        for option in known {
            guard let value = values[option.name] else { continue }
            guard let argument = option.argument(value) else {
                throw .wrongValue("\(option.name) must be \(option.rule)")
            }
            options += argument
        }
        return options
    }

    /// A text that is required.
    func text(_ name: String) throws(APIRequest.Failure) -> String {
        guard let value = values[name], (1...256).contains(value.utf8.count),
            value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { throw .wrongValue("\(name) must be a text of at most 256 bytes") }
        return value
    }

    func word(_ name: String, of words: [String]) throws(APIRequest.Failure) -> String {
        guard let value = values[name], words.contains(value) else {
            throw .wrongValue("\(name) must be one of \(words.joined(separator: ", "))")
        }
        return value
    }
}

extension QueryArguments.Option {
    var name: String {
        switch self {
        case .limit: "limit"
        case .before: "before"
        case .since: "since"
        case .until: "until"
        case .sport: "sport"
        case .totals: "by"
        case .hide: "hide"
        case .anonymous: "anonymous"
        case .units: "units"
        case .at: "at"
        case .home: "home"
        case .within: "within"
        case .bikes: "bikes"
        case .kind: "kind"
        case .radius: "radius"
        case .order: "order"
        case .line: "line"
        case .trash: "trash"
        case .near: "near"
        case .language: "language"
        case .zone: "zone"
        case .least: "min_m"
        case .most: "max_m"
        case .format: "format"
        }
    }

    fileprivate var rule: String {
        switch self {
        case .limit: "a number from 1 to 1000"
        case .before: "the number or the uuid of an activity"
        case .since, .until: "a day, such as 2026-03-01"
        case .sport: "one of \(Sport.allCases.map(\.rawValue).joined(separator: ", "))"
        case .totals: "week, month or year"
        case .hide: "a number of metres from 0 to 5000"
        case .units: "metric or imperial"
        case .at, .home, .near: "a latitude and a longitude, such as 52.5163,13.3777"
        case .within, .radius: "a number of metres from 1 to 100000"
        case .language: "en or de"
        case .zone: "a time zone such as Europe/Berlin"
        case .least, .most: "a number of metres from 0 to 10000000"
        case .anonymous, .bikes, .trash: "1"
        case .kind: "kinds of places with commas between"
        case .order: "distance or prominence"
        case .line: "a line, at most 64 bytes"
        case .format(let formats): "one of \(formats.joined(separator: ", "))"
        }
    }

    /// The argument of `pacectl`; nil for a wrong value.
    fileprivate func argument(_ value: String) -> [String]? {
        func number(_ range: ClosedRange<Int>) -> String? {
            Int(value).flatMap { range.contains($0) ? "\($0)" : nil }
        }
        switch self {
        case .limit: return number(1...1000).map { ["--limit=" + $0] }
        case .before: return ProgramRequest.record(value).map { ["--before=" + $0] }
        case .since, .until: return Self.isDay(value) ? ["--\(name)=" + value] : nil
        case .sport: return Sport(rawValue: value).map { ["--sport=" + $0.rawValue] }
        case .totals: return ["week", "month", "year"].contains(value) ? ["--totals=" + value] : nil
        case .hide: return number(0...5000).map { ["--hide=" + $0] }
        case .units: return ["metric", "imperial"].contains(value) ? ["--" + value] : nil
        case .at, .home, .near: return Self.isPlace(value) ? ["--\(name)=" + value] : nil
        case .language: return ["en", "de"].contains(value) ? ["--language=" + value] : nil
        case .zone:
            guard Self.isZone(value) else { return nil }
            // A board without this zone has its own in the report.
            return access("/usr/share/zoneinfo/" + value, R_OK) == 0 ? ["--time-zone=" + value] : []
        case .least: return number(0...10_000_000).map { ["--longer=\($0)m"] }
        case .most: return number(0...10_000_000).map { ["--shorter=\($0)m"] }
        case .within, .radius: return number(1...100_000).map { ["--\(name)=" + $0] }
        case .anonymous, .bikes, .trash: return value == "1" ? ["--" + name] : nil
        case .kind:
            let isKind = value.utf8.count <= 256 && value.utf8.allSatisfy { Self.isWord($0) || $0 == UInt8(ascii: ",") }
            return isKind ? ["--kind=" + value] : nil
        case .order: return ["distance", "prominence"].contains(value) ? ["--order=" + value] : nil
        case .line: return (1...64).contains(value.utf8.count) ? ["--line=" + value] : nil
        case .format(let formats): return formats.contains(value) ? ["--format=" + value] : nil
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isZone(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { scalar in
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                    || "/_+-".unicodeScalars.contains(scalar)
            }
    }

    private static func isDay(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.enumerated().allSatisfy { index, byte in
                index == 4 || index == 7
                    ? byte == UInt8(ascii: "-") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }

    private static func isPlace(_ text: String) -> Bool {
        let parts = text.split(separator: "," as Character, omittingEmptySubsequences: false).map { Double($0) }
        guard parts.count == 2, let latitude = parts[0], let longitude = parts[1] else { return false }
        return latitude.magnitude <= 90 && longitude.magnitude <= 180
    }
}
