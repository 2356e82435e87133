import Domain
import Simulation
import Testing

private let start = Recording.start
private let utc = Recording.utc

@Test(arguments: [1, 2, 0xFFFF_FFFF_FFFF_FFFF] as [UInt64])
func sameSeedGivesTheSameInputsForAnySteps(seed: UInt64) {
    let often = Recording(seed: seed, seconds: 700).inputs
    var run = SimulatedRun(seed: seed, startedAt: start, utc: utc)
    var seldom: [Timestamped<Input>] = []
    // Steps of 7 ms to 29 s, none of them a hole.
    var now = start
    var step: Int64 = 7
    while now < start + .seconds(700) {
        seldom += run.advance(to: now)
        step = step * 3 % 29_009
        now += .milliseconds(step)
    }
    seldom += run.advance(to: start + .seconds(700))
    #expect(seldom == often)
    #expect(Recording(seed: seed, seconds: 700).inputs == often)
    #expect(Recording(seed: seed &+ 1, seconds: 700).inputs != often)
}

@Test func inputsArriveInOrderAtTheirAnnouncedTime() {
    var run = SimulatedRun(seed: 3, startedAt: start, utc: utc)
    var now = start
    var last = start
    var count = 0
    while now < start + .seconds(600) {
        for input in run.advance(to: now) {
            #expect(input.measuredAt == now)
            #expect(input.measuredAt >= last)
            last = input.measuredAt
            count += 1
        }
        #expect(run.advance(to: now).isEmpty)
        #expect(run.nextAt > now)
        now = run.nextAt
    }
    // A fix and a notification per second, without those of the dropout, and the links and the battery.
    #expect((1170...1210).contains(count))
}

@Test(arguments: 1...5 as ClosedRange<UInt64>)
func heartRateIsInTheRangeOfARunner(seed: UInt64) {
    let notifications = Recording(seed: seed, seconds: 3000).notifications
    #expect(notifications.allSatisfy { (60...190).contains($0.value.beatsPerMinute) })
    #expect(notifications.allSatisfy { $0.value.contact == true })
    let running = notifications.filter { $0.seconds > 60 }.map { Double($0.value.beatsPerMinute) }
    #expect((135...160).contains(moments(running).mean))
}

