import Domain
import Formats
import Foundation
import Pipeline
import TestKit
import Testing

/// Files of the kinds that users of other programs have reported as wrong: `Tests/Data/field`.
@Suite struct FieldFileTests {
    /// A file as `pacectl import` stores it.
    struct Stored {
        var recording: RecordedActivity
        var samples: [RecordingSample] = []
        var damage: FileError?
        var skipped = SkippedElements()
        var activities = 1

        init(_ bytes: [UInt8], activity: Int? = 0) throws {
            let file = try ReadFile(bytes, salvages: true, activity: activity)
            (recording, damage, skipped, activities) = (file.recording, file.damage, file.skipped, file.activities)
            var survey = FileSurvey()
            for row in file.rows { survey.ingest(row) }
            var figures = FileFigures(recording, survey)
            for row in file.rows { if case .sample(let sample) = figures.ingest(row) { samples.append(sample) } }
            figures.finish(&recording)
        }

        init(_ name: String, activity: Int? = 0) throws {
            try self.init(
                [UInt8](Data(contentsOf: Checkout.root.appending(path: "Tests/Data/field/\(name)"))), activity: activity
            )
        }

        var total: Totals { recording.total }
    }

    @Test(arguments: ["tcx-lead-space", "tcx-lead-newline", "tcx-lead-bom-space"])
    func whiteSpaceBeforeTheDeclarationIsSkipped(_ name: String) throws {
        let stored = try Stored("K12-tcx-white-space-before-declaration/\(name).tcx")
        #expect(stored.damage == nil && stored.samples.count == 3 && stored.recording.sport == .run)
    }

    @Test func placeOfAnErrorCountsTheLinesBeforeTheDeclaration() throws {
        let text = "\n\n<?xml version=\"1.0\"?>\n<gpx><trk></gpx>"
        let failure = #expect(throws: FileError.self) { try ReadFile(text) }
        #expect(failure?.place == .line(4, column: 13))
    }

    @Test(arguments: [
        ("fit-cad170.fit", 85, 170.0), ("tcx-cad170.tcx", 85, 170), ("tcx-cad85.tcx", 85, 170),
        ("tcx-cad-mix.tcx", nil, 148.5),
    ])
    func cadenceOnFootIsDecidedForTheWholeFile(name: String, ofOneFoot: Int?, average: Double) throws {
        let stored = try Stored("K15-foot-cadence-doubled/\(name)")
        #expect(abs(try #require(stored.recording.total.averageCadence) - average) < 1)
        if let ofOneFoot { #expect(stored.samples.allSatisfy { $0.cadence == ofOneFoot }) }
        #expect(stored.samples.compactMap(\.cadence).allSatisfy { $0 <= 90 })
    }

    @Test(arguments: [
        ("windows-1252", [0x93, 0xFC, 0x80] as [UInt8], "“ü€"), ("iso-8859-15", [0xA4, 0xE9], "€é"),
        ("koi8-r", [0xC4, 0xC1], "да"), ("ISO-8859-1", [0xE9], "é"),
    ])
    func encodingOfTheCLibraryIsRead(encoding: String, name: [UInt8], text: String) throws {
        var bytes = Array("<?xml version=\"1.0\" encoding=\"\(encoding)\"?><gpx><trk><name>".utf8)
        bytes += name
        bytes += Array(
            """
            </name><trkseg><trkpt lat="50" lon="8"><time>2024-05-04T10:00:00Z</time></trkpt>\
            <trkpt lat="50.0001" lon="8"><time>2024-05-04T10:00:05Z</time></trkpt></trkseg></trk></gpx>
            """.utf8)
        #expect(try Stored(bytes).recording.name?.text == text)
    }

    @Test(arguments: ["shift_jis", "no-such-encoding", "../../etc/passwd", "utf-7"])
    func otherEncodingIsRejected(_ encoding: String) {
        let text = "<?xml version=\"1.0\" encoding=\"\(encoding)\"?><gpx/>"
        #expect(throws: FileError.self) { try ReadFile(text) }
    }

    @Test func fileOfWindowsHasItsName() throws {
        #expect(try Stored("K22-gpx-windows-1252/05-cp1252.gpx").recording.name?.text == "Run – home")
        #expect(try Stored("K22-gpx-windows-1252/04-latin1.gpx").samples.count == 61)
    }

    @Test(arguments: ["ev-first", "ev-first-nogps"])
    func timerEventsBeforeTheRecordsCountAtTheirTimes(_ name: String) throws {
        let stored = try Stored("K01-fit-timer-events-first/\(name).fit")
        #expect(stored.samples.count == 122 && stored.recording.total.elapsedMilliseconds == 120_000)
        #expect(abs(stored.recording.total.distanceMetres - 360) < 1)
    }

    @Test func timerEventsInTheirPlaceStay() throws {
        let stored = try Stored("K01-fit-timer-events-first/q-plain.fit")
        #expect(stored.samples.count == 61 && stored.recording.total.elapsedMilliseconds == 60_000)
    }

    @Test(arguments: ["dr-1s", "dr-2s", "dr-2s-nogps", "dr-longfirst", "dr-3"])
    func restartedDistanceCounterGoesOn(_ name: String) throws {
        let stored = try Stored("K03-fit-distance-counter-restarts/\(name).fit", activity: nil)
        let metres = stored.recording.total.distanceMetres
        #expect(name == "dr-3" ? (525...540).contains(metres) : (354...360).contains(metres), "\(metres) m")
        let counted = stored.samples.compactMap(\.distanceMetres)
        #expect(zip(counted, counted.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test(arguments: [
        ("ld-run-1lap", 2000.0), ("ld-run-2lap", 2000), ("lw-sessiononly", 2000), ("swim-norecdist", 100),
    ])
    func distanceOfALapOrASessionAloneIsTaken(name: String, metres: Double) throws {
        let stored = try Stored("K04-fit-distance-only-in-one-lap/\(name).fit")
        #expect(stored.recording.total.distanceMetres == metres)
    }

