import Console
import Domain
import Formats
import TestKit
import Testing

private func figures(_ milliseconds: Int64, _ metres: Double) -> Totals {
    var figures = Totals()
    figures.elapsedMilliseconds = milliseconds
    figures.movingMilliseconds = milliseconds
    figures.distanceMetres = metres
    return figures
}

private func summary(_ id: Int, _ sport: Sport, _ total: Totals, isOpen: Bool = false) -> ActivitySummary {
    ActivitySummary(
        id: id, sport: sport, isOpen: isOpen, started: nil, ended: nil, total: total, totalMilliseconds: 0, laps: 1,
        gaps: 0, isDemo: false)
}

struct ActivityTests {
    @Test func listIsAlignedAndOmitsUnusedColumns() {
        var table = TextTable(StatusText.activityColumns)
        let words = StatusText(metric: true)
        table.append(words.cells(summary(112, .run, figures(1_632_000, 5030)), marks: []))
        table.append(words.cells(summary(9, .ride, figures(36_000_000, 300_000)), marks: []))
        #expect(
            table.lines == [
                " ID  STARTED  SPORT   DISTANCE      TIME      AVERAGE  HEART",
                "112  –        run      5.03 km     27:12  5:24 min/km      –",
                "  9  –        ride   300.00 km  10:00:00    30.0 km/h      –",
            ])
    }

    @Test func marksFollowTheRow() {
        var table = TextTable(StatusText.activityColumns)
        let words = StatusText(metric: false)
        table.append(words.cells(summary(1, .run, figures(0, 0), isOpen: true), marks: ["open", "demo"]))
        #expect(table.lines.last == " 1  –        run     0.00 mi  0.0 s        –      –  open, demo")
    }

    @Test func wideAndCombiningTextKeepsTheColumns() {
        var table = TextTable([TextTable.Column(head: "A"), TextTable.Column(head: "B")])
        table.append(["東京", "x"])
        table.append(["e\u{301}\u{200D}", "y"])
        #expect(table.lines == ["A     B", "東京  x", "e\u{301}     y"])
    }

    @Test func guessedStartIsMarked() {
        var recording = RecordedActivity(sport: .run, started: UTC(year: 2026, month: 3, day: 1))
        recording.isTimeGuessed = true
        #expect(
            StatusText(metric: true).report(recording, isOpen: false, gaps: 0)
                .contains(", a guess of the real-time clock\n"))
    }

    @Test(arguments: [
        ("2026-03-01T07:30Z", "2026-03-01T07:30:00Z"), ("2026-03-01 07:30:12z", "2026-03-01T07:30:12Z"),
        ("2026-03-01 07:30 +01:00", "2026-03-01T06:30:00Z"), ("2026-03-01T07:30:00-03", "2026-03-01T10:30:00Z"),
        ("2026-03-01T07:30:12-0330", "2026-03-01T11:00:12Z"), ("2026-03-01 07:30 Nowhere", nil),
        ("2026-02-29 07:30", nil), ("2026-03-01 24:00", nil), ("2026-03-01 7:30", nil), ("2026-03-01", nil),
        ("07:30", nil), ("", nil), ("2026-03-01  07:30", nil), ("2026-03-01 07:30Z Z", nil), ("２026-03-01 07:30", nil),
    ])
    func startParses(text: String, time: String?) {
        #expect(WrittenTime(text)?.localTime == time.flatMap { UTC(iso8601: $0) })
    }

    /// The clock of Berlin around the changes of 2026.
    @Test(arguments: [
        ("2026-03-01 07:30", "2026-03-01T06:30:00Z"), ("2026-06-01T07:30", "2026-06-01T05:30:00Z"),
        ("2026-06-01 07:30Z", "2026-06-01T07:30:00Z"), ("2026-03-29 01:59:59", "2026-03-29T00:59:59Z"),
        ("2026-03-29 02:30", nil), ("2026-03-29 03:00", "2026-03-29T01:00:00Z"),
        ("2026-10-25 02:30", "2026-10-25T00:30:00Z"), ("2026-10-25 03:00", "2026-10-25T02:00:00Z"),
        ("2026-06-01 07:30 CET", nil),
    ])
    func timeIsReadByAnotherClock(text: String, time: String?) {
        let (spring, autumn) = (UTC(iso8601: "2026-03-29T01:00:00Z"), UTC(iso8601: "2026-10-25T01:00:00Z"))
        let found = WrittenTime(text)?.time { moment in
            (spring.map { moment >= $0 } ?? false) && (autumn.map { moment < $0 } ?? false) ? 7200 : 3600
        }
        #expect(found == time.flatMap { UTC(iso8601: $0) })
    }

    @Test func reportShowsTheFilesTotalsBesideTheComputedOnes() throws {
        var recording = RecordedActivity(sport: .run, started: UTC(milliseconds: 0))
        recording.id = 17
        recording.isTimeUncertain = true
        recording.name = SanitizedText("Morning")
        recording.total = figures(1_632_000, 5030)
        recording.total.averageHeartRate = 141.4
        recording.total.maximumHeartRate = 163
        recording.totalMilliseconds = 1_700_000
        recording.laps = [
            RecordingLap(trigger: .command, beganAt: 0, endedAt: 900_000, figures: figures(900_000, 3000)),
            RecordingLap(trigger: nil, beganAt: 900_000, endedAt: 1_700_000, figures: figures(732_000, 2030)),
        ]
        recording.zones = try Zones([100, 120, 140, 160, 180])
        recording.zoneMilliseconds = [0, 0, 600_000, 1_032_000, 0, 0]
        var claim = SourceTotals()
        claim.creator = SanitizedText("Watch")
        claim.distanceMetres = 5100
        claim.elapsedMilliseconds = 1_630_000
        recording.sourceTotals = claim
        let bests = [BestEffort(.kilometre, 290_000), BestEffort(.kilometres5, 1_620_000), BestEffort(.power5s, 412)]
        #expect(
            StatusText(metric: true).report(recording, nil, bests, isOpen: false, gaps: 2) == """
                Activity 17, run, Morning
                  Started    unknown: no clock was set; 'pacectl edit 17 --start TIME' sets it
                  Time       27:12, moving 27:12, paused 1:08
                  Distance   5.03 km
                  Pace       5:24 min/km on average
                  Heart      141 bpm on average, 163 at most
                  Best power 5 s 412 W
                  Best       1 km 4:50, 5 km 27:00
                  Badge      Deimos
                  Gaps       2
                  From file  Watch, 5.10 km, 27:10

                  LAP  DISTANCE   TIME      AVERAGE
                    1   3.00 km  15:00  5:00 min/km
                    2   2.03 km  12:12  6:00 min/km

                  ZONE        FROM   TIME
                  Warm Up           0.0 s
                  Zone 1   100 bpm  0.0 s
                  Zone 2   120 bpm  10:00
                  Zone 3   140 bpm  17:12
                  Zone 4   160 bpm  0.0 s
                  Zone 5   180 bpm  0.0 s

                """)
    }

    @Test func lossIsCountedInWords() {
        var loss = ExportLoss()
        #expect(loss.words.isEmpty)
        loss.secondsWithoutPosition = 1
        loss.beats = 300
        loss.speeds = 2
        #expect(loss.words == ["times without position", "RR intervals", "speed"])
        #expect(loss.counts == ["1 second without position", "300 RR intervals", "2 seconds' speed"])
    }

    @Test func skippedElementsAreNamed() {
        var skipped = SkippedElements()
        skipped.count("wpt", 2)
        skipped.count("a\u{1B}[2J")
        skipped.count("record stance_time", 900)
        skipped.count("record step_length", 900)
        #expect(skipped.counts.prefix(2) == ["2 × wpt", "1 × a\u{FFFD}[2J"])
        #expect(skipped.missed == ["waypoints", "running dynamics"])
    }
}
