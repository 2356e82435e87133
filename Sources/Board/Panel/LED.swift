import Domain
import Glibc
package import Linux

/// An LED of the board in /sys/class/leds.
///
/// Its kernel trigger is disabled while this object uses the LED, and restored by ``restore()``.
///
/// Source: the kernel's Documentation/leds/leds-class.rst.
package final class LED {
    package let name: String
    private let directory: String
    private var isLit: Bool?
    /// The trigger and the brightness before the first use.
    private var before: (trigger: String?, brightness: String)?

    /// - Parameter directory: /sys/class/leds.
    package init(_ name: String, in directory: String) {
        self.name = name
        self.directory = directory + "/" + name
    }

    /// Switches the LED on or off. Writes nothing if it already has that state.
    ///
    /// - Throws: `ENOENT` if the LED does not exist; it may appear later.
    package func light(_ isLit: Bool) throws(SystemError) {
        if self.isLit == isLit { return }
        do throws(SystemError) {
            if before == nil { try acquire() }
            try write(isLit ? maximum : "0", to: "brightness")
        } catch {
            // A device that reappears has its trigger again.
            before = nil
            self.isLit = nil
            throw error
        }
        self.isLit = isLit
    }

    /// Restores the brightness and the trigger.
    package func restore() {
        guard let before else { return }
        try? write(before.brightness, to: "brightness")
        if let trigger = before.trigger { try? write(trigger, to: "trigger") }
        self.before = nil
        isLit = nil
    }

    private func acquire() throws(SystemError) {
        let brightness = try read("brightness", limit: 16)
        var trigger: String?
        // Without a trigger file nothing else drives the LED.
        if let choice = try? read("trigger", limit: 8192) {
            trigger = choice.split(separator: " ").first { $0.hasPrefix("[") }.map { String($0.dropFirst().dropLast()) }
            if trigger == "none" { trigger = nil }
            if trigger != nil { try write("none", to: "trigger") }
        }
        before = (trigger, brightness)
    }

    /// The full brightness; 1 for an LED that has only on and off.
    private var maximum: String {
        let text = (try? read("max_brightness", limit: 16)) ?? ""
        return Int(text).map(String.init) ?? "1"
    }

    private func read(_ file: String, limit: Int) throws(SystemError) -> String {
        let text = try FileDescriptor.open(directory + "/" + file, O_RDONLY).readText(limit: limit)
        return String(text.prefix { $0 != "\n" })
    }

    private func write(_ text: String, to file: String) throws(SystemError) {
        try FileDescriptor.open(directory + "/" + file, O_WRONLY | O_TRUNC).write(text + "\n")
    }
}
