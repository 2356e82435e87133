import Console
import Sensors

extension DiagnosisCases {
    private static let prolific = SystemFacts.Receivers.Serial(
        name: "ttyUSB0", vendor: "067b", product: "2303", serial: "A1B2", port: "1-1.2", title: "USB-Serial")

    private static let rule =
        #"/etc/udev/rules.d/61-gps.rules: SUBSYSTEM=="tty", ATTRS{idVendor}=="1546", ATTRS{idProduct}=="1102", "#
        + #"KERNELS=="1-1", SYMLINK+="gps%n", TAG+="systemd", ENV{SYSTEMD_WANTS}+="gpsdctl@%k.service""#

    /// gpsd fails, and the daemon has no connection to it.
    private static func without(_ gpsd: SystemFacts.Gpsd, _ findings: inout SystemFacts) {
        findings.gpsd = gpsd
        findings.tell { ($0.gpsdIsConnected, $0.gpsdDevice, $0.hasPosition) = (false, nil, false) }
    }

    /// gpsd responds and has no receiver.
    private static func none(_ findings: inout SystemFacts) {
        without(.responds(release: "3.22", devices: []), &findings)
    }

    static let position: [Case] = [
        Case("gpsd", .ok, "gpsd 3.22 responds at [::1]:2948", nil) {
            $0.gpsdAddress = GpsdAddress("[::1]:2948:/dev/ttyACM0")
        },
        Case("gpsd", .failed, "nothing listens at localhost:2947", "sudo systemctl enable --now gpsd.socket") {
            without(.unreachable, &$0)
        },
        Case("gpsd", .failed, "not installed", "sudo apt install gpsd") {
            without(.unreachable, &$0)
            $0.units?["gpsd.service"] = nil
        },
        Case("gpsd", .failed, "nothing responds at 10.0.0.7:2947", "start gpsd -G there, or correct the address") {
            without(.unreachable, &$0)
            $0.gpsdAddress = GpsdAddress("10.0.0.7")
        },
        Case("gpsd", .failed, "it accepts connections at localhost:2947 but sends", "sudo systemctl restart gpsd") {
            without(.silent, &$0)
        },
        Case("gpsd", .note, "paced is connected to it at localhost:2947", nil) { $0.gpsd = .unreachable },
        Case("gpsd", .unknown, "cannot tell: the address", nil) { $0.gpsd = .unknown },
        Case("gpsd", .note, "paced uses none", nil) { $0.gpsd = .off },
        Case("gpsd", .note, "paced is configured to use none", nil) { ($0.gpsd, $0.state) = (.off, .away) },
        Case("receiver", .ok, "/dev/ttyACM0 (u-blox) of gpsd at localhost:2947", nil) { _ in },
        Case("receiver", .ok, "paced uses /dev/ttyACM0 of gpsd at localhost:2947", nil) { $0.gpsd = .unreachable },
        Case(
            "receiver", .failed, "paced uses only /dev/ttyS7, which gpsd at localhost:2947 lacks",
            "/etc/paced/paced.conf: [Position] Gpsd=localhost:2947:/dev/ttyACM0"
        ) { $0.gpsdAddress?.device = "/dev/ttyS7" },
        Case("receiver", .unknown, "cannot tell: /dev/ttyACM0 is a receiver, but no gpsd responds", nil) {
            without(.unreachable, &$0)
            $0.receivers.serials = [.init(name: "ttyACM0", vendor: "1546", product: "01a8", port: "1-1")]
        },
        Case("receiver", .failed, "none is plugged in, and no gpsd responds", "plug in a USB receiver") {
            without(.unreachable, &$0)
        },
        Case("receiver", .failed, "gpsd at 10.0.0.7:2947 has none", "plug a receiver into that machine") {
            none(&$0)
            $0.gpsdAddress = GpsdAddress("10.0.0.7")
        },
        Case("receiver", .failed, "gpsd at localhost:2947 has none", "plug in a USB receiver") {
            none(&$0)
        },
        Case(
            "receiver", .failed, "/dev/ttyACM0 is a receiver, but gpsd at localhost:2947 does not use it",
            "sudo gpsdctl add /dev/ttyACM0"
        ) {
            none(&$0)
            $0.receivers.serials = [.init(name: "ttyACM0", vendor: "1546", product: "01a8", port: "1-1")]
        },
        Case(
            "receiver", .failed,
            "/dev/gnss0 is a receiver, but gpsd at localhost:2947 does not add USB receivers by itself",
            #"/etc/default/gpsd: USBAUTO="true""#
        ) {
            none(&$0)
            $0.receivers.gnss = ["gnss0"]
            $0.uart.usbIsAutomatic = false
        },
        Case(
            "receiver", .failed, "gpsd at localhost:2947 uses none; /dev/ttyUSB0 (USB-Serial) may be one",
            #"/etc/udev/rules.d/61-gps.rules: SUBSYSTEM=="tty", ATTRS{idVendor}=="067b", ATTRS{idProduct}=="2303", ATTRS{serial}=="A1B2", SYMLINK+="gps%n", TAG+="systemd", ENV{SYSTEMD_WANTS}+="gpsdctl@%k.service""#
        ) {
            none(&$0)
            $0.receivers.serials = [prolific]
        },
        Case(
            "receiver", .failed, "gpsd at localhost:2947 uses none; /dev/ttyUSB0 (USB-Serial) may be one",
            #"/etc/udev/rules.d/61-gps.rules: SUBSYSTEM=="tty", ATTRS{idVendor}=="067b", ATTRS{idProduct}=="2303", KERNELS=="1-1.2", SYMLINK+="gps%n", TAG+="systemd", ENV{SYSTEMD_WANTS}+="gpsdctl@%k.service""#
        ) {
            none(&$0)
            $0.receivers.serials = [prolific]
            $0.receivers.serials[0].serial = nil
        },
        Case("receiver", .failed, "gpsd at localhost:2947 uses none; /dev/ttyACM0 may be one", rule) {
            none(&$0)
            $0.receivers.serials = [.init(name: "ttyACM0", vendor: "1546", product: "1102", port: "1-1")]
        },
        Case("serial port", .ok, "only gpsd uses /dev/serial0", nil) {
            $0.uart = .init(
                gpsdDevices: ["/dev/serial0"], ports: ["serial0", "ttyS0"],
                firmware: .init(path: "/boot/firmware/config.txt", uartIsEnabled: true))
        },
        Case(
            "serial port", .failed, "the kernel's console also uses /dev/serial0",
            "/boot/firmware/cmdline.txt: remove the word that begins with console=serial0"
        ) {
            $0.uart = .init(
                gpsdDevices: ["/dev/serial0"], ports: ["serial0", "ttyS0"], console: "serial0",
                firmware: .init(path: "/boot/firmware/config.txt", uartIsEnabled: true))
        },
        Case(
            "serial port", .failed, "/dev/ttyAMA0 does not exist: the serial port is disabled",
            "/boot/config.txt: enable_uart=1"
        ) { $0.uart = .init(gpsdDevices: ["/dev/ttyAMA0"], firmware: .init(path: "/boot/config.txt")) },
        Case(
            "serial port", .failed, "/dev/ttyS0 does not exist",
            "enable the board's serial port with its device-tree overlay"
        ) { $0.uart = .init(gpsdDevices: ["/dev/ttyS0"]) },
        Case("serial port", .failed, "/dev/ttyS0 does not exist", #"/etc/default/gpsd: DEVICES="/dev/ttyAMA0""#) {
            $0.uart = .init(gpsdDevices: ["/dev/ttyS0"], ports: ["ttyAMA0"])
        },
        Case(
            "serial port", .failed, "the speed of /dev/ttyS0 changes with the processor clock",
            "/boot/firmware/config.txt: enable_uart=1"
        ) {
            $0.uart = .init(
                gpsdDevices: ["/dev/ttyS0"], ports: ["ttyS0"], firmware: .init(path: "/boot/firmware/config.txt"))
        },
        Case(
            "fix", .failed, "the position of /dev/ttyACM0 is some seconds old",
            "give the receiver a clear view of the sky"
        ) {
            $0.tell { $0.positionIsStale = true }
        },
        Case(
            "fix", .failed, "/dev/ttyACM0 has no fix",
            "give it a clear view of the sky; the first fix may take some minutes"
        ) { $0.tell { ($0.hasPosition, $0.gpsdReason) = (false, "no-fix") } },
        Case("fix", .failed, "paced cannot connect to gpsd at localhost:2947", "sudo systemctl restart gpsd") {
            $0.tell { ($0.hasPosition, $0.gpsdReason) = (false, "not-running") }
        },
        Case("fix", .failed, "/dev/ttyACM0 sends nothing", "plug it in again") {
            $0.tell { ($0.hasPosition, $0.gpsdReason) = (false, "silent") }
        },
        Case("fix", .unknown, "gpsd at localhost:2947 has no receiver", nil) {
            $0.tell { ($0.hasPosition, $0.gpsdReason) = (false, "no-device") }
        },
        Case("fix", .note, "paced is configured to use no gpsd", nil) {
            $0.tell { ($0.hasPosition, $0.gpsdReason) = (false, "off") }
        },
        Case("fix", .unknown, "cannot tell: you may not connect to /run/paced/state.sock", nil) {
            $0.state = .notAllowed
        },
    ]
}
