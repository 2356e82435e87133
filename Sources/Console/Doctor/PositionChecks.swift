import Domain
import Linux

extension SystemFacts {
    /// The daemon is asked first: where it is connected, gpsd works, whatever doctor itself may reach.
    var gpsdDiagnosis: Diagnosis {
        let check = "gpsd"
        let place = gpsdAddress?.text ?? ""
        let isConnected = facts?.gpsdIsConnected ?? false
        switch gpsd {
        case .off: return .note(check, facts == nil ? "paced is configured to use none" : "paced uses none")
        case .unknown:
            return .unknown(
                check, "cannot tell: the address that paced uses is not known; \(ConfigurationFile.path) cannot be read"
            )
        case .responds(let release, _): return .ok(check, "gpsd \(release) responds at \(place)")
        case .silent, .unreachable:
            if isConnected { return .note(check, "paced is connected to it at \(place); doctor gets no response") }
        }
        if gpsd == .silent {
            return .failed(check, "it accepts connections at \(place) but sends nothing", restartGpsd)
        }
        guard gpsdAddress?.isLocal ?? true else {
            return .failed(check, "nothing responds at \(place)", "start gpsd -G there, or correct the address")
        }
        let isInstalled = units.map { $0["gpsd.service"]?.isThere ?? false } ?? (uart.gpsdDevices != nil)
        return .failed(
            check, isInstalled ? "nothing listens at \(place)" : "not installed: nothing listens at \(place)",
            isInstalled ? startGpsd : "sudo apt install gpsd")
    }

    var receiverDiagnosis: Diagnosis? {
        let check = "receiver"
        if gpsd == .off { return nil }
        let place = gpsdAddress?.text ?? ""
        if case .responds(_, let devices) = gpsd, !devices.isEmpty {
            let names = devices.map { $0.path + ($0.driver.map { " (\($0))" } ?? "") }.joined(separator: ", ")
            if let wanted = gpsdAddress?.device, !devices.contains(where: { $0.path == wanted }) {
                return .failed(
                    check, "paced uses only \(wanted), which gpsd at \(place) lacks; it has \(names)",
                    "\(ConfigurationFile.path): [Position] Gpsd=\(place):\(devices[0].path)")
            }
            return .ok(check, "\(names) of gpsd at \(place)")
        }
        if facts?.gpsdIsConnected ?? false, let device = facts?.gpsdDevice {
            return .ok(check, "paced uses \(device) of gpsd at \(place)")
        }
        if gpsd == .unknown { return .unknown(check, "cannot tell: the address of gpsd is not known") }
        guard gpsdAddress?.isLocal ?? true else {
            guard case .responds = gpsd else { return .unknown(check, "cannot tell: no gpsd responds at \(place)") }
            return .failed(check, "gpsd at \(place) has none", "plug a receiver into that machine")
        }
        return localReceiverDiagnosis(check, place)
    }

