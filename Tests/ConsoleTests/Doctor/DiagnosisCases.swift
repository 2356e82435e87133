import Console
import Sensors

enum DiagnosisCases {
    typealias Case = DiagnosisTests.Case

    static func unit(_ active: String, file: String = "enabled", exit: Int = 0) -> UnitState {
        UnitState(load: "loaded", active: active, result: "exit-code", file: file, exitStatus: exit)
    }

    private static let install = "install the package of paced, or run sudo make install in its source tree"

    /// A daemon that a user runs. No name service knows the user.
    private static let someone = SystemFacts.Process(number: 412, user: 4_000_000_001, capabilities: 1 << 12)

    static let all = machine + page + bluetooth + position

    static let machine: [Case] = [
        Case("configuration", .failed, "paced.conf:3: no", "correct that line, then: sudo systemctl restart paced") {
            $0.configuration = .bad("paced.conf:3: no")
        },
        Case(
            "configuration", .unknown, "cannot tell: you are not permitted to read /etc/paced/paced.conf",
            "sudo pacectl doctor"
        ) {
            $0.configuration = .notAllowed
        },
        Case("configuration", .ok, "no file /etc/paced/paced.conf: all keys", nil) { $0.configuration = .absent },
        Case("paced", .failed, "paced.service is not running", "sudo systemctl enable --now paced") {
            $0.units?["paced.service"] = unit("inactive")
        },
        Case("paced", .failed, "its options or its configuration are invalid", "journalctl -u paced -n 20") {
            $0.units?["paced.service"] = unit("failed", exit: 2)
        },
        Case("paced", .failed, "paced.service has failed (exit-code)", "journalctl -u paced -n 20") {
            $0.units?["paced.service"] = unit("failed", exit: 1)
        },
        Case("paced", .failed, "running, but not enabled to start at boot", "sudo systemctl enable paced") {
            $0.units?["paced.service"] = unit("active", file: "disabled")
        },
        Case("paced", .ok, "running, and enabled to start at boot; process 412 of user 4000000001", nil) {
            $0.others = [someone]
        },
        Case("paced", .note, "running; systemd restarted it 2 times", "journalctl -u paced -n 20") {
            $0.units?["paced.service"]?.restarts = 2
        },
        Case("paced", .note, "process 412 of user 4000000001 serves /run/paced, but not as a service", install) {
            $0.units?["paced.service"] = nil
            $0.paced = someone
        },
        Case("paced", .note, "process 412 of user 4000000001 serves /run/p, and not paced.service", nil) {
            $0.runtime = "/run/p"
            $0.paced = someone
        },
        Case("paced", .failed, "nothing listens at /run/p/state.sock; process 412", "paced --runtime-dir /run/p &") {
            ($0.runtime, $0.paced, $0.others, $0.state) = ("/run/p", nil, [someone], .away)
        },
        Case("paced", .unknown, "cannot tell: you may not connect to /run/p/state.sock; p", "sudo pacectl doctor") {
            ($0.runtime, $0.paced, $0.others, $0.state) = ("/run/p", nil, [someone], .notAllowed)
        },
        Case("paced", .failed, "no response at /run/p/state.sock", "end paced and start it again") {
            ($0.runtime, $0.paced, $0.state) = ("/run/p", nil, .silent)
        },
        Case("paced", .failed, "paced.service is not installed", install) {
            $0.units?["paced.service"] = nil
            $0.paced = nil
        },
        Case("paced", .note, "process 412 of user 4000000001 serves /run/paced; without systemd", nil) {
            ($0.units, $0.paced) = (nil, someone)
        },
        Case(
            "sockets", .failed, "paced-control.socket is not active",
            "sudo systemctl enable --now paced-state.socket paced-control.socket"
        ) { $0.units?["paced-control.socket"] = unit("inactive") },
        Case(
            "sockets", .failed, "none in /run/paced",
            "sudo systemctl enable --now paced-state.socket paced-control.socket"
        ) { $0.sockets = [] },
        Case(
            "sockets", .unknown, "cannot tell: you are not permitted to look into /run/paced", "sudo pacectl doctor"
        ) { $0.sockets = nil },
        Case("groups", .ok, "anna runs the daemon and needs no group", nil) {
            $0.groups = .init()
            $0.paced?.user = 1000
        },
        Case(
            "sockets", .failed, "every user can connect to /run/paced/state.sock, which publishes your position",
            "chmod o= /run/paced/state.sock"
        ) {
            $0.sockets?[0].mode = 0o666
        },
        Case("groups", .failed, "missing: paced-control", install) {
            $0.groups.existing = ["paced-watch", "paced-publish", "paced-sensors"]
        },
        Case(
            "groups", .failed, "anna is not a member of paced-watch, paced-control",
            "sudo usermod -aG paced-watch,paced-control anna, and log in again"
        ) { $0.groups = .init(existing: ["paced-watch", "paced-control", "paced-publish", "paced-sensors"]) },
        Case(
            "groups", .note, "anna may watch the run, but not control it",
            "sudo usermod -aG paced-control anna, and log in again"
        ) {
            $0.groups = .init(
                existing: ["paced-watch", "paced-control", "paced-publish", "paced-sensors"], assigned: ["paced-watch"],
                effective: ["paced-watch"])
        },
        Case("groups", .failed, "anna becomes a member of paced-control at the next login", "log in again") {
            $0.groups.effective = ["paced-watch"]
        },
        Case("groups", .ok, "all exist; root needs none", nil) {
            $0.groups.effective = []
            $0.caller.isRoot = true
        },
        Case(
            "disk", .unknown, "cannot tell: you are not permitted to look at /var/lib/paced", "sudo pacectl doctor"
        ) { $0.disk.isVisible = false },
        Case("disk", .failed, "/var/lib/paced does not exist", "sudo systemctl restart paced") {
            $0.disk.owner = nil
            $0.state = .away
        },
        Case("disk", .note, "paced records in another directory than /var/lib/paced", nil) { $0.disk.owner = nil },
        Case(
            "disk", .failed, "/var/lib/paced is on a disk that is mounted read-only",
            "sudo mount -o remount,rw $(findmnt -no TARGET -T /var/lib/paced), and correct /etc/fstab"
        ) { $0.disk.isReadOnly = true },
        Case("disk", .failed, "paced does not own /var/lib/paced", "sudo chown -R paced:paced-watch /var/lib/paced") {
            $0.disk.owner = 0
        },
        Case("disk", .failed, "only 99 MiB are free", "sudo journalctl --vacuum-size=50M") {
            $0.disk.freeMebibytes = 99
        },
        Case("disk", .failed, "recording fails: no room", "journalctl -u paced -n 20") {
            $0.tell { ($0.recorder, $0.recorderMessage) = ("failed", "no room") }
        },
        Case("disk", .failed, "the disk is slow", "use a card of class A1 or better, or an SSD") {
            $0.tell { $0.recorder = "stalled" }
        },
        Case("disk", .failed, "the last 91 s are not synced", "use a card of class A1 or better, or an SSD") {
            $0.tell { $0.millisecondsSinceSync = 91_000 }
        },
        Case("clock", .ok, "paced has the time from the receiver", nil) {
            $0.clock.isSynchronised = false
            $0.tell { $0.clock = "receiver" }
        },
        Case("clock", .note, "not synchronised; paced has a guess from", nil) {
            $0.clock.isSynchronised = false
            $0.tell { $0.clock = "rtc" }
        },
        Case("clock", .note, "not synchronised yet", nil) {
            $0.clock.isSynchronised = false
            $0.tell { $0.clock = "unset" }
        },
        Case("clock", .failed, "not synchronised, and no time service is active", "sudo timedatectl set-ntp true") {
            $0.clock.isSynchronised = false
            $0.units?["systemd-timesyncd.service"] = nil
        },
        Case("sockets", .failed, "none in /run/paced", "paced &") {
            ($0.sockets, $0.units) = ([], nil)
        },
        Case(
            "panel", .failed, "configured, but paced-panel.service is not running",
            "sudo systemctl enable --now paced-panel"
        ) {
            $0.units?["paced-panel.service"] = unit("inactive")
        },
        Case("panel", .failed, "paced-panel.service has failed", "journalctl -u paced-panel -n 20") {
            $0.units?["paced-panel.service"] = unit("failed")
        },
        Case("panel", .note, "configured, but paced-panel.service is not installed; run pacectl panel", nil) {
            $0.units = nil
        },
        Case("keys", .ok, "KEY_PLAYPAUSE of button@11 (event0); KEY_NEXTSONG of remote (event1)", nil) {
            $0.panelKeys = [playKey(["button@11 (event0)"]), lapKey(["remote (event1)"])]
        },
        Case(
            "keys", .note, "no device has KEY_NEXTSONG; KEY_PLAYPAUSE of button@11 (event0)",
            "plug in the device, or correct [Panel] of /etc/paced/paced.conf"
        ) {
            $0.panelKeys = [playKey(["button@11 (event0)"]), lapKey([])]
        },
        Case(
            "keys", .failed, "no device has KEY_PLAYPAUSE, KEY_NEXTSONG",
            "/boot/firmware/config.txt: dtoverlay=gpio-key,gpio=PIN,keycode=164, then reboot"
        ) {
            $0.panelKeys = [playKey([]), lapKey([])]
            $0.uart.firmware = .init(path: "/boot/firmware/config.txt")
        },
        Case("faults", .failed, "under-voltage; battery-low", "journalctl -u paced -n 20") {
            $0.tell { $0.faults = ["under-voltage", "battery-low"] }
        },
    ]