    @Test func singleLowerDistanceCountsForNothing() throws {
        func metres(_ distances: [Double]) throws -> Double {
            let points = distances.enumerated().map { second, metres in
                "<Trackpoint><Time>2024-05-04T10:00:0\(second)Z</Time><DistanceMeters>\(metres)</DistanceMeters></Trackpoint>"
            }
            let text =
                "<TrainingCenterDatabase><Activities><Activity Sport=\"Running\"><Lap StartTime=\"2024-05-04T10:00:00Z\"><Track>"
                + points.joined() + "</Track></Lap></Activity></Activities></TrainingCenterDatabase>"
            return try Stored(Array(text.utf8)).recording.total.distanceMetres
        }
        #expect(try metres([0, 4, 8, 2, 12, 16]) == 16)
        #expect(try metres([0, 4, 8, 0, 4, 8]) == 16)
        #expect(try metres([0, 4, 8, 8, 8, 10]) == 10)
        #expect(try metres([0, 4, 8, 1, 1, 5]) == 12)
    }

    private static func gpx(_ points: [(position: String, time: String)]) -> String {
        let points = points.map { "<trkpt \($0.position)><time>\($0.time)</time></trkpt>" }.joined()
        return "<?xml version=\"1.0\"?><gpx><trk><trkseg>\(points)</trkseg></trk></gpx>"
    }

    private static func point(_ second: Int) -> (position: String, time: String) {
        (#"lat="50.000\#(second)" lon="8""#, "2024-05-04T10:00:0\(second)Z")
    }

    @Test func lostPositionsAndTimesOf1901AreLeftOut() throws {
        let text = Self.gpx([
            (#"lat="50" lon="8""#, "1901-12-13T20:45:52Z"), Self.point(1),
            (#"lat="0" lon="0""#, "2024-05-04T10:00:02Z"),
            Self.point(3),
        ])
        let file = try ReadFile(text)
        #expect(file.recording.started == UTC(iso8601: "2024-05-04T10:00:01Z") && file.samples.count == 2)
        #expect(file.skipped["points with a time before 1990"] == 1)
        #expect(file.skipped["points without a valid position"] == 1)
        let lost = Self.gpx([(#"lat="50" lon="8""#, "1901-12-13T20:45:52Z")])
        #expect(throws: FileError.self) { try ReadFile(lost) }
    }

    @Test func pointsWithOneTimeAreRejected() throws {
        let text = Self.gpx((1...5).map { (#"lat="50.000\#($0)" lon="8""#, "2024-05-04T10:00:00Z") })
        let failure = #expect(throws: FileError.self) { try ReadFile(text) }
        #expect(failure?.reason == "all 5 points have one and the same time: their order in time is unknown")
    }

    @Test(arguments: ["gpx", "tcx", "kml"])
    func cutFileIsReadUpToTheCut(_ kind: String) throws {
        let times = (0..<5).map { "2024-05-04T10:00:0\($0)Z" }
        let whole =
            switch kind {
            case "gpx": Self.gpx((0..<5).map(Self.point))
            case "tcx":
                "<TrainingCenterDatabase><Activities><Activity Sport=\"Running\"><Lap StartTime=\"\(times[0])\"><Track>"
                    + times.map { "<Trackpoint><Time>\($0)</Time></Trackpoint>" }.joined()
                    + "</Track></Lap></Activity></Activities></TrainingCenterDatabase>"
            default:
                "<kml><Placemark><Track>" + times.map { "<when>\($0)</when>" }.joined()
                    + (0..<5).map { "<coord>8 50.000\($0) 0</coord>" }.joined() + "</Track></Placemark></kml>"
            }
        let count = try ReadFile(whole).samples.count
        #expect(count == 5)
        for cut in 0..<whole.utf8.count {
            let part = Array(whole.utf8.prefix(cut))
            guard let file = try? ReadFile(part, salvages: true) else { continue }
            #expect(file.damage != nil && file.samples.count <= count)
        }
        let filled = try ReadFile(Array(whole.utf8) + [UInt8](repeating: 0, count: 512), salvages: true)
        #expect(filled.samples.count == count && filled.damage != nil)
        #expect(throws: FileError.self) { try ReadFile(Array(whole.utf8) + [UInt8](repeating: 0, count: 512)) }
    }

    @Test(
        arguments: [
            (21, nil, Sport.ride), (2, 28, .ride), (0, 47, .ride), (4, 1, .run), (4, 6, .ride), (4, nil, .other),
            (22, nil, .other),
            (27, nil, .other), (5, nil, .other), (11, nil, .walk), (17, nil, .hike),
        ] as [(Int64, Int64?, Sport)])
    func sportOfFIT(number: Int64, subSport: Int64?, sport: Sport) {
        #expect(Fit.sport(number: number, subSport: subSport) == sport)
    }
}
