import CBlueZ
package import Domain
import Glibc
package import Linux

/// How the sockets of the kernel's Bluetooth are opened. A test gives others, on which it plays the kernel.
@safe
package struct BluetoothSockets {
    /// A socket of the management channel.
    package var management: () throws(SystemError) -> FileDescriptor
    /// A socket to a strap's Attribute Protocol from an adapter, whose connection is begun: it becomes writable when that is decided.
    /// That to a strap that has paired is encrypted before.
    package var attribute: (BluetoothAddress, LEAddress, _ isPaired: Bool) throws(SystemError) -> FileDescriptor
    /// A socket on which an adapter tells of disconnections.
    package var disconnections: (UInt16) throws(SystemError) -> FileDescriptor
    /// The kernel's handle of a connection that stands.
    package var handle: (borrowing FileDescriptor) -> UInt16?

    package init(
        management: @escaping () throws(SystemError) -> FileDescriptor,
        attribute: @escaping (BluetoothAddress, LEAddress, _ isPaired: Bool) throws(SystemError) -> FileDescriptor,
        disconnections: @escaping (UInt16) throws(SystemError) -> FileDescriptor,
        handle: @escaping (borrowing FileDescriptor) -> UInt16?
    ) {
        self.management = management
        self.attribute = attribute
        self.disconnections = disconnections
        self.handle = handle
    }

    /// The real ones.
    package static var bluez: BluetoothSockets {
        BluetoothSockets(
            management: { () throws(SystemError) in try own("socket", cbluez_open_management()) },
            attribute: { (adapter, strap, isPaired) throws(SystemError) in
                let isRandom: Int32 = strap.type == .random ? 1 : 0
                return try own(
                    "connect",
                    unsafe cbluez_connect_att(
                        adapter.description, strap.address.description, isRandom, isPaired ? 1 : 0))
            },
            disconnections: { (index) throws(SystemError) in try own("bind", cbluez_open_hci_disconnect(index)) },
            handle: { UInt16(exactly: cbluez_connection_handle($0.number)) })
    }

    private static func own(_ call: StaticText, _ number: Int32) throws(SystemError) -> FileDescriptor {
        if number < 0 { throw SystemError(call, code: errno) }
        return FileDescriptor(owning: number)
    }
}
