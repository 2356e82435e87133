import Domain
package import JSONCoding
import Linux

extension StateLine {
    /// The block `sun` of a STATE line.
    package struct Sun: Equatable {
        var phase: SunStatus.Phase
        var rise: UTC?
        var set: UTC?
        /// Seconds.
        var lightLeft: Double?

        /// Nil for a phase of a later release.
        package init?(_ json: JSON) {
            guard let phase = json["state"]?.string.flatMap(SunStatus.Phase.init) else { return nil }
            self.phase = phase
            rise = json["rise"]?.string.flatMap(UTC.init(timestamp:))
            set = json["set"]?.string.flatMap(UTC.init(timestamp:))
            lightLeft = json["light_left_s"]?.number.flatMap { (0...86_400).contains($0) ? $0 : nil }
        }
    }
}

extension StatusText {
    /// The light of the day, with times in local time.
    func light(_ sun: StateLine.Sun, at now: UTC?) -> String {
        let left = sun.lightLeft.map { Self.duration(Int64($0) * 1000) + " left" }
        return switch sun.phase {
        case .day: joined(left ?? "no dusk", sun.set.map { "sunset " + clock($0) })
        case .twilight: joined(left, "twilight")
        case .night:
            if let rise = sun.rise, let now, now < rise { "dark, sunrise " + clock(rise) } else { "dark" }
        case .polarDay: "polar day"
        case .polarNight: "polar night"
        }
    }

    private func clock(_ time: UTC) -> String {
        Screen.clock(time, minutesFromUTC: Machine.localOffset(at: time) / 60, twelveHour: twelveHour)
    }
}