@Test(arguments: 1...5 as ClosedRange<UInt64>)
func heartRateFollowsEffortWithALag(seed: UInt64) throws {
    let notifications = Recording(seed: seed, seconds: 100).notifications
    func rate(at seconds: Double) throws -> Int {
        Int(try #require(notifications.last { $0.seconds <= seconds }).value.beatsPerMinute)
    }
    // It starts from standing, and stops at the light from 40 s on.
    #expect(try rate(at: 3) < 95)
    #expect(try rate(at: 15) < rate(at: 25))
    #expect(try rate(at: 39) > 125)
    #expect(try rate(at: 43) > rate(at: 39) - 4)
    #expect(try rate(at: 58) < rate(at: 43) - 10)
    #expect(try rate(at: 95) > rate(at: 60) + 10)
}

@Test(arguments: 1...5 as ClosedRange<UInt64>)
func everyBeatIsReportedOnce(seed: UInt64) {
    let notifications = Recording(seed: seed, seconds: 140).notifications
    #expect(notifications.allSatisfy { (1...4).contains($0.value.rrIntervals.count) })
    var changes = 0.0
    for notification in notifications.dropFirst() {
        changes += notification.value.rrIntervals.reduce(0) { $0 + Double($1) } / 1024
        let passed = notification.seconds - notifications[0].seconds
        // At most one beat in progress at either end may be missing or extra.
        #expect(abs(changes - passed) < 0.75)
    }
}

@Test(arguments: 1...5 as ClosedRange<UInt64>)
func heartRateIsTheMeanOfTheLastBeats(seed: UInt64) {
    let notifications = Recording(seed: seed, seconds: 140).notifications
    var beats: [Double] = []
    for notification in notifications {
        beats += notification.value.rrIntervals.map(Double.init)
        guard beats.count > 16 else { continue }
        let mean = beats.suffix(12).reduce(0, +) / 12
        #expect(abs(60 * 1024 / mean - Double(notification.value.beatsPerMinute)) < 5)
    }
}

@Test(arguments: 1...5 as ClosedRange<UInt64>)
func beatVariabilityFallsUnderEffort(seed: UInt64) {
    let notifications = Recording(seed: seed, seconds: 1500).notifications
    /// Root mean square of successive differences, in milliseconds, of the notifications in the range.
    func variability(_ rates: ClosedRange<UInt16>) -> Double {
        var squares: [Double] = []
        for notification in notifications where rates.contains(notification.value.beatsPerMinute) {
            let beats = notification.value.rrIntervals.map { Double($0) * 1000 / 1024 }
            squares += zip(beats, beats.dropFirst()).map { ($1 - $0) * ($1 - $0) }
        }
        return (squares.reduce(0, +) / Double(squares.count)).squareRoot()
    }
    let hard = variability(145...180)
    #expect((1...8).contains(hard))
    #expect(variability(80...125) > 1.3 * hard)
}

@Test func strapConnectsDropsOutAndReturns() throws {
    let recording = Recording(seed: 1, seconds: 600)
    let links = recording.heartLinks
    #expect(
        links.map(\.value.state) == [
            .connecting, .connected, .disconnected, .connecting, .connected, .disconnected, .connecting, .connected,
        ])
    for ((seconds, status), expected) in zip(links, [0, 2, 150, 160, 162, 570, 580, 582]) {
        #expect((0..<1).contains(seconds - Double(expected)))
        #expect(status.name == SanitizedText("Simulated strap"))
        #expect(status.address == BluetoothAddress("A0:9E:1A:00:00:01"))
        #expect(status.reason == (status.state == .connected ? nil : .searching))
    }
    let away = links[2].seconds..<links[4].seconds
    #expect(recording.notifications.allSatisfy { !away.contains($0.seconds) })
    // The link is connected only if a notification arrives.
    let moments = Set(recording.notifications.map(\.seconds))
    #expect(links.allSatisfy { $0.value.state != .connected || moments.contains($0.seconds) })
    // Beats during the dropout are not reported afterwards.
    let first = try #require(recording.notifications.first { $0.seconds >= away.upperBound })
    #expect(first.value.rrIntervals.count <= 4)
}

@Test func batteryIsReportedAtEachConnectionAndFalls() {
    let batteries = Recording(seed: 1, seconds: 1300).batteries
    let levels = [80, 80, 80, 80, 79]
    #expect(batteries.map(\.value) == levels)
    for ((seconds, _), expected) in zip(batteries, [2, 162, 582, 1002, 1200]) {
        #expect((0..<1).contains(seconds - Double(expected)))
    }
}

@Test(arguments: 1...5 as ClosedRange<UInt64>)
func fixesHaveWholeSecondsAndArriveSoonAfter(seed: UInt64) throws {
    let fixes = Recording(seed: seed, seconds: 600).fixes
    #expect(fixes.count == 600)
    var last: Int64 = utc.milliseconds - 400
    for fix in fixes {
        let time = try #require(fix.time)
        #expect(time.milliseconds == last + 1000)
        last = time.milliseconds
        let late = (fix.arrivedAt - start).inSeconds - Double(time.milliseconds - utc.milliseconds) / 1000
        #expect((0.1...0.3).contains(late))
        #expect(fix.device == SanitizedText("simulated"))
    }
}

@Test func tunnelRemovesTheFix() {
    let recording = Recording(seed: 1, seconds: 600)
    for fix in recording.fixes {
        let seconds = Recording.seconds(fix.arrivedAt)
        let isHidden = (75.0..<95.3).contains(seconds) || (375.0..<395.3).contains(seconds)
        #expect((fix.mode == 1) == isHidden)
        #expect((fix.latitude == nil) == isHidden)
        #expect((fix.longitude == nil) == isHidden)
        #expect((fix.speed == nil) == isHidden)
        #expect((fix.accuracy == nil) == isHidden)
        #expect((fix.satellites == 0) == isHidden)
    }
    let links = recording.gpsdLinks
    #expect(links.map(\.value.state) == [.connecting, .connected, .connecting, .connected, .connecting, .connected])
    #expect(links.allSatisfy { $0.value.reason == ($0.value.state == .connected ? nil : .noFix) })
    #expect(links.allSatisfy { $0.value.name == SanitizedText("simulated") })
    for (seconds, expected) in zip(links.map(\.seconds), [0, 0.6, 75.6, 95.6, 375.6, 395.6]) {
        #expect((0...0.31).contains(seconds - expected))
    }
    // The first fix after the tunnel reports a larger error than those that follow.
    let after = recording.fixes.filter { Recording.seconds($0.arrivedAt) > 95.4 }.compactMap(\.accuracy)
    #expect(after[0] > 15)
    #expect(after[30] < 8)
}

