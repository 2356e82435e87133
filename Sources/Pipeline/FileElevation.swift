import Domain

/// Computes the climb of an imported recording as a run does, from the altitudes of its samples.
///
/// The altitudes are those of a barometer, unless the file lists the sensors of its device and none of them is a
/// barometer, or the altitude is rough (``AltitudeRoughness``).
struct FileElevation {
    private let source: AscentSource
    private var meter = ElevationMeter()
    private var total = ClimbTotals()
    private var laps: [ClimbTotals]
    private let isGradeAdjusted: Bool
    private var levelMetres = LevelMetres()
    private var lapLevelMetres: [LevelMetres]
    /// The distance up to the lap in progress.
    private var lapMetres = 0.0
    private var metres = 0.0
    private let lapEnds: [Int64]
    private var lap = 0
    /// The newest sample with an altitude since the timer started, and the distance there.
    private var newest: (at: Int64, altitude: Double, metres: Double)?
    private var isStanding = false
    private var timerRuns = false

    /// The longest time between two samples that a straight line covers, in milliseconds.
    private static let longestGap: Int64 = 60_000

    /// - Parameter recording: header of the recording, from a first pass over the file.
    init(_ recording: RecordedActivity, _ roughness: AltitudeRoughness) {
        source = roughness.isRough ? .receiver : recording.altitudeSource ?? .barometer
        lapEnds = recording.laps.dropLast().map(\.endedAt)
        laps = Array(repeating: ClimbTotals(), count: lapEnds.count + 1)
        isGradeAdjusted = recording.sport.isOnFoot && !recording.isIndoor
        lapLevelMetres = Array(repeating: LevelMetres(), count: lapEnds.count + 1)
    }

    /// Ingests the next row.
    ///
    /// - Parameter metres: the distance up to the row.
    /// - Returns: The row with its climb.
    mutating func ingest(_ row: RecordingRow, metres: Double) -> RecordingRow {
        switch row {
        case .begin:
            meter.restart()
            newest = nil
            timerRuns = true
        case .end:
            add(meter.remainder())
            timerRuns = false
        case .sample where !timerRuns: break
        case .sample(var sample):
            while lap < lapEnds.count, lapEnds[lap] < sample.at {
                lap += 1
                lapMetres = self.metres
            }
            self.metres = metres
            pass(to: sample, metres: metres)
            levelMetres.count(to: metres, percent: meter.grade)
            lapLevelMetres[lap].count(to: metres - lapMetres, percent: meter.grade)
            sample.ascent = total.ascent
            sample.descent = total.descent
            sample.grade = meter.grade
            sample.verticalSpeed = meter.verticalSpeed
            sample.ascentSource = meter.source
            return .sample(sample)
        case .beats, .lap, .segment, .autoPause, .autoResume: break
        }
        return row
    }

    func finish(_ recording: inout RecordedActivity) {
        total.write(to: &recording.total)
        for index in recording.laps.indices where index < laps.count {
            laps[index].write(to: &recording.laps[index].figures)
        }
        guard isGradeAdjusted else { return }
        recording.total.adjust(levelMetres)
        for index in recording.laps.indices where index < lapLevelMetres.count {
            recording.laps[index].figures.adjust(lapLevelMetres[index])
        }
    }

    /// Counts each second from the sample before to this one.
    private mutating func pass(to sample: RecordingSample, metres: Double) {
        guard let altitude = sample.altitude else { return }
        guard let before = newest else {
            newest = (sample.at, altitude, metres)
            return second(altitude, metres: metres)
        }
        let milliseconds = sample.at - before.at
        guard milliseconds > 0 else { return }
        judgeMotion(sample.speed ?? (metres - before.metres) * 1000 / Double(milliseconds))
        newest = (sample.at, altitude, metres)
        if milliseconds > Self.longestGap { return second(altitude, metres: metres) }
        var at = (before.at / 1000 + 1) * 1000
        while at <= sample.at {
            let part = Double(at - before.at) / Double(milliseconds)
            second(
                before.altitude + (altitude - before.altitude) * part,
                metres: before.metres + (metres - before.metres) * part)
            at += 1000
        }
    }

    private mutating func second(_ altitude: Double, metres: Double) {
        switch source {
        case .barometer: meter.receive(barometric: altitude)
        case .receiver: meter.receive(altitude: altitude, accuracy: nil)
        }
        add(meter.tick(metres: metres, isStanding: isStanding))
    }

    private mutating func add(_ step: ElevationMeter.Step) {
        total.add(step)
        laps[min(lap, laps.count - 1)].add(step)
    }

    /// With the bounds of ``Odometer``.
    private mutating func judgeMotion(_ speed: Double) {
        isStanding = isStanding ? speed < 0.7 : speed < 0.5
    }
}

extension Totals {
    /// The distance and the time of the totals are final.
    fileprivate mutating func adjust(_ level: LevelMetres) {
        gradeAdjustedPace = level.pace(milliseconds: elapsedMilliseconds, metres: distanceMetres)
    }
}

/// Measures how rough the altitudes of a file are: the median of their second differences over the root of the seconds
/// between them, in metres.
///
/// A barometer's, and those that a device has smoothed, have up to 0.2 m from second to second; the unsmoothed altitude of
/// a receiver with noise of 5 m has 0.9 m.
struct AltitudeRoughness {
    private var newest: [(at: Int64, altitude: Double)] = []
    /// Numbers of second differences in steps of 0.1 m; the last one has the larger ones.
    private var counts: [Int] = Array(repeating: 0, count: 21)
    private var count = 0

    /// The largest time between two altitudes that are compared, in milliseconds.
    private static let longestStep: Int64 = 10_000
    /// The fewest differences.
    private static let fewest = 60
    /// Tenths of a metre from which an altitude is rough.
    private static let rough = 5

    mutating func ingest(_ row: RecordingRow) {
        if case .begin = row { newest.removeAll(keepingCapacity: true) }
        guard case .sample(let sample) = row, let altitude = sample.altitude, altitude.isFinite else { return }
        if let last = newest.last, sample.at <= last.at || sample.at - last.at > Self.longestStep {
            newest.removeAll(keepingCapacity: true)
        }
        if newest.count == 2 {
            let (first, second) = (newest[0], newest[1])
            let slope = (second.altitude - first.altitude) / Double(second.at - first.at)
            let step = Double(sample.at - second.at)
            let difference = abs(altitude - second.altitude - slope * step) / (step / 1000).squareRoot()
            counts[Int(min(difference * 10, Double(counts.count - 1)))] += 1
            count += 1
            newest.removeFirst()
        }
        newest.append((sample.at, altitude))
    }

    /// Whether half of the differences are 0.5 m or more.
    var isRough: Bool {
        count >= Self.fewest && counts[Self.rough...].reduce(0, +) * 2 >= count
    }
}
