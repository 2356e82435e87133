import Domain
import TestKit
import Testing
import Wire

/// A client's queue and ring, read line by line.
private struct Client {
    var ring = EventRing()
    var queue: SubscriberQueue
    let settings = Array("{\"class\":\"SETTINGS\"}\n".utf8)

    init(events: Int = 0) {
        for _ in 0..<events { ring.append(Self.event) }
        queue = SubscriberQueue(ring: ring)
    }

    static let event = Event(at: Instant(milliseconds: 1), kind: .fix(.fresh, mode: 3, after: .zero))

    mutating func happened(_ count: Int = 1) {
        for _ in 0..<count { ring.append(Self.event) }
    }

    mutating func state(_ state: State, isChange: Bool = false, _ text: String) {
        let moment = StateKey(state)
        if queue.accepts(moment, isChange: isChange) { queue.wait(state: Array("\(text)\n".utf8), moment) }
    }

    mutating func heart(_ text: String) {
        queue.wait(reading: Array("\(text)\n".utf8), of: .heart)
    }

    mutating func fix(_ text: String) {
        queue.wait(reading: Array("\(text)\n".utf8), of: .fix)
    }

    /// Reads all waiting lines, with the numbers of events instead of their lines.
    mutating func read() -> [String] {
        var text = ""
        while let bytes = queue.next(ring, settings: settings) {
            text += String(decoding: bytes, as: UTF8.self)
            queue.sent(bytes.count)
        }
        return text.split(separator: "\n").map {
            $0.contains("\"class\":\"EVENT\"") ? String($0.dropFirst(23).prefix { $0 != "," }) : String($0)
        }
    }
}

private func dropped(_ states: Int, _ events: Int, _ hearts: Int, _ fixes: Int) -> String {
    #"{"class":"DROPPED","states":\#(states),"events":\#(events),"hearts":\#(hearts),"fixes":\#(fixes)}"#
}

private let watchAll = #"{"class":"WATCH","classes":["STATE","EVENT","HEART","FIX","SETTINGS"],"interval_ms":100}"#
private let everything: MessageClasses = [.state, .event, .heart, .fix, .settings]

@Test func newClientReceivesOnlyNewEvents() {
    var client = Client(events: 3)
    #expect(client.queue.isEmpty(client.ring))
    client.happened(2)
    #expect(!client.queue.isEmpty(client.ring))
    #expect(client.read() == ["4", "5"])
    #expect(client.queue.isEmpty(client.ring))
}

@Test func onlyTheNewestStateWaitsAndOthersAreCountedAsDropped() {
    var client = Client()
    for tick in 1...5 { client.state(.active(elapsedMilliseconds: Int64(tick) * 100), "state \(tick)") }
    #expect(client.read() == [dropped(4, 0, 0, 0), "state 5"])
    #expect(client.queue.isEmpty(client.ring))
}

@Test func partlySentLineIsCompletedFirst() {
    var client = Client()
    client.queue.wait(rest: Array("end of line\n".utf8)[...])
    client.happened()
    client.state(.active(elapsedMilliseconds: 100), "state")
    #expect(client.read() == ["end of line", "1", "state"])
}

@Test func bytesMayBeSentOneAtATime() {
    var client = Client()
    client.happened(3)
    var text: [UInt8] = []
    while let bytes = client.queue.next(client.ring, settings: client.settings) {
        text.append(bytes.first!)
        client.queue.sent(1)
    }
    #expect(text == client.ring[1] + client.ring[2] + client.ring[3])
}

@Test func eventsWaitInTheRing() {
    var client = Client()
    client.happened(900)
    #expect(client.read() == (1...900).map(String.init))
}

@Test func eventsOutsideTheRingAreCountedAsDropped() {
    var client = Client()
    client.happened(1200)
    client.state(.active(elapsedMilliseconds: 100), "old")
    client.state(.active(elapsedMilliseconds: 200), "state")
    #expect(client.read() == [dropped(1, 200, 0, 0)] + (201...1200).map(String.init) + ["state"])
}

@Test func replayFollowsTheAnswerToWATCH() {
    var client = Client(events: 10)
    client.queue.apply(SubscriptionRequest(since: 7), ring: client.ring)
    #expect(client.read() == [#"{"class":"WATCH","classes":["STATE","EVENT"],"interval_ms":100}"#, "8", "9", "10"])
    client.happened()
    #expect(client.read() == ["11"])
}

@Test(arguments: [true, false])
func replayOfThisRunHasNoEventOfAnEarlierOne(isRunning: Bool) {
    let events = ["start", "stop", "notice", "start", "lap"] + (isRunning ? [] : ["stop"])
    var client = Client()
    client.ring = EventRing(
        after: events.enumerated().map { index, event in
            (index + 1, Array("{\"class\":\"EVENT\",\"seq\":\(index + 1),\"event\":\"\(event)\"}\n".utf8))
        })
    #expect(client.ring.runStart == (isRunning ? 4 : nil))
    client.queue.apply(SubscriptionRequest(since: 0, isOfThisRun: true), ring: client.ring)
    #expect(client.read().dropFirst() == (isRunning ? ["4", "5"] : []))
}

