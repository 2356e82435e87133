import Domain
import TestKit
import Testing
import Wire

private func event(_ milliseconds: Int64) -> Event {
    Event(at: Instant(milliseconds: milliseconds), kind: .fix(.fresh, mode: 3, after: .zero))
}

@Test func eventNumbersStartAtOne() {
    var ring = EventRing()
    #expect(ring.retained == 1..<1)
    ring.append(event(10))
    ring.append(event(20))
    #expect(ring.retained == 1..<3)
    #expect(String(decoding: ring[2], as: UTF8.self).hasPrefix(#"{"class":"EVENT","seq":2,"boot_ms":20,"#))
}

@Test func ringRetainsTheLastThousandEvents() {
    var ring = EventRing()
    for number in 1...2500 { ring.append(event(Int64(number))) }
    #expect(ring.retained == 1501..<2501)
    for number in ring.retained {
        #expect(String(decoding: ring[number], as: UTF8.self).contains("\"seq\":\(number),"))
    }
}

@Test func ringIsBoundedInBytes() {
    var ring = EventRing()
    var settings = Settings()
    settings.sensors = Array(repeating: String(repeating: "\u{9B}", count: 64), count: 16)
    for number in 1...1000 {
        ring.append(Event(at: Instant(milliseconds: Int64(number)), kind: .settings(.sensors, settings)))
    }
    let bytes = ring.retained.reduce(0) { $0 + ring[$1].count }
    #expect(bytes <= EventRing.byteLimit)
    #expect(bytes > EventRing.byteLimit - 10_000)
    #expect(ring.retained.upperBound == 1001)
}

// MARK: Events of the present run

private let figures = Totals()

private func happened(_ kind: Event.Kind, at second: Int = 1) -> Event {
    Event(at: Instant(milliseconds: Int64(second) * 1000), activity: 7, kind: kind)
}

extension EventRing {
    fileprivate mutating func add(_ kinds: Event.Kind...) {
        for kind in kinds { append(happened(kind)) }
    }

    fileprivate mutating func flood(_ count: Int) {
        for number in 0..<count { append(event(Int64(number))) }
    }

    /// The numbers that a new client receives.
    fileprivate var numbers: [Int] {
        var numbers: [Int] = []
        var number = 1
        while let next = first(from: number) {
            numbers.append(next)
            number = next + 1
        }
        return numbers
    }

    /// The numbers before the newest events.
    fileprivate var early: [Int] {
        numbers.filter { $0 < retained.lowerBound }
    }

    fileprivate func text(_ number: Int) -> String {
        String(decoding: self[number], as: UTF8.self)
    }
}

private let start = Event.Kind.start(.run)
private let pause = Event.Kind.pause(elapsedMilliseconds: 1000, distanceMetres: 1, .command)
private let resume = Event.Kind.resume(elapsedMilliseconds: 1000, distanceMetres: 1, .command)
private let lap = Event.Kind.lap(figures, number: 1, .command)
private let discard = Event.Kind.discard(
    ActivitySummary(
        id: 7, sport: .run, isOpen: false, started: nil, ended: nil, total: figures, totalMilliseconds: 0, laps: 1,
        gaps: 0, isDemo: false))

@Test func startLastPauseOrResumeAndLapsOutliveAThousandEvents() {
    var ring = EventRing()
    ring.flood(3)
    ring.add(start, pause, resume, lap, .start(.run, resumed: true), pause, lap, resume, lap)
    ring.flood(5000)
    #expect(ring.early == [4, 7, 8, 10, 11, 12])
    #expect(ring.numbers.count == EventRing.limit)
    #expect(ring.retained.count == EventRing.limit - 6)
    #expect(ring.text(4).contains(#""event":"start""#) && ring.text(11).contains(#""event":"resume""#))
    ring.add(pause)
    #expect(ring.early == [4, 7, 8, 10, 12], "another pause takes the place of the resume")
    ring.add(.start(.run, resumed: true))
    #expect(ring.early == [4, 7, 10, 12])
}

