import Domain
import Glibc
import JSONCoding
import Linux
import Pipeline
import Weather

extension Command {
    static let weather = [
        Command(
            "weather", options: [Options.place, Options.raw, Options.netDirectory],
            "show the weather of the nearest stations and their forecast, here or at a position or a station; --raw "
                + "prints the reports; needs paced-net, whose socket is in DIR",
            read: { arguments in
                let isRaw = arguments.has(Options.raw)
                if isRaw, arguments.has(Options.isJSON) { throw Failure.usage("--raw and --json exclude each other") }
                if arguments.all(Options.place).count > 1 { throw Failure.usage("--at names one place") }
                return WeatherRequest(
                    place: arguments[Options.place], output: isRaw ? .reports : .text,
                    netDirectory: arguments[Options.netDirectory])
            }, run: { try $0.perform($1) })
    ]
}

extension Options {
    fileprivate static let place = CommandOption<WeatherPlace>(
        "--at", word: "LAT,LON|ICAO", "at this position or station",
        needs: "a position such as 52.5,13.4, or the four characters of a station such as EDDB",
        parse: { WeatherPlace($0) })
    fileprivate static let raw = CommandOption.flag("--raw", "the reports")
}

/// `pacectl weather`: the weather at a place, from paced-net.
package struct WeatherRequest: Equatable {
    package enum Output: Equatable {
        case text, reports
    }

    /// Nil for the position that the daemon has.
    var place: WeatherPlace?
    var output = Output.text
    /// The directory of net.sock; nil for the default.
    var netDirectory: String?

    package init(place: WeatherPlace? = nil, output: Output = .text, netDirectory: String? = nil) {
        self.place = place
        self.output = output
        self.netDirectory = netDirectory
    }

    /// How long paced-net may take: it may have to ask several stations.
    private static let timeout = Duration.seconds(60)

    /// - Returns: the result as unchanged JSON text.
    func result() throws(Failure) -> String {
        var client = try ControlClient(path: RuntimeDirectory.netSocket(netDirectory), of: .pacedNet)
        return try client.call(
            "weather.at", place?.parameters ?? "{}", lasting: Self.timeout - Connection.connectTimeout)
    }

    /// The METAR and TAF of a result, one a line; the untrusted text is made harmless.
    static func reports(_ result: JSON) throws(Failure) -> String {
        let reports = (result["reports"]?.array ?? []).flatMap { [$0["metar"], $0["taf"]] }.compactMap { report in
            let words = report?.string?.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return words.flatMap { SanitizedText.line($0, limit: Connection.lineLimit) }
        }
        if reports.isEmpty { throw .failed(reason(in: result) ?? "paced-net has no report of a station nearby") }
        return reports.map { $0 + "\n" }.joined()
    }

    /// The text of a result.
    ///
    /// - Throws: ``Failure`` with status 1 for a reason without figures.
    static func text(
        _ result: JSON, _ text: WeatherText, sun: SunStatus?, wind: WindStatus?, hasDrawing: Bool = false
    ) throws(Failure) -> String {
        guard let weather = result["weather"].flatMap({ TopicWeather($0) }) else {
            throw .failed("the response of paced-net has no weather; see its log")
        }
        guard let figures = weather.figures else { throw .failed(weather.reason ?? "") }
        let icon = hasDrawing ? figures.conditions.icon : nil
        let drawing = icon.map { WeatherDrawing.lines(of: $0, isNight: sun?.phase.isDark ?? false) } ?? []
        let lines = text.lines(of: weather, sun: sun, wind: wind).map(\.long)
        return (drawing + lines).map { $0 + "\n" }.joined()
    }

    private static func reason(in result: JSON) -> String? {
        result["weather"].flatMap { TopicWeather($0) }?.reason
    }
}

/// A place with weather: a position, or a station.
package enum WeatherPlace: Equatable {
    /// Degrees.
    case position(latitude: Double, longitude: Double)
    /// The four characters of a station by the ICAO.
    case station(String)

    /// Parses `52.5,13.4` or `EDDB`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2 {
            guard let latitude = Self.degrees(parts[0], to: 90), let longitude = Self.degrees(parts[1], to: 180) else {
                return nil
            }
            self = .position(latitude: latitude, longitude: longitude)
            return
        }
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let name = Array(text.uppercased().utf8)
        guard name.count == 4, letters.contains(name[0]),
            name.allSatisfy({ letters.contains($0) || digits.contains($0) })
        else { return nil }
        self = .station(String(decoding: name, as: UTF8.self))
    }

    private static func degrees(_ text: String, to limit: Double) -> Double? {
        // Double also reads hexadecimal digits, "inf" and "nan".
        guard !text.isEmpty, text.utf8.allSatisfy({ "0123456789.+-".utf8.contains($0) }) else { return nil }
        return Double(text).flatMap { abs($0) <= limit ? $0 : nil }
    }

    /// The parameters of `weather.at`.
    fileprivate var parameters: String {
        var writer = JSONWriter()
        writer.object {
            switch self {
            case .position(let latitude, let longitude):
                $0.member("lat", latitude, decimals: 7)
                $0.member("lon", longitude, decimals: 7)
            case .station(let name): $0.member("station", name)
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension Invocation {
    /// - Returns: the text to print.
    func perform(_ request: WeatherRequest) throws(Failure) -> String {
        let text = try request.result()
        if isJSON { return text + "\n" }
        guard let result = try? JSON(parsing: text.utf8) else {
            throw .failed("the response of paced-net is not valid JSON")
        }
        if request.output == .reports { return try WeatherRequest.reports(result) }
        // Neither the settings nor the sun are needed: paced may be away.
        let present = try? presentState(blocks: #","blocks":["sun","wind"]"#)
        let settings = present?.settings ?? Settings()
        let units = WeatherUnits(metric: metric ?? settings.isMetric, twelveHour: settings.twelveHourClock)
        // Sun and wind are those of the position that the daemon has.
        let state = request.place == nil ? present?.state : nil
        let now = present?.state.time ?? Clock.systemTime()
        var sun = state?.sun
        if case .position(let latitude, let longitude)? = request.place, now >= Release.date {
            let place = Coordinate(latitude: latitude, longitude: longitude)
            sun = SunMemory().status(at: now, place)
        }
        return try WeatherRequest.text(
            result, WeatherText(units: units, now: now), sun: sun, wind: state?.wind,
            hasDrawing: isatty(STDOUT_FILENO) == 1)
    }
}
