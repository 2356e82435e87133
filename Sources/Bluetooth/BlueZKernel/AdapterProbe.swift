import Domain
import Glibc
package import Linux
package import Sensors

/// The settings of a Bluetooth adapter, read from the kernel once. No privilege is needed.
///
/// Source: BlueZ, doc/mgmt-api.txt, Read Controller Information Command.
package struct AdapterProbe: Equatable, Sendable {
    package var index: UInt16
    package var supported: AdapterSettings
    package var settings: AdapterSettings

    /// Reads the settings of some adapters, waiting at most `time`. Adapters that do not reply are omitted.
    package static func probe(
        _ indices: [UInt16], within time: Duration,
        management: () throws(SystemError) -> FileDescriptor = BluetoothSockets.bluez.management
    ) -> [AdapterProbe] {
        guard let socket = try? management() else { return [] }
        var missing = Set(indices)
        for index in indices {
            _ = socket.send(MgmtCommand.readInformation(index: index).bytes[...])
        }
        var probes: [AdapterProbe] = []
        let end = Clock.now() + time
        var buffer = [UInt8](repeating: 0, count: MgmtPacket.sizeLimit)
        while !missing.isEmpty {
            let left = (end - Clock.now()).wholeMilliseconds
            guard left > 0 else { break }
            var waiting = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&waiting, 1, Int32(left))
            guard let count = try? unsafe buffer.withUnsafeMutableBytes({ unsafe try socket.read(into: $0) }) else {
                continue
            }
            let bytes = Array(buffer[..<count])
            guard let packet = try? MgmtPacket(bytes.span) else { continue }
            // A reply to another command, of this adapter too, leaves the awaited one missing.
            guard case .answered(let opcode, let status, let reply) = packet.event,
                opcode == MgmtCommand.readInformation(index: packet.index).opcode,
                missing.remove(packet.index) != nil, status == .success,
                let adapter = try? Adapter(index: packet.index, reply.span)
            else { continue }
            probes.append(AdapterProbe(index: packet.index, supported: adapter.supported, settings: adapter.settings))
        }
        return probes
    }
}
