import Domain
import Glibc
import Linux
import TestKit
import Testing

/// The workaround for the kernel's short supervision timeout.
@Suite(.serialized)
struct BluetoothdSupervisionTests {
    /// Loses a link while it streams, three times.
    private func loseThreeLinks(_ bench: BluetoothdFixture) throws {
        try bench.start()
        for _ in 1...3 {
            let count = bench.hearts.count
            #expect(try bench.run { $0.links.last?.state == .connected && $0.hearts.count > count })
            bench.bluez.drop()
            #expect(try bench.run { $0.links.last?.state == .disconnected })
        }
    }

    private func faults(of bench: BluetoothdFixture) -> [String] {
        bench.inputs.compactMap {
            if case .raise(let name, let message) = $0.value { name.rawValue + ": " + message } else { nil }
        }
    }

    @Test func threeCutLinksRaiseAFaultWithItsRemedy() throws {
        let bench = try BluetoothdFixture()
        try loseThreeLinks(bench)
        let faults = faults(of: bench)
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("supervision-timeout: ") == true)
        #expect(faults.first?.contains("ConnectionSupervisionTimeout=600") == true)
        #expect(faults.first?.contains("/etc/bluetooth/main.conf") == true)
    }

    @Test func acceptedDefaultsOfTheKernelPreventTheFault() throws {
        var ends: [Int32] = [0, 0]
        socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends)
        let kernel = FileDescriptor(owning: ends[0])
        var handed: Int32? = ends[1]
        let bench = try BluetoothdFixture()
        bench.management = { () throws(SystemError) in
            guard let number = handed.take() else { throw SystemError("socket", code: EAFNOSUPPORT) }
            return FileDescriptor(owning: number)
        }
        // Command Complete for Set Default System Configuration on adapter 0: success.
        _ = kernel.send([0x01, 0, 0, 0, 3, 0, 0x4C, 0, 0][...])
        try loseThreeLinks(bench)
        var command = [UInt8](repeating: 0, count: 512)
        let size = try command.withUnsafeMutableBytes { try kernel.read(into: $0) } ?? 0
        #expect(Array(command[..<min(size, 4)]) == [0x4C, 0, 0, 0])
        #expect(faults(of: bench).isEmpty)
    }
}

extension Optional where Wrapped == Int32 {
    /// Returns the value once.
    fileprivate mutating func take() -> Int32? {
        defer { self = nil }
        return self
    }
}
