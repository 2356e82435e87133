package import Domain

extension Taf {
    /// - Parameter now: The time at which the report was received; it was made in the month before, or on the day after.
    /// - Throws: ``ParseError`` with the offset of the first byte that makes it no forecast.
    package init(_ report: [UInt8], receivedAt now: UTC) throws(ParseError) {
        var words = try ReportWords(report, limit: Self.lengthLimit)
        var flags = Flags()
        while flags.decode(&words) || words.skip("TAF") {}
        station = try ReportHeading(&words).station
        while flags.decode(&words) {}
        let latest = UTC(milliseconds: now.milliseconds + 86_400_000)
        var reader = GroupReader(words.peek())
        if let time = DayTime(minutes: &reader), reader.skip("Z"), reader.isAtEnd {
            words.skip()
            issued = time.last(notAfter: latest)
        }
        while flags.decode(&words) {}
        // Without a time of issue the period begins a day after the receipt at the latest.
        let issued = issued
        let period = ForecastGroup.Period(&words) { time in issued.map(time.nearest) ?? time.last(notAfter: latest) }
        if let period {
            validity = period
        } else if flags.isMissing || flags.isCancelled, let issued {
            validity = ForecastGroup.Period(start: issued, end: issued)
        } else {
            throw ParseError(at: words.offset, expected: "the period of the forecast")
        }
        let start = words.offset
        decodeGroups(&words, &flags)
        isAmended = flags.isAmended
        isCorrected = flags.isCorrected
        isCancelled = flags.isCancelled
        isMissing = flags.isMissing
        if groups.isEmpty, !isCancelled, !isMissing {
            throw ParseError(at: start, expected: "a wind, a visibility or another group of a forecast")
        }
        unread = words.unread
    }

    private struct Flags {
        var isAmended = false
        var isCorrected = false
        var isCancelled = false
        var isMissing = false

        mutating func decode(_ words: inout ReportWords) -> Bool {
            if words.skip("AMD") {
                isAmended = true
            } else if words.skip("COR") {
                isCorrected = true
            } else if words.skip("CNL") {
                isCancelled = true
            } else if words.skip("NIL") {
                isMissing = true
            } else {
                return false
            }
            return true
        }
    }

    private mutating func decodeGroups(_ words: inout ReportWords, _ flags: inout Flags) {
        var group = ForecastGroup(kind: .initial, period: validity, conditions: WeatherConditions())
        var decoder = ConditionsDecoder()
        /// A change whose period cannot be read must not change the conditions of another one.
        var isReadable = true
        while !words.isAtEnd, !Self.isEnd(words) {
            if let header = ForecastGroup.Header(&words, in: validity) {
                if isReadable { append(group, decoder) }
                decoder = ConditionsDecoder()
                isReadable = header.period != nil
                group = ForecastGroup(
                    kind: header.kind, period: header.period ?? validity, probability: header.probability,
                    conditions: WeatherConditions())
            } else if words.skip("CNL") {
                flags.isCancelled = true
            } else if words.skip("NIL") {
                flags.isMissing = true
            } else if decodeTemperature(&words) || Self.skipOthers(&words) {
                continue
            } else if !isReadable || !decoder.decode(&words) {
                words.leaveUnread()
            }
        }
        if isReadable { append(group, decoder) }
    }

    private mutating func append(_ group: ForecastGroup, _ decoder: ConditionsDecoder) {
        guard !decoder.isEmpty, groups.count < Self.groupLimit else { return }
        var group = group
        group.conditions = decoder.conditions
        // No weather in a whole set of conditions means that none is expected.
        if group.kind == .initial || group.kind == .from { group.conditions.weather = group.conditions.weather ?? [] }
        if group.kind == .from, let last = groups.lastIndex(where: { $0.kind == .from || $0.kind == .initial }) {
            groups[last].period.end = max(groups[last].period.start, group.period.start)
        }
        groups.append(group)
    }

    /// Remarks, and words about the next forecast.
    private static func isEnd(_ words: ReportWords) -> Bool {
        ["RMK", "NXT", "AMD", "COR", "LAST", "LIMITED", "FCST", "FN"].contains { words.isNext($0) }
    }

