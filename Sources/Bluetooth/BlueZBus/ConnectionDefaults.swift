import Domain
import Linux
import Sensors

/// Sets the kernel's default connection parameters for links that bluetoothd makes. The kernel's default
/// supervision timeout of 420 ms loses a strap whenever an arm covers it. No other command is sent on the
/// channel. Without permission it is omitted.
@safe
final class ConnectionDefaults {
    /// The index of the adapter.
    let index: UInt16
    /// Whether the kernel has accepted them.
    private(set) var areSet = false

    private var socket: FileDescriptor?
    private var source: DescriptorSource?
    private var buffer = [UInt8](repeating: 0, count: MgmtPacket.sizeLimit)

    /// Sends the command.
    init(index: UInt16, open: () throws(SystemError) -> FileDescriptor, loop: EventLoop) {
        self.index = index
        guard let opened = try? open() else { return }
        let command = MgmtCommand.setDefaults(index: index, .usual, .full)
        guard case .sent = opened.send(command.bytes[...]) else { return }
        source = try? loop.watch(opened, for: .reading) { [unowned self] _ in read(command) }
        if source != nil { socket = consume opened }
    }

    deinit {
        // Leaves the loop before its descriptor is closed.
        source = nil
    }

    /// Reads up to the reply. Other events of the kernel are ignored.
    private func read(_ command: MgmtCommand) {
        let size = unsafe buffer.withUnsafeMutableBytes { bytes in
            (unsafe try? socket?.read(into: bytes)) ?? 0
        }
        guard size > 0, let packet = try? MgmtPacket(buffer.span.extracting(0..<size)) else {
            return size > 0 ? () : close()
        }
        guard case .answered(command.opcode, let status, _) = packet.event, packet.index == index else { return }
        areSet = status == .success
        close()
    }

    private func close() {
        source = nil
        socket = nil
    }
}