@Test func replayFromTheLastEventIsEmpty() {
    var client = Client(events: 10)
    client.queue.apply(SubscriptionRequest(since: 10), ring: client.ring)
    #expect(client.read().count == 1)
}

@Test(arguments: [11, 5000, Int.max])
func replayFromAFutureNumberSendsAllRetainedEvents(since: Int) {
    var client = Client(events: 10)
    client.queue.apply(SubscriptionRequest(since: since), ring: client.ring)
    #expect(client.read().dropFirst() == (1...10).map(String.init)[...])
}

@Test func numbersOutsideTheRingAreCountedAfterTheAnswer() {
    var client = Client(events: 1500)
    client.queue.apply(SubscriptionRequest(since: 100), ring: client.ring)
    let lines = client.read()
    #expect(lines[0].hasPrefix(#"{"class":"WATCH""#))
    #expect(lines[1] == dropped(0, 400, 0, 0))
    #expect(lines[2...] == (501...1500).map(String.init)[...])
}

@Test func replayCountsEachMissingRangeInOrder() {
    var client = Client(events: 2)
    let lap = Event(at: Instant(milliseconds: 1), activity: 1, kind: .lap(Totals(), number: 1, .command))
    client.ring.append(Event(at: Instant(milliseconds: 1), activity: 1, kind: .start(.run)))
    client.happened(10)
    client.ring.append(lap)
    client.happened(2000)
    client.queue.apply(SubscriptionRequest(since: 0), ring: client.ring)
    let newest = client.ring.retained.map(String.init)
    #expect(newest.count == 998 && newest.last == "2014")
    let early = [dropped(0, 2, 0, 0), "3", dropped(0, 10, 0, 0), "14", dropped(0, 1002, 0, 0)]
    let all = client.read()
    #expect(Array(all.dropFirst()) == early + newest)
    client.queue.apply(SubscriptionRequest(since: 3), ring: client.ring)
    #expect(client.read().dropFirst().prefix(2) == [dropped(0, 10, 0, 0), "14"])
    client.queue.apply(SubscriptionRequest(since: 14), ring: client.ring)
    let rest = client.read()
    #expect(Array(rest.dropFirst()) == early.suffix(1) + newest)
    client.queue.apply(SubscriptionRequest(since: 5000), ring: client.ring)
    #expect(client.read().dropFirst().prefix(3) == ["3", dropped(0, 10, 0, 0), "14"])
}

@Test func replayOfASlowClientIsComplete() {
    var client = Client(events: 1000)
    client.queue.apply(SubscriptionRequest(since: 0), ring: client.ring)
    let first = client.queue.next(client.ring, settings: client.settings)!
    client.queue.sent(first.count / 2)
    for tick in 1...3 { client.state(.active(elapsedMilliseconds: Int64(tick) * 100), "state \(tick)") }
    let rest = client.read()
    // The current chunk ends, then DROPPED reports the lost states, then the replay continues to its end.
    #expect(rest.filter { Int($0) != nil }.suffix(900) == (101...1000).map(String.init)[...])
    #expect(rest.filter { $0.contains("DROPPED") } == [dropped(2, 0, 0, 0)])
    #expect(rest.last == "state 3")
}

@Test func replayWithoutTheEventClassIsEmpty() {
    var client = Client(events: 10)
    client.queue.apply(SubscriptionRequest(classes: [.state], since: 0), ring: client.ring)
    #expect(client.read() == [#"{"class":"WATCH","classes":["STATE"],"interval_ms":100}"#])
}

@Test func resubscribedEventsStartAtTheNewest() {
    var client = Client()
    client.queue.apply(SubscriptionRequest(classes: []), ring: client.ring)
    client.happened(3)
    client.queue.apply(SubscriptionRequest(classes: [.event]), ring: client.ring)
    client.happened()
    #expect(
        client.read() == [
            #"{"class":"WATCH","classes":[],"interval_ms":100}"#,
            #"{"class":"WATCH","classes":["EVENT"],"interval_ms":100}"#,
            "4",
        ])
}

@Test func absentKeyKeepsTheSubscription() {
    var client = Client()
    client.queue.apply(SubscriptionRequest(everyMilliseconds: 1000), ring: client.ring)
    client.queue.apply(SubscriptionRequest(classes: [.state, .heart]), ring: client.ring)
    client.queue.apply(SubscriptionRequest(), ring: client.ring)
    #expect(client.read().last == #"{"class":"WATCH","classes":["STATE","HEART"],"interval_ms":1000}"#)
}

@Test func readingsReachOnlyTheirSubscribers() {
    var client = Client()
    client.heart("heart 1")
    client.queue.apply(SubscriptionRequest(classes: [.heart]), ring: client.ring)
    client.heart("heart 2")
    client.fix("fix 1")
    #expect(client.read().dropFirst() == ["heart 2"])
}

