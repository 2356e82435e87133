import Console
import Domain
import Foundation
import JSONCoding
import Testing

/// The expected screens are text files in `Screens/`.
/// `PACED_KEEP_SCREENS=1 swift test --filter ConsoleTests` rewrites them.
struct ScreenTests {
    @Test(arguments: [
        Size(columns: 80, rows: 24), Size(columns: 40, rows: 12), Size(columns: 200, rows: 50),
        Size(columns: 20, rows: 5),
    ])
    func runFillsScreensOfAllSizes(_ size: Size) throws {
        try expect(try Views.view(Views.run), size, named: "run")
    }

    @Test func coloursShowZoneAndLinks() throws {
        try expect(try Views.view(Views.run), palette: .many, named: "run-256-colours")
        try expect(try Views.view(Views.run), palette: .sixteen, named: "run-16-colours")
    }

    @Test func idleScreenShowsHowToStart() throws {
        try expect(try Views.view(Views.idle), named: "idle")
        try expect(try Views.view(Views.idle), Size(columns: 40, rows: 12), named: "idle")
    }

    @Test func missingDaemonIsShownAsAwaited() throws {
        try expect(WatchModel(directory: "/run/paced"), named: "waiting")
        try expect(WatchModel(directory: "/run/paced"), Size(columns: 20, rows: 5), named: "waiting")
    }

