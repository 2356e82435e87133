package import Domain

/// Sunrise, sunset and civil twilight of one solar day at a place: from 12 h before the sun's transit to 12 h after it.
///
/// At sunrise and sunset the upper limb is on a horizon of -34′, which is the refraction there: the centre is at about
/// -0.8333°. Civil twilight begins and ends with the centre at -6°. From 1990 to 2050 the times agree with PyEphem to
/// 15 s up to 65° of latitude, and to 60 s up to 80°.
package struct SolarDay: Equatable, Sendable {
    /// When the sun crosses an altitude between a lower transit and a transit.
    package enum Crossing: Equatable, Sendable {
        case at(UTC)
        /// It stays above, or below.
        case above, below
    }

    /// The solar day; the next one begins at its end.
    package let span: Range<UTC>
    package let transit: UTC
    package let dawn: Crossing
    package let rise: Crossing
    package let set: Crossing
    package let dusk: Crossing

    private enum Horizon {
        case upperLimb, civil

        /// Degrees of the sun above the altitude.
        func excess(at seconds: Double, _ place: Coordinate) -> Double {
            let sun = SolarPosition(at: seconds, place)
            return switch self {
            case .upperLimb: sun.altitude + sun.semidiameter + 34.0 / 60
            case .civil: sun.altitude + 6
            }
        }
    }

    private static let day = 86_400.0
    /// Milliseconds of 2000-01-01T12:00:00Z.
    private static let epoch: Int64 = 946_728_000_000

    /// The solar day of a moment. It is computed in about 0.1 ms, without allocation.
    package init(of time: UTC, at place: Coordinate) {
        let seconds = Double(time.milliseconds - Self.epoch) / 1000
        let ofLongitude = place.longitude * 240
        var number = ((seconds + ofLongitude) / Self.day).rounded()
        func transit(_ number: Double) -> Double {
            var moment = number * Self.day - ofLongitude
            for _ in 0..<2 { moment -= SolarPosition(at: moment, place).hourAngle * 240 }
            return moment
        }
        func beginning(_ number: Double) -> UTC { Self.utc(transit(number) - Self.day / 2) }
        // A day by the sun begins up to 17 min before or after one by a mean sun.
        if time < beginning(number) {
            number -= 1
        } else if time >= beginning(number + 1) {
            number += 1
        }
        let middle = transit(number)
        let begin = middle - Self.day / 2
        let end = middle + Self.day / 2
        span = beginning(number)..<beginning(number + 1)
        self.transit = Self.utc(middle)
        dawn = Self.crossing(.civil, night: begin, noon: middle, place)
        rise = Self.crossing(.upperLimb, night: begin, noon: middle, place)
        set = Self.crossing(.upperLimb, night: end, noon: middle, place)
        dusk = Self.crossing(.civil, night: end, noon: middle, place)
    }

    private static func crossing(_ horizon: Horizon, night: Double, noon: Double, _ place: Coordinate) -> Crossing {
        let isHigh = horizon.excess(at: noon, place) > 0
        if (horizon.excess(at: night, place) > 0) == isHigh { return isHigh ? .above : .below }
        var (night, noon) = (night, noon)
        // 12 h over 2²² are 10 ms.
        for _ in 0..<22 {
            let middle = (night + noon) / 2
            if (horizon.excess(at: middle, place) > 0) == isHigh { noon = middle } else { night = middle }
        }
        return .at(utc((night + noon) / 2))
    }

    private static func utc(_ seconds: Double) -> UTC {
        UTC(milliseconds: epoch + Int64((seconds * 1000).rounded()))
    }

    /// The status at a moment of the day.
    package func status(at time: UTC) -> SunStatus {
        let isUp = isAbove(rise, set, at: time)
        let isLight = isAbove(dawn, dusk, at: time)
        let phase: SunStatus.Phase =
            if isUp {
                rise == .above && set == .above ? .polarDay : .day
            } else if isLight {
                .twilight
            } else {
                rise == .below && set == .below ? .polarNight : .night
            }
        return SunStatus(
            phase: phase, dawn: dawn.time, rise: rise.time, set: set.time, dusk: dusk.time,
            lightLeft: isLight ? dusk.time.map { Double($0.milliseconds - time.milliseconds) / 1000 } : 0)
    }

    private func isAbove(_ morning: Crossing, _ evening: Crossing, at time: UTC) -> Bool {
        let isMorning = time < transit
        return switch isMorning ? morning : evening {
        case .at(let crossing): isMorning ? time >= crossing : time < crossing
        case .above: true
        case .below: false
        }
    }
}

extension SolarDay.Crossing {
    fileprivate var time: UTC? {
        if case .at(let time) = self { time } else { nil }
    }
}
