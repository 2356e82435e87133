import Domain

extension SystemFacts {
    var gpsdDiagnosis: Diagnosis {
        let check = "gpsd"
        switch gpsd {
        case .off: return .note(check, "paced is configured to use none")
        case .responds(let release, _): return .ok(check, "gpsd \(release) responds")
        case .silent: return .failed(check, "it accepts connections but sends nothing", "sudo systemctl restart gpsd")
        case .unreachable:
            let isInstalled = units.map { $0["gpsd.service"]?.isThere ?? false } ?? (uart.gpsdDevices != nil)
            return .failed(
                check, isInstalled ? "nothing listens on its port" : "not installed",
                isInstalled ? "sudo systemctl enable --now gpsd.socket" : "sudo apt install gpsd")
        }
    }

    var receiverDiagnosis: Diagnosis? {
        let check = "receiver"
        if gpsd == .off { return nil }
        if case .responds(_, let devices) = gpsd, !devices.isEmpty {
            let names = devices.map { $0.path + ($0.driver.map { " (\($0))" } ?? "") }
            return .ok(check, names.joined(separator: ", "))
        }
        if let known = receivers.serials.first(where: \.isReceiver)?.name ?? receivers.gnss.first {
            if !uart.usbIsAutomatic {
                return .failed(
                    check, "/dev/\(known) is a receiver, but gpsd does not add USB receivers by itself",
                    #"/etc/default/gpsd: USBAUTO="true""#, "sudo systemctl restart gpsd")
            }
            return .failed(
                check, "/dev/\(known) is a receiver, but gpsd does not use it", "sudo gpsdctl add /dev/\(known)")
        }
        if !receivers.serials.isEmpty { return adapterInsteadOfReceiver(check) }
        if case .responds = gpsd, uart.gpsdDevices?.isEmpty ?? true, let port = uart.ports.first {
            return .failed(
                check, "none", "plug in a USB receiver",
                "or, for a receiver at the board's serial port, /etc/default/gpsd: DEVICES=\"/dev/\(port)\"")
        }
        if let wired = uart.gpsdDevices?.first {
            if case .responds = gpsd {
                return .failed(
                    check, "gpsd uses none, although /etc/default/gpsd names \(wired)", "sudo systemctl restart gpsd")
            }
            return .unknown(check, "/etc/default/gpsd names \(wired), but gpsd does not respond")
        }
        return .failed(check, "none", "plug in a USB receiver")
    }

    /// A serial adapter may be a receiver, a power meter or a modem. Only the user knows.
    private func adapterInsteadOfReceiver(_ check: String) -> Diagnosis {
        let names = receivers.serials.map { "/dev/\($0.name)" + ($0.title.map { " (\($0))" } ?? "") }
        var diagnosis = Diagnosis.failed(
            check, "gpsd uses none; \(names.joined(separator: ", ")) may be one: if it is, add this rule")
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
            let file = uart.firmware.map { $0.path.replacing("config.txt", with: "cmdline.txt") }
            return .failed(
                check, "the kernel's console also uses \(path)",
                (file ?? "the kernel's command line")
                    + ": remove the word that begins with console=\(console)",
                "sudo systemctl disable --now serial-getty@\(console == "serial0" ? "ttyS0" : console)", "sudo reboot")
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
        if facts.hasPosition {
            return facts.positionIsStale
                ? .failed(check, "the position is some seconds old", "give the receiver a clear view of the sky")
                : .ok(check, "the position is known")
        }
        switch facts.gpsdReason.flatMap(LinkReason.init) {
        case .off: return .note(check, "paced is configured to use no gpsd")
        case .notRunning, .refused: return .failed(check, "paced cannot connect to gpsd", "sudo systemctl restart gpsd")
        case .noDevice: return .unknown(check, "gpsd has no receiver")
        case .silent:
            return .failed(check, "the receiver sends nothing", "plug it in again", "sudo systemctl restart gpsd")
        default:
            return .failed(
                check, "the receiver has no fix",
                "give it a clear view of the sky; the first fix may take some minutes")
        }
    }
}

extension SystemFacts.Receivers.Serial {
    /// The udev rule that adds exactly this adapter to gpsd.
    var rule: String {
        // An adapter without a serial number is matched by its USB port.
        let which = serial.map { "ATTRS{serial}==\"\($0)\"" } ?? "KERNELS==\"\(port)\""
        return
            "SUBSYSTEM==\"tty\", ATTRS{idVendor}==\"\(vendor)\", ATTRS{idProduct}==\"\(product)\", \(which), "
            + "SYMLINK+=\"gps%n\", TAG+=\"systemd\", ENV{SYSTEMD_WANTS}+=\"gpsdctl@%k.service\""
    }
}
