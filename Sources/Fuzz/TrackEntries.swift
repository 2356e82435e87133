import Domain
import Formats
import Import

extension FuzzTarget {
    /// Files to import, in chunks of 1 to 256 bytes: accepted rows are in order and survive a TCX export.
    static let tracks = FuzzTarget(name: "tracks", corpus: trackFiles) { bytes in
        guard let file = importedFile(bytes) else { return }
        expectOrder(file.rows)
        for format in [ExportFormat.gpx, .geojson, .kml, .csv] { _ = exported(file, as: format) }
        guard let again = importedFile([255] + exported(file, as: .tcx)) else {
            preconditionFailure("what was written cannot be read")
        }
        precondition(again.rows.filter(\.isSample).count == file.rows.filter(\.isSample).count)
    }

    private struct ImportedFile: RecordingRows {
        var recording: RecordedActivity
        var rows: [RecordingRow]

        func each(in moments: ClosedRange<Int64>, _ body: (RecordingRow) throws -> Void) rethrows {
            for row in rows where moments.contains(row.at) { try body(row) }
        }
    }

    private static func importedFile(_ bytes: [UInt8]) -> ImportedFile? {
        var reader = CaseReader(bytes)
        let size = Int(reader.byte()) + 1
        var file = FileImport()
        var rows: [RecordingRow] = []
        do {
            while !reader.isAtEnd { try file.feed(reader.bytes(size).span) { rows.append($0) } }
            let imported = try file.finish { rows.append($0) }
            precondition(imported.skipped.entries.count <= SkippedElements.nameLimit)
            return ImportedFile(recording: imported.recording, rows: rows)
        } catch {
            precondition(error is FileError)
            return nil
        }
    }

    private static func exported(_ file: ImportedFile, as format: ExportFormat) -> [UInt8] {
        var bytes: [UInt8] = []
        let origin = ExportMetadata(serialNumber: 1)
        do {
            _ = try format.write(file.recording, rows: file, origin: origin) { piece in
                for index in piece.indices { bytes.append(piece[index]) }
            }
        } catch {
            preconditionFailure("nothing of this can fail: \(error)")
        }
        return bytes
    }

    /// Times do not decrease, and samples lie in running timer periods.
    private static func expectOrder(_ rows: [RecordingRow]) {
        var now: Int64 = 0
        var isRunning = false
        for row in rows {
            precondition(row.at >= now)
            now = row.at
            switch row {
            case .begin: isRunning = true
            case .end: isRunning = false
            case .sample: precondition(isRunning)
            case .beats, .lap, .segment, .autoPause, .autoResume: break
            }
        }
        precondition(!isRunning)
    }

    private static let trackFiles: [[UInt8]] = [
        """
        <?xml version="1.0"?><gpx version="1.1" creator="d"><wpt lat="1" lon="2"/><trk><name>n</name><type>run</type><trkseg>
        <trkpt lat="52.5" lon="13.4"><ele>34.1</ele><time>2026-03-01T07:30:10Z</time><extensions><p>1</p><a:tpx><a:hr>131</a:hr>
        <a:cad>85</a:cad><a:atemp>-3</a:atemp></a:tpx><power>250</power></extensions></trkpt></trkseg><trkseg>
        <trkpt lat="52.6" lon="-13.4"><time>2026-03-01T07:30:20.5+01:00</time><speed>2.5</speed></trkpt></trkseg></trk></gpx>
        """,
        """
        <TrainingCenterDatabase><Activities><Activity Sport="Running"><Id>x</Id><Lap StartTime="2026-03-01T07:30:10Z">
        <TotalTimeSeconds>20.5</TotalTimeSeconds><DistanceMeters>60</DistanceMeters><AverageHeartRateBpm><Value>120</Value>
        </AverageHeartRateBpm><TriggerMethod>Distance</TriggerMethod><Track><Trackpoint><Time>2026-03-01T07:30:10Z</Time><Position>
        <LatitudeDegrees>52.5</LatitudeDegrees><LongitudeDegrees>13.4</LongitudeDegrees></Position><HeartRateBpm><Value>131</Value>
        </HeartRateBpm><Extensions><TPX><Speed>2.5</Speed><Watts>250</Watts></TPX></Extensions></Trackpoint></Track><Track>
        <Trackpoint><Time>2026-03-01T07:30:20Z</Time></Trackpoint></Track></Lap><Lap StartTime="2026-03-01T07:30:30Z"><Track>
        <Trackpoint><Time>2026-03-01T07:30:31Z</Time></Trackpoint></Track></Lap><Notes>n</Notes></Activity></Activities>
        </TrainingCenterDatabase>
        """,
        """
        <kml><Document><name>D</name><Placemark><name>P</name><ExtendedData><Data name="type"><value>run</value></Data></ExtendedData>
        <gx:MultiTrack><gx:Track><when>2026-03-01T07:30:10Z</when><when>2026-03-01T07:30:11Z</when><gx:coord>13.4 52.5 34</gx:coord>
        <gx:coord/><ExtendedData><SchemaData><gx:SimpleArrayData name="heartrate"><gx:value>131</gx:value><gx:value/>
        </gx:SimpleArrayData></SchemaData></ExtendedData></gx:Track></gx:MultiTrack></Placemark></Document></kml>
        """,
        "<!DOCTYPE gpx [<!ENTITY a 'aaaa'>]><gpx>&a;</gpx>",
    ].map { [63] + Array($0.utf8) }
}

extension RecordingRow {
    fileprivate var isSample: Bool {
        if case .sample = self { true } else { false }
    }
}
