import CBlueZ
package import Domain
import Glibc
package import Linux

/// The functions that open the kernel's Bluetooth sockets. A test replaces them and acts as the kernel.
@safe
package struct BluetoothSockets {
    /// Opens a socket of the mgmt channel.
    package var management: () throws(SystemError) -> FileDescriptor
    /// Opens an L2CAP socket to a sensor's Attribute Protocol channel from an adapter, and starts connecting. The socket
    /// becomes writable when the connection has succeeded or failed. The link to a paired sensor is encrypted first.
    package var attribute: (BluetoothAddress, LEAddress, _ isPaired: Bool) throws(SystemError) -> FileDescriptor
    /// Opens a socket that receives the HCI Disconnection Complete events of an adapter.
    package var disconnections: (UInt16) throws(SystemError) -> FileDescriptor
    /// The kernel's handle of an established connection.
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

    /// The sockets of the kernel.
    package static var bluez: BluetoothSockets {
        BluetoothSockets(
            management: { () throws(SystemError) in try own("socket", cbluez_open_management()) },
            attribute: { (adapter, sensor, isPaired) throws(SystemError) in
                let isRandom: Int32 = sensor.type == .random ? 1 : 0
                return try own(
                    "connect",
                    unsafe cbluez_connect_att(
                        adapter.description, sensor.address.description, isRandom, isPaired ? 1 : 0))
            },
            disconnections: { (index) throws(SystemError) in try own("bind", cbluez_open_hci_disconnect(index)) },
            handle: { UInt16(exactly: cbluez_connection_handle($0.number)) })
    }

    private static func own(_ call: StaticText, _ number: Int32) throws(SystemError) -> FileDescriptor {
        if number < 0 { throw SystemError(call, code: errno) }
        return FileDescriptor(owning: number)
    }
}
