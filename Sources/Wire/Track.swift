package import Domain
import JSONCoding

/// A part of an activity's samples as a table, for a map or a chart.
package struct Track: Equatable, Sendable {
    /// A column, with its name on the wire.
    package enum Column: String, CaseIterable, Sendable {
        /// Time since the activity began, with pauses.
        case at = "at_ms"
        case elapsed = "elapsed_ms"
        case distance = "distance_m"
        case latitude, longitude
        case altitude = "altitude_m"
        case speed = "speed_mps"
        case heartRate = "bpm"
        case cadence = "cadence_rpm"
        case power = "power_w"
        case temperature = "temperature_c"
        case ascent = "ascent_m"
        case descent = "descent_m"
        case grade = "grade_percent"
        case verticalSpeed = "vertical_mps"

    }

    /// A column of a request: one of every activity, or an own field.
    package enum ColumnName: Hashable, Sendable {
        case usual(Column)
        case own(OwnFieldName)

        package init?(_ word: String) {
            if let column = Column(rawValue: word) {
                self = .usual(column)
            } else if let name = OwnFieldName(prefixed: word) {
                self = .own(name)
            } else {
                return nil
            }
        }

        package var word: String {
            switch self {
            case .usual(let column): column.rawValue
            case .own(let name): OwnFieldName.prefix + name.description
            }
        }

        /// The columns of a request without a choice.
        package static let usual: [ColumnName] = [
            Column.at, .elapsed, .distance, .latitude, .longitude, .altitude, .speed, .heartRate,
        ].map { .usual($0) }
    }

    /// A request for a part of an activity.
    package struct Request: Equatable, Sendable {
        package var activity: Int
        /// Milliseconds since the activity began.
        package var from: Int64
        /// One sample is returned for each interval, in milliseconds.
        package var interval: Int64
        package var columns: [ColumnName]

        package init(
            activity: Int, from: Int64 = 0, interval: Int64 = 1000, columns: [ColumnName] = ColumnName.usual
        ) {
            self.activity = activity
            self.from = from
            self.interval = interval
            self.columns = columns
        }
    }

    package let columns: [ColumnName]
    /// The encoded rows: arrays of numbers, and `null` for unknown values.
    private var rows: JSONWriter
    /// The moment of the next sample; nil if there is none yet.
    package private(set) var next: Int64?

    /// The rows have reached the limit.
    private struct Full: Error {}

    /// - Parameters:
    ///   - fields: the own fields of the activity.
    ///   - limit: the largest size of the rows in bytes.
    /// - Throws: The errors of `recording`.
    package init(
        _ request: Request, of recording: some RecordingRows, fields: [OwnField] = [],
        limit: Int = JSONWriter.listLimit
    ) throws {
        columns = request.columns
        let places = request.columns.map { column in
            if case .own(let name) = column { fields.firstIndex { $0.name == name } } else { nil as Int? }
        }
        var rows = JSONWriter(capacity: 4096)
        var due = request.from
        var next: Int64?
        do {
            try recording.each(in: request.from...Int64.max) { row in
                guard case .sample(let sample) = row, sample.at >= due else { return }
                var one = JSONWriter(capacity: 128)
                one.array { line in
                    for (index, column) in request.columns.enumerated() {
                        if case .usual(let column) = column {
                            line.value(of: sample, column)
                        } else if let place = places[index], place < sample.fields.count {
                            line.value(sample.fields[place], decimals: fields[place].decimals)
                        } else {
                            line.null()
                        }
                    }
                }
                if rows.bytes.count + one.bytes.count >= limit {
                    next = sample.at
                    throw Full()
                }
                rows.value(written: one.bytes)
                due = (sample.at / request.interval + 1) * request.interval
            }
        } catch is Full {
            // The rest is left for the next request.
        }
        self.rows = rows
        self.next = next
    }

    package static func == (one: Track, other: Track) -> Bool {
        one.columns == other.columns && one.rows.bytes == other.rows.bytes && one.next == other.next
    }

    fileprivate var written: [UInt8] { rows.bytes }
}

extension JSONWriter {
    package mutating func track(_ track: Track) {
        object { line in
            line.array("columns") { for column in track.columns { $0.value(column.word) } }
            line.array("rows") { if !track.written.isEmpty { $0.value(written: track.written) } }
            line.member("next_ms", track.next)
        }
    }

    fileprivate mutating func value(of sample: RecordingSample, _ column: Track.Column) {
        switch column {
        case .at: value(sample.at)
        case .elapsed: value(sample.elapsedMilliseconds)
        case .distance: value(sample.distanceMetres, decimals: 2)
        case .latitude: value(sample.coordinate?.latitude, decimals: 7)
        case .longitude: value(sample.coordinate?.longitude, decimals: 7)
        case .altitude: value(sample.altitude, decimals: 1)
        case .speed: value(sample.speed, decimals: 2)
        case .heartRate: value(sample.heartRate.map(Double.init), decimals: 0)
        case .cadence: value(sample.cadence.map(Double.init), decimals: 0)
        case .power: value(sample.power.map(Double.init), decimals: 0)
        case .temperature: value(sample.temperature.map(Double.init), decimals: 0)
        case .ascent: value(sample.ascent, decimals: 1)
        case .descent: value(sample.descent, decimals: 1)
        case .grade: value(sample.grade, decimals: 1)
        case .verticalSpeed: value(sample.verticalSpeed, decimals: 2)
        }
    }
}
