import Domain
import JSONCoding

/// One GeoJSON Feature: a LineString, or a MultiLineString with a line for each segment; without a line its geometry is
/// null. Times and heart rates are in `coordinateProperties`, in arrays of the same shape as the coordinates.
///
/// Source: RFC 7946; a position is longitude, latitude and, if known, altitude; a line has two positions or more.
enum GeoJSONExport {
    static func write(
        _ recording: RecordedActivity, rows: some RecordingRows, origin: ExportMetadata,
        into sink: (Span<UInt8>) throws -> Void
    ) throws -> ExportLoss {
        var track = try TrackSegments(rows)
        var loss = ExportLoss()
        loss.secondsWithoutPosition = track.secondsWithoutPosition
        loss.beats = track.beats
        loss.laps = recording.laps.count > 1 ? recording.laps.count : 0
        loss.distances = track.distances
        loss.speeds = track.speeds
        loss.cadences = track.cadences
        loss.powers = track.powers
        loss.temperatures = track.temperatures
        loss.balances = track.balances
        loss.lonePositions = track.removeLone()

        var text = FileText()
        text.write("{\"type\":\"Feature\",\"geometry\":")
        switch track.segments.count {
        case 0: text.write("null")
        case 1: text.write("{\"type\":\"LineString\",\"coordinates\":")
        default: text.write("{\"type\":\"MultiLineString\",\"coordinates\":")
        }
        try text.arrays(track, rows, into: sink) { text, sample, position in
            text.write("[")
            text.write(position.longitude, decimals: Decimals.degrees)
            text.write(",")
            text.write(position.latitude, decimals: Decimals.degrees)
            if let altitude = sample.altitude, altitude.magnitude < 1e9 {
                text.write(",")
                text.write(altitude, decimals: Decimals.metres)
            }
            text.write("]")
        }
        if !track.segments.isEmpty { text.write("}") }
        text.write(",\"properties\":")
        text.write(properties: recording, device: origin.device)
        if !track.segments.isEmpty {
            text.write(",\"coordinateProperties\":{")
            var separator = ""
            if !recording.isTimeUncertain {
                separator = ","
                text.write("\"times\":")
                try text.arrays(track, rows, into: sink) { text, sample, _ in
                    text.write("\"")
                    text.write(recording.time(at: sample.at))
                    text.write("\"")
                }
            }
            if track.heartRates > 0 {
                text.write(separator + "\"heartRates\":")
                separator = ","
                try text.arrays(track, rows, into: sink) { text, sample, _ in
                    if let rate = sample.heartRate { text.write(rate) } else { text.write("null") }
                }
            }
            for (index, field) in recording.fields.enumerated() {
                text.write("\(separator)\"\(field.name)\":")
                separator = ","
                try text.arrays(track, rows, into: sink) { text, sample, _ in
                    let value = index < sample.fields.count ? sample.fields[index] : nil
                    if let value { text.write(exact: value) } else { text.write("null") }
                }
            }
            text.write("}")
        }
        text.write("}}\n")
        try text.end(into: sink)
        return loss
    }
}

extension FileText {
    /// Writes one value for each position; an array of arrays if there are several segments.
    fileprivate mutating func arrays(
        _ track: TrackSegments, _ rows: some RecordingRows, into sink: (Span<UInt8>) throws -> Void,
        _ value: (inout FileText, RecordingSample, Coordinate) -> Void
    ) throws {
        let isNested = track.segments.count > 1
        if isNested { write("[") }
        for (index, segment) in track.segments.enumerated() {
            write(index > 0 ? ",\n[" : "[")
            var isFirst = true
            try track.each(of: segment, in: rows) { sample, position in
                if !isFirst { write(",") }
                isFirst = false
                value(&self, sample, position)
                try pass(to: sink)
            }
            write("]")
        }
        if isNested { write("]") }
    }

    /// Writes the properties of the recording; the object stays open.
    fileprivate mutating func write(properties recording: RecordedActivity, device: UUID?) {
        var line = JSONWriter()
        line.object { line in
            line.member("creator", "paced")
            line.member("uuid", recording.uuid?.description)
            line.member("device", device?.description)
            line.member("name", recording.name?.text)
            line.member("sport", recording.sport.rawValue)
            line.member("time", recording.knownTime(at: 0))
            line.member("total_ms", recording.totalMilliseconds)
            line.member("elapsed_ms", recording.total.elapsedMilliseconds)
            line.member("distance_m", recording.total.distanceMetres, decimals: Decimals.metres)
            if !recording.marks.isEmpty {
                line.array("marks") { list in
                    for (index, mark) in recording.marks.enumerated() {
                        list.object { line in
                            line.member("mark", index + 1)
                            line.member("kind", mark.kind.rawValue)
                            line.member("text", mark.text?.text)
                            line.member("at_ms", mark.at)
                            line.member("elapsed_ms", mark.elapsedMilliseconds)
                            line.member("distance_m", mark.distanceMetres, decimals: Decimals.metres)
                            line.member("latitude", mark.coordinate?.latitude, decimals: Decimals.degrees)
                            line.member("longitude", mark.coordinate?.longitude, decimals: Decimals.degrees)
                        }
                    }
                }
            }
        }
        write(lines: line.bytes.dropLast())
    }
}
