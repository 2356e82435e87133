package import Domain

extension ExportFormat {
    /// Returns the name of a recording's file: its start in UTC and the sport, as in `2026-03-01-0730-run.fit`, or
    /// `activity-17-run.fit` if no clock was known.
    ///
    /// UTC makes names sort by time, equal on every host, and unique when the clocks go back.
    ///
    /// - Parameter number: distinguishes files with the same name; 1 adds nothing.
    package func name(of recording: RecordedActivity, number: Int = 1) -> String {
        func digits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        let time = recording.started.fields
        var name: String
        if recording.isTimeUncertain || !(1000...9999).contains(time.year) {
            name = "activity-\(recording.id ?? 0)"
        } else {
            name = "\(time.year)-\(digits(time.month))-\(digits(time.day))-\(digits(time.hour))\(digits(time.minute))"
        }
        name += "-" + recording.sport.rawValue
        if number > 1 { name += "-\(number)" }
        return name + "." + rawValue
    }
}
