package import Domain

/// The weather that a station observed: a METAR, or a SPECI between two of these.
///
/// Groups are those of WMO No. 306 (FM 15, FM 16) with the American ones of FMH-1. Trends and remarks are skipped, but
/// for the temperatures in tenths of a degree.
package struct Metar: Hashable, Sendable {
    /// Four letters or digits.
    package let station: String
    /// The time of the observation.
    package let time: UTC
    /// `SPECI`: made because the weather changed. False if the report does not say its type.
    package internal(set) var isSpecial = false
    /// `AUTO`: made without a person.
    package internal(set) var isAutomatic = false
    /// `COR`: replaces one with an error.
    package internal(set) var isCorrected = false
    /// `NIL`: there is no observation.
    package internal(set) var isMissing = false
    package internal(set) var conditions = WeatherConditions()
    /// Weather of the past hour.
    package internal(set) var recentWeather: [WeatherPhenomenon] = []
    package internal(set) var runwayVisualRanges: [RunwayVisualRange] = []
    package internal(set) var celsius: Double?
    package internal(set) var dewPointCelsius: Double?
    /// QNH, the pressure at mean sea level of a standard atmosphere.
    package internal(set) var hectopascals: Double?
    /// Words before the trend and the remarks whose meaning is not known.
    package internal(set) var unread = UnreadWords()

    /// Maximum length of a report in bytes.
    package static let lengthLimit = 2048

    /// Observations are not later than this before the time at which they are read: stations' clocks differ.
    private static let tolerance: Int64 = 86_400_000

    /// - Parameter now: The time at which the report was received; it was made in the month before, or on the day after.
    /// - Throws: ``ParseError`` with the offset of the first byte that makes it no report.
    package init(_ report: [UInt8], receivedAt now: UTC) throws(ParseError) {
        var words = try ReportWords(report, limit: Self.lengthLimit)
        var isSpecial = false
        var isCorrected = false
        while true {
            if words.skip("SPECI") {
                isSpecial = true
            } else if words.skip("COR") {
                isCorrected = true
            } else if !words.skip("METAR") {
                break
            }
        }
        station = try ReportHeading(&words).station
        while words.skip("COR") { isCorrected = true }
        time = try Self.time(&words, now)
        self.isSpecial = isSpecial
        self.isCorrected = isCorrected
        try decode(&words)
        unread = words.unread
    }

    private static func time(_ words: inout ReportWords, _ now: UTC) throws(ParseError) -> UTC {
        var reader = GroupReader(words.peek())
        guard let time = DayTime(minutes: &reader) else {
            throw ParseError(at: words.offset, expected: "the day and the time")
        }
        _ = reader.skip("Z")
        guard reader.isAtEnd else { throw ParseError(at: reader.rest.startIndex, expected: "Z and a space") }
        words.skip()
        return time.last(notAfter: UTC(milliseconds: now.milliseconds + tolerance))
    }

    private mutating func decode(_ words: inout ReportWords) throws(ParseError) {
        let start = words.offset
        var decoder = ConditionsDecoder()
        var isWeatherMissing = false
        var hasPressure = false
        while !words.isAtEnd, !Self.isEnd(words, afterPressure: hasPressure) {
            if words.skip("NIL") {
                isMissing = true
            } else if words.skip("AUTO") {
                isAutomatic = true
            } else if words.skip("COR") || Self.skipCorrection(&words) {
                isCorrected = true
            } else if words.skip("//") || words.skip("RE//") {
                isWeatherMissing = true
            } else if decodeRecentWeather(&words) || decodeTemperatures(&words, &decoder) || decoder.decode(&words) {
                continue
            } else if decodePressure(&words) {
                hasPressure = true
            } else if !decodeRunway(&words), !Self.skipOthers(&words) {
                words.leaveUnread()
            }
        }
        if decoder.isEmpty, celsius == nil, hectopascals == nil, !isMissing, !isAutomatic {
            throw ParseError(at: start, expected: "a wind, a visibility or another group of a report")
        }
        conditions = decoder.conditions
        if conditions.weather == nil, !isWeatherMissing, !isMissing { conditions.weather = [] }
        while !words.isAtEnd, !words.isNext("RMK") { words.skip() }
        while !words.isAtEnd { decodeRemark(&words) }
    }

    /// Trends and remarks, which end the observation.
    private static func isEnd(_ words: ReportWords, afterPressure: Bool) -> Bool {
        // "FM0200" of Australian stations begins a trend.
        var reader = GroupReader(words.peek())
        if ChangeWord(&reader) != nil || afterPressure && ChangeWord.isPeriod(words.peek()) { return true }
        return ["RMK", "RMKS", "NOSIG", "FCST", "INFO", "INFO:"].contains { words.isNext($0) }
    }

    /// `CCA`, the first correction, to `CCZ` of Canadian stations.
    private static func skipCorrection(_ words: inout ReportWords) -> Bool {
        let word = words.peek()
        guard word.count == 3, word.starts(with: "CC".utf8), word.last != UInt8(ascii: "/") else { return false }
        words.skip()
        return true
    }

    private mutating func decodeRecentWeather(_ words: inout ReportWords) -> Bool {
        guard let phenomenon = WeatherPhenomenon(words.peek()), phenomenon.isRecent else { return false }
        words.skip()
        if recentWeather.count < WeatherConditions.listLimit { recentWeather.append(phenomenon) }
        return true
    }

    /// `10/05`, `M01/M03`, `12/`, `//`, also at the end of clouds: `NSC17/05`.
    private mutating func decodeTemperatures(_ words: inout ReportWords, _ decoder: inout ConditionsDecoder) -> Bool {
        var reader = GroupReader(words.peek())
        var layers: [CloudLayer] = []
        if let layer = CloudLayer.parse(&reader), !reader.isAtEnd { layers.append(layer) }
        guard celsius == nil, let (air, dewPoint) = Self.temperatures(reader.rest) else { return false }
        words.skip()
        if !layers.isEmpty { decoder.add(layers) }
        celsius = air
        dewPointCelsius = dewPoint
        return true
    }

    private static func temperatures(_ word: ArraySlice<UInt8>) -> (Double?, Double?)? {
        var reader = GroupReader(word)
        guard let air = temperature(&reader), reader.skip("/") else { return nil }
        if reader.isAtEnd { return air == .missing ? nil : (air.value, nil) }
        guard let dewPoint = temperature(&reader), reader.isAtEnd else { return nil }
        return (air.value, dewPoint.value)
    }

    private static func temperature(_ reader: inout GroupReader) -> Reported<Double>? {
        if reader.skip("//") || reader.skip("XX") { return .missing }
        var rest = reader
        let sign: Double = rest.skip("M") || rest.skip("-") ? -1 : 1
        guard let degrees = rest.digits(2) else { return nil }
        reader = rest
        return .value(sign * Double(degrees))
    }

    /// `Q1016`, `A2997`, `QNH2987INS`. The first one counts.
    private mutating func decodePressure(_ words: inout ReportWords) -> Bool {
        var reader = GroupReader(words.peek())
        var pressure: Double?
        if reader.skip("QNH") || reader.skip("Q") {
            guard let number = reader.digits(3...4) else {
                guard reader.skip("////") || reader.skip("NH////") else { return false }
                words.skip()
                return true
            }
            pressure = reader.skip("INS") ? Double(number) / 100 * Self.hectopascalsPerInch : Double(number)
        } else if reader.skip("A") {
            guard let number = reader.digits(4) else {
                guard reader.skip("////") else { return false }
                words.skip()
                return true
            }
            pressure = Double(number) / 100 * Self.hectopascalsPerInch
        }
        guard let pressure, (800...1100).contains(pressure), reader.digits(1) == nil else { return false }
        words.skip()
        if hectopascals == nil { hectopascals = pressure }
        return true
    }

    private static let hectopascalsPerInch = 33.8639

    /// Visual ranges, and the state of runways: `R24/290062`, `R/SNOCLO`.
    private mutating func decodeRunway(_ words: inout ReportWords) -> Bool {
        if let range = RunwayVisualRange.parse(words.peek()) {
            words.skip()
            if runwayVisualRanges.count < WeatherConditions.listLimit { runwayVisualRanges.append(range) }
            return true
        }
        var reader = GroupReader(words.peek())
        guard
            reader.skip("R/")
                || (reader.skip("R") && reader.digits(2) != nil && reader.rest.contains(UInt8(ascii: "/")))
        else { return false }
        words.skip()
        return true
    }

    /// Groups of the sea (`W15/S3`), old states of runways (eight digits), rainfall (`RF00.2/011.2`), colours of military
    /// airfields (`BLU+`).
    private static func skipOthers(_ words: inout ReportWords) -> Bool {
        let word = words.peek()
        var sea = GroupReader(word)
        var runway = GroupReader(word)
        let isSea = sea.skip("W") && word.count >= 5 && word.contains(UInt8(ascii: "/"))
        let isRunway = runway.digits(8) != nil && runway.isAtEnd
        let isColour = ["BLACK", "BLU", "WHT", "GRN", "YLO", "AMB", "RED"].contains { word.starts(with: $0.utf8) }
        let isRainfall = word.starts(with: "RF".utf8) && word.contains(UInt8(ascii: "/"))
        guard isSea || isRunway || isColour || isRainfall || words.isNext("SNOCLO") else { return false }
        words.skip()
        return true
    }

    /// `T00221056` in the remarks: 2.2 °C and a dew point of −5.6 °C.
    private mutating func decodeRemark(_ words: inout ReportWords) {
        var reader = GroupReader(words.peek())
        words.skip()
        guard reader.skip("T"), let air = Self.tenths(&reader) else { return }
        let dewPoint = Self.tenths(&reader)
        if dewPoint == nil { _ = reader.skip("////") }
        // "$": the station needs maintenance.
        guard reader.isAtEnd || reader.skip("$") else { return }
        celsius = Self.refined(celsius, air)
        if let dewPoint { dewPointCelsius = Self.refined(dewPointCelsius, dewPoint) }
    }

    /// The tenths, unless they contradict the whole degrees.
    private static func refined(_ degrees: Double?, _ tenths: Double) -> Double {
        guard let degrees, (degrees - tenths).magnitude > 1 else { return tenths }
        return degrees
    }

    /// A sign, 0 or 1, and three digits.
    private static func tenths(_ reader: inout GroupReader) -> Double? {
        var rest = reader
        guard let sign = rest.digits(1), sign <= 1, let number = rest.digits(3) else { return nil }
        reader = rest
        return Double(sign == 1 ? -number : number) / 10
    }
}