    /// `TX15/1111Z`, `TNM04/1204Z`.
    private mutating func decodeTemperature(_ words: inout ReportWords) -> Bool {
        var reader = GroupReader(words.peek())
        let isMaximum = reader.skip("TX")
        // "T24/1321Z" of military forecasts does not say which of the two it is.
        let isKnown = isMaximum || reader.skip("TN")
        guard isKnown || reader.skip("T") else { return false }
        let sign: Double = reader.skip("M") ? -1 : 1
        guard let degrees = reader.digits(1...2), reader.skip("/"), let time = DayTime(hours: &reader) else {
            return false
        }
        _ = reader.skip("Z")
        guard reader.isAtEnd else { return false }
        words.skip()
        let temperature = ForecastTemperature(
            celsius: sign * Double(degrees), time: time.nearest(to: validity.start))
        if !isKnown { return true }
        if isMaximum, maximumTemperatures.count < WeatherConditions.listLimit {
            maximumTemperatures.append(temperature)
        } else if !isMaximum, minimumTemperatures.count < WeatherConditions.listLimit {
            minimumTemperatures.append(temperature)
        }
        return true
    }

    /// Pressure, icing and turbulence of military forecasts: `QNH2987INS`, `620304`, `540009`.
    private static func skipOthers(_ words: inout ReportWords) -> Bool {
        var digits = GroupReader(words.peek())
        let isHazard = (digits.skip("5") || digits.skip("6")) && digits.digits(5) != nil && digits.isAtEnd
        var pressure = GroupReader(words.peek())
        guard isHazard || (pressure.skip("QNH") && pressure.digits(4) != nil) else { return false }
        words.skip()
        return true
    }
}

extension ForecastGroup.Period {
    /// Parses `0912/1018`, or `091812` of before 2008 (day, first and last hour), at the next word, and skips it.
    ///
    /// - Parameter resolve: the moment of a day and time.
    fileprivate init?(_ words: inout ReportWords, _ resolve: (DayTime) -> UTC) {
        var reader = GroupReader(words.peek())
        guard let first = DayTime(hours: &reader) else { return nil }
        start = resolve(first)
        if reader.skip("/") {
            guard let last = DayTime(hours: &reader), reader.isAtEnd else { return nil }
            end = last.nearest(to: UTC(milliseconds: start.milliseconds + 86_400_000))
        } else {
            guard let hour = reader.digits(2), hour <= 24, reader.isAtEnd else { return nil }
            let hours = hour - first.hour
            end = UTC(milliseconds: start.milliseconds + Int64(hours > 0 ? hours : hours + 24) * 3_600_000)
        }
        guard start < end else { return nil }
        words.skip()
    }
}

extension ForecastGroup {
    /// The words that begin a change.
    fileprivate struct Header {
        var kind: Kind
        var probability: Int?
        /// Nil if it cannot be read.
        var period: Period?

        /// Parses `FM091430`, `BECMG 0912/0914`, `PROB30 TEMPO 0912/0914` at the next word, and skips it.
        init?(_ words: inout ReportWords, in validity: Period) {
            var reader = GroupReader(words.peek())
            if reader.skip("FM"), let time = DayTime(minutes: &reader), reader.isAtEnd {
                words.skip()
                kind = .from
                let start = time.nearest(to: validity.start)
                period = Period(start: start, end: validity.end)
                return
            }
            if words.skip("BECMG") {
                kind = .becoming
            } else if words.skip("TEMPO") || words.skip("INTER") {
                kind = .temporary
            } else if reader.skip("PROB") {
                kind = .possible
                var count = 1
                if reader.isAtEnd {
                    reader = GroupReader(words.peek(1))
                    count = 2
                }
                guard let percent = reader.digits(2), reader.isAtEnd else { return nil }
                words.skip(words: count)
                probability = percent
                if words.skip("TEMPO") || words.skip("INTER") { kind = .temporary }
            } else {
                return nil
            }
            period = Period(&words) { $0.nearest(to: validity.start) }
        }
    }
}
