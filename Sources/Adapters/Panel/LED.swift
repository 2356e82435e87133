import Domain
import Glibc
package import Linux

/// A light of the board, as the kernel has it in /sys/class/leds.
///
/// What makes it shine otherwise, its trigger, is switched off as long as this lives and put back at the end.
///
/// Source: the kernel's Documentation/leds/leds-class.rst.
package final class LED {
    package let name: String
    private let directory: String
    private var isLit: Bool?
    /// What made the light shine, and how bright it was.
    private var before: (trigger: String?, brightness: String)?

    /// - Parameter directory: /sys/class/leds.
    package init(_ name: String, in directory: String) {
        self.name = name
        self.directory = directory + "/" + name
    }

    /// Lights it or darkens it; nothing is written where it is so already.
    ///
    /// - Throws: `ENOENT` where there is no such light; it may come later.
    package func light(_ isLit: Bool) throws(SystemError) {
        if self.isLit == isLit { return }
        do throws(SystemError) {
            if before == nil { try acquire() }
            try write(isLit ? maximum : "0", to: "brightness")
        } catch {
            // One that comes back has a trigger again.
            before = nil
            self.isLit = nil
            throw error
        }
        self.isLit = isLit
    }

    /// Gives the light back.
    package func putBack() {
        guard let before else { return }
        try? write(before.brightness, to: "brightness")
        if let trigger = before.trigger { try? write(trigger, to: "trigger") }
        self.before = nil
        isLit = nil
    }

    private func acquire() throws(SystemError) {
        let brightness = try read("brightness", limit: 16)
        var trigger: String?
        // A light without triggers is one that nothing else lights.
        if let choice = try? read("trigger", limit: 8192) {
            trigger = choice.split(separator: " ").first { $0.hasPrefix("[") }.map { String($0.dropFirst().dropLast()) }
            if trigger == "none" { trigger = nil }
            if trigger != nil { try write("none", to: "trigger") }
        }
        before = (trigger, brightness)
    }

    /// The brightness of a light that can only be on or off is 1.
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
