import Domain
import Formats
import TestKit
import Testing
import Wire

/// The exact text of the text formats.
@Suite struct TextExportTests {
    @Test func gpxFileHasASegmentForEachPauseAndGap() throws {
        let (text, loss) = try Self.write(.gpx)
        #expect(
            text.hasSuffix(
                """
                <metadata><time>2026-03-01T07:30:12.300Z</time></metadata>
                <trk><name>a &lt;b&gt; &amp; &quot;c&quot;</name><type>running</type>
                <trkseg>
                <trkpt lat="52.5" lon="13.4"><ele>34.125</ele><time>2026-03-01T07:30:13.300Z</time><extensions>\
                <gpxpx:PowerInWatts>250</gpxpx:PowerInWatts><gpxtpx:TrackPointExtension><gpxtpx:atemp>-3</gpxtpx:atemp>\
                <gpxtpx:hr>131</gpxtpx:hr><gpxtpx:cad>85</gpxtpx:cad></gpxtpx:TrackPointExtension></extensions></trkpt>
                <trkpt lat="52.5000251" lon="13.4"><time>2026-03-01T07:30:14.300Z</time></trkpt>
                </trkseg>
                <trkseg>
                <trkpt lat="-0.0000001" lon="-180"><time>2026-03-01T07:30:26.300Z</time></trkpt>
                </trkseg>
                </trk>
                </gpx>

                """))
        #expect(text.contains(#"creator="paced""#))
        #expect(!text.lowercased().contains("barometer"))
        var expected = ExportLoss()
        expected.secondsWithoutPosition = 1
        expected.beats = 3
        expected.laps = 2
        expected.distances = 1
        expected.speeds = 1
        #expect(loss == expected)
    }

    @Test func tcxFileHasATrackForEachPauseAndLap() throws {
        let (text, loss) = try Self.write(.tcx)
        let body = try #require(text.split(separator: "<Activities>\n").last)
        #expect(
            body == """
                <Activity Sport="Running"><Id>2026-03-01T07:30:12.300Z</Id>
                <Lap StartTime="2026-03-01T07:30:12.300Z"><TotalTimeSeconds>2</TotalTimeSeconds>\
                <DistanceMeters>3.1</DistanceMeters><MaximumSpeed>3.2</MaximumSpeed><Calories>0</Calories>\
                <AverageHeartRateBpm><Value>131</Value></AverageHeartRateBpm>\
                <MaximumHeartRateBpm><Value>140</Value></MaximumHeartRateBpm>\
                <Intensity>Active</Intensity><TriggerMethod>Distance</TriggerMethod>
                <Track>
                <Trackpoint><Time>2026-03-01T07:30:13.300Z</Time><Position><LatitudeDegrees>52.5</LatitudeDegrees>\
                <LongitudeDegrees>13.4</LongitudeDegrees></Position><AltitudeMeters>34.125</AltitudeMeters>\
                <DistanceMeters>3.1</DistanceMeters><HeartRateBpm><Value>131</Value></HeartRateBpm>\
                <Extensions><ax:TPX><ax:Speed>3.2</ax:Speed><ax:RunCadence>85</ax:RunCadence><ax:Watts>250</ax:Watts>\
                </ax:TPX></Extensions></Trackpoint>
                <Trackpoint><Time>2026-03-01T07:30:14.300Z</Time><Position><LatitudeDegrees>52.5000251</LatitudeDegrees>\
                <LongitudeDegrees>13.4</LongitudeDegrees></Position></Trackpoint>
                </Track>
                </Lap>
                <Lap StartTime="2026-03-01T07:30:14.300Z"><TotalTimeSeconds>2.5</TotalTimeSeconds>\
                <DistanceMeters>0</DistanceMeters><Calories>0</Calories>\
                <Intensity>Active</Intensity><TriggerMethod>Manual</TriggerMethod>
                <Track>
                <Trackpoint><Time>2026-03-01T07:30:25.300Z</Time></Trackpoint>
                <Trackpoint><Time>2026-03-01T07:30:26.300Z</Time><Position><LatitudeDegrees>-0.0000001</LatitudeDegrees>\
                <LongitudeDegrees>-180</LongitudeDegrees></Position></Trackpoint>
                </Track>
                </Lap>
                <Notes>a &lt;b&gt; &amp; &quot;c&quot;</Notes><Creator xsi:type="Device_t"><Name>paced</Name>\
                <UnitId>7</UnitId><ProductID>0</ProductID><Version><VersionMajor>0</VersionMajor>\
                <VersionMinor>1</VersionMinor></Version></Creator>
                </Activity>
                </Activities>
                </TrainingCenterDatabase>

                """)
        var expected = ExportLoss()
        expected.beats = 3
        expected.temperatures = 1
        #expect(loss == expected)
    }

    @Test func geoJSONFeatureOmitsALineOfOnePosition() throws {
        let (text, loss) = try Self.write(.geojson)
        #expect(
            text == """
                {"type":"Feature","geometry":{"type":"LineString","coordinates":\
                [[13.4,52.5,34.125],[13.4,52.5000251]]},"properties":{"creator":"paced",\
                "name":"a \\u003cb> & \\"c\\"","sport":"run","time":"2026-03-01T07:30:12.300Z","total_ms":14500,\
                "elapsed_ms":4500,"distance_m":3.1,"coordinateProperties":{\
                "times":["2026-03-01T07:30:13.300Z","2026-03-01T07:30:14.300Z"],"heartRates":[131,null]}}}

                """)
        #expect(loss.lonePositions == 1)
        #expect(loss.secondsWithoutPosition == 1)
        #expect(loss.beats == 3)
    }

    @Test func recordingWithoutPositionsHasNullGeometry() throws {
        let made = try SyntheticRecording.run(seed: 1)
        let rows = made.rows.map { row -> RecordingRow in
            guard case .sample(var sample) = row else { return row }
            sample.coordinate = nil
            return .sample(sample)
        }
        let text = try Self.write(.geojson, made.recording, rows).text
        #expect(text.hasPrefix(#"{"type":"Feature","geometry":null,"properties":{"creator":"paced","#))
        #expect(text.hasSuffix("}}\n") && !text.contains("coordinateProperties"))
    }

    @Test func kmlFileHasATrackForEachSegment() throws {
        let text = try Self.write(.kml).text
        #expect(
            text.contains(
                """
                <gx:Track><altitudeMode>absolute</altitudeMode>
                <when>2026-03-01T07:30:13.300Z</when>
                <when>2026-03-01T07:30:14.300Z</when>
                <gx:coord>13.4 52.5 34.125</gx:coord>
                <gx:coord>13.4 52.5000251</gx:coord>
                <ExtendedData><SchemaData schemaUrl="#seconds">
                <gx:SimpleArrayData name="heartrate">
                <gx:value>131</gx:value>
                <gx:value></gx:value>
                </gx:SimpleArrayData>
                """))
        #expect(text.split(separator: "<gx:Track>").count == 3)
    }

    @Test func csvFileHasALineForEachSecond() throws {
        let (text, loss) = try Self.write(.csv)
        let lines = [
            """
            time,since_start_s,elapsed_s,lap,distance_m,latitude_deg,longitude_deg,altitude_m,speed_mps,heart_rate_bpm,\
            cadence_rpm,power_w,temperature_c,ascent_m,descent_m,grade_percent,vertical_mps,rr_ms
            """,
            "2026-03-01T07:30:13.300Z,1,1,1,3.1,52.5,13.4,34.125,3.2,131,85,250,-3,,,,,",
            "2026-03-01T07:30:14.300Z,2,2,1,,52.5000251,13.4,,,,,,,,,,,430.7 500",
            "2026-03-01T07:30:25.300Z,13,3,2,,,,,,,,,,,,,,",
            "2026-03-01T07:30:26.300Z,14,4,2,,-0.0000001,-180,,,,,,,,,,,1000",
        ]
        let expected = lines.map { $0 + "\r\n" }.joined()
        #expect(text == expected)
        #expect(loss == ExportLoss())
    }

    @Test func invalidNumbersAreNotWritten() throws {
        var sample = RecordingSample(at: 1000, elapsedMilliseconds: 1000)
        sample.coordinate = Coordinate(latitude: .nan, longitude: 1)
        sample.altitude = .infinity
        sample.speed = .nan
        sample.distanceMetres = 1e300
        var other = sample
        other.coordinate = Coordinate(latitude: 1, longitude: 1)
        let recording = RecordedActivity(sport: .run, started: UTC(milliseconds: .min / 2))
        for format in ExportFormat.allCases where format != .fit {
            let text = try Self.write(
                format, recording, [.begin(at: 0, .command), .sample(sample), .sample(other), .sample(other)]
            ).text
            #expect(!text.contains("nan") && !text.contains("inf") && !text.contains("e+"), "\(text)")
            #expect(format == .csv || text.contains("0001-01-01T00:00:00.000Z"), "\(text)")
        }
    }

    @Test(arguments: ExportFormat.allCases.filter { $0 != .fit })
    func failingSinkEndsTheExport(format: ExportFormat) throws {
        struct Full: Error {}
        let made = try SyntheticRecording.run(seed: 1)
        #expect(throws: Full.self) {
            try format.write(made.recording, rows: RowList(made.rows), origin: ExportMetadata(serialNumber: 7)) { _ in
                throw Full()
            }
        }
    }

    @Test(arguments: ExportFormat.allCases.filter { $0 != .fit })
    func textExportWritesSmallPieces(format: ExportFormat) throws {
        let made = try SyntheticRecording.run(seed: 1)
        var longest = 0
        _ = try format.write(made.recording, rows: RowList(made.rows), origin: ExportMetadata(serialNumber: 7)) {
            piece in
            longest = max(longest, piece.count)
        }
        #expect((1...17_500).contains(longest))
    }

    /// Four seconds with every value: a single position after a pause, a second without position, two laps.
    private static func write(_ format: ExportFormat) throws -> (text: String, loss: ExportLoss) {
        var recording = RecordedActivity(sport: .run, started: UTC(milliseconds: 1_772_350_212_300))
        recording.name = SanitizedText(#"a <b> & "c""#)
        recording.totalMilliseconds = 14_500
        recording.total.elapsedMilliseconds = 4500
        recording.total.distanceMetres = 3.1
        var figures = Totals()
        figures.elapsedMilliseconds = 2000
        figures.distanceMetres = 3.1
        figures.maximumSpeed = 3.2
        figures.averageHeartRate = 131.4
        figures.maximumHeartRate = 140
        recording.laps.append(RecordingLap(trigger: .distance, beganAt: 0, endedAt: 2000, figures: figures))
        figures = Totals()
        figures.elapsedMilliseconds = 2500
        recording.laps.append(RecordingLap(trigger: nil, beganAt: 2000, endedAt: 14_500, figures: figures))
        var full = RecordingSample(at: 1000, elapsedMilliseconds: 1000)
        full.coordinate = Coordinate(latitude: 52.5, longitude: 13.4)
        full.altitude = 34.125
        full.distanceMetres = 3.1
        full.speed = 3.2
        full.heartRate = 131
        full.cadence = 85
        full.power = 250
        full.temperature = -3
        var bare = RecordingSample(at: 2000, elapsedMilliseconds: 2000)
        bare.coordinate = Coordinate(latitude: 52.50002506, longitude: 13.4)
        let lost = RecordingSample(at: 13_000, elapsedMilliseconds: 3000)
        var alone = RecordingSample(at: 14_000, elapsedMilliseconds: 4000)
        alone.coordinate = Coordinate(latitude: -0.0000001, longitude: 179.99999999)
        return try write(
            format, recording,
            [
                .begin(at: 0, .command), .sample(full), .beats(at: 1500, rr: [441, 512], gap: false), .sample(bare),
                .lap(at: 2000, .distance), .end(at: 2000, .command), .begin(at: 12_000, .command), .sample(lost),
                .segment(at: 13_500), .sample(alone), .beats(at: 14_400, rr: [1024], gap: true),
                .end(at: 14_500, .command),
            ])
    }

    private static func write(
        _ format: ExportFormat, _ recording: RecordedActivity, _ rows: [RecordingRow]
    ) throws -> (text: String, loss: ExportLoss) {
        var bytes: [UInt8] = []
        let loss = try format.write(recording, rows: RowList(rows), origin: ExportMetadata(serialNumber: 7)) { piece in
            for index in piece.indices { bytes.append(piece[index]) }
        }
        return (String(decoding: bytes, as: UTF8.self), loss)
    }
}