@Test(arguments: 1...5 as ClosedRange<UInt64>)
func runnerStopsAtTheTrafficLight(seed: UInt64) throws {
    var run = SimulatedRun(seed: seed, startedAt: start, utc: utc)
    var distances: [Double] = []
    for second in 0...400 {
        _ = run.advance(to: start + .seconds(second))
        distances.append(run.trueDistance(at: start + .seconds(second)))
    }
    for light in [40, 340] {
        let speeds = (light..<light + 25).map { distances[$0 + 1] - distances[$0] }
        #expect((14...17).contains(speeds.count { $0 == 0 }))
        #expect(speeds[0] > 1)
        #expect(speeds[24] > 1)
    }
    // The receiver's speed shows it, too.
    let standing = Recording(seed: seed, seconds: 60).fixes.filter {
        (45..<57).contains(Recording.seconds($0.arrivedAt))
    }
    #expect(standing.count == 12)
    #expect(standing.allSatisfy { $0.speed.map { $0 <= 0.1 } ?? false })
}

@Test(arguments: 1...5 as ClosedRange<UInt64>)
func trueDistanceGrowsWithoutJumps(seed: UInt64) {
    var run = SimulatedRun(seed: seed, startedAt: start, utc: utc)
    var last = 0.0
    for tenth in 0...6000 {
        let now = start + .milliseconds(100 * tenth)
        _ = run.advance(to: now)
        let distance = run.trueDistance(at: now)
        #expect((0...0.5).contains(distance - last))
        last = distance
    }
    #expect((1500...2000).contains(last))
}

@Test func lateLoopReceivesMissedInputsInOrder() {
    var run = SimulatedRun(seed: 1, startedAt: start, utc: utc)
    var inputs = run.advance(to: start + .seconds(20))
    inputs += run.advance(to: start + .milliseconds(49_900))
    inputs += run.advance(to: start + .seconds(50))
    #expect(inputs == Recording(seed: 1, seconds: 50).inputs)
}

@Test(arguments: [31, 3600, 30 * 86_400])
func runResumesAfterAHoleWithoutTheMissedInputs(hole: Int) throws {
    var run = SimulatedRun(seed: 1, startedAt: start, utc: utc)
    let before = start + .seconds(30)
    _ = run.advance(to: before)
    let distance = run.trueDistance(at: before)
    let speed = run.trueDistance(at: before + .milliseconds(400)) - distance
    let after = before + .seconds(hole)
    let inputs = run.advance(to: after)
    #expect(inputs.count <= 6)
    #expect(inputs.allSatisfy { $0.measuredAt > after - .seconds(1) && $0.measuredAt <= after })
    #expect(inputs.notifications.allSatisfy { $0.value.rrIntervals.count <= 4 })
    #expect(run.nextAt > after)
    // The runner continued at the last speed.
    let covered = run.trueDistance(at: after) - distance
    #expect(abs(covered / (speed / 0.4 * Double(hole)) - 1) < 0.2)
    // A minute later all inputs arrive as usual, and each beat is reported once.
    var later: [Timestamped<Input>] = []
    for second in 1...60 { later += run.advance(to: after + .seconds(second)) }
    #expect((59...61).contains(later.fixes.count))
    let time = try #require(later.fixes.last?.value.time)
    #expect(abs(Recording.seconds(after + .seconds(60)) - Double(time.milliseconds - utc.milliseconds) / 1000) < 1.5)
    let beats = later.notifications.flatMap(\.value.rrIntervals)
    #expect(beats.reduce(0) { $0 + Double($1) } / 1024 < 61)
}
