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
        reader = GroupReader(words.peek())
        let period = ForecastGroup.Period(&reader) { time in issued.map(time.nearest) ?? time.last(notAfter: latest) }
        if let period {
            words.skip()
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
        /// Nil for a change whose period cannot be read: it must not change the conditions of another one.
        var group: ForecastGroup? = ForecastGroup(kind: .initial, period: validity, conditions: WeatherConditions())
        var decoder = ConditionsDecoder()
        while !words.isAtEnd, !Self.isEnd(words) {
            if let header = ForecastGroup.Header(&words, in: validity) {
                if let group { append(group, decoder) }
                decoder = ConditionsDecoder()
                group = header.group
            } else if words.skip("CNL") {
                flags.isCancelled = true
            } else if words.skip("NIL") {
                flags.isMissing = true
            } else if decodeTemperature(&words) || Self.skipOthers(&words) {
                continue
            } else if group == nil || !decoder.decode(&words) {
                words.leaveUnread()
            }
        }
        if let group { append(group, decoder) }
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
    /// Parses the rest of a word: `0912/1018`, or `091812` of before 2008 (day, first and last hour).
    ///
    /// - Parameter resolve: the moment of a day and time.
    fileprivate init?(_ reader: inout GroupReader, _ resolve: (DayTime) -> UTC) {
        var rest = reader
        guard let first = DayTime(hours: &rest) else { return nil }
        start = resolve(first)
        if rest.skip("/") {
            guard let last = DayTime(hours: &rest), rest.isAtEnd else { return nil }
            end = last.nearest(to: UTC(milliseconds: start.milliseconds + 86_400_000))
        } else {
            guard let hour = rest.digits(2), hour <= 24, rest.isAtEnd else { return nil }
            let hours = hour - first.hour
            end = UTC(milliseconds: start.milliseconds + Int64(hours > 0 ? hours : hours + 24) * 3_600_000)
        }
        guard start < end else { return nil }
        reader = rest
    }
}

extension ForecastGroup {
    /// The words that begin a change.
    fileprivate struct Header {
        /// Without conditions. Nil if the words cannot be read.
        let group: ForecastGroup?

        /// Parses `FM091430`, `BECMG 0912/0914`, `PROB30 TEMPO 0912/0914` at the next word, and skips it, be its parts
        /// glued or split. Of words that begin a change, but cannot be read, those with an unknown part are unread.
        init?(_ words: inout ReportWords, in validity: Period) {
            var reader = HeaderReader(words)
            guard let word = ChangeWord(&reader.part) else {
                // A period without a word of a change.
                guard ChangeWord.isPeriod(words.peek()) else { return nil }
                words.leaveUnread()
                group = nil
                return
            }
            reader.proceed()
            group = Self.group(word, &reader, validity)
            words = reader.end()
        }

        private static func group(_ word: ChangeWord, _ reader: inout HeaderReader, _ validity: Period)
            -> ForecastGroup?
        {
            var kind = Kind.temporary
            var probability: Int?
            switch word {
            case .from:
                guard let start = reader.time()?.nearest(to: validity.start) else { return nil }
                return ForecastGroup(
                    kind: .from, period: Period(start: start, end: validity.end), conditions: WeatherConditions())
            case .becoming: kind = .becoming
            case .temporary, .intermittent: break
            case .probable:
                guard let percent = reader.part.digits(2) else { return nil }
                probability = percent
                reader.proceed()
                var rest = reader.part
                if let word = ChangeWord(&rest), word == .temporary || word == .intermittent {
                    reader.part = rest
                    reader.proceed()
                } else {
                    kind = .possible
                }
            }
            guard let period = Period(&reader.part, { $0.nearest(to: validity.start) }) else { return nil }
            return ForecastGroup(kind: kind, period: period, probability: probability, conditions: WeatherConditions())
        }
    }

    /// Reads the words that begin a change as one text.
    private struct HeaderReader {
        private var words: ReportWords
        /// What is left of the present word.
        var part: GroupReader

        init(_ words: ReportWords) {
            self.words = words
            part = GroupReader(words.peek())
        }

        /// Goes to the next word, if the present one has been read.
        mutating func proceed() {
            guard part.isAtEnd else { return }
            words.skip()
            part = GroupReader(words.peek())
        }

        /// Parses the rest of a word: `091430`, `091430Z`.
        mutating func time() -> DayTime? {
            var rest = part
            guard let time = DayTime(minutes: &rest) else { return nil }
            _ = rest.skip("Z")
            guard rest.isAtEnd else { return nil }
            part = rest
            return time
        }

        /// The words after those that have been read. A word that was read in part only is unread.
        func end() -> ReportWords {
            var words = words
            if part.isAtEnd {
                words.skip()
            } else if part.rest.startIndex != words.offset {
                words.leaveUnread()
            }
            return words
        }
    }
}