    private static func playKey(_ devices: [String]) -> SystemFacts.PanelKey {
        .init(name: "KEY_PLAYPAUSE", code: 164, devices: devices)
    }

    private static func lapKey(_ devices: [String]) -> SystemFacts.PanelKey {
        .init(name: "KEY_NEXTSONG", code: 163, devices: devices)
    }

    private static func strap(
        _ reason: String, _ result: Diagnosis.Result, _ finding: String, _ remedy: String?
    ) -> Case {
        Case("strap", result, finding, remedy) {
            $0.tell { ($0.strapIsConnected, $0.strapReason) = (false, reason) }
        }
    }

    static let bluetooth: [Case] = [
        Case("adapter", .failed, "none", "plug in a USB adapter") { $0.bluetooth.adapters = [] },
        Case("adapter", .failed, "the kernel has no Bluetooth", "sudo modprobe btusb") { $0.bluetooth = .init() },
        Case("adapter", .failed, "none", "sudo modprobe hci_uart") {
            $0.bluetooth = .init()
            $0.uart.firmware = .init(path: "/boot/firmware/config.txt")
        },
        Case("adapter", .failed, "none", "sudo modprobe hci_uart") {
            $0.bluetooth.adapters = []
            $0.uart.firmware = .init(path: "/boot/firmware/config.txt")
        },
        Case(
            "adapter", .failed, "none: /boot/firmware/config.txt disables",
            "/boot/firmware/config.txt: remove dtoverlay=disable-bt and reboot, or plug in a USB adapter"
        ) {
            $0.bluetooth.adapters = []
            $0.uart.firmware = .init(path: "/boot/firmware/config.txt", bluetoothIsDisabled: true)
        },
        Case("adapter", .failed, "the adapter is powered off: hci0 (off)", "bluetoothctl power on") {
            $0.bluetooth.adapters[0].settings = [.lowEnergy]
            $0.tell { ($0.strapIsConnected, $0.strapReason) = (false, "adapter-off") }
        },
        Case("adapter", .note, "paced is configured to use no Bluetooth", nil) { $0.tell { $0.way = "off" } },
        Case(
            "low energy", .failed, "no adapter supports Bluetooth Low Energy, which sensors use",
            "plug in an adapter of Bluetooth 4.0 or later"
        ) {
            $0.bluetooth.adapters[0].supported = [.powered]
        },
        Case("low energy", .unknown, "the kernel does not report the features of the adapter", nil) {
            $0.bluetooth.adapters[0].supported = nil
        },
        Case("rfkill", .failed, "Bluetooth is blocked", "sudo rfkill unblock bluetooth") {
            $0.bluetooth.isBlocked = true
        },
        Case(
            "rfkill", .failed, "a hardware switch blocks Bluetooth",
            "turn the switch on, then check: rfkill list bluetooth"
        ) {
            $0.bluetooth.isBlocked = true
            $0.bluetooth.isBlockedBySwitch = true
        },
        Case("bluetoothd", .ok, "not running", nil) { $0.bluetooth.daemonRuns = false },
        Case(
            "bluetoothd", .failed, "not running, and paced lacks permission for the kernel's Bluetooth sockets",
            "sudo systemctl enable --now bluetooth"
        ) {
            $0.bluetooth.daemonRuns = false
            $0.paced?.capabilities = 0
        },
        Case(
            "bluetoothd", .failed, "not running, and paced lacks permission for the kernel's Bluetooth sockets",
            "sudo apt install bluez"
        ) {
            $0.bluetooth.daemonRuns = false
            $0.paced?.capabilities = 0
            $0.units?["bluetooth.service"] = nil
        },
        Case("capabilities", .ok, "paced has none and uses bluetoothd, which needs none", nil) {
            $0.paced?.capabilities = 0
        },
        Case(
            "capabilities", .failed, "paced lacks CAP_NET_ADMIN, and bluetoothd is not running",
            "sudo systemctl enable --now bluetooth"
        ) {
            $0.bluetooth.daemonRuns = false
            $0.paced?.capabilities = 0
        },
        Case("capabilities", .note, "paced has 41;", nil) { $0.paced?.capabilities = 1 << 41 - 1 },
        Case(
            "capabilities", .failed, "paced lacks CAP_NET_ADMIN, and bluetoothd is not running",
            "sudo systemctl enable --now bluetooth"
        ) {
            $0.bluetooth.daemonRuns = false
            $0.paced = nil
        },
        Case("capabilities", .ok, "paced has CAP_NET_ADMIN", nil) {
            $0.paced = nil
            $0.units?["paced.service"]?.capabilities = "cap_net_admin"
        },
        Case("capabilities", .unknown, "cannot tell: nothing listens at /run/paced/state.sock", nil) {
            ($0.paced, $0.units, $0.state) = (nil, nil, .away)
        },
        strap("off", .note, "paced is set to use no strap", "pacectl sensors auto"),
        strap("no-adapter", .unknown, "no Bluetooth adapter", nil),
        strap("adapter-off", .failed, "the adapter is powered off", "bluetoothctl power on"),
        strap("adapter-blocked", .failed, "the adapter is blocked", "sudo rfkill unblock bluetooth"),
        strap(
            "no-permission", .failed, "paced lacks permission to use Bluetooth", "sudo systemctl enable --now bluetooth"
        ),
        strap("ambiguous", .failed, "more than one strap is in range", "pacectl scan"),
        strap("needs-pairing", .failed, "Polar H10 …00:01 requires pairing", "pacectl sensors pair STRAP"),
        strap("adapter-full", .failed, "the adapter has no room", "disconnect other Bluetooth devices"),
        strap("in-use", .failed, "Polar H10 …00:01 is connected to", "disconnect it there, or close the app"),
        strap(
            "silent", .failed, "Polar H10 …00:01 is connected but sends no heart rate",
            "wet the electrodes, or replace its battery"),
        strap(
            "parameters-refused", .failed, "the host rejects the connection parameters of Polar H10 …00:01",
            "plug in another Bluetooth adapter"),
        strap("off-body", .note, "Polar H10 …00:01 is not worn", nil),
        strap("backoff", .note, "Polar H10 …00:01 sends too much data", nil),
        strap(
            "searching", .failed, "Polar H10 …00:01 is not in range",
            "wet it, put it on, and list the sensors in range: pacectl scan"),
        strap(
            "a-later-token", .failed, "Polar H10 …00:01 is not in range",
            "wet it, put it on, and list the sensors in range: pacectl scan"),
        Case("strap", .unknown, "cannot tell: you may not connect to /run/paced/state.sock", nil) {
            $0.state = .notAllowed
        },
        Case("strap", .unknown, "cannot tell: paced does not respond at /run/paced/state.sock", nil) {
            $0.state = .silent
        },
    ]
}