    /// gpsd of this machine has no receiver, or does not respond.
    private func localReceiverDiagnosis(_ check: String, _ place: String) -> Diagnosis {
        let responds = if case .responds = gpsd { true } else { false }
        if let known = receivers.serials.first(where: \.isReceiver)?.name ?? receivers.gnss.first {
            if !responds {
                return .unknown(check, "cannot tell: /dev/\(known) is a receiver, but no gpsd responds at \(place)")
            }
            if !uart.usbIsAutomatic {
                return .failed(
                    check, "/dev/\(known) is a receiver, but gpsd at \(place) does not add USB receivers by itself",
                    #"/etc/default/gpsd: USBAUTO="true""#, restartGpsd)
            }
            return .failed(
                check, "/dev/\(known) is a receiver, but gpsd at \(place) does not use it",
                "sudo gpsdctl add /dev/\(known)")
        }
        if !receivers.serials.isEmpty {
            if responds { return adapterInsteadOfReceiver(check, place) }
            return .unknown(check, "cannot tell: no gpsd responds at \(place)")
        }
        if let wired = uart.gpsdDevices?.first {
            if !responds {
                return .unknown(
                    check, "cannot tell: /etc/default/gpsd names \(wired), but no gpsd responds at \(place)")
            }
            return .failed(
                check, "gpsd at \(place) uses none, although /etc/default/gpsd names \(wired)", restartGpsd)
        }
        if responds, let port = uart.ports.first {
            return .failed(
                check, "gpsd at \(place) has none", "plug in a USB receiver",
                "or, for a receiver at the board's serial port, /etc/default/gpsd: DEVICES=\"/dev/\(port)\"")
        }
        return .failed(
            check, responds ? "gpsd at \(place) has none" : "none is plugged in, and no gpsd responds at \(place)",
            "plug in a USB receiver")
    }

    /// A serial adapter may be a receiver, a power meter or a modem. Only the user knows.
    private func adapterInsteadOfReceiver(_ check: String, _ place: String) -> Diagnosis {
        let names = receivers.serials.map { "/dev/\($0.name)" + ($0.title.map { " (\($0))" } ?? "") }
        var diagnosis = Diagnosis.failed(
            check, "gpsd at \(place) uses none; \(names.joined(separator: ", ")) may be one: if it is, add this rule")
        diagnosis.remedy =
            receivers.serials.map { "/etc/udev/rules.d/61-gps.rules: " + $0.rule }
            + ["sudo udevadm control --reload && sudo udevadm trigger --action=add --subsystem-match=tty"]
        return diagnosis
    }

    /// Nil if gpsd has no device on the board's own serial port.
    var uartDiagnosis: Diagnosis? {
        let check = "serial port"
        guard let path = uart.gpsdDevices?.first(where: Self.isBoardPort) else { return nil }
        let port = String(path.dropFirst("/dev/".count))
        if let console = uart.console, port == console || port == "serial0" || console == "serial0" {
            let file = uart.firmware.map { $0.path.substituting("config.txt", with: "cmdline.txt") }
            return .failed(
                check, "the kernel's console also uses \(path)",
                (file ?? "the kernel's command line")
                    + ": remove the word that begins with console=\(console)",
                units == nil
                    ? "end the login on \(console)"
                    : "sudo systemctl disable --now serial-getty@\(console == "serial0" ? "ttyS0" : console)",
                "sudo reboot")
        }
        if !uart.ports.contains(port) {
            if let firmware = uart.firmware, !firmware.uartIsEnabled {
                return .failed(
                    check, "\(path) does not exist: the serial port is disabled", "\(firmware.path): enable_uart=1",
                    "sudo reboot")
            }
            return .failed(
                check, "\(path) does not exist",
                uart.ports.isEmpty
                    ? "enable the board's serial port with its device-tree overlay"
                    : "/etc/default/gpsd: DEVICES=\"/dev/\(uart.ports[0])\"")
        }
        if let firmware = uart.firmware, port == "ttyS0" || port == "serial0", !firmware.uartIsEnabled {
            return .failed(
                check, "the speed of \(path) changes with the processor clock", "\(firmware.path): enable_uart=1",
                "sudo reboot")
        }
        return .ok(check, "only gpsd uses \(path)")
    }

    private static func isBoardPort(_ path: String) -> Bool {
        ["/dev/serial", "/dev/ttyAMA", "/dev/ttyS"].contains { path.hasPrefix($0) } && !path.hasPrefix("/dev/serial/")
    }

    var fixDiagnosis: Diagnosis? {
        let check = "fix"
        if gpsd == .off { return nil }
        guard let facts else { return unknownWithoutDaemon(check) }
        let place = gpsdAddress.map { " at \($0.text)" } ?? ""
        let receiver = facts.gpsdDevice ?? "the receiver"
        if facts.hasPosition {
            return facts.positionIsStale
                ? .failed(
                    check, "the position of \(receiver) is some seconds old",
                    "give the receiver a clear view of the sky")
                : .ok(check, "the position is known from \(receiver) of gpsd\(place)")
        }
        switch facts.gpsdReason.flatMap(LinkReason.init) {
        case .off: return .note(check, "paced is configured to use no gpsd")
        case .notRunning, .refused: return .failed(check, "paced cannot connect to gpsd\(place)", restartGpsd)
        case .noDevice: return .unknown(check, "gpsd\(place) has no receiver")
        case .silent: return .failed(check, "\(receiver) sends nothing", "plug it in again", restartGpsd)
        default:
            return .failed(
                check, "\(receiver) has no fix", "give it a clear view of the sky; the first fix may take some minutes")
        }
    }
}

extension SystemFacts.Receivers.Serial {
    /// The udev rule that adds exactly this adapter to gpsd.
    package var rule: String {
        // An adapter without a serial number is matched by its USB port.
        let which = serial.map { "ATTRS{serial}==\"\($0)\"" } ?? "KERNELS==\"\(port)\""
        return
            "SUBSYSTEM==\"tty\", ATTRS{idVendor}==\"\(vendor)\", ATTRS{idProduct}==\"\(product)\", \(which), "
            + "SYMLINK+=\"gps%n\", TAG+=\"systemd\", ENV{SYSTEMD_WANTS}+=\"gpsdctl@%k.service\""
    }
}
