import Domain
import Sensors

extension SystemFacts {
    var adapterDiagnosis: Diagnosis {
        let check = "adapter"
        if facts?.way == "off", facts?.wayReason == nil {
            return .noted(check, "Bluetooth is switched off in paced")
        }
        guard bluetooth.adapters.isEmpty else {
            let names = bluetooth.adapters.map { adapter in
                let isOff = adapter.settings.map { !$0.contains(.powered) } ?? false
                return adapter.name + (isOff ? " (off)" : "")
            }
            if facts?.strapReason == LinkReason.adapterOff.rawValue {
                return .failed(check, "\(names.joined(separator: ", ")) is switched off", "bluetoothctl power on")
            }
            return .well(check, names.joined(separator: ", "))
        }
        if let firmware = uart.firmware, firmware.bluetoothIsDisabled {
            return .failed(
                check, "there is none: the board's own is switched off in \(firmware.path)",
                "\(firmware.path): take out dtoverlay=disable-bt, and reboot; or plug in a USB adapter")
        }
        if !bluetooth.kernelHasIt {
            return .failed(
                check, "the kernel has no Bluetooth", "sudo modprobe btusb",
                "plug in a USB adapter if the board has none")
        }
        return .failed(
            check, "there is none", "plug in a USB adapter",
            "if the board has one, its firmware may be missing: sudo dmesg | grep -i bluetooth")
    }

    var lowEnergyDiagnosis: Diagnosis? {
        guard !bluetooth.adapters.isEmpty else { return nil }
        let check = "low energy"
        let known = bluetooth.adapters.filter { $0.supported != nil }
        if known.contains(where: { $0.supported?.contains(.lowEnergy) ?? false }) {
            return .well(check, "straps can be heard")
        }
        if known.isEmpty { return .unknown(check, "the kernel does not tell what the adapter can do") }
        return .failed(
            check, "no adapter knows Bluetooth Low Energy, which straps speak",
            "plug in an adapter of Bluetooth 4.0 or later")
    }

    var blockDiagnosis: Diagnosis {
        let check = "rfkill"
        if bluetooth.isBlockedBySwitch {
            return .failed(
                check, "a switch of the board holds Bluetooth off", "switch it on, and: rfkill list bluetooth")
        }
        if bluetooth.isBlocked {
            return .failed(check, "Bluetooth is blocked", "sudo rfkill unblock bluetooth")
        }
        return .well(check, "Bluetooth is not blocked")
    }

    var bluetoothdDiagnosis: Diagnosis {
        let check = "bluetoothd"
        if bluetooth.daemonRuns { return .well(check, "runs") }
        let unit = units?["bluetooth.service"]
        let remedy = unit?.isThere ?? false ? "sudo systemctl enable --now bluetooth" : "sudo apt install bluez"
        if pacedMayAdminister ?? true { return .well(check, "does not run; paced uses the kernel's own interfaces") }
        return .failed(check, "does not run, and paced may not use the kernel's own interfaces", remedy)
    }

    var capabilityDiagnosis: Diagnosis {
        let check = "capabilities"
        guard let mayAdminister = pacedMayAdminister else {
            return .unknown(check, paced == nil ? "paced does not run" : "the kernel does not tell those of paced")
        }
        let count = paced?.capabilities?.nonzeroBitCount ?? 0
        if count > 4 { return .noted(check, "paced runs with \(count) of them; its unit gives it one, CAP_NET_ADMIN") }
        if mayAdminister { return .well(check, "paced has CAP_NET_ADMIN, which the kernel's Bluetooth asks for") }
        if bluetooth.daemonRuns { return .well(check, "paced has none: straps are reached through bluetoothd") }
        return .failed(
            check, "paced has no CAP_NET_ADMIN, and there is no bluetoothd", "sudo systemctl enable --now bluetooth",
            "or: sudo rm /etc/systemd/system/paced.service.d/bluetoothd-only.conf && sudo systemctl daemon-reload && "
                + "sudo systemctl restart paced")
    }

    /// From the process, else from the unit; nil if neither is known.
    private var pacedMayAdminister: Bool? {
        if let paced { return paced.capabilities.map { $0 & Process.networkAdministration != 0 } }
        guard let unit = units?["paced.service"], unit.isThere else { return nil }
        return unit.capabilities.contains("cap_net_admin")
    }

    var strapDiagnosis: Diagnosis {
        let check = "strap"
        guard let facts else { return unknownWithoutDaemon(check) }
        let strap = facts.strap ?? "a strap"
        if facts.strapIsConnected { return .well(check, "\(strap) is connected") }
        switch facts.strapReason.flatMap(LinkReason.init) {
        case .off: return .noted(check, "straps are switched off in paced", "pacectl strap auto")
        case .noBluetooth, .noAdapter: return .unknown(check, "there is no adapter to hear one with")
        case .adapterOff: return .failed(check, "the adapter is off", "bluetoothctl power on")
        case .adapterBlocked: return .failed(check, "the adapter is blocked", "sudo rfkill unblock bluetooth")
        case .noPermission:
            return .failed(check, "paced may not use Bluetooth", "sudo systemctl enable --now bluetooth")
        case .ambiguous:
            return .failed(check, "more than one is heard", "pacectl scan", "pacectl strap use STRAP")
        case .needsPairing:
            return .failed(check, "\(strap) wants to be paired", "pacectl strap pair STRAP")
        case .inUse:
            return .failed(check, "\(strap) is connected to something else", "close the app that holds it")
        case .silent:
            return .failed(
                check, "\(strap) is connected and gives no beat", "wet the electrodes; or change its battery")
        case .parametersRefused:
            return .failed(
                check, "the host refuses the connection parameters of \(strap)", "plug in another Bluetooth adapter")
        case .offBody: return .noted(check, "\(strap) is not worn; it is connected again when it is")
        case .backoff:
            return .noted(check, "\(strap) sends far more than a strap sends; it is tried again within a minute")
        default:
            return .failed(
                check, facts.strap.map { "\($0) is not heard" } ?? "none is heard",
                "wet it, put it on, and look what is heard: pacectl scan")
        }
    }
}
