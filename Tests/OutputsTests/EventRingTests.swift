import Domain
import Outputs
import Testing

private func event(_ milliseconds: Int64) -> Event {
    Event(at: Instant(milliseconds: milliseconds), kind: .fix(.fresh, mode: 3, after: .zero))
}

@Test func eventsAreNumberedFromOne() {
    var ring = EventRing()
    #expect(ring.retained == 1..<1)
    ring.append(event(10))
    ring.append(event(20))
    #expect(ring.retained == 1..<3)
    #expect(String(decoding: ring[2], as: UTF8.self).hasPrefix(#"{"class":"EVENT","seq":2,"boot_ms":20,"#))
}

@Test func theLastThousandEventsAreRetained() {
    var ring = EventRing()
    for number in 1...2500 { ring.append(event(Int64(number))) }
    #expect(ring.retained == 1501..<2501)
    for number in ring.retained {
        #expect(String(decoding: ring[number], as: UTF8.self).contains("\"seq\":\(number),"))
    }
}

@Test func theRingIsBoundedInBytesToo() {
    var ring = EventRing()
    var settings = Settings()
    settings.straps = Array(repeating: String(repeating: "\u{9B}", count: 64), count: 16)
    for number in 1...1000 {
        ring.append(Event(at: Instant(milliseconds: Int64(number)), kind: .settings(.straps, settings)))
    }
    let bytes = ring.retained.reduce(0) { $0 + ring[$1].count }
    #expect(bytes <= EventRing.byteLimit)
    #expect(bytes > EventRing.byteLimit - 10_000)
    #expect(ring.retained.upperBound == 1001)
}
