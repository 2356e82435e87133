package import Domain

/// The values of an activity that the page draws as lines.
enum TrackFigure: String, CaseIterable {
    case heartRate, speed, elevation, cadence, power, rmssd, alpha1
}

/// The size of a recording: what must be known before its rows are drawn.
package struct TrackExtent {
    /// The box around the positions.
    package private(set) var frame = RouteFrame()
    /// The moment of the last row, in milliseconds.
    package private(set) var end: Int64 = 0
    /// The distance of the last sample, in metres.
    package private(set) var metres = 0.0
    private(set) var samples = 0
    fileprivate var active: Int64 = 0

    package init(_ rows: some RecordingRows) throws {
        try rows.each { row in
            end = max(end, row.at)
            guard case .sample(let sample) = row else { return }
            samples += 1
            active = max(active, sample.elapsedMilliseconds)
            if let coordinate = sample.mapped { frame.add(coordinate) }
            if let distance = sample.distanceMetres, distance.isFinite { metres = max(metres, distance) }
        }
    }
}

/// Finds gaps in the samples of an activity that has no row for them, as imported files have none.
package struct SampleGap {
    /// The longest time between two samples of one line, in milliseconds.
    private let longest: Int64
    private var last: Int64?

    /// A gap is ten times as long as the mean time between samples, and over 30 s.
    package init(_ extent: TrackExtent) {
        longest = extent.samples > 0 ? max(30_000, 10 * extent.active / Int64(extent.samples)) : 30_000
    }

    /// Whether a gap is before a sample.
    package mutating func isGap(before sample: RecordingSample) -> Bool {
        defer { last = sample.at }
        return last.map { sample.at - $0 > longest } ?? false
    }
}

/// The lines of an activity along its time and along its distance, and the values under the cursor.
struct TrackLines {
    /// The number of columns of a line.
    let count: Int
    private(set) var byTime: [TrackFigure: ColumnMeans] = [:]
    private(set) var byDistance: [TrackFigure: ColumnMeans] = [:]
    /// The distance and the place of the last sample of each column of time; nil for a column without.
    private(set) var metres: [Double?]
    private(set) var places: [Coordinate?]

    private let end: Int64
    private var last: RecordingSample?
    private let variability: [VariabilityPoint]
    /// The number of the first point that is later than the last sample.
    private var nextPoint = 0

    /// A point holds for this long, in milliseconds.
    private static let pointAge: Int64 = 20_000
    static let columns = 500

    /// - Parameter variability: by time.
    init(_ extent: TrackExtent, _ variability: [VariabilityPoint]) {
        self.variability = variability
        count = max(min(extent.samples, Self.columns), 2)
        end = extent.end
        metres = Array(repeating: nil, count: count)
        places = metres.map { _ in nil }
        for figure in TrackFigure.allCases {
            byTime[figure] = ColumnMeans(count: count, end: Double(extent.end))
            byDistance[figure] = ColumnMeans(count: count, end: extent.metres)
        }
    }

    /// The figures that vary in the activity: a flat line says nothing that the totals do not.
    var figures: [TrackFigure] {
        TrackFigure.allCases.filter { figure in
            guard let least = byTime[figure]?.least, let greatest = byTime[figure]?.greatest else { return false }
            return greatest > least
        }
    }

    /// The next sample begins new lines.
    mutating func breakLines() {
        last = nil
        for figure in TrackFigure.allCases { breakLine(of: figure) }
    }

    /// - Parameter stepsPerCadence: as ``Sport/stepsPerCadence``.
    mutating func add(_ row: RecordingRow, stepsPerCadence: Double) {
        switch row {
        case .begin, .end: breakLines()
        case .segment:
            breakLine(of: .elevation)
            breakLine(of: .speed)
        case .beats, .lap, .autoPause, .autoResume: break
        case .sample(let sample):
            while nextPoint < variability.count, variability[nextPoint].at <= sample.at { nextPoint += 1 }
            let point = nextPoint > 0 ? variability[nextPoint - 1] : nil
            let newest = point.flatMap { sample.at - $0.at <= Self.pointAge ? $0 : nil }
            let values: [TrackFigure: Double] = [
                .heartRate: sample.heartRate.map(Double.init), .speed: speed(of: sample), .elevation: sample.altitude,
                .cadence: sample.cadence.map { Double($0) * stepsPerCadence }, .power: sample.power.map(Double.init),
                .rmssd: newest?.rmssd, .alpha1: newest?.alpha1,
            ].compactMapValues(\.self)
            for figure in TrackFigure.allCases {
                byTime[figure]?.add(values[figure], at: Double(sample.at), moment: sample.at)
                if let distance = sample.distanceMetres {
                    byDistance[figure]?.add(values[figure], at: distance, moment: sample.at)
                }
            }
            let share = end > 0 ? Double(sample.at) / Double(end) : 0
            let index = min(max(Int(share * Double(count)), 0), count - 1)
            metres[index] = sample.distanceMetres ?? metres[index]
            places[index] = sample.mapped ?? places[index]
            last = sample
        }
    }

    private mutating func breakLine(of figure: TrackFigure) {
        byTime[figure]?.breakLine()
        byDistance[figure]?.breakLine()
    }

    /// The speed, or that from the sample before by their distances; nil after a gap.
    private func speed(of sample: RecordingSample) -> Double? {
        if let speed = sample.speed { return speed }
        guard let last, let distance = sample.distanceMetres, let before = last.distanceMetres else { return nil }
        let time = sample.elapsedMilliseconds - last.elapsedMilliseconds
        return time > 0 && distance >= before ? (distance - before) * 1000 / Double(time) : nil
    }
}

/// The times of equal parts of the distance.
struct Splits {
    struct Split {
        var metres: Double
        var milliseconds: Double
        var heartRate: Double?
    }

    private(set) var splits: [Split] = []
    /// The length of a split in metres.
    let length: Double

    private var last: (metres: Double, milliseconds: Double) = (0, 0)
    private var began: (metres: Double, milliseconds: Double) = (0, 0)
    private var beats = (sum: 0.0, count: 0)

    /// - Parameters:
    ///   - unit: metres of a kilometre or a mile.
    ///   - most: the largest number of whole splits.
    init(of metres: Double, unit: Double, most: Int) {
        length = unit * max(RoundNumber.above(metres / unit / Double(most)), 1)
    }

    mutating func add(_ sample: RecordingSample) {
        guard let metres = sample.distanceMetres, metres.isFinite else { return }
        let time = Double(sample.elapsedMilliseconds)
        if let rate = sample.heartRate { beats = (beats.sum + Double(rate), beats.count + 1) }
        while metres >= began.metres + length, metres > last.metres {
            let edge = began.metres + length
            let share = (edge - last.metres) / (metres - last.metres)
            close(at: (edge, last.milliseconds + share * (time - last.milliseconds)))
        }
        last = (metres, time)
    }

    /// Adds the rest, if it is longer than 1 % of a split.
    mutating func finish() {
        if last.metres - began.metres > length / 100 { close(at: last) }
    }

    private mutating func close(at end: (metres: Double, milliseconds: Double)) {
        splits.append(
            Split(
                metres: end.metres - began.metres, milliseconds: end.milliseconds - began.milliseconds,
                heartRate: beats.count > 0 ? beats.sum / Double(beats.count) : nil))
        began = end
        beats = (0, 0)
    }
}
