import Domain
import Linux
import TestKit
import Testing

/// The client with the real gpsd, and a receiver that replays a recorded run.
@Suite struct RealGpsdTests {
    let loop: EventLoop
    let gpsd: RealGpsd
    let heard = Heard()
    let script: Script

    init() throws {
        loop = try EventLoop()
        gpsd = try RealGpsd()
        script = Script(loop)
    }

    /// Sends the three sentences of one second at an interval.
    func play(every interval: Duration) throws {
        try gpsd.play(GpsdLog("replay/run-fenix2-9km.nmea"), lines: 3, every: interval)
    }

    @Test func everySecondOfTheReceiverIsOneFix() throws {
        try gpsd.waitUntilReady()
        try heard.listen(host: nil, port: gpsd.port, loop: loop)
        script.when("watching", heard.link?.state == .connecting) { try? play(every: .milliseconds(50)) }
        script.when("60 fixes", heard.fixes.count { $0.time != nil } >= 60)
        try script.run(limit: .seconds(10))
        #expect(heard.link == LinkStatus(.connected, name: SanitizedText(gpsd.device)))
        let times = heard.fixes.compactMap(\.time?.milliseconds)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1_000 })
        // Once the merger has learnt that an epoch has one report, fixes are complete on arrival. On a busy machine one
        // read has several.
        let arrivals = heard.fixes.suffix(30).map(\.arrivedAt)
        #expect(zip(arrivals, arrivals.dropFirst()).allSatisfy { $0 <= $1 })
    }

    /// gpsd is back when it sends its greeting. A receiver with 1 Hz adds up to a second to the result.
    @Test func fixesReturnWithinTwoSecondsOfARestartedGpsd() throws {
        try heard.listen(host: nil, port: gpsd.port, loop: loop)
        try play(every: .milliseconds(200))
        script.when("fixes", heard.link?.state == .connected)
        for _ in 0..<2 {
            script.when("killed", heard.link?.state == .connected) { gpsd.kill(9) }
            script.when("missed", heard.link == LinkStatus(.disconnected, reason: .notRunning)) { [heard] in
                heard.moment = Clock.now()
            }
            script.when("a while later", Clock.now() - heard.moment > .milliseconds(700)) { [heard] in
                try? gpsd.start()
                try? gpsd.waitUntilReady()
                heard.moment = Clock.now()
            }
            script.when("fixes again", heard.link?.state == .connected) { [heard] in
                #expect(Clock.now() - heard.moment < .seconds(2))
            }
        }
        try script.run(limit: .seconds(25))
    }

    @Test func gpsdThatStartsAfterTheClientIsFound() throws {
        gpsd.kill(9)
        try heard.listen(host: nil, port: gpsd.port, loop: loop)
        try play(every: .milliseconds(200))
        script.when("missed", heard.link == LinkStatus(.disconnected, reason: .notRunning)) { try? gpsd.start() }
        script.when("fixes", heard.link?.state == .connected)
        try script.run(limit: .seconds(10))
    }

    @Test func silentReceiverIsReportedAndItsReturnDetected() throws {
        try heard.listen(host: nil, port: gpsd.port, loop: loop)
        try play(every: .milliseconds(200))
        script.when("fixes", heard.fixes.count > 5) { [heard] in
            gpsd.stopPlaying()
            heard.moment = Clock.now()
        }
        script.when("silent", heard.link?.reason == .silent && heard.fixes.count > 5) { [heard] in
            let took = Clock.now() - heard.moment
            #expect((.milliseconds(4_500)..<(.seconds(8))).contains(took))
            try? play(every: .milliseconds(200))
            heard.moment = Clock.now()
        }
        script.when("fixes again", heard.link?.state == .connected) { [heard] in
            #expect(Clock.now() - heard.moment < .seconds(2))
        }
        try script.run(limit: .seconds(20))
    }

    /// The connection stays open without data, so only a timeout detects it.
    @Test func stoppedGpsdIsDisconnectedAndFoundAgain() throws {
        try heard.listen(host: nil, port: gpsd.port, loop: loop)
        try play(every: .milliseconds(200))
        script.when("fixes", heard.fixes.count > 5) { gpsd.kill(19) }
        script.when("given up", heard.link == LinkStatus(.disconnected, reason: .notRunning)) { [heard] in
            gpsd.kill(18)
            heard.moment = Clock.now()
        }
        script.when("fixes again", heard.link?.state == .connected) { [heard] in
            #expect(Clock.now() - heard.moment < .seconds(2))
        }
        try script.run(limit: .seconds(30))
    }

    @Test func receiverUnknownToGpsdIsReportedAsNoDevice() throws {
        try heard.listen(host: nil, port: gpsd.port, device: "/dev/nope", loop: loop)
        try play(every: .milliseconds(200))
        script.when("missed", heard.link?.reason == .noDevice)
        try script.run(limit: .seconds(10))
        #expect(heard.link == LinkStatus(.connecting, reason: .noDevice, name: SanitizedText("/dev/nope")))
        #expect(heard.fixes == [])
    }

    @Test func requestedReceiverIsUsed() throws {
        try heard.listen(host: nil, port: gpsd.port, device: gpsd.device, loop: loop)
        try play(every: .milliseconds(200))
        script.when("fixes", heard.fixes.count > 5 && heard.link?.state == .connected)
        try script.run(limit: .seconds(10))
    }
}
