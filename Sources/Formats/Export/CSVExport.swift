import Domain

/// Comma-separated values, one line a second, with every RR interval.
///
/// Unknown values are empty. RR intervals, oldest first and separated by spaces, are in the line of the second that
/// they precede; those after the last second are in its line.
///
/// Source: RFC 4180.
enum CSVExport {
    /// The largest number of RR intervals in one line: a pause of two hours at 200 beats a minute.
    private static let beatLimit = 24_000

    static func write(
        _ recording: RecordedActivity, rows: some RecordingRows, origin: ExportMetadata,
        into sink: (Span<UInt8>) throws -> Void
    ) throws -> ExportLoss {
        var loss = ExportLoss()
        var text = FileText()
        text.write(
            (OwnFieldName.csvColumns.dropLast() + recording.fields.map(\.name.description)
                + OwnFieldName.csvColumns.suffix(1)).joined(separator: ",") + "\r\n")
        let laps = Laps(recording)
        var lap = 0
        var last: RecordingSample?
        var beatsOfLast: [UInt16] = []
        var beats: [UInt16] = []
        try rows.each { row in
            switch row {
            case .begin, .end, .lap, .segment, .autoPause, .autoResume: break
            case .beats(_, let rr, _):
                let kept = rr.prefix(beatLimit - beats.count)
                loss.beats += rr.count - kept.count
                beats += kept
            case .sample(let sample):
                if sample.leftBalance != nil { loss.balances += 1 }
                if let last { text.write(last, of: recording, lap: lap, rr: beatsOfLast) }
                try text.pass(to: sink)
                while laps.isOver(lap, at: sample.at) { lap += 1 }
                last = sample
                swap(&beats, &beatsOfLast)
                beats.removeAll(keepingCapacity: true)
            }
        }
        if let last {
            text.write(last, of: recording, lap: lap, rr: beatsOfLast + beats)
        } else {
            loss.beats += beats.count
            // The totals of an activity without samples.
            var end = RecordingSample(
                at: recording.totalMilliseconds, elapsedMilliseconds: recording.total.elapsedMilliseconds)
            end.distanceMetres = recording.total.distanceMetres
            text.write(end, of: recording, lap: max(recording.laps.count - 1, 0), rr: [])
        }
        try text.end(into: sink)
        return loss
    }
}

extension FileText {
    fileprivate mutating func write(_ sample: RecordingSample, of recording: RecordedActivity, lap: Int, rr: [UInt16]) {
        let position = sample.position
        if let time = recording.knownTime(at: sample.at) { write(time) }
        field(Double(sample.at) / 1000, decimals: Decimals.seconds)
        field(Double(sample.elapsedMilliseconds) / 1000, decimals: Decimals.seconds)
        field(lap + 1)
        field(sample.distanceMetres, decimals: Decimals.metres)
        field(position?.latitude, decimals: Decimals.degrees)
        field(position?.longitude, decimals: Decimals.degrees)
        field(sample.altitude, decimals: Decimals.metres)
        field(sample.speed, decimals: Decimals.speed)
        field(sample.heartRate)
        field(sample.cadence)
        field(sample.power)
        field(sample.temperature)
        field(sample.ascent, decimals: Decimals.metres)
        field(sample.descent, decimals: Decimals.metres)
        field(sample.grade, decimals: Decimals.grade)
        field(sample.verticalSpeed, decimals: Decimals.speed)
        for index in recording.fields.indices {
            write(",")
            // The whole value, unlike those that paced has measured.
            if index < sample.fields.count, let value = sample.fields[index] { write(exact: value) }
        }
        write(",")
        for (index, interval) in rr.enumerated() {
            if index > 0 { write(" ") }
            write(Double(interval) * 1000 / 1024, decimals: 1)
        }
        write("\r\n")
    }

    private mutating func field(_ value: Double?, decimals: Int) {
        write(",")
        if let value { write(value, decimals: decimals) }
    }

    private mutating func field(_ value: Int?) {
        write(",")
        if let value { write(value) }
    }
}
