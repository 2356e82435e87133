package import Domain

/// The reports of one receiver, merged into one fix for each moment.
///
/// gpsd sends one to seven reports of the same time; the first often lacks altitude, or says speed 0 while moving. The last value of
/// each field counts. A fix closes at the report with which each of the last ten fixes was complete, so that those of a receiver with
/// one report a fix close at once; else when the time changes, or ``patience`` after its first report.
///
/// A report of a moment whose fix has closed already adds nothing, but it teaches the merger to wait for one more. A report without a
/// time is a fix of its own.
package struct EpochMerger: Sendable {
    /// How long after its first report a fix stays open at most.
    package static let epochTimeout = Duration.milliseconds(300)
    /// How many fixes are looked back on.
    package static let memory = 10
    /// How long after its first report a fix is remembered, so that a late report makes no second fix. Receivers that interleave two
    /// solutions are half a second late; a log that is played in a circle comes round later.
    package static let lateness = Duration.seconds(1)
    /// How long a count of satellites holds.
    private static let skyAge = Duration.seconds(10)

    /// A fix that has closed, and the reports that there were of it.
    private struct Closed: Sendable {
        var time: UTC
        var arrivedAt: Instant
        var reports: Int
    }

    private let name: SanitizedText?
    private var open: Fix?
    private var reports = 0
    /// Complete fixes that have not been taken, at most two in steady use.
    private var ready: [Fix] = []
    /// The last ten fixes with a time; a ring whose oldest is at `oldest`.
    private var closed: [Closed] = []
    private var oldest = 0
    private var satellites: Timestamped<Int>?

    /// - Parameter device: the receiver as gpsd names it; made harmless here.
    package init(device: String?) {
        name = device.flatMap { SanitizedText($0) }
        ready.reserveCapacity(2)
        closed.reserveCapacity(Self.memory)
    }

    /// When ``next(at:)`` will have a fix if no report comes.
    package var deadline: Instant? {
        ready.first?.arrivedAt ?? open.map { $0.arrivedAt + Self.epochTimeout }
    }

    /// Takes a report; then take the fixes that it closed, with ``next(at:)``.
    package mutating func received(_ report: TPVReport, at now: Instant) {
        guard let time = report.time else {
            close()
            ready.append(fix(report, at: now))
            return
        }
        if open?.time == time {
            open?.add(report)
            reports += 1
        } else if let late = closed.lastIndex(where: { $0.time == time && now - $0.arrivedAt < Self.lateness }) {
            // Only the newest could have waited for it.
            if open == nil, late == newest { closed[late].reports += 1 }
            return
        } else {
            close()
            open = fix(report, at: now)
            reports = 1
        }
        if closed.count == Self.memory, closed.allSatisfy({ $0.reports <= reports }) { close() }
    }

    /// Takes the count of satellites that the receiver's fixes use from now on.
    package mutating func received(satellites: Int, at now: Instant) {
        self.satellites = Timestamped(satellites, at: now)
    }

    /// The next fix that is complete by `now`; call it until it is nil.
    package mutating func next(at now: Instant) -> Fix? {
        if let open, now >= open.arrivedAt + Self.epochTimeout { close() }
        return ready.isEmpty ? nil : ready.removeFirst()
    }

    private var newest: Int {
        closed.count < Self.memory ? closed.count - 1 : (oldest + Self.memory - 1) % Self.memory
    }

    private mutating func close() {
        guard let fix = open, let time = fix.time else { return }
        open = nil
        ready.append(fix)
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
    /// Adds another report of the same moment.
    fileprivate mutating func add(_ report: TPVReport) {
        if report.mode != 0 { mode = report.mode }
        // Half a position is none, and never completes another.
        if let north = report.latitude, let east = report.longitude {
            latitude = north
            longitude = east
        }
        altitude = report.altitude ?? altitude
        accuracy = report.accuracy ?? accuracy
        speed = report.speed ?? speed
        track = report.track ?? track
    }
}
