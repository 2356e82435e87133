import Domain
import Formats
import Foundation
import TestKit
import Testing
import Wire

@Suite struct FileImportTests {
    private static func gpx(_ body: String) -> String {
        #"<?xml version="1.0"?><gpx version="1.1" creator="A Device"><trk>"# + body + "</trk></gpx>"
    }

    /// A point at a number of seconds after 07:30:10.
    private static func second(_ second: Int, _ more: String = "") -> String {
        #"<trkpt lat="52.5" lon="13.4"><time>2026-03-01T07:30:\#(10 + second)Z</time>\#(more)</trkpt>"#
    }

    @Test func newSegmentFollowsAPause() throws {
        let file = try ReadFile(
            Self.gpx(
                "<trkseg>\(Self.second(0))\(Self.second(2))</trkseg><trkseg/><trkseg>\(Self.second(12))</trkseg>"))
        #expect(file.recording.started == UTC(iso8601: "2026-03-01T07:30:10Z"))
        #expect(file.rows.map(\.at) == [0, 0, 2000, 2000, 12_000, 12_000, 12_000])
        #expect(file.rows[3] == .end(at: 2000, .command))
        #expect(file.rows[4] == .begin(at: 12_000, .command))
        #expect(file.rows.last == .end(at: 12_000, .command))
        #expect(file.samples.map(\.elapsedMilliseconds) == [0, 2000, 2000])
        #expect(file.recording.total.elapsedMilliseconds == 2000)
        #expect(file.recording.totalMilliseconds == 12_000)
        #expect(file.recording.laps.count == 1)
        #expect(file.recording.sourceTotals?.creator?.text == "A Device")
        #expect(file.recording.sport == .other)
    }

    @Test func extensionsAreMatchedByLocalName() throws {
        let more = """
            <speed>2.5</speed><hdop>3</hdop><extensions><power>250</power><a:TrackPointExtension xmlns:a="urn:a"><a:hr> 131
            </a:hr><a:atemp>-2.6</a:atemp><a:cad>85</a:cad><a:surge>1</a:surge></a:TrackPointExtension></extensions>
            """
        let file = try ReadFile(
            Self.gpx("<name> Mörgen </name><type>running</type><trkseg>\(Self.second(0, more))</trkseg>"))
        let sample = try #require(file.samples.first)
        #expect(sample.speed == 2.5)
        #expect(sample.power == 250)
        #expect(sample.heartRate == 131)
        #expect(sample.temperature == -3)
        #expect(sample.cadence == 85)
        #expect(file.recording.name?.text == "Mörgen")
        #expect(file.recording.sport == .run)
        #expect(file.skipped.entries.map(\.name.text) == ["hdop", "surge"])
    }

    @Test func skippedContentIsCountedByName() throws {
        let file = try ReadFile(
            """
            <gpx><metadata><time>2026-03-01T07:30:10Z</time></metadata><wpt lat="1" lon="2"><time>2026-03-01T07:30:10Z</time></wpt>
            <wpt lat="1" lon="2"/><rte><rtept lat="1" lon="2"><time>2026-03-01T07:30:10Z</time></rtept></rte><trk><trkseg>
            \(Self.second(0))<trkpt lat="52" lon="13"/><trkpt lat="100" lon="0"><time>2026-03-01T07:30:11Z</time></trkpt>
            <trkpt lat="x" lon="0"><time>2026-03-01T07:30:11Z</time></trkpt><trkpt lat="52" lon="13"><time>now</time></trkpt>
            \(Self.second(5))\(Self.second(3))\(Self.second(6, "<extensions><hr>0</hr><cad>x</cad><power/></extensions>"))
            </trkseg></trk></gpx>
            """)
        #expect(file.samples.count == 3)
        #expect(file.samples.last?.heartRate == nil)
        #expect(file.recording.marks.map(\.kind) == [.generic])
        let expected = [
            "metadata": 1, "wpt": 1, "rte": 1, "points without time": 2, "points without a valid position": 2,
            "unreadable time": 1, "points with an earlier time": 1, "unreadable hr": 1, "unreadable cad": 1,
        ]
        #expect(Dictionary(uniqueKeysWithValues: file.skipped.entries.map { ($0.name.text, $0.count) }) == expected)
    }

