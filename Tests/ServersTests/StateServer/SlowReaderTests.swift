import Domain
import Glibc
import JSONCoding
import Linux
import Servers
import TestKit
import Testing

@Test func stoppedReaderDoesNotDelayOthers() throws {
    let stage = try StateServerFixture()
    let clients = try (0..<64).map { _ in try stage.client(#"{"class":"WATCH","classes":["STATE","EVENT","HEART"]}"#) }
    let stopped = clients[0]
    var states = Array(repeating: [Int](), count: 64)
    var events = Array(repeating: [Int](), count: 64)
    for tick in 1...1000 {
        if tick.isMultiple(of: 10) { stage.heart() }
        if tick.isMultiple(of: 50) { stage.event() }
        stage.tick(Int64(tick) * 100)
        stage.loop.settle(1)
        for (index, client) in clients.enumerated().dropFirst() {
            let lines = client.lines()
            #expect(!lines.contains { $0.hasPrefix(#"{"class":"DROPPED""#) })
            for line in lines {
                if line.hasPrefix(#"{"class":"STATE""#) { states[index].append(1) }
                if line.hasPrefix(#"{"class":"EVENT""#) { events[index].append(1) }
            }
        }
    }
    #expect(states.dropFirst().allSatisfy { $0.count == 1000 })
    #expect(events.dropFirst().allSatisfy { $0.count == 20 })

    // The stopped client resumes: it receives all events and a report of the skipped lines, and then the newest state.
    var lines: [String] = []
    _ = stage.loop.turn {
        lines += stopped.lines()
        return lines.last?["elapsed_ms"] == .integer(100_000)
    }
    #expect(lines.filter { $0.lineClass == "EVENT" }.map { $0["seq"]!.integer! } == Array(1...20))
    let dropped = lines.filter { $0.lineClass == "DROPPED" }
    let reported = dropped.reduce(0) { $0 + $1["states"]!.integer! }
    #expect(reported > 800)
    #expect(reported + elapsed(lines).count == 1000)
    #expect(dropped.allSatisfy { $0["events"] == .integer(0) })
    let hearts = lines.filter { $0.lineClass == "HEART" }.count
    #expect(hearts + dropped.reduce(0) { $0 + $1["hearts"]!.integer! } == 100)
    stage.tick(100_100)
    #expect(elapsed(stopped.lines()) == [100_100])
}

@Test func slowReaderLosesOnlyEventsOutsideTheRing() throws {
    let stage = try StateServerFixture()
    let client = try stage.client(#"{"class":"WATCH","classes":["EVENT","HEART"]}"#)
    for _ in 0..<3000 {
        stage.event()
        stage.heart()
    }
    var lines: [String] = []
    _ = stage.loop.turn {
        lines += client.lines()
        return lines.last { $0.lineClass == "HEART" }?["seq"] == .integer(3000)
    }
    var next = 1
    var hearts = 0
    for line in lines {
        switch line.lineClass {
        case "EVENT":
            #expect(line["seq"] == .integer(Int64(next)))
            next += 1
        case "DROPPED":
            next += line["events"]!.integer!
            hearts += line["hearts"]!.integer!
        default: hearts += 1
        }
    }
    #expect(next == 3001)
    #expect(hearts == 3000)
}

@Test func stalledReaderIsClosed() throws {
    let stage = try StateServerFixture(stallLimit: .milliseconds(200))
    let stuck = try stage.client()
    let reading = try stage.client()
    let begin = Clock.now()
    for tick in 1...400 {
        stage.tick(Int64(tick) * 100)
        _ = reading.lines()
    }
    #expect(stage.stateServer.clientCount == 2)
    #expect(stage.loop.turn { stage.stateServer.clientCount == 1 })
    #expect(Clock.now() - begin >= .milliseconds(200))
    // The lines that the kernel held are whole, and the last one has the reason.
    let lines = stuck.lines()
    #expect(stuck.hasEnded)
    #expect(
        lines.last == #"{"class":"ERROR","message":"closed: the client has read nothing for 1 s"}"#)
    #expect(lines.dropLast().dropFirst().allSatisfy { $0.hasPrefix(#"{"class":"STATE""#) && $0.hasSuffix("}") })
    stage.tick(50_000)
    #expect(elapsed(reading.lines()).last == 50_000)

    // The next slow client is closed, too.
    let next = try stage.client()
    for tick in 1...400 {
        stage.tick(50_000 + Int64(tick) * 100)
        _ = reading.lines()
    }
    #expect(stage.loop.turn { stage.stateServer.clientCount == 1 })
    _ = next.lines()
    #expect(next.hasEnded)
}

@Test func slowReaderThatKeepsReadingIsNotClosed() throws {
    let stage = try StateServerFixture(stallLimit: .milliseconds(1000))
    let slow = try stage.client()
    let end = Clock.now() + .milliseconds(1500)
    var tick: Int64 = 0
    while Clock.now() < end {
        for _ in 0..<150 {
            tick += 100
            stage.tick(tick)
        }
        try stage.loop.runOnce(waiting: .milliseconds(20))
        _ = slow.lines()
    }
    #expect(stage.stateServer.clientCount == 1)
    #expect(!slow.hasEnded)
}

@Test func slowClientIsNotReadFromUntilItReads() throws {
    let stage = try StateServerFixture()
    let client = try stage.client()
    let lines = Array(String(repeating: "{}\n", count: 6000).utf8)
    var sent = 0
    for _ in 0..<2000 {
        if sent < lines.count { sent += client.send(Array(lines[sent...])) }
        stage.loop.settle(1)
    }
    // It has never read: its lines now wait in its own send buffer.
    #expect(sent == lines.count || client.send(Array(lines[sent...])) == 0)
    // When it reads, each line gets a response.
    var errors = 0
    #expect(
        stage.loop.turn {
            if sent < lines.count { sent += client.send(Array(lines[sent...])) }
            errors += client.lines().filter { $0.hasPrefix(#"{"class":"ERROR""#) }.count
            return errors == 6000
        })
}
