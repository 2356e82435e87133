import Console
import Foundation
import TestKit
import Testing

/// A file tree that replaces a system's.
struct SystemFilesTests {
    private let directory: TemporaryDirectory
    private var tree: SystemFiles { SystemFiles(root: directory.path) }

    init() throws {
        directory = TemporaryDirectory()
    }

    private func put(_ text: String, _ path: String) throws {
        let url = URL(fileURLWithPath: directory.path + path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func link(_ path: String, to target: String) throws {
        let url = URL(fileURLWithPath: directory.path + path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: target)
    }

    /// A serial adapter at the USB port 1-1.2, in the kernel's layout.
    private func plugIn(vendor: String, product: String, serial: String?, title: String) throws {
        let device = "/sys/devices/platform/usb1/1-1/1-1.2"
        try put(vendor + "\n", device + "/idVendor")
        try put(product + "\n", device + "/idProduct")
        if let serial { try put(serial + "\n", device + "/serial") }
        try put(title + "\n", device + "/product")
        try put("", device + "/1-1.2:1.0/ttyUSB0/uevent")
        try link("/sys/class/tty/ttyUSB0/device", to: "../../../devices/platform/usb1/1-1/1-1.2/1-1.2:1.0/ttyUSB0")
    }

    @Test func serialPortsAndGNSSDevicesAreFound() throws {
        try plugIn(vendor: "067b", product: "2303", serial: "A1B2", title: "USB-Serial")
        try put("", "/sys/class/gnss/gnss0/uevent")
        let receivers = tree.receivers()
        #expect(
            receivers.serials == [
                .init(
                    name: "ttyUSB0", vendor: "067b", product: "2303", serial: "A1B2", port: "1-1.2", title: "USB-Serial"
                )
            ])
        #expect(receivers.gnss == ["gnss0"])
    }

    @Test func barometersAreNamedInTheOrderOfTheirNumbers() throws {
        #expect(tree.barometers() == [])
        try put("ms5611\n", "/sys/bus/iio/devices/iio:device10/name")
        try put("99\n", "/sys/bus/iio/devices/iio:device10/in_pressure_input")
        try put("\u{1B}[2J\n", "/sys/bus/iio/devices/iio:device2/name")
        try put("1\n", "/sys/bus/iio/devices/iio:device2/in_pressure_raw")
        try put("adxl345\n", "/sys/bus/iio/devices/iio:device0/name")
        #expect(tree.barometers() == ["\u{FFFD}[2J (iio:device2)", "ms5611 (iio:device10)"])
    }

    /// The remedy's line is pasted into a file that root reads.
    @Test(arguments: ["\", RUN+=\"/bin/sh", "*", "", "é", String(repeating: "1", count: 65)])
    func invalidSerialNumberIsNotInTheRule(serial: String) throws {
        try plugIn(vendor: "067b", product: "2303", serial: serial, title: "\u{1B}]0;owned\u{7}")
        let adapter = try #require(tree.receivers().serials.first)
        #expect(adapter.rule.contains(#", KERNELS=="1-1.2", "#))
        #expect(adapter.title == "\u{FFFD}]0;owned\u{FFFD}")
    }

    @Test func bluetoothAdaptersAndBlocksAreFound() throws {
        #expect(tree.bluetooth() == SystemFacts.Bluetooth())
        try put("", "/sys/class/bluetooth/hci0/uevent")
        try put("", "/sys/class/bluetooth/hci0:64/uevent")
        try put("wlan\n", "/sys/class/rfkill/rfkill0/type")
        try put("1\n", "/sys/class/rfkill/rfkill0/soft")
        try put("bluetooth\n", "/sys/class/rfkill/rfkill1/type")
        try put("0\n", "/sys/class/rfkill/rfkill1/soft")
        try put("0\n", "/sys/class/rfkill/rfkill1/hard")
        #expect(tree.bluetooth() == .init(kernelHasIt: true, adapters: [.init(name: "hci0")]))
        try put("1\n", "/sys/class/rfkill/rfkill1/soft")
        try put("bluetoothd\n", "/proc/77/comm")
        #expect(
            tree.bluetooth()
                == .init(kernelHasIt: true, adapters: [.init(name: "hci0")], isBlocked: true, daemonRuns: true))
    }

