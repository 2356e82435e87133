package import Domain
import Linux

/// Figures of the weather with their units, metric ones or those of the USA, and times of day.
package struct WeatherUnits {
    let metric: Bool
    var twelveHour = false
    /// Minutes of local time from UTC at a moment.
    var offset: (UTC) -> Int = { Machine.localOffset(at: $0) / 60 }

    package init(
        metric: Bool, twelveHour: Bool = false, offset: @escaping (UTC) -> Int = { Machine.localOffset(at: $0) / 60 }
    ) {
        self.metric = metric
        self.twelveHour = twelveHour
        self.offset = offset
    }

    private static let metresPerSecondOfMiles = RunFormat.metresPerMile / 3600
    private static let hectopascalsPerInch = 33.8639

    /// - Parameter celsius: degrees Celsius.
    func temperature(_ celsius: Double) -> String {
        whole(metric ? celsius : celsius * 1.8 + 32) + (metric ? " °C" : " °F")
    }

    /// Whole kilometres or miles an hour.
    ///
    /// - Parameter speed: metres per second.
    func speed(_ speed: Double) -> String {
        speedFigures(speed) + " " + RunFormat.speedUnit(metric: metric)
    }

    func speedFigures(_ speed: Double) -> String {
        whole(metric ? speed * 3.6 : speed / Self.metresPerSecondOfMiles)
    }

    /// Metres or feet nearby, kilometres or miles beyond, with a decimal unless it is 0.
    func distance(_ metres: Double) -> String {
        CourseWords(metric: metric).distance(metres).substituting(".0 ", with: " ")
    }

    /// A height of clouds, which reports have in hundreds of feet: tens of metres, or hundreds of feet.
    func cloudBase(_ metres: Double) -> String {
        let step = metric ? 10 : 100 * RunFormat.metresPerFoot
        return RunFormat.height(metres: (metres / step).rounded() * step, metric: metric)
    }

    func pressure(_ hectopascals: Double) -> String {
        metric
            ? whole(hectopascals) + " hPa"
            : (DecimalFormat.text(hectopascals / Self.hectopascalsPerInch, decimals: 2) ?? "--") + " inHg"
    }

    /// A whole number, never -0.
    func whole(_ value: Double) -> String {
        DecimalFormat.scaled(value, decimals: 0).map { String($0) } ?? "--"
    }

    /// A duration in minutes, or hours and minutes.
    static func duration(milliseconds: Int64) -> String {
        let minutes = milliseconds / 60_000
        if minutes < 60 { return "\(minutes) min" }
        return "\(minutes / 60) h" + (minutes % 60 == 0 ? "" : " \(minutes % 60) min")
    }

    func clock(_ time: UTC) -> String {
        Screen.clock(time, minutesFromUTC: offset(time), twelveHour: twelveHour)
    }

    /// The time of day, with the day unless that is the day of `now`.
    func moment(_ time: UTC, now: UTC) -> String {
        switch day(of: time) - day(of: now) {
        case 0: return clock(time)
        case 1: return "tomorrow " + clock(time)
        default:
            let fields = UTC(milliseconds: time.milliseconds + Int64(offset(time)) * 60_000).fields
            let digits = [fields.month, fields.day].map { ($0 < 10 ? "0" : "") + String($0) }
            return "\(fields.year)-\(digits[0])-\(digits[1]) " + clock(time)
        }
    }

    /// The beginning of the hour of local time.
    func hour(of time: UTC) -> UTC {
        let offset = Int64(self.offset(time)) * 60_000
        return UTC(milliseconds: (time.milliseconds + offset).flooredDivision(by: 3_600_000) * 3_600_000 - offset)
    }

    private func day(of time: UTC) -> Int64 {
        (time.milliseconds + Int64(offset(time)) * 60_000).flooredDivision(by: 86_400_000)
    }
}
