import Console
import Domain
import Foundation
import JSONCoding
import TestKit
import Testing

/// docs/screens.md is made from the screens. `PACED_KEEP_SCREENS=1 swift test --filter ConsoleTests` rewrites it.
struct ScreenPageTests {
    @Test func pageHasTheScreensOfTheProgram() throws {
        let indoor = [
            (#""sport":"run""#, #""sport":"run","indoor":true"#), (#""distance_m":5034.2,"#, #""distance_m":0,"#),
            (#""link":"connected","device":"/dev/ttyACM0""#, #""link":"connecting","reason":"no-fix""#),
        ]
        var text = """
            # Screens

            The run screen of `pacectl watch` at three sizes of a terminal. The fields of each page are the setting `screens`
            (docs/protocol.md); these are the default ones. Colours follow the heart-rate zone and the state of the links.

            This page is made from the program: `ScreenPageTests` compares it.


            """
        let ride = try Views.view(
            Views.run, (#""sport":"run""#, #""sport":"ride""#), (#""speed_mps":3.2"#, #""speed_mps":8.41"#),
            (#""max_speed_mps":3.6"#, #""max_speed_mps":13.6"#),
            (#""distance_m":5034.2"#, #""distance_m":12834.2"#), (#""pace_s_per_m":0.3124"#, #""pace_s_per_m":0.1189"#),
            (#""average_pace_s_per_m":0.3243"#, #""average_pace_s_per_m":0.1272"#))
        let views = [
            ("A run", try Views.view(Views.run)), ("A ride", ride),
            (
                "An indoor session",
                try Views.view(Views.run, indoor[0], indoor[1], indoor[2], (#""pace_s_per_m":0.3124,"#, ""))
            ),
        ]
        for (title, view) in views {
            text += "## \(title)\n\n"
            for size in [
                Size(columns: 80, rows: 24), Size(columns: 40, rows: 12), Size(columns: 120, rows: 40),
            ] {
                text += Self.block(view, size)
            }
        }
        text += "## Pages\n\nThe arrow keys show the other pages, here those of the ride.\n\n"
        for page in 1..<ride.pages.count {
            var view = ride
            view.page = page
            text += Self.block(view, Size(columns: 60, rows: 16))
        }
        text += """
            ## A course

            While a course is loaded, its page follows those of the data fields: its profile with its climbs and the
            present place, the next two course points, what is left, the climb, the virtual partner.


            """
        for size in [Size(columns: 80, rows: 24), Size(columns: 40, rows: 12)] {
            text += Self.block(try Views.courseView(), size)
        }
        text += "Off the course, an arrow shows the way back, as on a map with north at the top.\n\n"
        let off = try Views.courseView(
            (#""status":"on""#, #""status":"off","return_m":61.2,"return_bearing_deg":44.9"#))
        text += Self.block(off, Size(columns: 60, rows: 16))
        text += """
            ## The weather

            While the topic `weather` has data, it is the last page. The arrow shows where the wind blows; upwards is the
            direction of movement.


            """
        for size in [Size(columns: 80, rows: 24), Size(columns: 40, rows: 12)] {
            text += Self.block(try Views.weatherView(), size)
        }
        text += "## The end of a run\n\n`s` asks; the run continues until the answer.\n\n"
        var view = try Views.view(Views.run)
        view.overlay = .stopQuestion
        text += Self.block(view, Size(columns: 60, rows: 16))
        text += "The summary stays until a key is pressed.\n\n"
        view.overlay = .none
        for lap in Views.laps { view.received(event: try JSON(parsing: lap.utf8), isReplayed: true) }
        view.received(event: try JSON(parsing: Views.stop.utf8), isReplayed: false)
        text += Self.block(view, Size(columns: 60, rows: 16))

        let file = Checkout.root.appending(path: "docs/screens.md")
        text.removeLast()
        if ProcessInfo.processInfo.environment["PACED_KEEP_SCREENS"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    private static func block(_ view: WatchModel, _ size: Size) -> String {
        let rows = Screen(size: size, palette: .none).rows(of: view).map(\.text)
        return "\(size.columns) × \(size.rows):\n\n```text\n" + rows.joined(separator: "\n") + "\n```\n\n"
    }
}
