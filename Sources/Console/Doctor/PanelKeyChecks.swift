import Board
import Domain
import Linux

extension SystemFacts {
    /// A key that [Panel] assigns.
    package struct PanelKey: Equatable {
        /// `KEY_PLAYPAUSE`.
        var name: String
        /// Its kernel code.
        var code: UInt16
        /// The devices that have it, such as `button@11 (event0)`.
        package var devices: [String]

        package init(name: String, code: UInt16, devices: [String]) {
            self.name = name
            self.code = code
            self.devices = devices
        }
    }

    /// Nil if [Panel] assigns no key. A remote control that sleeps has no device, so a missing key need not be a failure.
    var keyDiagnosis: Diagnosis? {
        guard !panelKeys.isEmpty else { return nil }
        let check = "keys"
        let found = panelKeys.filter { !$0.devices.isEmpty }.map {
            "\($0.name) of \($0.devices.joined(separator: ", "))"
        }
        guard let missing = panelKeys.first(where: \.devices.isEmpty) else {
            return .ok(check, found.joined(separator: "; "))
        }
        let names = panelKeys.filter(\.devices.isEmpty).map(\.name).joined(separator: ", ")
        let finding = (["no device has \(names)"] + found).joined(separator: "; ")
        let remedy =
            uart.firmware.map { "\($0.path): dtoverlay=gpio-key,gpio=PIN,keycode=\(missing.code), then reboot" }
            ?? "plug in the device, or correct [Panel] of \(ConfigurationFile.path)"
        return found.isEmpty ? .failed(check, finding, remedy) : .note(check, finding, remedy)
    }
}

extension SystemFiles {
    /// The keys that [Panel] assigns, and the devices that have them. No device is opened: /sys tells it to every user.
    package func panelKeys() -> [SystemFacts.PanelKey] {
        let assignments = (try? ConfigurationFile.read(root + ConfigurationFile.path)) ?? []
        var panel = PanelConfiguration()
        var words: [String: [Substring]] = [:]
        for assignment in assignments where assignment.section == PanelConfiguration.section {
            guard (try? panel.apply(assignment)) != nil else { continue }
            if ["Toggle", "Lap", "Stop"].contains(assignment.key) {
                words[assignment.key] = assignment.value.split(separator: " ")
            }
        }
        let inputs = inputDevices().filter { input in
            panel.devices.isEmpty
                || panel.devices.contains { $0 == input.name || destination($0) == "/dev/input/" + input.event }
        }
        var keys: [SystemFacts.PanelKey] = []
        for word in ["Toggle", "Lap", "Stop"].flatMap({ words[$0] ?? [] }) {
            guard let code = KeyCode(name: String(word))?.number, !keys.contains(where: { $0.code == code }) else {
                continue
            }
            let devices = inputs.filter { $0.has(code) }.map { "\($0.name) (\($0.event))" }
            keys.append(.init(name: String(word), code: code, devices: devices))
        }
        return keys
    }

    private struct Input {
        /// `event0`.
        var event: String
        var name: String
        /// The bits of its keys, the highest word first.
        var words: [UInt]

        func has(_ key: UInt16) -> Bool {
            let (word, bit) = Int(key).quotientAndRemainder(dividingBy: UInt.bitWidth)
            return word < words.count && words[words.count - 1 - word] >> bit & 1 == 1
        }
    }

    private func inputDevices() -> [Input] {
        names("/sys/class/input").filter { $0.hasPrefix("event") }.sorted().map { event in
            let device = "/sys/class/input/\(event)/device"
            let words = (text(device + "/capabilities/key") ?? "").split(separator: " ").map {
                UInt($0, radix: 16) ?? 0
            }
            let name = text(device + "/name").flatMap { SanitizedText($0)?.text } ?? "without a name"
            return Input(event: event, name: name, words: words)
        }
    }
}
