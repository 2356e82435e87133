package import Domain

/// The weather that is expected at a station: a TAF.
package struct Taf: Hashable, Sendable {
    /// Four letters or digits.
    package let station: String
    /// The time at which the forecast was made. Nil if it is missing.
    package internal(set) var issued: UTC?
    /// The time for which the forecast holds.
    package internal(set) var validity: ForecastGroup.Period
    /// `AMD`: replaces an earlier one.
    package internal(set) var isAmended = false
    /// `COR`: replaces one with an error.
    package internal(set) var isCorrected = false
    /// `CNL`: there is no forecast any more.
    package internal(set) var isCancelled = false
    /// `NIL`: there is no forecast.
    package internal(set) var isMissing = false
    /// The conditions at the start, and their changes in the order of the report.
    package internal(set) var groups: [ForecastGroup] = []
    package internal(set) var maximumTemperatures: [ForecastTemperature] = []
    package internal(set) var minimumTemperatures: [ForecastTemperature] = []
    /// Words whose meaning is not known.
    package internal(set) var unread = UnreadWords()

    /// Maximum length of a report in bytes.
    package static let lengthLimit = 4096
    /// Maximum number of groups. Further ones are not decoded.
    package static let groupLimit = 64
}

/// A part of a forecast.
package struct ForecastGroup: Hashable, Sendable {
    package struct Period: Hashable, Sendable {
        package var start: UTC
        /// Not in the period.
        package var end: UTC

        package init(start: UTC, end: UTC) {
            self.start = start
            self.end = end
        }

        package func contains(_ time: UTC) -> Bool {
            start <= time && time < end
        }

        package func overlaps(_ span: Range<UTC>) -> Bool {
            start < span.upperBound && span.lowerBound < end
        }
    }

    package enum Kind: String, Sendable {
        /// The conditions at the start of the forecast.
        case initial
        /// `FM`: all conditions are new from the start of the period, which lasts until the next of this kind.
        case from
        /// `BECMG`: some conditions change at some time in the period, and stay.
        case becoming
        /// `TEMPO`, `INTER`: at times in the period, for less than half of it.
        case temporary
        /// `PROB30`, `PROB40` alone: perhaps in the period.
        case possible
    }

    package var kind: Kind
    package var period: Period
    /// Percent. Nil unless the report states it.
    package var probability: Int?
    /// Only what the group names, except for ``Kind/initial`` and ``Kind/from``.
    package var conditions: WeatherConditions
}

/// An extreme temperature that is expected.
package struct ForecastTemperature: Hashable, Sendable {
    package var celsius: Double
    package var time: UTC

    package init(celsius: Double, time: UTC) {
        self.celsius = celsius
        self.time = time
    }
}

/// What a forecast expects at one time.
package struct ForecastState: Hashable, Sendable {
    /// What prevails.
    package var conditions: WeatherConditions
    /// What may be instead, each with all conditions that hold then.
    package var overlays: [ForecastGroup]
}

extension Taf {
    /// What is expected at a time. Nil before and after the forecast, and for one without conditions.
    ///
    /// A gradual change (`BECMG`) is an overlay in its period, and prevails from the period's end on.
    package func state(at time: UTC) -> ForecastState? {
        guard validity.contains(time), !groups.isEmpty else { return nil }
        // FM ends all that was before. Changes hold in the order of their ends, which is that of the report.
        let first = groups.lastIndex { ($0.kind == .from || $0.kind == .initial) && $0.period.start <= time }
        let present = first.map { groups[$0...] } ?? groups[...]
        // A forecast may begin with a change: nothing prevails before it.
        var prevailing = first.map { groups[$0].conditions } ?? WeatherConditions()
        for change in present where change.kind == .becoming && change.period.end <= time {
            prevailing = prevailing.changed(by: change.conditions)
        }
        var overlays: [ForecastGroup] = []
        for var group in present
        where group.kind != .from && group.kind != .initial && group.period.contains(time) {
            group.conditions = prevailing.changed(by: group.conditions)
            overlays.append(group)
        }
        return ForecastState(conditions: prevailing, overlays: overlays)
    }

    /// A part of the validity in which the expectation does not change.
    package struct Segment: Hashable, Sendable {
        package var period: ForecastGroup.Period
        package var state: ForecastState
    }

    /// The whole forecast as parts that follow each other without a gap.
    package var timeline: [Segment] {
        var times = [validity.start, validity.end]
        for group in groups { times += [group.period.start, group.period.end] }
        times = Set(times.filter { validity.start <= $0 && $0 <= validity.end }).sorted()
        var segments: [Segment] = []
        for (start, end) in zip(times, times.dropFirst()) {
            guard let state = state(at: start) else { continue }
            if segments.last?.state == state {
                segments[segments.count - 1].period.end = end
            } else {
                segments.append(Segment(period: ForecastGroup.Period(start: start, end: end), state: state))
            }
        }
        return segments
    }
}
