import Domain

/// GPX 1.1 with heart rate, cadence and temperature in Garmin's TrackPointExtension v1, and power as PowerInWatts.
///
/// Each pause and each gap starts a new segment. The creator is "paced" without "with Barometer", which would make
/// Strava keep the altitudes: there is no barometer.
///
/// Source: https://www.topografix.com/GPX/1/1, and the schemas under https://www8.garmin.com/xmlschemas, whose
/// xsd:sequence is the order of the elements here.
enum GPXExport {
    static func write(
        _ recording: RecordedActivity, rows: some RecordingRows, origin: ExportMetadata,
        into sink: (Span<UInt8>) throws -> Void
    ) throws -> ExportLoss {
        var loss = ExportLoss()
        loss.laps = recording.laps.count > 1 ? recording.laps.count : 0
        var text = FileText()
        text.write(head)
        text.write("<metadata>")
        text.element("time", recording.knownTime(at: 0))
        text.write("</metadata>\n")
        for mark in recording.marks where mark.coordinate != nil {
            text.write(mark, time: recording.knownTime(at: mark.at))
        }
        text.write("<trk>")
        text.element("name", escaped: recording.name?.text)
        text.element("type", escaped: recording.sport.gpxType)
        text.write("\n")
        text.extensions(
            "extensions", Identity.activity, recording.uuid, device: origin.device, forOpenTracks: true)
        var isInSegment = false
        var isBroken = true
        try rows.each { row in
            switch row {
            case .begin, .segment: isBroken = true
            case .end, .lap, .autoPause, .autoResume: break
            case .beats(_, let rr, _): loss.beats += rr.count
            case .sample(let sample):
                guard let position = sample.position else {
                    loss.secondsWithoutPosition += 1
                    return
                }
                if sample.distanceMetres != nil { loss.distances += 1 }
                if sample.speed != nil { loss.speeds += 1 }
                if sample.leftBalance != nil { loss.balances += 1 }
                if isBroken {
                    text.write(isInSegment ? "</trkseg>\n<trkseg>\n" : "<trkseg>\n")
                    isInSegment = true
                    isBroken = false
                }
                text.write(sample, at: position, time: recording.knownTime(at: sample.at))
                try text.pass(to: sink)
            }
        }
        text.write(isInSegment ? "</trkseg>\n</trk>\n</gpx>\n" : "</trk>\n</gpx>\n")
        try text.end(into: sink)
        return loss
    }

    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="paced" xmlns="http://www.topografix.com/GPX/1/1" \
        xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v1" \
        xmlns:gpxpx="http://www.garmin.com/xmlschemas/PowerExtension/v1" \
        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
        xsi:schemaLocation="http://www.topografix.com/GPX/1/1 https://www.topografix.com/GPX/1/1/gpx.xsd \
        http://www.garmin.com/xmlschemas/TrackPointExtension/v1 \
        https://www8.garmin.com/xmlschemas/TrackPointExtensionv1.xsd">

        """
}

extension FileText {
    /// Writes a mark as a waypoint.
    fileprivate mutating func write(_ mark: RecordedMark, time: UTC?) {
        guard let place = mark.coordinate?.written else { return }
        write("<wpt lat=\"")
        write(place.latitude, decimals: Decimals.degrees)
        write("\" lon=\"")
        write(place.longitude, decimals: Decimals.degrees)
        write("\">")
        element("time", time)
        element("name", escaped: mark.text?.text)
        element("sym", escaped: mark.kind.rawValue)
        element("type", escaped: mark.kind.rawValue)
        write("</wpt>\n")
    }

    fileprivate mutating func write(_ sample: RecordingSample, at position: Coordinate, time: UTC?) {
        write("<trkpt lat=\"")
        write(position.latitude, decimals: Decimals.degrees)
        write("\" lon=\"")
        write(position.longitude, decimals: Decimals.degrees)
        write("\">")
        element("ele", sample.altitude, decimals: Decimals.metres)
        element("time", time)
        let hasTrackPoint = sample.temperature != nil || sample.heartRate != nil || sample.cadence != nil
        if sample.power != nil || hasTrackPoint {
            write("<extensions>")
            element("gpxpx:PowerInWatts", sample.power)
            if hasTrackPoint {
                write("<gpxtpx:TrackPointExtension>")
                element("gpxtpx:atemp", sample.temperature)
                element("gpxtpx:hr", sample.heartRate)
                element("gpxtpx:cad", sample.cadence)
                write("</gpxtpx:TrackPointExtension>")
            }
            write("</extensions>")
        }
        write("</trkpt>\n")
    }
}

extension Sport {
    /// The name that Garmin Connect uses.
    var gpxType: String {
        switch self {
        case .run: "running"
        case .walk: "walking"
        case .hike: "hiking"
        case .ride: "cycling"
        case .other: "other"
        }
    }
}
