import Console
import Foundation
import TestKit
import Testing

/// The manual page pacectl(1) has the form of each command of the table.
struct ManualPageTests {
    @Test func manualPageHasTheFormOfEachCommand() throws {
        let page = try String(contentsOfFile: Checkout.path("man/pacectl.1"), encoding: .utf8)
        let items = page.split(separator: "\n").filter { $0.hasPrefix(".It Cm ") }.map(String.init)
        for command in Command.all where command.isShown {
            let item = Self.item(command)
            #expect(items.contains(item), "lacks \(item)")
        }
    }

    /// In the language of mdoc(7).
    private static func item(_ command: Command) -> String {
        var item = ".It Cm"
        var rest = command.synopsis.dropFirst(command.name.count)
        item += " " + command.name
        while let character = rest.first {
            if character == " " {
                rest.removeFirst()
                continue
            }
            let isOptional = character == "["
            let word = isOptional ? rest.dropFirst().prefix { $0 != "]" } : rest.prefix { $0 != " " }
            rest = rest.dropFirst(word.count + (isOptional ? 2 : 0))
            let macros = word.split(separator: " ").map(macro).joined(separator: " ")
            item += isOptional ? " Oo \(macros) Oc" : " \(macros)"
        }
        return item
    }

    private static func macro(_ word: Substring) -> String {
        if word.hasPrefix("-") { return "Fl " + (word.hasPrefix("--") ? "\\-" + word.dropFirst(2) : word.dropFirst()) }
        let isLiteral = !word.contains { $0.isUppercase || $0 == "." }
        return (isLiteral ? "Cm " : "Ar ") + word
    }
}
