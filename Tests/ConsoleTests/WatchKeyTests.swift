import Console
import Domain
import JSONCoding
import Testing

/// The keys of the run screen.
struct WatchKeyTests {
    private let start = Instant(milliseconds: 1000)

    @Test func arrowsAreDecodedAndOtherSequencesDiscarded() {
        var decoder = KeyDecoder()
        func keys(_ text: String) -> [Key] { decoder.keys(of: ArraySlice(text.utf8)) }
        #expect(keys("\u{1B}[C\u{1B}[D\u{1B}OC\u{1B}ODs") == [.right, .left, .right, .left, .letter("s")])
        #expect(keys("\u{1B}[A\u{1B}[1;5C\u{1B}[15~\u{1B}[[B\u{1B}OPl") == [.letter("l")], "up, Ctrl-right, F5, F2, F1")
        #expect(keys("\u{1B}s") == [], "Alt-s")
        #expect(keys("日é ") == [.letter(" ")])
    }

    @Test func sequenceMayArriveInPieces() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(of: [0x1B]) == [.escape])
        #expect(decoder.keys(of: ArraySlice("[".utf8)) == [])
        #expect(decoder.keys(of: ArraySlice("C".utf8)) == [.right])
        #expect(decoder.keys(of: [0x1B]) == [.escape])
        #expect(decoder.keys(of: ArraySlice("s".utf8)) == [.letter("s")], "Escape, then s")
    }

    @Test func spaceTogglesOnceWhileItIsHeld() throws {
        var view = try Views.view(Views.run)
        #expect(view.pressed(.letter(" "), at: start) == .perform(.toggle))
        for tenth in 1...20 {
            #expect(view.pressed(.letter(" "), at: start + .milliseconds(tenth * 100)) == nil)
        }
        #expect(view.pressed(.letter(" "), at: start + .seconds(3)) == .perform(.toggle))
    }

    @Test(arguments: [
        (Key.letter("k"), Optional(WatchModel.Action.perform(.stop))), (.letter("d"), .perform(.discard)),
        (.letter("c"), nil), (.escape, nil),
    ])
    func stopAsksAndContinuesUntilAnswered(_ key: Key, _ action: WatchModel.Action?) throws {
        var view = try Views.view(Views.run)
        #expect(view.pressed(.letter("s"), at: start) == nil)
        #expect(view.overlay == .stopQuestion)
        for other in [Key.letter("s"), .letter(" "), .letter("l"), .letter("y"), .right] {
            #expect(view.pressed(other, at: start) == nil)
            #expect(view.overlay == .stopQuestion)
        }
        #expect(view.pressed(key, at: start) == action)
        #expect(view.overlay == .none)
    }

    @Test func questionEndsWithTheRun() throws {
        var view = try Views.view(Views.run)
        _ = view.pressed(.letter("s"), at: start)
        view.received(ReceivedState(run: .idle))
        #expect(view.overlay == .none)
        #expect(view.pressed(.letter("s"), at: start) == nil)
        #expect(view.message == WatchModel.Message(text: "no run is in progress", isError: true))
        #expect(view.overlay == .none)
    }

    @Test func readerWithoutTheRightToCommandCommandsNothing() throws {
        var view = try Views.view(Views.run)
        view.mayCommand = false
        for letter in " lskdc" { #expect(view.pressed(.letter(letter), at: start) == nil) }
        #expect(view.overlay == .none)
        #expect(view.pressed(.letter("q"), at: start) == .leave)
    }

    @Test func anyKeyClosesHelpWithoutAnotherEffect() throws {
        var view = try Views.view(Views.run)
        #expect(view.pressed(.letter("?"), at: start) == nil)
        #expect(view.overlay == .help)
        #expect(view.pressed(.letter(" "), at: start) == nil)
        #expect(view.overlay == .none)
    }

    @Test func summaryHasTheLastLapAndEndsWithTheNextRun() throws {
        var view = try Views.view(Views.run)
        for lap in Views.laps { view.received(event: try JSON(parsing: lap.utf8), isReplayed: true) }
        #expect(view.banner == nil, "a lap of the past needs no banner")
        view.received(event: try JSON(parsing: Views.stop.utf8), isReplayed: false)
        guard case .summary(let summary) = view.overlay else { throw JSONError.missing }
        #expect(summary.laps.map(\.number) == [1, 2, 3])
        #expect(summary.laps[2].figures.elapsedMilliseconds == 192_300)
        #expect(summary.laps[2].figures.averageBPM == 151)
        let state = try #require(view.state)
        view.received(state)
        #expect(view.overlay != .none, "the state of the same run")
        var next = state
        next.activity = 18
        view.received(next)
        #expect(view.overlay == .none)
    }

    @Test func stopOfThePastShowsNoSummary() throws {
        var view = try Views.view(Views.idle)
        view.received(event: try JSON(parsing: Views.laps[0].utf8), isReplayed: true)
        view.received(event: try JSON(parsing: Views.stop.utf8), isReplayed: true)
        #expect(view.overlay == .none)
        #expect(view.laps.isEmpty)
    }

    private enum JSONError: Error { case missing }
}

extension Key {
    fileprivate static func letter(_ letter: Character) -> Key { .character(letter.asciiValue!) }
}