    @Test func tcxLapsAreKeptWithTheFilesTotals() throws {
        func point(_ time: String, _ metres: Int, _ rate: Int) -> String {
            """
            <Trackpoint><Time>2026-03-01T08:30:\(time)+01:00</Time><DistanceMeters>\(metres)</DistanceMeters>
            <HeartRateBpm><Value>\(rate)</Value></HeartRateBpm></Trackpoint>
            """
        }
        func lap(_ start: String, _ body: String, _ trigger: String) -> String {
            """
            <Lap StartTime="2026-03-01T07:30:\(start)Z"><TotalTimeSeconds>20.5</TotalTimeSeconds>
            <DistanceMeters>60</DistanceMeters><AverageHeartRateBpm><Value>120</Value></AverageHeartRateBpm>
            <MaximumHeartRateBpm><Value>150</Value></MaximumHeartRateBpm><TriggerMethod>\(trigger)</TriggerMethod>\(body)</Lap>
            """
        }
        let first = "<Track>\(point("11", 3, 100))\(point("14", 12, 100))</Track><Track>\(point("24", 13, 140))</Track>"
        let file = try ReadFile(
            """
            <TrainingCenterDatabase><Activities><Activity Sport="Biking"><Id>x</Id>
            \(lap("10", first, "Distance"))\(lap("26", "<Track>\(point("28", 20, 140))</Track>", "Manual"))
            <Creator><Name>Edge</Name></Creator></Activity><Activity Sport="Running"/></Activities></TrainingCenterDatabase>
            """)
        #expect(file.recording.sport == .ride)
        #expect(file.recording.started == UTC(iso8601: "2026-03-01T07:30:10Z"))
        #expect(file.samples.map(\.at) == [1000, 4000, 14_000, 18_000])
        #expect(file.samples.map(\.elapsedMilliseconds) == [1000, 4000, 4000, 8000])
        #expect(file.rows.contains(.lap(at: 16_000, .distance)))
        #expect(file.recording.laps.map(\.figures.elapsedMilliseconds) == [6000, 2000])
        #expect(file.recording.laps.map(\.figures.distanceMetres) == [13, 7])
        #expect(file.recording.laps.map(\.trigger) == [.distance, nil])
        #expect(file.recording.total.distanceMetres == 20)
        #expect(file.recording.total.maximumHeartRate == 140)
        let claim = try #require(file.recording.sourceTotals)
        #expect(claim.elapsedMilliseconds == 41_000)
        #expect(claim.distanceMetres == 120)
        #expect(claim.averageHeartRate == 120)
        #expect(claim.maximumHeartRate == 150)
        #expect(claim.creator?.text == "Edge")
        #expect(file.activities == 2)
    }

    @Test func indoorRunMayConsistOfLapsOnly() throws {
        let lap = """
            <Lap StartTime="2026-03-01T07:30:00Z"><TotalTimeSeconds>600</TotalTimeSeconds><DistanceMeters>1500</DistanceMeters>
            <TriggerMethod>Manual</TriggerMethod></Lap>
            """
        let file = try ReadFile(
            "<TrainingCenterDatabase><Activities><Activity Sport='Running'>\(lap)\(lap)</Activity></Activities></TrainingCenterDatabase>"
        )
        #expect(file.rows == [.begin(at: 0, .command), .lap(at: 600_000, .command), .end(at: 1_200_000, .command)])
        #expect(file.recording.total.distanceMetres == 3000)
        #expect(file.recording.laps.map(\.figures.distanceMetres) == [1500, 1500])
    }