    @Test func processOfTheSocketIsFound() throws {
        try put("paced\n", "/proc/10/comm")
        try put("Name:\tpaced\nUid:\t7\t1000\t7\t7\nCapEff:\t000001ffffffffff\n", "/proc/10/status")
        try put("paced\n", "/proc/11/comm")
        try put("0::/system.slice/paced.service\n", "/proc/11/cgroup")
        try put("Name:\tpaced\nCapEff:\t0000000000001000\n", "/proc/11/status")
        let processes = tree.pacedProcesses()
        #expect(Set(processes.compactMap(\.number)) == [10, 11])
        let own = tree.process(ofPeer: 10, user: 1000, among: processes)
        #expect(own == .init(number: 10, user: 1000, capabilities: 0x1FF_FFFF_FFFF))
        #expect(processes.contains(try #require(own)))
        // Of a socket of systemd's the peer is systemd.
        let service = tree.process(ofPeer: 1, user: 0, among: processes)
        #expect(service?.number == 11)
        #expect(service?.isService == true)
        #expect(service?.capabilities == SystemFacts.Process.networkAdministration)
        #expect(tree.process(ofPeer: 1, user: 0, among: []) == nil)
        // Another program that serves the socket, whose process is hidden.
        let hidden = tree.process(ofPeer: 12, user: 7, among: processes)
        #expect(hidden == .init(number: 12, user: 7))
    }

    @Test func serialPortOfTheBoardIsFound() throws {
        #expect(tree.uart() == SystemFacts.Uart())
        try put(
            "# Devices\nDEVICES=\"/dev/serial0\"\nGPSD_OPTIONS=\"-n\"\nUSBAUTO=\"false\"\n", "/etc/default/gpsd")
        try put("console=tty1 console=serial0,115200 root=/dev/mmcblk0p2\n", "/proc/cmdline")
        try put("# enable_uart=1\n[all]\nenable_uart=1\ndtoverlay = disable-bt\n", "/boot/firmware/config.txt")
        try put("", "/dev/serial0")
        try put("", "/dev/ttyS0")
        try put("0\n", "/sys/class/tty/ttyS0/type")
        #expect(
            tree.uart()
                == .init(
                    gpsdDevices: ["/dev/serial0"], usbIsAutomatic: false, ports: ["serial0"], console: "serial0",
                    firmware: .init(
                        path: "/boot/firmware/config.txt", uartIsEnabled: true, bluetoothIsDisabled: true)))
    }

    @Test func configurationIsValidated() throws {
        #expect(tree.configuration() == .absent)
        try put("[Recording]\nSyncIntervalSec=1\n", "/etc/paced/paced.conf")
        #expect(tree.configuration() == .good(hasPanel: false))
        try put("[Panel]\nToggle=KEY_A\n", "/etc/paced/paced.conf")
        #expect(tree.configuration() == .good(hasPanel: true))
        try put("[Panel]\nToggle=KEY_NONSENSE\n", "/etc/paced/paced.conf")
        #expect(
            tree.configuration()
                == .bad(
                    "/etc/paced/paced.conf:2: Toggle needs names of keys such as KEY_PLAYPAUSE, not KEY_NONSENSE"
                ))
        try put("[Panel\n", "/etc/paced/paced.conf")
        guard case .bad(let line) = tree.configuration() else { return #expect(Bool(false)) }
        #expect(line.hasPrefix("/etc/paced/paced.conf:1: expected [Section]"))
    }

    /// Bits as the kernel prints them: words of 64 bits, the highest first. KEY_NEXTSONG is 163, KEY_PLAYPAUSE 164.
    @Test func devicesWithTheKeysOfThePanelAreFound() throws {
        #expect(tree.panelKeys() == [])
        try put("[Panel]\nToggle=KEY_PLAYPAUSE KEY_A\nLap=KEY_NEXTSONG\nStop=KEY_PLAYPAUSE\n", "/etc/paced/paced.conf")
        try put("button@11\n", "/sys/class/input/event0/device/name")
        try put("1000000000 0 0\n", "/sys/class/input/event0/device/capabilities/key")
        try put("\u{1B}[2Jremote\n", "/sys/class/input/event1/device/name")
        try put("1800000000 0 0\n", "/sys/class/input/event1/device/capabilities/key")
        try put("mouse0\n", "/sys/class/input/mouse0/device/name")
        let buttons = ["button@11 (event0)", "\u{FFFD}[2Jremote (event1)"]
        let play = SystemFacts.PanelKey(name: "KEY_PLAYPAUSE", code: 164, devices: buttons)
        let other = SystemFacts.PanelKey(name: "KEY_A", code: 30, devices: [])
        let lap = SystemFacts.PanelKey(name: "KEY_NEXTSONG", code: 163, devices: [buttons[1]])
        #expect(tree.panelKeys() == [play, other, lap])
        try put("[Panel]\nToggle=KEY_PLAYPAUSE\nDevices=button@11\n", "/etc/paced/paced.conf")
        #expect(tree.panelKeys().map(\.devices) == [[buttons[0]]])
    }

    @Test func groupsAreFound() throws {
        try put(
            "root:x:0:\npaced-watch:x:4000001:bert,anna\npaced-control:x:4000002:\n"
                + "paced-publish:x:4000003:\npaced-sensors:x:4000004:\n", "/etc/group")
        let groups = tree.groups(of: .init(isRoot: false, name: "anna"))
        let existing: Set = ["paced-watch", "paced-control", "paced-publish", "paced-sensors"]
        #expect(groups == .init(existing: existing, assigned: ["paced-watch"]))
    }
}