    @Test func pausedRunKeepsItsFigures() throws {
        try expect(
            try Views.view(
                Views.run, (#""run":"active""#, #""run":"paused""#), (#""pace_s_per_m":0.3124,"#, ""),
                (#""stale":false,"contact":true"#, #""stale":true,"contact":true"#), ("312", "6312")),
            named: "paused-stale-heart")
    }

    @Test func missingStrapAndDisabledBluetoothAreShown() throws {
        let away = (#""link":"connected","address""#, #""link":"disconnected","reason":"out-of-range","address""#)
        try expect(try Views.view(Views.run, away), named: "strap-away")
        try expect(
            try Views.view(Views.run, away, (#""backend":"kernel""#, #""backend":"off""#)), named: "bluetooth-off")
        let connecting = (#""link":"connected","address""#, #""link":"connecting","address""#)
        try expect(try Views.view(Views.run, connecting), named: "strap-connecting")
        try expect(try Views.view(Views.run, connecting), Size(columns: 40, rows: 12), named: "strap-connecting")
    }

    @Test func faultsAreShownAndCounted() throws {
        let faults = (1...5).map {
            #"{"fault":"f\#($0)","since_boot_ms":1,"message":"fault \#($0), and what to do about it"}"#
        }
        let view = try Views.view(Views.run, (#""faults":[]"#, #""faults":[\#(faults.joined(separator: ","))]"#))
        try expect(view, named: "faults")
        try expect(view, Size(columns: 40, rows: 12), named: "faults")
        try expect(view, Size(columns: 20, rows: 5), named: "faults")
    }

    @Test func batteryOfTheBoardIsShownIfThereIsSpace() throws {
        let power = (#""recorder""#, #""power":{"battery_percent":62,"charging":false},"recorder""#)
        try expect(try Views.view(Views.run, power), Size(columns: 120, rows: 24), named: "battery")
        try expect(try Views.view(Views.run, power), Size(columns: 40, rows: 12), named: "battery")
    }

    @Test func hostileNamesAreHarmlessOnTheScreen() throws {
        let view = try Views.view(
            Views.run, ("Polar H10 00000001", Views.hostileName), ("Zone 2", Views.hostileName),
            (#""link":"connected","device":"/dev/ttyACM0""#, #""link":"disconnected","reason":"\#(Views.hostileName)""#)
        )
        try expect(view, named: "hostile-names")
        try expect(view, Size(columns: 40, rows: 12), named: "hostile-names")
    }

    @Test func fieldsFollowTheSettings() throws {
        var view = try Views.view(Views.run)
        view.settings.screens[.run] = [
            [
                ScreenField(.distance, size: 60, colour: .orange),
                ScreenField(.heartRate, titleVisible: false, size: 36, colour: .pink),
                ScreenField(.pace, visible: false), ScreenField(.zone, size: 60),
                ScreenField(.time, title: "Dauer"),
            ]
        ]
        view.settings.twelveHourClock = true
        view.metric = false
        view.minutesFromUTC = 60 * 12 + 45
        try expect(view, named: "other-fields")
        view.settings.screens[.run] = [view.settings.screens[.run][0].map { ScreenField(showing: $0.field) }]
        view.settings.useHeartRateZones = false
        try expect(view, named: "equal-fields")
    }

    @Test func arrowsShowTheOtherPages() throws {
        var view = try Views.view(Views.run)
        let start = Instant(milliseconds: 0)
        #expect(view.pressed(.left, at: start) == nil)
        try expect(view, named: "run-page-4")
        #expect(view.pressed(.right, at: start) == nil)
        try expect(view, named: "run")
        #expect(view.pressed(.right, at: start) == nil)
        try expect(view, named: "run-page-2")
    }

    @Test func `The last page shows the course`() throws {
        let view = try Views.courseView()
        #expect(view.shownPage == .course)
        for size in [Size(columns: 80, rows: 24), Size(columns: 40, rows: 12), Size(columns: 20, rows: 5)] {
            try expect(view, size, named: "course")
        }
        var without = view
        without.profile = nil
        without.metric = false
        try expect(without, named: "course-without-profile")
        without.state?.course = nil
        #expect(without.shownPage == .fields(0) && without.pageCount == view.pageCount - 1)
    }

    @Test func `An arrow shows the way back to the course`() throws {
        let view = try Views.courseView(
            (#""status":"on""#, #""status":"off","return_m":61.2,"return_bearing_deg":44.9"#),
            (#""cue":{"type":"slight-left","name":"Mill Lane","distance_m":120,"in_s":14.5},"#, ""))
        for size in [Size(columns: 80, rows: 24), Size(columns: 40, rows: 12)] {
            try expect(view, size, named: "course-off")
        }
    }

    @Test func `The course is shown in ASCII`() throws {
        let rows = Screen(size: Size(columns: 80, rows: 24), palette: .none).rows(of: try Views.courseView())
        #expect(rows.allSatisfy { $0.shown(in: .ascii).text.utf8.allSatisfy { $0 < 0x7F } })
        #expect(!rows.contains { $0.shown(in: .ascii).text.contains("?") && !$0.text.contains("?") })
    }

    @Test func `The page after all others shows the weather`() throws {
        let view = try Views.weatherView()
        #expect(view.shownPage == .weather)
        for size in [
            Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 40, rows: 12),
            Size(columns: 20, rows: 5),
        ] {
            try expect(view, size, named: "weather")
        }
        var stale = view
        stale.weather?.isStale = true
        stale.metric = false
        stale.state?.time = nil
        stale.state?.wind = nil
        try expect(stale, named: "weather-stale")
        let reason = try Views.weatherView(data: #"{"reason":"no station within 100 km reports"}"#)
        try expect(reason, Size(columns: 40, rows: 12), named: "weather-reason")
        var without = view
        without.received(data: try JSON(parsing: #"{"class":"DATA","topic":"weather"}"#.utf8))
        #expect(without.shownPage == .fields(0) && without.pageCount == view.pageCount - 1)
    }

    @Test func `The step of a workout is above the fields`() throws {
        let view = try Views.workoutView()
        for size in [Size(columns: 80, rows: 24), Size(columns: 60, rows: 16), Size(columns: 40, rows: 12)] {
            try expect(view, size, named: "workout")
            let rows = Screen(size: size, palette: .none).rows(of: view)
            #expect(!rows.contains { $0.text.contains("..") || $0.text.contains("#") })
            #expect(rows.contains { $0.text.contains("2/5") })
        }
        let rows = Screen(size: Size(columns: 80, rows: 24), palette: .none).rows(of: view).map(\.text)
        #expect(rows[1].hasSuffix("2/5 5 min · Pace 4:50–5:10 /km · Steady"))
        #expect(rows[2].contains("●") && rows[2].hasSuffix("5:12 /km below"))
        #expect(rows[3].hasSuffix("Next: 200 m · Speed 25–30 km/h · Fast"))
        try expect(
            try Views.workoutView((#""remaining_ms":240000"#, #""remaining_ms":3400"#)),
            Size(columns: 60, rows: 16), named: "workout-countdown")
    }

    @Test func endedLapAndSilenceAreShownInTheHeader() throws {
        var view = try Views.view(Views.run)
        view.banner = view.state?.lap.map { .lap($0) }
        try expect(view, Size(columns: 60, rows: 16), named: "lap-ended")
        try expect(view, Size(columns: 20, rows: 5), named: "lap-ended")
        view.banner = nil
        view.silentSeconds = 12
        try expect(view, Size(columns: 60, rows: 16), named: "silent")
    }

    @Test func readerWithoutTheRightToCommandSeesNoKeysOfTheRun() throws {
        var view = try Views.view(Views.idle)
        view.mayCommand = false
        try expect(view, named: "idle-reader")
        view.overlay = .help
        try expect(view, Size(columns: 40, rows: 12), named: "help-reader")
    }

    @Test func faultOnANarrowScreenKeepsItsRemedy() throws {
        let fault = #"{"fault":"battery-low","since_boot_ms":1,"message":"the battery is at 15 % or less: charge it"}"#
        let view = try Views.view(Views.run, (#""faults":[]"#, #""faults":[\#(fault)]"#))
        let rows = Screen(size: Size(columns: 40, rows: 12), palette: .none).rows(of: view).map(\.text)
        #expect(rows.contains(" ! the battery is at 15 % or less:"))
        #expect(rows.contains("   charge it"))
    }

    @Test func questionAndOutcomeCoverTheLastRow() throws {
        var view = try Views.view(Views.run)
        view.overlay = .stopQuestion
        try expect(view, named: "stop-question")
        try expect(view, Size(columns: 20, rows: 5), named: "stop-question")
        view.overlay = .none
        view.message = WatchModel.Message(text: "cannot lap: the last lap ended less than 1 s ago", isError: true)
        try expect(view, Size(columns: 40, rows: 12), named: "command-rejected")
    }

    @Test func summaryShowsTheLapsUntilAKeyIsPressed() throws {
        var view = try Views.view(Views.run)
        for lap in Views.laps { view.received(event: try JSON(parsing: lap.utf8), isReplayed: true) }
        view.received(event: try JSON(parsing: Views.stop.utf8), isReplayed: false)
        for size in [Size(columns: 80, rows: 24), Size(columns: 40, rows: 12), Size(columns: 20, rows: 5)] {
            try expect(view, size, named: "summary")
        }
        #expect(view.pressed(.character(UInt8(ascii: "l")), at: Instant(milliseconds: 0)) == nil)
        #expect(view.overlay == .none)
    }

    @Test func noRowIsWiderThanTheScreen() throws {
        var views = [
            try Views.view(Views.run), try Views.view(Views.idle), WatchModel(directory: "/run/paced"),
            try Views.view(Views.run, ("Polar H10 00000001", Views.hostileName)),
        ]
        views[0].settings.screens[.run] = [DataField.allCases.prefix(12).map { ScreenField($0) }]
        views[1].settings.screens[.run] = [[]]
        var help = try Views.view(Views.run)
        help.overlay = .help
        var question = try Views.view(Views.run)
        question.overlay = .stopQuestion
        question.banner = question.state?.lap.map { .lap($0) }
        var summary = try Views.view(Views.run)
        summary.received(event: try JSON(parsing: Views.stop.utf8), isReplayed: false)
        summary.message = WatchModel.Message(text: "a long message that does not fit into most rows")
        views += [help, question, summary, try Views.courseView(), try Views.courseView(("slight-left", "u-turn"))]
        views[views.count - 1].state?.course?.returnMetres = 1e8
        views[views.count - 1].state?.course?.returnBearing = -500
        views[views.count - 1].state?.course?.status = .off
        views += [try Views.workoutView(), try Views.workoutView(("5 min pace 4:50..5:10 /km", "lap zone 2"))]
        views += [try Views.weatherView(), try Views.weatherView(data: #"{"reason":"no station"}"#)]
        for view in views {
            for columns in Array(0...30) + [41, 60, 133, 300] {
                for rows in Array(0...16) + [30, 100] {
                    let lines = Screen(size: Size(columns: columns, rows: rows), palette: .none).rows(of: view)
                    #expect(lines.count == rows)
                    for line in lines {
                        #expect(line.width <= columns)
                        #expect(TerminalText.width(of: line.text) == line.width)
                    }
                }
            }
        }
    }

    private func expect(
        _ view: WatchModel, _ size: Size = Size(columns: 80, rows: 24), palette: Palette = .none, named name: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let rows = Screen(size: size, palette: palette).rows(of: view)
        let text = rows.map { $0.text.replacing("\u{1B}", with: "␛") + "\n" }.joined()
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Screens/\(name)-\(size.columns)x\(size.rows).txt")
        if ProcessInfo.processInfo.environment["PACED_KEEP_SCREENS"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let kept = try String(contentsOf: file, encoding: .utf8)
        #expect(text == kept, "\(file.lastPathComponent)", sourceLocation: sourceLocation)
    }
}
