import Domain
import Sensors
import TestKit
import Testing

/// Peers that send anything: nothing may crash, grow or run without end.
struct HostileStrapTests {
    /// Returns the number of elements in all collections within a value.
    private func size(of value: Any) -> Int {
        let mirror = Mirror(reflecting: value)
        let own = mirror.displayStyle == .collection ? mirror.children.count : 0
        return mirror.children.reduce(own) { $0 + size(of: $1.value) }
    }

    private func randomBytes(_ count: Int, using random: inout SeededRandom) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    @Test(arguments: 0..<20)
    func randomBytesKeepTheClientBounded(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var clock = ManualClock()
        let opcodes: [UInt8] = [0x01, 0x02, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x13, 0x1B, 0x1D, 0x23, 0x52]
        var client = GattClient()
        for count in 0..<2_000 {
            var actions: [GattClient.Action]
            switch Int.random(in: 0...9, using: &random) {
            case 0:
                let first = UInt16.random(in: 1...0xFF00, using: &random)
                let procedures: [GattProcedure] = [
                    .exchangeMTU, .findService(AttributeUUID(first)), .discoverCharacteristics(first...0xFFFF),
                    .discoverDescriptors(first...first + 40), .read(handle: first), .readByType(AttributeUUID(first)),
                    .write(handle: first, value: randomBytes(600, using: &random).dropLast(Int(first % 600))),
                ]
                actions = client.submit(procedures.randomElement(using: &random)!, at: clock.now)
            case 1:
                clock.advance(by: .milliseconds(.random(in: 0...10_000, using: &random)))
                actions = client.tick(at: clock.now)
            default:
                clock.advance(by: .milliseconds(100))
                var bytes = randomBytes(.random(in: 0...40, using: &random), using: &random)
                if !bytes.isEmpty { bytes[0] = opcodes.randomElement(using: &random)! }
                if bytes.count > 40 / 2, .random(using: &random) { bytes[1] = 7 }
                actions = client.received(bytes.span, at: clock.now)
            }
            #expect(actions.count <= GattClient.queueLimit + 2)
            for case .send(let bytes) in actions { #expect(bytes.count <= client.mtu) }
            if count.isMultiple(of: 500) { #expect(size(of: client) < 20_000) }
            // A client that was cut or timed out is finished; the next connection has a new one.
            if actions.contains(.cut) || count.isMultiple(of: 300) { client = GattClient() }
        }
    }

    /// Makes one change to a datagram that faulty implementations make, and radio links do not.
    private func mutate(_ pdu: [UInt8], using random: inout SeededRandom) -> [[UInt8]] {
        var pdu = pdu
        switch Int.random(in: 0...7, using: &random) {
        case 0: return []
        case 1: return [pdu, pdu]
        case 2: return [Array(pdu.prefix(.random(in: 0...pdu.count, using: &random)))]
        case 3: return [pdu + randomBytes(.random(in: 1...600, using: &random), using: &random)]
        case 4: return [randomBytes(.random(in: 1...40, using: &random), using: &random), pdu]
        case 5: pdu[0] = .random(in: 0...255, using: &random)
        default: pdu[.random(in: 0..<pdu.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
        }
        return [pdu]
    }

    @Test(arguments: 0..<20)
    func conversationWithErrorsStaysBounded(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var streamed = 0
        for count in 0..<100 {
            var clock = ManualClock()
            var session = SensorSession()
            var strap = ScriptedStrap()
            let errors = Int.random(in: 1...20, using: &random)
            var inbox: [[UInt8]] = []
            var left = session.start(at: clock.now)
            var isClosed = false
            var measurements = 0
            var turns = 0
            while !isClosed, turns < 200 {
                turns += 1
                for action in left {
                    switch action {
                    case .send(let bytes): inbox += strap.answer(to: bytes)
                    case .report(.measured): measurements += 1
                    case .report: break
                    case .close: isClosed = true
                    }
                }
                left = []
                if inbox.isEmpty {
                    inbox.append(ScriptedStrap.notification)
                    clock.advance(by: .seconds(1))
                    left += session.tick(at: clock.now)
                }
                let pdu = inbox.removeFirst()
                let isSpoilt = !pdu.isEmpty && Int.random(in: 0..<20, using: &random) < errors
                for pdu in isSpoilt ? mutate(pdu, using: &random) : [pdu] {
                    left += session.received(pdu.span, at: clock.now)
                }
                #expect(left.count < 40)
            }
            if count.isMultiple(of: 10) { #expect(size(of: session) < 20_000) }
            if measurements > 0 { streamed += 1 }
        }
        #expect(streamed > 10, "some come through")
    }
}