@Test func oldestReadingsAreDroppedBeyondTheLimit() {
    var client = Client()
    client.queue.apply(SubscriptionRequest(classes: everything), ring: client.ring)
    _ = client.read()
    let padding = String(repeating: "x", count: 1019)
    for number in 0..<100 {
        if number.isMultiple(of: 4) {
            client.fix("\(1000 + number)\(padding)")
        } else {
            client.heart("\(1000 + number)\(padding)")
        }
    }
    // 64 lines of 1 KiB fit: 36 are dropped, every fourth of them a fix.
    let lines = client.read()
    #expect(lines.first == dropped(0, 0, 27, 9))
    #expect(lines.dropFirst().map { Int($0.prefix(4))! } == Array(1036..<1100))
}

@Test func orderIsAnswersEventsSettingsReadingsState() {
    var client = Client()
    client.queue.apply(SubscriptionRequest(classes: everything), ring: client.ring)
    client.state(.active(elapsedMilliseconds: 100), "state")
    client.fix("fix")
    client.heart("heart")
    client.happened()
    #expect(client.read() == [watchAll, "1", #"{"class":"SETTINGS"}"#, "fix", "heart", "state"])
}

@Test func settingsAreSentOnSubscriptionAndOnEachChange() {
    var client = Client()
    client.queue.settingsChanged()
    #expect(client.read().isEmpty)
    client.queue.apply(SubscriptionRequest(classes: [.settings]), ring: client.ring)
    #expect(client.read().count == 2)
    client.queue.apply(SubscriptionRequest(classes: [.settings, .heart]), ring: client.ring)
    #expect(client.read().count == 1)
    client.queue.settingsChanged()
    client.queue.settingsChanged()
    #expect(client.read() == [#"{"class":"SETTINGS"}"#])
}

@Test func unsubscribedClassesAreNotSent() {
    var client = Client()
    client.queue.apply(SubscriptionRequest(classes: everything), ring: client.ring)
    _ = client.read()
    client.heart("heart")
    client.fix("fix")
    client.happened()
    client.state(.active(elapsedMilliseconds: 100), "state")
    client.queue.settingsChanged()
    client.queue.apply(SubscriptionRequest(classes: [.fix]), ring: client.ring)
    #expect(client.read() == [#"{"class":"WATCH","classes":["FIX"],"interval_ms":100}"#, "fix"])
}

@Test func activeStatesAreSentAtMultiplesOfTheInterval() {
    var client = Client()
    client.queue.apply(SubscriptionRequest(everyMilliseconds: 1000), ring: client.ring)
    _ = client.read()
    var lines: [String] = []
    for tick in 0...35 {
        client.state(.active(elapsedMilliseconds: Int64(tick) * 100), isChange: tick == 7, "\(tick)")
        lines += client.read()
    }
    // States omitted by the interval are not dropped: there is no DROPPED line.
    #expect(lines == ["0", "10", "20", "30"])
}

@Test func waitingStateOutsideTheNewIntervalIsDiscarded() {
    var client = Client()
    client.state(.active(elapsedMilliseconds: 300), "300")
    client.queue.apply(SubscriptionRequest(everyMilliseconds: 1000), ring: client.ring)
    #expect(client.read().count == 1)
}

@Test func idleStatesFollowTheIntervalAndChangesAreSentAtOnce() {
    var client = Client()
    client.queue.apply(SubscriptionRequest(everyMilliseconds: 5000), ring: client.ring)
    _ = client.read()
    var lines: [String] = []
    for second in 0...14 {
        // Times jitter by some milliseconds.
        let jitter: Int64 = second.isMultiple(of: 2) ? 0 : -7
        client.state(
            .idle(at: Instant(milliseconds: Int64(second) * 1000 + jitter)), isChange: second == 7, "\(second)")
        lines += client.read()
    }
    #expect(lines == ["0", "5", "7", "12"])
}

@Test func clientIsStuckFromItsFirstBlockedWrite() {
    var client = Client()
    client.happened()
    let bytes = client.queue.next(client.ring, settings: client.settings)!
    client.queue.blocked(at: Instant(milliseconds: 10))
    client.queue.blocked(at: Instant(milliseconds: 20))
    #expect(client.queue.stuckSince == Instant(milliseconds: 10))
    client.queue.sent(3)
    #expect(client.queue.stuckSince == nil)
    client.queue.blocked(at: Instant(milliseconds: 30))
    #expect(client.queue.stuckSince == Instant(milliseconds: 30))
    client.queue.sent(bytes.count - 3)
    #expect(client.queue.stuckSince == nil)
    #expect(client.queue.isEmpty(client.ring))
}

@Test func renumberedEventsKeepTheClientsPlace() {
    var client = Client(events: 3)
    client.happened(2)
    let numbers = Renumbering.Shift(from: 1, to: 101)
    client.ring.renumber(numbers, after: (51...100).map { ($0, client.ring[1]) })
    client.queue.renumber(numbers)
    #expect(client.read() == ["104", "105"])
    client.happened()
    #expect(client.read() == ["106"])
}
