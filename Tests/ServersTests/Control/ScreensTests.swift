import Domain
import JSONCoding
import Testing
import Wire

/// The setting `screens`.
@Suite struct ScreensTests {
    private func screens(_ text: String) throws -> Screens {
        try Screens(JSON(parsing: text.utf8))
    }

    private func text(_ screens: Screens, leavingOutDefaults: Bool) -> String {
        var writer = JSONWriter()
        writer.value(screens, leavingOutDefaults: leavingOutDefaults)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func firstPageOfARunIsRunFrees() {
        let page = Screens()[.run][0]
        #expect(page.map(\.field.data) == [.time, .distance, .pace, .heartRate, .zone])
        #expect(page.map(\.size) == [54, 24, 24, 24, 24])
        #expect(page.map(\.titleVisible) == [true, true, true, true, false])
        #expect(page.allSatisfy { $0.visible && $0.colour == .primary && $0.title == nil })
    }

    @Test(arguments: Sport.allCases)
    func defaultPagesAreValid(sport: Sport) throws {
        let written = text(Screens(), leavingOutDefaults: false)
        #expect(try screens(written) == Screens())
        #expect(written.utf8.count < 4096)
        let fields = Screens()[sport].flatMap { $0.compactMap(\.field.data) }
        #expect(fields.contains(.speed) == (sport == .ride) && fields.contains(.pace) == (sport != .ride))
        #expect(fields.contains(.altitude) == (sport == .ride || sport == .hike))
        #expect(fields.allSatisfy { $0.sports.contains(sport) })
    }

    @Test func membersMayBeLeftOut() throws {
        let made = try screens(
            #"{"run":[{"fields":["time",{"field":"pace"},{"field":"zone","title":"Zön","visible":false,"title_visible":false,"size":100,"colour":"mint"}]},{"fields":[]}]}"#
        )
        #expect(
            made[.run] == [
                [
                    ScreenField(.time), ScreenField(.pace),
                    ScreenField(.zone, title: "Zön", visible: false, titleVisible: false, size: 100, colour: .mint),
                ], [],
            ])
        #expect(made.isDefault(for: .ride))
        let written = text(made, leavingOutDefaults: true)
        #expect(written.hasPrefix(#"{"run":[{"fields":["time","pace",{"field":"zone","title":"Z"#))
        #expect(try screens(written) == made)
    }

    @Test(arguments: [
        ("[]", "screens must be an object with any of run, walk, hike, ride, other"),
        (#"{"swim":[]}"#, "screens has an unknown sport swim; the sports are run, walk, hike, ride, other"),
        (#"{"run":[]}"#, "screens.run must be a list of 1 to 6 pages"),
        (
            #"{"run":[{"fields":[]},{"fields":[]},{"fields":[]},{"fields":[]},{"fields":[]},{"fields":[]},{"fields":[]}]}"#,
            "screens.run must be a list of 1 to 6 pages"
        ),
        (#"{"run":[1]}"#, "screens.run[0] must be an object with a list 'fields'"),
        (#"{"run":[{"fields":[],"title":"x"}]}"#, "screens.run[0] has an unknown member title; the only one is fields"),
        (
            #"{"run":[{"fields":["a","b","c","d","e","f","g","h","i","j","k","l","m"]}]}"#,
            "screens.run[0].fields must have at most 12 fields"
        ),
        (
            #"{"run":[{"fields":[]},{"fields":["time",{"field":"time"}]}]}"#,
            "screens.run[1].fields[1] occurs twice on the page: time"
        ),
        (#"{"run":[{"fields":[7]}]}"#, "screens.run[0].fields[0] must be the name of a field, or an object"),
        (
            #"{"ride":[{"fields":["time","time_of_day",{"field":"distance","size":11}]}]}"#,
            "screens.ride[0].fields[2].size must be an integer from 12 to 100"
        ),
        (
            #"{"run":[{"fields":[{"field":"time","size":101}]}]}"#,
            "screens.run[0].fields[0].size must be an integer from 12 to 100"
        ),
        (
            #"{"run":[{"fields":[{"field":"time","visible":1}]}]}"#,
            "screens.run[0].fields[0].visible must be true or false"
        ),
        (
            #"{"run":[{"fields":[{"field":"time","title":"\u001b"}]}]}"#,
            "screens.run[0].fields[0].title must be a string of 1 to 24 characters without control characters"
        ),
        (
            #"{"run":[{"fields":[{"field":"time","title":"1234567890123456789012345"}]}]}"#,
            "screens.run[0].fields[0].title must be a string of 1 to 24 characters without control characters"
        ),
        (
            #"{"run":[{"fields":[{"field":"time","font":"x"}]}]}"#,
            "screens.run[0].fields[0] has an unknown member font; the members are field, title, visible, title_visible, size, colour, style"
        ),
        (
            #"{"run":[{"fields":[{"field":"time","colour":"plaid"}]}]}"#,
            "screens.run[0].fields[0].colour must be one of red, orange, yellow, green, mint, teal, cyan, blue, indigo, purple, "
                + "pink, brown, white, gray, black, primary, secondary"
        ),
        (
            #"{"run":[{"fields":[{"field":"time","title_visible":"no"}]}]}"#,
            "screens.run[0].fields[0].title_visible must be true or false"
        ),
    ])
    func errorNamesThePlace(value: String, message: String) {
        let error = #expect(throws: RPCError.self) { try screens(value) }
        #expect(error?.detail == message)
        #expect(error?.field == "screens")
    }

    @Test(arguments: [
        #"{"ride":[{"fields":["pace"]}]}"#, #"{"run":[{"fields":["weather"]}]}"#, #"{"run":[{"fields":[{}]}]}"#,
    ])
    func fieldMustBeOfTheSport(value: String) {
        let error = #expect(throws: RPCError.self) { try screens(value) }
        #expect(error?.detail?.contains(".fields[0].field must be one of time, lap_time,") == true)
    }

    @Test func wholeValueIsBounded() throws {
        let title = String(repeating: "日", count: 24)
        let fields = DataField.allCases.filter { $0.sports == Sport.allCases }.prefix(12).map {
            #"{"field":"\#($0.rawValue)","title":"\#(title)"}"#
        }
        let page = #"{"fields":[\#(fields.joined(separator: ","))]}"#
        func value(_ pages: Int) -> String {
            let list = "[" + Array(repeating: page, count: pages).joined(separator: ",") + "]"
            return "{" + Sport.allCases.map { "\"\($0.rawValue)\":\(list)" }.joined(separator: ",") + "}"
        }
        #expect(throws: Never.self) { try screens(value(1)) }
        let error = #expect(throws: RPCError.self) { try screens(value(6)) }
        #expect(error?.detail?.hasPrefix("screens must be at most 16384 bytes") == true)
    }
}