@Test func ringRetainsTheLastHundredLaps() {
    var ring = EventRing()
    ring.add(start)
    for _ in 0..<250 {
        ring.add(lap)
        ring.flood(20)
    }
    let laps = ring.numbers.filter { ring.text($0).contains(#""event":"lap""#) }
    #expect(laps.count == 100)
    #expect(laps == (150..<250).map { 2 + 21 * $0 })
    #expect(ring.numbers.first == 1)
    #expect(ring.numbers.count == EventRing.limit)
}

@Test(arguments: [discard, start])
func endOfARunReleasesItsEarlyEvents(end: Event.Kind) {
    var ring = EventRing()
    ring.add(start, pause, lap)
    ring.flood(2000)
    #expect(ring.early == [1, 2, 3])
    ring.add(end)
    #expect(ring.early == [])
    ring.flood(10)
    #expect(ring.numbers.count == EventRing.limit)
}

/// The limit in bytes holds for both kinds together.
@Test func longSettingsEventsKeepTheEventsOfTheRun() {
    var ring = EventRing()
    var settings = Settings()
    settings.sensors = Array(repeating: String(repeating: "\u{9B}", count: 64), count: 16)
    ring.add(start, lap)
    for _ in 0..<1000 { ring.add(.settings(.sensors, settings)) }
    #expect(ring.early == [1, 2])
    let bytes = ring.numbers.reduce(0) { $0 + ring[$1].count }
    #expect(bytes <= EventRing.byteLimit && bytes > EventRing.byteLimit - 10_000)
}

@Test func ringRestoredFromStoredLinesRetainsTheSameEvents() {
    var ring = EventRing()
    ring.add(start, .start(.run, resumed: true), pause, resume, lap, lap)
    ring.flood(1500)
    ring.add(.link(.gpsd, LinkStatus(.connected, name: SanitizedText(#"","event":"stop","x":""#)), after: .zero))
    let stored = ring.numbers.map { (sequence: $0, line: ring[$0]) }
    var other = EventRing(after: stored)
    #expect(other.early == [1, 2, 4, 5, 6])
    #expect(other.numbers == ring.numbers)
    #expect(other.retained == ring.retained)
    #expect(other.numbers.allSatisfy { other[$0] == ring[$0] })
    other.add(discard)
    #expect(other.early == [])
    let ended = EventRing(after: stored + [(ring.retained.upperBound, Array("{\"event\":\"stop\"}\n".utf8))])
    #expect(ended.early == [])
}

/// The limits hold, and each retained number has its line.
@Test(arguments: 0..<20 as Range<UInt64>)
func randomEventsKeepTheLimits(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var ring = EventRing()
    for _ in 0..<4000 {
        let kinds = [start, pause, resume, lap, lap, lap, discard, .start(.run, resumed: true)]
        let isOfRun = random.uniform() < 0.1 * Double(seed % 5)
        ring.append(isOfRun ? happened(kinds[Int.random(in: 0..<8, using: &random)]) : event(1))
    }
    let numbers = ring.numbers
    #expect(numbers.count <= EventRing.limit && ring.early.count <= 103)
    #expect(numbers.suffix(ring.retained.count) == Array(ring.retained)[...])
    #expect(numbers == numbers.sorted())
    for number in numbers { #expect(ring.text(number).contains("\"seq\":\(number),")) }
}

/// The numbers continue after the highest stored one, without a gap.
@Test func renumberedEventsFollowTheStoredOnes() {
    var before = EventRing()
    for number in 1...1200 { before.append(event(Int64(number))) }
    let kept = before.retained.map { ($0, before[$0]) }
    var ring = EventRing()
    for number in 1...5 { ring.append(event(Int64(5000 + number))) }
    ring.renumber(Renumbering.Shift(from: 1, to: 1201), after: kept)
    #expect(ring.retained == 206..<1206)
    #expect(String(decoding: ring[1200], as: UTF8.self).hasPrefix(#"{"class":"EVENT","seq":1200,"boot_ms":1200,"#))
    #expect(String(decoding: ring[1201], as: UTF8.self).hasPrefix(#"{"class":"EVENT","seq":1201,"boot_ms":5001,"#))
    ring.append(event(6000))
    #expect(String(decoding: ring[1206], as: UTF8.self).hasPrefix(#"{"class":"EVENT","seq":1206,"boot_ms":6000,"#))
}

@Test func renumberedEmptyRingHoldsTheStoredEvents() {
    var ring = EventRing()
    ring.renumber(Renumbering.Shift(from: 1, to: 8), after: [(6, Array("{}".utf8)), (7, Array("{}".utf8))])
    #expect(ring.retained == 6..<8)
}
