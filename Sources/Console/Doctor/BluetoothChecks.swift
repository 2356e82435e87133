import Domain
import Sensors

extension SystemFacts {
    var adapterDiagnosis: Diagnosis {
        let check = "adapter"
        if facts?.way == "off", facts?.wayReason == nil {
            return .note(check, "paced is configured to use no Bluetooth")
        }
        guard bluetooth.adapters.isEmpty else {
            let names = bluetooth.adapters.map { adapter in
                let isOff = adapter.settings.map { !$0.contains(.powered) } ?? false
                return adapter.name + (isOff ? " (off)" : "")
            }
            if facts?.strapReason == LinkReason.adapterOff.rawValue {
                return .failed(
                    check, "the adapter is powered off: \(names.joined(separator: ", "))", "bluetoothctl power on")
            }
            return .ok(check, names.joined(separator: ", "))
        }
        if let firmware = uart.firmware, firmware.bluetoothIsDisabled {
            return .failed(
                check, "none: \(firmware.path) disables the board's own adapter",
                "\(firmware.path): remove dtoverlay=disable-bt and reboot, or plug in a USB adapter")
        }
        // The adapter of a Raspberry Pi is at a serial port, not at USB.
        if uart.firmware != nil {
            return .failed(
                check, "none", "sudo modprobe hci_uart",
                "if that shows none: sudo raspi-config, Interface Options, Serial Port, no login shell; then sudo reboot",
                "its firmware may be missing: sudo dmesg | grep -i bluetooth; or plug in a USB adapter")
        }
        if !bluetooth.kernelHasIt {
            return .failed(
                check, "the kernel has no Bluetooth driver", "sudo modprobe btusb",
                "plug in a USB adapter if the board has none")
        }
        return .failed(
            check, "none", "plug in a USB adapter",
            "if the board has one, its firmware may be missing: sudo dmesg | grep -i bluetooth")
    }

    var lowEnergyDiagnosis: Diagnosis? {
        guard !bluetooth.adapters.isEmpty else { return nil }
        let check = "low energy"
        let known = bluetooth.adapters.filter { $0.supported != nil }
        if known.contains(where: { $0.supported?.contains(.lowEnergy) ?? false }) {
            return .ok(check, "the adapter supports Bluetooth Low Energy")
        }
        if known.isEmpty { return .unknown(check, "the kernel does not report the features of the adapter") }
        return .failed(
            check, "no adapter supports Bluetooth Low Energy, which sensors use",
            "plug in an adapter of Bluetooth 4.0 or later")
    }

    var blockDiagnosis: Diagnosis {
        let check = "rfkill"
        if bluetooth.isBlockedBySwitch {
            return .failed(
                check, "a hardware switch blocks Bluetooth", "turn the switch on, then check: rfkill list bluetooth")
        }
        if bluetooth.isBlocked {
            return .failed(check, "Bluetooth is blocked", "sudo rfkill unblock bluetooth")
        }
        return .ok(check, "Bluetooth is not blocked")
    }

    var bluetoothdDiagnosis: Diagnosis {
        let check = "bluetoothd"
        if bluetooth.daemonRuns { return .ok(check, "running") }
        let isInstalled = units.map { $0["bluetooth.service"]?.isThere ?? false } ?? true
        let remedy = isInstalled ? startBluetoothd : "sudo apt install bluez"
        if pacedMayAdminister ?? true { return .ok(check, "not running; paced uses the kernel's Bluetooth sockets") }
        return .failed(check, "not running, and paced lacks permission for the kernel's Bluetooth sockets", remedy)
    }

    var capabilityDiagnosis: Diagnosis {
        let check = "capabilities"
        guard let mayAdminister = pacedMayAdminister else {
            if paced == nil, facts == nil { return unknownWithoutDaemon(check) }
            return .unknown(check, "cannot tell: the kernel does not show those of paced")
        }
        let count = paced?.capabilities?.nonzeroBitCount ?? 0
        if count > 4 { return .note(check, "paced has \(count); its unit grants only CAP_NET_ADMIN") }
        if mayAdminister { return .ok(check, "paced has CAP_NET_ADMIN, which the kernel's Bluetooth sockets need") }
        if bluetooth.daemonRuns { return .ok(check, "paced has none and uses bluetoothd, which needs none") }
        let finding = "paced lacks CAP_NET_ADMIN, and bluetoothd is not running"
        if !pacedIsUnit { return .failed(check, finding, startBluetoothd, "or run paced as root") }
        return .failed(
            check, finding, startBluetoothd,
            "or: sudo rm /etc/systemd/system/paced.service.d/bluetoothd-only.conf && sudo systemctl daemon-reload && "
                + "sudo systemctl restart paced")
    }

    /// From the process, else from the unit; nil if neither is known.
    private var pacedMayAdminister: Bool? {
        if let paced { return paced.capabilities.map { $0 & Process.networkAdministration != 0 } }
        guard isSystemRuntime else { return nil }
        guard let unit = units?["paced.service"], unit.isThere else { return nil }
        return unit.capabilities.has("cap_net_admin")
    }

    var strapDiagnosis: Diagnosis {
        let check = "strap"
        guard let facts else { return unknownWithoutDaemon(check) }
        let strap = facts.strap ?? "a strap"
        if facts.strapIsConnected { return .ok(check, "\(strap) is connected") }
        switch facts.strapReason.flatMap(LinkReason.init) {
        case .off: return .note(check, "paced is set to use no strap", "pacectl sensors auto")
        case .noBluetooth, .noAdapter: return .unknown(check, "no Bluetooth adapter")
        case .adapterOff: return .failed(check, "the adapter is powered off", "bluetoothctl power on")
        case .adapterBlocked: return .failed(check, "the adapter is blocked", "sudo rfkill unblock bluetooth")
        case .noPermission:
            return .failed(check, "paced lacks permission to use Bluetooth", startBluetoothd)
        case .ambiguous:
            return .failed(check, "more than one strap is in range", "pacectl scan", "pacectl sensors add STRAP")
        case .needsPairing:
            return .failed(check, "\(strap) requires pairing", "pacectl sensors pair STRAP")
        case .adapterFull:
            return .failed(
                check, "the adapter has no room for another connection", "disconnect other Bluetooth devices")
        case .inUse:
            return .failed(check, "\(strap) is connected to another device", "disconnect it there, or close the app")
        case .silent:
            return .failed(
                check, "\(strap) is connected but sends no heart rate", "wet the electrodes, or replace its battery")
        case .parametersRefused:
            return .failed(
                check, "the host rejects the connection parameters of \(strap)", "plug in another Bluetooth adapter")
        case .offBody: return .note(check, "\(strap) is not worn; paced reconnects when it is")
        case .backoff:
            return .note(check, "\(strap) sends too much data; paced retries within a minute")
        default:
            return .failed(
                check, facts.strap.map { "\($0) is not in range" } ?? "none is in range",
                "wet it, put it on, and list the sensors in range: pacectl scan")
        }
    }
}
