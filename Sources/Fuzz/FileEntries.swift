import Domain
import Formats

extension FuzzTarget {
    /// A FIT file in chunks of 1 to 256 bytes: it is rejected, or its rows are in order and survive an export.
    ///
    /// Layout: a byte, the size of the chunks minus one; a byte whose bit 0 adds a header and a checksum; the content.
    static let fit = FuzzTarget(name: "fit", corpus: fitFiles) { bytes in
        var reader = CaseReader(bytes)
        let size = Int(reader.byte()) + 1
        let isWrapped = reader.byte() & 1 == 1
        let content = reader.bytes(bytes.count)
        let file = isWrapped ? wrapped(content) : content
        guard let (recording, rows) = try? read(file, pieces: size) else { return }
        var newest: Int64 = 0
        var isRunning = false
        for row in rows {
            precondition(row.at >= newest, "rows in order")
            newest = row.at
            switch row {
            case .begin:
                precondition(!isRunning, "the timer begins once")
                isRunning = true
            case .end:
                precondition(isRunning, "the timer ends once")
                isRunning = false
            case .sample, .beats, .lap, .segment, .autoPause, .autoResume: break
            }
        }
        precondition(!isRunning, "the timer ends")
        precondition(!recording.laps.isEmpty && recording.totalMilliseconds == newest)
        do {
            _ = try read(exported(recording, rows), pieces: 4096)
        } catch {
            preconditionFailure("what was written is read again: \(error)")
        }
    }

    private struct Rows: RecordingRows {
        var rows: [RecordingRow]

        func each(in moments: ClosedRange<Int64>, _ body: (RecordingRow) throws -> Void) throws {
            for row in rows { try body(row) }
        }
    }

    private static func read(_ file: [UInt8], pieces: Int) throws -> (RecordedActivity, [RecordingRow]) {
        var survey = FitReader(FitSurvey())
        try survey.feed(file.span) { _ in }
        var reader = FitReader(plan: survey.finishSurvey().plans(splits: file.count % 2 == 0).last)
        var rows: [RecordingRow] = []
        var rest = CaseReader(file)
        while !rest.isAtEnd { try reader.feed(rest.bytes(pieces).span) { rows.append($0) } }
        let imported = try reader.finish { rows.append($0) }
        return (imported.recording, rows)
    }

    private static func exported(_ recording: RecordedActivity, _ rows: [RecordingRow]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try FitExport.write(recording, rows: Rows(rows: rows), origin: ExportMetadata(serialNumber: 1)) { piece in
            for index in piece.indices { bytes.append(piece[index]) }
        }
        return bytes
    }

    private static func wrapped(_ content: [UInt8]) -> [UInt8] {
        let file = FitWriter.header(dataSize: content.count) + content
        var checksum = Fit.Checksum()
        for byte in file { checksum.add(byte) }
        return file + [UInt8(truncatingIfNeeded: checksum.value), UInt8(checksum.value >> 8)]
    }

    /// Half a minute with every kind of row, with and without header and checksum; and every base type.
    private static let fitFiles: [[UInt8]] = {
        var recording = RecordedActivity(sport: .run, started: UTC(year: 2026, month: 3, day: 1))
        recording.sensors = [RecordingSensor([.heartRate]), RecordingSensor([.cyclingSpeedCadence, .cyclingPower])]
        var figures = Totals()
        figures.elapsedMilliseconds = 15_000
        recording.laps = [
            RecordingLap(trigger: .command, beganAt: 0, endedAt: 15_000, figures: figures),
            RecordingLap(trigger: nil, beganAt: 15_000, endedAt: 40_000, figures: figures),
        ]
        recording.total.elapsedMilliseconds = 30_000
        recording.totalMilliseconds = 40_000
        var rows: [RecordingRow] = [.begin(at: 0, .command)]
        for second in 1...30 {
            let elapsed = Int64(second) * 1000
            let at = elapsed + (second > 20 ? 10_000 : 0)
            if second == 21 { rows += [.end(at: 20_500, .auto), .begin(at: 30_500, .auto)] }
            var sample = RecordingSample(at: at, elapsedMilliseconds: elapsed)
            sample.heartRate = 120 + second
            sample.distanceMetres = Double(second)
            sample.power = 200 + second
            sample.leftBalance = 49
            sample.cadence = 85
            sample.coordinate = Coordinate(latitude: 52.5, longitude: 13.4)
            rows += [.sample(sample), .beats(at: at, rr: [500, 510], gap: false)]
        }
        rows.append(.end(at: 40_000, .command))
        let whole = (try? exported(recording, rows)) ?? []
        return [[63, 0] + whole, [255, 1] + whole.dropFirst(Fit.headerSize).dropLast(2), [6, 1] + allTypes]
    }()

    /// A record with a field of each base type, in both byte orders, with developer fields and compressed timestamps.
    private static let allTypes: [UInt8] = {
        let types: [UInt8] = [
            0, 1, 2, 7, 0x0A, 0x0D, 0x83, 0x84, 0x85, 0x86, 0x88, 0x89, 0x8B, 0x8C, 0x8E, 0x8F, 0x90,
        ]
        var bytes: [UInt8] = []
        for architecture in [0, 1] as [UInt8] {
            bytes += [0x60, 0, architecture, architecture == 0 ? 20 : 0, architecture == 0 ? 0 : 20]
            bytes.append(UInt8(types.count) + 1)
            for (number, type) in types.enumerated() { bytes += [UInt8(number), 8, type] }
            bytes += [253, 4, 0x86, 1, 0, 2, 0]
            let values = [UInt8](repeating: 0x21, count: 8 * types.count + 4 + 2)
            bytes += [0] + values
            bytes += [0x8A] + values
        }
        return bytes
    }()
}
