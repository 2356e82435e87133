import Domain

/// KML 2.2 with Google's gx:MultiTrack: a gx:Track for each segment, its times before its positions.
///
/// Heart rates and other values are in arrays of a schema (`heartrate` and others), which readers of gx:Track know.
///
/// Source: OGC 07-147r2 and https://developers.google.com/kml/schema/kml22gx.xsd, whose xsd:sequence is the order of
/// the elements here.
enum KMLExport {
    static func write(
        _ recording: RecordedActivity, rows: some RecordingRows, origin: ExportMetadata,
        into sink: (Span<UInt8>) throws -> Void
    ) throws -> ExportLoss {
        let track = try TrackSegments(rows)
        var loss = ExportLoss()
        loss.secondsWithoutPosition = track.secondsWithoutPosition
        loss.beats = track.beats
        loss.laps = recording.laps.count > 1 ? recording.laps.count : 0
        loss.distances = track.distances
        loss.balances = track.balances

        let columns = Column.all.filter { track[keyPath: $0.count] > 0 }
        var text = FileText()
        text.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
            <Document>
            """)
        text.element("name", escaped: recording.name?.text)
        if !columns.isEmpty {
            text.write("\n<Schema id=\"seconds\">")
            for column in columns {
                text.write("<gx:SimpleArrayField name=\"\(column.name)\" type=\"\(column.type)\">")
                text.write("<displayName>\(column.title)</displayName></gx:SimpleArrayField>")
            }
            text.write("</Schema>")
        }
        for mark in recording.marks { text.write(mark, time: recording.knownTime(at: mark.at)) }
        text.write("\n<Placemark>")
        text.element("name", escaped: recording.name?.text)
        text.write(
            "<ExtendedData><Data name=\"type\"><value>\(recording.sport.rawValue)</value></Data></ExtendedData>\n")
        text.write("<gx:MultiTrack><altitudeMode>absolute</altitudeMode><gx:interpolate>0</gx:interpolate>\n")
        for segment in track.segments {
            text.write("<gx:Track><altitudeMode>absolute</altitudeMode>\n")
            try track.each(of: segment, in: rows) { sample, _ in
                text.element("when", recording.time(at: sample.at))
                text.write("\n")
                try text.pass(to: sink)
            }
            try track.each(of: segment, in: rows) { sample, position in
                text.coordinate(position, altitude: sample.altitude)
                try text.pass(to: sink)
            }
            if !columns.isEmpty { text.write("<ExtendedData><SchemaData schemaUrl=\"#seconds\">\n") }
            for column in columns {
                text.write("<gx:SimpleArrayData name=\"\(column.name)\">\n")
                try track.each(of: segment, in: rows) { sample, _ in
                    text.value(column.value(sample), decimals: Decimals.speed)
                    try text.pass(to: sink)
                }
                text.write("</gx:SimpleArrayData>\n")
            }
            if !columns.isEmpty { text.write("</SchemaData></ExtendedData>") }
            text.write("</gx:Track>\n")
        }
        text.write("</gx:MultiTrack>\n</Placemark>\n</Document>\n</kml>\n")
        try text.end(into: sink)
        return loss
    }

    /// A kind of value other than the position.
    private struct Column {
        var name: String
        var type: String
        var title: String
        var count: KeyPath<TrackSegments, Int>
        var value: (RecordingSample) -> Double?

        static var all: [Column] {
            [
                Column(name: "heartrate", type: "int", title: "Heart rate (bpm)", count: \.heartRates) {
                    $0.heartRate.map(Double.init)
                },
                Column(name: "cadence", type: "int", title: "Cadence (rpm)", count: \.cadences) {
                    $0.cadence.map(Double.init)
                },
                Column(name: "power", type: "int", title: "Power (W)", count: \.powers) { $0.power.map(Double.init) },
                Column(name: "temperature", type: "int", title: "Temperature (°C)", count: \.temperatures) {
                    $0.temperature.map(Double.init)
                },
                Column(name: "speed", type: "float", title: "Speed (m/s)", count: \.speeds) { $0.speed },
            ]
        }
    }
}

extension FileText {
    fileprivate mutating func write(_ mark: RecordedMark, time: UTC?) {
        guard let place = mark.coordinate?.written else { return }
        write("\n<Placemark>")
        element("name", escaped: mark.text?.text ?? mark.kind.rawValue)
        if let time {
            write("<TimeStamp>")
            element("when", time)
            write("</TimeStamp>")
        }
        write("<ExtendedData><Data name=\"kind\"><value>\(mark.kind.rawValue)</value></Data></ExtendedData>")
        write("<Point><coordinates>")
        write(place.longitude, decimals: Decimals.degrees)
        write(",")
        write(place.latitude, decimals: Decimals.degrees)
        write("</coordinates></Point></Placemark>")
    }

    fileprivate mutating func coordinate(_ position: Coordinate, altitude: Double?) {
        write("<gx:coord>")
        write(position.longitude, decimals: Decimals.degrees)
        write(" ")
        write(position.latitude, decimals: Decimals.degrees)
        if let altitude, altitude.magnitude < 1e9 {
            write(" ")
            write(altitude, decimals: Decimals.metres)
        }
        write("</gx:coord>\n")
    }

    /// Writes a value; an unknown one is empty, because the arrays must be as long as the track.
    fileprivate mutating func value(_ value: Double?, decimals: Int) {
        write("<gx:value>")
        if let value { write(value, decimals: decimals) }
        write("</gx:value>\n")
    }
}
