import Board
import Domain
import TestKit
import Testing

struct PanelKeysTests {
    private static let play = KeyCode(164)
    private static let next = KeyCode(163)
    private static let off = KeyCode(116)

    private var clock = ManualClock()
    private var keys: PanelKeys

    init() {
        var meanings = PanelConfiguration()
        meanings.toggle = [Self.play, Self.off]
        meanings.stop = [Self.play, KeyCode(1)]
        meanings.lap = [Self.next]
        keys = PanelKeys(meanings)
    }

    private mutating func press(_ key: KeyCode, after milliseconds: Int, device: Int = 0) -> [RunCommand] {
        keys.pressed(key, of: device, at: clock.advance(by: .milliseconds(milliseconds)))
    }

    private mutating func release(_ key: KeyCode, after milliseconds: Int, device: Int = 0) -> [RunCommand] {
        keys.released(key, of: device, at: clock.advance(by: .milliseconds(milliseconds)))
    }

    private mutating func pass(_ milliseconds: Int) -> [RunCommand] {
        keys.tick(at: clock.advance(by: .milliseconds(milliseconds)))
    }

    @Test mutating func keyWithOneMeaningActsOnPress() {
        #expect(press(Self.next, after: 0) == [.lap])
        #expect(release(Self.next, after: 80) == [])
        #expect(press(Self.off, after: 100) == [.toggle])
        #expect(release(Self.off, after: 5000) == [])
        #expect(pass(100) == [])
        #expect(keys.deadline == nil)
    }

    @Test mutating func stopKeyMustBeHeld() {
        #expect(press(KeyCode(1), after: 0) == [])
        #expect(release(KeyCode(1), after: 1999) == [])
        #expect(pass(5000) == [])
        #expect(press(KeyCode(1), after: 0) == [])
        #expect(keys.deadline == clock.now + .seconds(2))
        #expect(pass(1999) == [])
        #expect(pass(1) == [.stop])
        #expect(keys.deadline == nil, "held on, it does nothing more")
        #expect(pass(60_000) == [])
    }

    @Test mutating func keyWithTwoMeaningsTogglesOnReleaseAndStopsWhenHeld() {
        #expect(press(Self.play, after: 0) == [])
        #expect(release(Self.play, after: 300) == [])
        #expect(keys.deadline == clock.now + .milliseconds(30))
        #expect(pass(30) == [.toggle])
        #expect(press(Self.play, after: 500) == [])
        #expect(pass(2000) == [.stop])
        #expect(release(Self.play, after: 700) == [])
        #expect(pass(1000) == [], "letting it go after the stop toggles nothing")
    }

    @Test mutating func releaseJustBeforeTwoSecondsDoesNotStop() {
        #expect(press(Self.play, after: 0) == [])
        #expect(release(Self.play, after: 1999) == [])
        #expect(pass(29) == [])
        #expect(pass(1) == [.toggle])
    }

    @Test mutating func bounceIsOnePress() {
        #expect(press(Self.next, after: 0) == [.lap])
        for _ in 0..<10 {
            #expect(release(Self.next, after: 3) == [])
            #expect(press(Self.next, after: 29) == [])
        }
        #expect(release(Self.next, after: 100) == [])
        #expect(press(Self.next, after: 30) == [.lap], "after 30 ms it is another press")
    }

    @Test mutating func bounceDuringAHoldKeepsItsStopTime() {
        #expect(press(Self.play, after: 0) == [])
        #expect(release(Self.play, after: 1000) == [])
        #expect(press(Self.play, after: 10) == [])
        #expect(keys.deadline == clock.now + .milliseconds(990))
        #expect(pass(990) == [.stop])
    }

    @Test mutating func lateTickActsBeforeTheNextKey() {
        #expect(press(Self.play, after: 0) == [])
        #expect(release(Self.play, after: 100) == [])
        // The loop has stalled for a second: the release was 970 ms ago.
        #expect(press(Self.play, after: 1000) == [.toggle])
        #expect(release(Self.play, after: 2500) == [.stop])
        #expect(pass(100) == [])
    }

    @Test mutating func removedDeviceCancelsItsHeldKeys() {
        #expect(press(Self.play, after: 0) == [])
        #expect(press(Self.play, after: 10, device: 1) == [])
        keys.gone(0)
        #expect(keys.deadline == clock.now + .seconds(2))
        #expect(release(Self.play, after: 100, device: 1) == [])
        #expect(pass(30) == [.toggle], "the same key of another device is another key")
        #expect(pass(5000) == [])
        #expect(press(Self.play, after: 0) == [], "it comes back with its keys up")
        #expect(pass(2000) == [.stop])
    }

    @Test mutating func unassignedKeyIsIgnored() {
        #expect(press(KeyCode(30), after: 0) == [])
        #expect(keys.deadline == nil)
        #expect(release(Self.play, after: 0) == [], "held since before it was listened to")
        #expect(keys.deadline == nil)
    }
}
