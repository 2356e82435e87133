import Bluetooth
import Domain
import Glibc
import Linux
import Sensors
import TestKit
import Testing

/// The probe of doctor, on a socket pair.
struct AdapterProbeTests {
    /// Two ends of a pair of sockets: the packets can be read from the first one.
    private func channel(_ packets: [[UInt8]]) throws -> (own: Int32, peer: Int32) {
        var numbers: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &numbers) == 0)
        for packet in packets { try #require(send(numbers[1], packet, packet.count, 0) == packet.count) }
        return (numbers[0], numbers[1])
    }

    @Test func unrelatedRepliesDoNotEndTheWait() throws {
        var kernel = FakeKernel()
        let address = try #require(BluetoothAddress("00:1A:7D:DA:71:13"))
        for index in [UInt16(0), 1] { kernel.adapters[index] = .init(address, isPowered: true, hasLowEnergy: true) }
        // Command complete and command status of the opcode 0x0005, Set Powered, of both adapters.
        let unrelated: [[UInt8]] = [
            [1, 0, 0, 0, 7, 0, 5, 0, 0, 1, 0, 0, 0], [2, 0, 1, 0, 3, 0, 5, 0, 0x0B], [6, 0, 0, 0, 4, 0, 1, 0, 0, 0],
        ]
        let wanted = [UInt16(0), 1].flatMap { kernel.answers(to: MgmtCommand.readInformation(index: $0).bytes) }
        let (own, peer) = try channel(unrelated + wanted)
        defer { close(peer) }
        let probes = AdapterProbe.probe([0, 1], within: .seconds(20)) { FileDescriptor(owning: own) }
        #expect(probes.map(\.index) == [0, 1])
        #expect(probes.allSatisfy { $0.settings.contains(.powered) })
    }
}
