import Domain
import Sensors
import TestKit
import Testing

/// The bytes of the structures in the kernel's include/net/bluetooth/mgmt.h.
struct MgmtCommandTests {
    private static let strap = LEAddress(BluetoothAddress(value: 0xA09E_1A00_0001), .public)
    private static let other = LEAddress(BluetoothAddress(value: 0xF0F1_F2F3_F4F5), .random)

    @Test(arguments: [
        (MgmtCommand.readIndexList, "0300 ffff 0000"),
        (.readInformation(index: 1), "0400 0100 0000"),
        (.setPowered(index: 0), "0500 0000 0100 01"),
        (.setLowEnergy(index: 0x0203), "0d00 0302 0100 01"),
        (.disconnect(index: 0, strap), "1400 0000 0700 0100001a9ea0 01"),
        (.readConnections(index: 0), "1500 0000 0000"),
        (.startDiscovery(index: 0), "2300 0000 0100 06"),
        (.stopDiscovery(index: 0), "2400 0000 0100 06"),
        (
            .loadParameters(index: 0, [other: .wide]),
            "3500 0000 1100 0100 f5f4f3f2f1f0 02 1800 9001 0000 5802"
        ),
        (
            .setDefaults(index: 0, .usual, .full),
            """
            4c00 0000 2800 1100 02 6000 1200 02 6000 1500 02 6000 1600 02 6000 1700 02 1800 1800 02 2800 1900 02 0000 1a00 02 f401
            """
        ),
        (
            .setDefaults(index: 0, .wide, .sparing),
            "4c00 0000 2800 1100 02 8002 1200 02 a000 1500 02 8002 1600 02 a000 1700 02 1800 1800 02 9001 1900 02 0000 1a00 02 5802"
        ),
        (.setBondable(index: 0, true), "0900 0000 0100 01"),
        (.setBondable(index: 0, false), "0900 0000 0100 00"),
        (.setCapability(index: 0), "1800 0000 0100 01"),
        (.pair(index: 0, other), "1900 0000 0800 f5f4f3f2f1f0 02 03"),
        (.cancelPairing(index: 0, other), "1a00 0000 0700 f5f4f3f2f1f0 02"),
        (.unpair(index: 0, other), "1b00 0000 0800 f5f4f3f2f1f0 02 00"),
        (.answer(index: 0, .confirmation, Array(0..<7), isYes: true), "1c00 0000 0700 00010203040506"),
        (.answer(index: 0, .confirmation, Array(0..<7), isYes: false), "1d00 0000 0700 00010203040506"),
        (.answer(index: 0, .passkey, Array(0..<7), isYes: false), "1f00 0000 0700 00010203040506"),
        (.answer(index: 0, .code, Array(0..<7), isYes: false), "1700 0000 0700 00010203040506"),
        (.loadKeys(index: 0, []), "1300 0000 0200 0000"),
        (
            .loadKeys(
                index: 0, [LongTermKey(adapter: other.address, device: other, [2, 0, 16] + Array(0..<26))!]),
            "1300 0000 2600 0100 f5f4f3f2f1f0 02 0200 10 0001 0203040506070809 0a0b0c0d0e0f10111213141516171819"
        ),
    ])
    func commandsEncodeToTheKernelsStructures(command: MgmtCommand, bytes: String) {
        #expect(command.bytes == hex(bytes))
    }

    @Test(arguments: [ConnectionParameters.usual, .wide])
    func parametersPassTheKernelsCheck(_ parameters: ConnectionParameters) {
        // hci_check_conn_params of Linux 6.1: parameters that it rejects are dropped without an error.
        let (minimum, maximum) = (Int(parameters.minimumInterval), Int(parameters.maximumInterval))
        let timeout = Int(parameters.supervisionTimeout)
        #expect(6 <= minimum && minimum <= maximum && maximum <= 3200)
        #expect((10...3200).contains(timeout) && maximum < timeout * 8)
        #expect(Int(parameters.latency) <= min(499, timeout * 4 / maximum - 1))
    }
}
