import Domain
import Sensors
import TestKit
import Testing

/// Simulated straps that send each response twice, each with its own latency and delay.
struct StrapRepetitionTests {
    private static let name = "A strap whose name takes more than two PDUs of 23 bytes"

    /// Each datagram is late by up to `jitter` more. The straps have different texts and reject other reads.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func repeatedResponsesGiveCorrectOrAbsentValues(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let latency = Int.random(in: 1...150, using: &random)
        let delay = Int.random(in: 0...[50, 100, 200, 700][Int(seed % 4)], using: &random)
        let jitter = Int.random(in: 0...[0, 5, 50][Int(seed % 3)], using: &random)
        var air = Air(seed: seed, latency: latency, delay: delay, jitter: jitter)
        air.run(for: .seconds(60))
        let comment: Comment = "latency \(latency) ms, repeated after \(delay) ms, jitter \(jitter) ms"
        #expect(air.losses.isEmpty, comment)
        #expect(air.hasMeasured && air.measuredAt < .seconds(5), comment)
        #expect(Set(air.batteries).isSubset(of: [87]), comment)
        guard let information = air.information else {
            Issue.record("no description: \(comment)")
            return
        }
        let reported: [(UInt16, String?)] = [
            (0x2A29, information.manufacturer?.text), (0x2A24, information.model?.text),
            (0x2A25, information.serialNumber?.text), (0x2A26, information.firmware?.text),
            (0x2A27, information.hardware?.text), (0x2A28, information.software?.text),
            (0x2A00, information.name?.text),
        ]
        #expect([nil, .chest].contains(information.location), comment)
        for (type, text) in reported {
            let right = air.says.contains(type) ? Self.text(type) : nil
            #expect(text == right || text == nil, comment)
            if delay + jitter <= 100 { #expect(text == right, comment) }
        }
        if delay + jitter <= 100 { #expect(air.batteries == [87], comment) }
    }

    /// Returns a strap's text for a characteristic type; its name takes three PDUs.
    private static func text(_ type: UInt16) -> String {
        type == 0x2A00 ? name : "Text \(type)"
    }

    /// A connection in simulated time.
    private struct Air {
        var session = SensorSession()
        var strap = ScriptedStrap()
        var random: SeededRandom
        /// The types of its texts.
        var says: Set<UInt16> = []
        let latency: Int
        let delay: Int
        let jitter: Int
        let start = Instant(milliseconds: 1_000_000)
        var now = Instant(milliseconds: 1_000_000)
        /// Datagrams on the way to the session.
        var coming: [(at: Instant, bytes: [UInt8])] = []
        var batteries: [Int] = []
        var information: DeviceInformation?
        var losses: [DisconnectCause] = []
        var hasMeasured = false
        var measuredAt = Duration.zero

        init(seed: UInt64, latency: Int, delay: Int, jitter: Int) {
            random = SeededRandom(seed: seed &+ 1)
            (self.latency, self.delay, self.jitter) = (latency, delay, jitter)
            strap.answers[ScriptedStrap.subscription] = [[0x13]]
            strap.answers[hex("02 05 02")] = [hex("03 17 00")]
            for type in [0x2A29, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28] as [UInt16] {
                strap.answers[ScriptedStrap.reading(type)] = nil
                guard random.uniform() < 0.6 else { continue }
                says.insert(type)
                let text = Array(StrapRepetitionTests.text(type).utf8)
                strap.answers[ScriptedStrap.reading(type)] =
                    [[0x09, UInt8(text.count + 2), UInt8(type & 0xFF), 0] + text]
            }
            says.insert(0x2A00)
            let name = Array(StrapRepetitionTests.name.utf8)
            strap.answers[ScriptedStrap.reading(0x2A00)] = [[0x09, 21, 3, 0] + name[..<19]]
            strap.answers[hex("0c 03 00 13 00")] = [[0x0D] + name[19..<41]]
            strap.answers[hex("0c 03 00 29 00")] = [[0x0D] + name[41...]]
        }

        mutating func run(for limit: Duration) {
            carryOut(session.start(at: now))
            while information == nil, losses.isEmpty {
                let next = coming.map(\.at).min()
                guard let at = [next, session.deadline].compactMap({ $0 }).min(), at < start + limit else { return }
                now = max(now, at)
                let due = coming.filter { $0.at <= now }
                coming.removeAll { $0.at <= now }
                for datagram in due {
                    carryOut(session.received(datagram.bytes.span, hasMore: true, at: now))
                }
                carryOut(session.drained(at: now))
                carryOut(session.tick(at: now))
            }
        }

        private mutating func carryOut(_ actions: [SensorSession.Action]) {
            for action in actions {
                switch action {
                case .send(let bytes):
                    for answer in strap.answer(to: bytes) {
                        let at = now + late(latency)
                        coming += [(at, answer), (at + late(delay), answer)]
                    }
                    if bytes == ScriptedStrap.subscription {
                        for beat in 1...60 { coming.append((now + .seconds(beat), ScriptedStrap.notification)) }
                    }
                    coming.sort { $0.at < $1.at }
                case .report(.measured):
                    if !hasMeasured { measuredAt = now - start }
                    hasMeasured = true
                case .report(.battery(let level)): batteries.append(level.percent)
                case .report(.described(let information)): self.information = information
                case .report(.subscribed), .report(.found), .report(.compensated): break
                case .close(let loss): losses.append(loss)
                }
            }
        }

        private mutating func late(_ milliseconds: Int) -> Duration {
            .milliseconds(milliseconds + Int.random(in: 0...jitter, using: &random))
        }
    }
}
