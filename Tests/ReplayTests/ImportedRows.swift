import Domain
import Formats
import Foundation
import Import
import Pipeline
import TestKit

/// The rows of a file, before its figures are computed, and the ascent that its device states.
struct ImportedRows {
    var name: String
    var header: Domain.RecordedActivity
    var rows: [RecordingRow]
    var stated: Double

    var hasAltitude: Bool {
        rows.contains { row in
            if case .sample(let sample) = row { sample.altitude != nil } else { false }
        }
    }

    init(_ file: ReferenceFile) throws {
        name = file.name
        var reader = FileImport()
        var rows: [RecordingRow] = []
        let bytes = try file.bytes()
        try reader.feed(bytes.span) { rows.append($0) }
        header = try reader.finish { rows.append($0) }.recording
        self.rows = rows
        stated = header.sourceTotals?.ascentMetres ?? 0
    }

    private init(_ rows: [RecordingRow]) {
        name = "made"
        header = Domain.RecordedActivity(sport: .run, started: UTC(milliseconds: 1_772_350_212_000))
        self.rows = rows
        stated = 0
    }

    /// An hour on a plain by a receiver.
    static func flatHour(seed: UInt64) -> Domain.RecordedActivity {
        var rows: [RecordingRow] = [.begin(at: 0, .command)]
        for second in 0...3600 as ClosedRange<Int64> {
            var sample = RecordingSample(at: second * 1000, elapsedMilliseconds: second * 1000)
            sample.distanceMetres = 3 * Double(second)
            sample.altitude = 100
            rows.append(.sample(sample))
        }
        return ImportedRows(rows + [.end(at: 3_600_000, .command)]).recording(noise: seed)
    }

    /// Imports the file.
    ///
    /// - Parameter noise: the seed of an altitude noise of 5 m whose correlation falls to 1/e in 60 s.
    func recording(noise seed: UInt64? = nil, _ take: (RecordingRow) -> Void = { _ in }) -> Domain.RecordedActivity {
        var rows = rows
        if let seed {
            var random = SeededRandom(seed: seed)
            var noise = 5 * random.normal()
            var last: Int64 = 0
            for index in rows.indices {
                guard case .sample(var sample) = rows[index], let altitude = sample.altitude else { continue }
                let kept = exp(-Double(sample.at - last) / 60_000)
                noise = noise * kept + 5 * (1 - kept * kept).squareRoot() * random.normal()
                last = sample.at
                sample.altitude = altitude + noise
                rows[index] = .sample(sample)
            }
        }
        var survey = FileSurvey()
        for row in rows { survey.ingest(row) }
        var figures = FileFigures(header, survey)
        for row in rows { take(figures.ingest(row)) }
        var recording = header
        figures.finish(&recording)
        return recording
    }
}