    @Test func kmlTrackHasItsValuesInArrays() throws {
        let file = try ReadFile(
            """
            <kml xmlns:gx="g"><Document><name>D</name><Placemark><name>P</name><ExtendedData><Data name="type"><value>running</value>
            </Data></ExtendedData><gx:MultiTrack><gx:Track><when>2026-03-01T07:30:10Z</when><when>2026-03-01T07:30:11Z</when>
            <gx:coord>13.4 52.5 34</gx:coord><gx:coord/><ExtendedData><SchemaData><gx:SimpleArrayData name="heartrate"><gx:value>131</gx:value>
            <gx:value/></gx:SimpleArrayData><gx:SimpleArrayData name="mood"><gx:value>5</gx:value></gx:SimpleArrayData></SchemaData>
            </ExtendedData></gx:Track><gx:Track><when>2026-03-01T07:30:20Z</when><gx:coord>13.4 52.5</gx:coord></gx:Track>
            </gx:MultiTrack></Placemark><Placemark><LineString/></Placemark></Document></kml>
            """)
        #expect(file.recording.name?.text == "P")
        #expect(file.recording.sport == .run)
        #expect(file.samples.map(\.heartRate) == [131, nil, nil])
        #expect(file.samples.map { $0.coordinate != nil } == [true, false, true])
        #expect(file.samples.map(\.altitude) == [34, nil, nil])
        #expect(file.rows.turns.pauses == 1)
        #expect(file.skipped["mood"] == 1)
        #expect(file.skipped["LineString"] == 1)
    }

    @Test(arguments: [
        ("", "the file is empty"),
        ("\u{1F}\u{8B}", "not a FIT, GPX, TCX or KML file"),
        ("PK\u{3}\u{4}0123456789abcdef", "the file is a ZIP archive, as KMZ files are: unpack it first (unzip)"),
        ("lat,lon\n52.5,13.4\n", "not a FIT, GPX, TCX or KML file"),
        ("<html><body/></html>", "line 1, column 1: not a GPX, TCX or KML file: its first element is <html>"),
        ("<gpx>\n <trk></gpx>", "line 2, column 9: mismatched tag"),
        ("<gpx>\n <trk><trkseg>", "line 2, column 15: no element found"),
        ("<gpx><wpt lat='1' lon='1'/></gpx>", "the file has no track: routes and waypoints have no times"),
        (
            "<gpx><trk><trkseg><trkpt lat='1' lon='1'/></trkseg></trk></gpx>",
            "no point has both a time and a position"
        ),
        ("<TrainingCenterDatabase><Courses/></TrainingCenterDatabase>", "the file has no activity"),
        ("<kml><Document><Placemark><Point/></Placemark></Document></kml>", "the file has no gx:Track"),
        (
            "<kml><Document><Placemark><LineString><coordinates/></LineString></Placemark></Document></kml>",
            "its 1 LineString elements have no times"
        ),
        (
            "<!DOCTYPE gpx [<!ENTITY a 'aaaa'>]><gpx/>",
            "line 1, column 15: document type declarations are not supported"
        ),
        ("<?xml version='1.0' encoding='EBCDIC'?><gpx/>", "line 1, column 31: unknown encoding"),
    ])
    func errorReportsItsReasonAndPosition(text: String, error: String) {
        #expect(Self.error(of: Array(text.utf8)) == error)
        #expect(Self.error(of: Array(text.utf8), pieces: 1) == error)
    }

    @Test func gzipFileIsRejectedWithItsRemedy() {
        #expect(
            Self.error(of: hex("1f8b08000000000000030300"))
                == "the file is compressed by gzip: unpack it first (gunzip)")
    }

    @Test func fileParsesTheSameInAnyPiecesAndEncodings() throws {
        let (recording, rows) = try SyntheticRecording.withEverything(seed: 21)
        let bytes = try WrittenFile(.gpx, recording, rows).bytes
        let whole = try ReadFile(bytes)
        for pieces in [1, 7, 1000] { #expect(try ReadFile(bytes, pieces: pieces).rows == whole.rows) }
        let text = String(decoding: bytes, as: UTF8.self).replacing("encoding=\"UTF-8\"", with: "encoding=\"UTF-16\"")
        let wide: [UInt8] =
            [0xFF, 0xFE] + text.utf16.flatMap { unit -> [UInt8] in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        #expect(try ReadFile(wide).rows == whole.rows)
        #expect(try ReadFile([0xEF, 0xBB, 0xBF] + bytes).rows == whole.rows)
    }

    static func error(of bytes: [UInt8], pieces: Int = 65_536) -> String? {
        do {
            _ = try ReadFile(bytes, pieces: pieces)
            return nil
        } catch {
            return "\(error)"
        }
    }
}
