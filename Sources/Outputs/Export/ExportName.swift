package import Domain

extension ExportFormat {
    /// What a recording's file is called: when it began, in UTC, and the sport, as `2026-03-01-0730-run.fit`; `activity-17-run.fit`
    /// where no clock was known.
    ///
    /// UTC, because names are to stand in their order, to be the same wherever they are made, and not to come twice when the clocks
    /// go back.
    ///
    /// - Parameter number: tells files apart that would have the same name, from 1, which is not said.
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
