import Domain
import Sensors

extension FuzzTarget {
    /// A management channel that sends arbitrary packets at arbitrary times, with advertisements of arbitrary devices.
    ///
    /// Layout: 0 to 252, a length, and that many bytes of a packet; or 253, which requests pairing; or
    /// 254 and a byte whose bit 0 requests a search; or 255 and a byte of tenths of seconds to wait.
    static let management = FuzzTarget(name: "management", corpus: kernelTranscripts) { bytes in
        var reader = CaseReader(bytes)
        var now = Instant(milliseconds: 1000)
        var session = MgmtAdapterSession(.any)
        var choice = StrapSelector()
        let strap = LEAddress(BluetoothAddress(value: 0xF0F1_F2F3_F4F5), .random)
        var actions = session.opened(at: now)
        repeat {
            // At most one command and one pairing are active, and a packet describes one device.
            precondition(actions.count <= 4)
            for action in actions {
                switch action {
                case .send(let command): precondition((6...6 + 2 + 36 * LongTermKey.limit).contains(command.count))
                case .found(let result): choice.received(result, at: now)
                case .keep(let keys): precondition(keys.count <= LongTermKey.limit)
                case .endPairing: break
                }
            }
            precondition(choice.scanResults(at: now).count <= StrapSelector.scanResultLimit)
            let length = reader.byte()
            switch length {
            case 253: actions = session.pair(strap, until: now + .seconds(2), at: now)
            case 254: actions = session.search(reader.byte() & 1 == 1, at: now)
            case 255:
                now += .milliseconds(100 * Int(reader.byte()))
                actions = session.tick(at: now)
            default: actions = session.received(reader.bytes(Int(length)).span, at: now)
            }
        } while !reader.isAtEnd
        _ = try? HCIDisconnectionComplete(bytes.span)
    }

    private static func packet(_ code: UInt8, index: UInt16 = 0, _ parameters: [UInt8]) -> [UInt8] {
        let count = UInt8(parameters.count)
        return [count + 6, code, 0, UInt8(truncatingIfNeeded: index), UInt8(index >> 8), count, 0] + parameters
    }

    private static func done(_ opcode: UInt8, index: UInt16 = 0, _ reply: [UInt8]) -> [UInt8] {
        packet(1, index: index, [opcode, 0, 0] + reply)
    }

    /// An adapter appears, is switched on and searches; a strap is found, connected and lost; the adapter is removed. A
    /// client without CAP_NET_ADMIN. A blocked adapter on a kernel without Set Default System Configuration. A pairing.
    private static let kernelTranscripts: [[UInt8]] = {
        let address: [UInt8] = [0x13, 0x71, 0xDA, 0x7D, 0x1A, 0x00]
        let strap: [UInt8] = [0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 2]
        let advertisement: [UInt8] = [2, 1, 6, 3, 2, 0x0D, 0x18, 6, 9] + Array("ALPHA".utf8)
        let listed = done(3, index: 0xFFFF, [1, 0, 0, 0])
        let read = done(4, address + [9, 2, 0, 0x81, 2, 0, 0, 0x80, 0, 0, 0])
        let on = done(0x0D, [0x80, 2, 0, 0]) + done(5, [0x81, 2, 0, 0])
        let ready = listed + read + on + done(0x15, [0, 0]) + done(0x18, []) + done(0x4C, [])
        let found = packet(0x12, strap + [0xC4, 0, 0, 0, 0, 14, 0] + advertisement)
        let discovered = [254, 1] + done(0x23, [6]) + packet(0x13, [6, 1]) + found + packet(0x13, [6, 0]) + [255, 9]
        let connected = packet(0x0B, strap + [0, 0, 0, 0, 0, 0]) + packet(0x0C, strap + [1])
        let key: [UInt8] = [0, 1, 16] + Array(repeating: 7, count: 26)
        let paired =
            [253] + done(9, [0x91, 2, 0, 0]) + packet(2, [0x1B, 0, 6]) + packet(0x0F, strap + [0, 0, 0, 0, 0])
            + packet(0x10, strap) + packet(0x0E, [1, 2, 3, 4, 5, 6, 0, 0]) + packet(0x0A, [1] + strap + key)
            + done(0x19, strap) + done(9, [0x81, 2, 0, 0])
        return [
            ready + discovered + [254, 0] + connected + packet(5, []) + packet(4, index: 1, []),
            listed + read + packet(2, [0x0D, 0, 0x14]) + packet(6, [0x81, 2, 0, 0]),
            listed + read + done(0x0D, [0x80, 2, 0, 0]) + packet(2, [5, 0, 0x12]) + [255, 60]
                + done(5, [0x81, 2, 0, 0])
                + done(0x15, [1, 0] + strap) + done(0x18, []) + packet(2, [0x4C, 0, 1]),
            ready + paired,
            [4, 5, 4, 0, 0x40, 0, 0x3B],
        ]
    }()
}
