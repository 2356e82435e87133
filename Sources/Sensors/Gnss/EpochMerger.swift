package import Domain

/// Merges the reports of one receiver into one fix for each epoch.
///
/// gpsd sends one to seven reports of the same time; the first often lacks altitude, or has speed 0 while moving. The
/// last value of each field counts. A fix closes once it has as many reports as any of the last ten fixes; else when
/// the time changes, or ``epochTimeout`` after its first report.
///
/// A report that arrives after its fix has closed adds nothing, but the next ten fixes wait for one more. A report
/// without a time is a fix alone.
package struct EpochMerger: Sendable {
    /// The longest time that a fix stays open after its first report.
    package static let epochTimeout = Duration.milliseconds(300)
    /// The number of closed fixes that are kept.
    package static let memory = 10
    /// How long after its first report a closed fix is remembered, so that a late report makes no second fix. Receivers
    /// that interleave two solutions are half a second late; a log played in a loop repeats its times later.
    package static let lateness = Duration.seconds(1)
    /// How long a number of satellites is valid.
    private static let skyAge = Duration.seconds(10)

    /// A closed fix with the number of its reports.
    private struct Closed: Sendable {
        var time: UTC
        var arrivedAt: Instant
        var reports: Int
    }

    private let name: SanitizedText?
    private var open: Fix?
    private var reports = 0
    /// The last ten fixes with a time: a ring whose oldest element is at `oldest`.
    private var closed: [Closed] = []
    private var oldest = 0
    private var satellites: Timestamped<Int>?

    /// - Parameter device: the receiver's path from gpsd; sanitized here.
    package init(device: String?) {
        name = device.flatMap { SanitizedText($0) }
        closed.reserveCapacity(Self.memory)
    }

    /// The time at which the open fix closes if no report comes: the next time to call ``tick(at:into:)``.
    package var deadline: Instant? {
        open.map { $0.arrivedAt + Self.epochTimeout }
    }

    /// Receives a report, and appends the fixes that it closes.
    package mutating func received(_ report: TPVReport, at now: Instant, into fixes: inout [Fix]) {
        guard let time = report.time else {
            close(into: &fixes)
            fixes.append(fix(report, at: now))
            return
        }
        if open?.time == time {
            open?.add(report)
            reports += 1
        } else if let late = closed.lastIndex(where: { $0.time == time && now - $0.arrivedAt < Self.lateness }) {
            // Only the newest fix could have waited for this report.
            if open == nil, late == newest { closed[late].reports += 1 }
            return
        } else {
            close(into: &fixes)
            open = fix(report, at: now)
            reports = 1
        }
        if closed.count == Self.memory, closed.allSatisfy({ $0.reports <= reports }) { close(into: &fixes) }
    }

    /// Receives the number of satellites for the next fixes.
    package mutating func received(satellites: Int, at now: Instant) {
        self.satellites = Timestamped(satellites, at: now)
    }

    /// Advances timers to `now`, and appends the fix that is complete.
    package mutating func tick(at now: Instant, into fixes: inout [Fix]) {
        if let deadline, now >= deadline { close(into: &fixes) }
    }

    private var newest: Int {
        closed.count < Self.memory ? closed.count - 1 : (oldest + Self.memory - 1) % Self.memory
    }

    private mutating func close(into fixes: inout [Fix]) {
        guard let fix = open, let time = fix.time else { return }
        open = nil
        fixes.append(fix)
        let entry = Closed(time: time, arrivedAt: fix.arrivedAt, reports: reports)
        if closed.count < Self.memory {
            closed.append(entry)
        } else {
            closed[oldest] = entry
            oldest = (oldest + 1) % Self.memory
        }
    }

    private func fix(_ report: TPVReport, at now: Instant) -> Fix {
        var fix = Fix(arrivedAt: now, time: report.time, device: name, mode: 0)
        fix.add(report)
        if let satellites, satellites.age(at: now) < Self.skyAge { fix.satellites = satellites.value }
        return fix
    }
}

extension Fix {
    /// Adds another report of the same epoch.
    fileprivate mutating func add(_ report: TPVReport) {
        if report.mode != 0 { mode = report.mode }
        // Latitude without longitude is discarded; two halves of two reports make no position.
        if let north = report.latitude, let east = report.longitude {
            latitude = north
            longitude = east
        }
        altitude = report.altitude ?? altitude
        accuracy = report.accuracy ?? accuracy
        verticalAccuracy = report.verticalAccuracy ?? verticalAccuracy
        speed = report.speed ?? speed
        track = report.track ?? track
    }
}
