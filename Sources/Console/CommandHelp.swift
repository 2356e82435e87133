/// The output of `pacectl help`, from the table of commands.
package enum CommandHelp {
    private static let width = 80
    /// The column of the texts, from 0.
    private static let column = 28

    /// The help of one command, with all that begin with its word, or of all.
    package static func text(of topic: String?) -> String {
        guard let topic else { return ofAll }
        let commands = Command.all.filter { $0.topic == topic && $0.isShown }
        var options: [String] = []
        for option in commands.flatMap({ $0.options + $0.others }) where !option.text.isEmpty {
            let line = entry(option.form, indent: 2, option.text)
            if !options.contains(line) { options.append(line) }
        }
        return "\(usage)\n\n" + commands.map(row).joined() + (options.isEmpty ? "" : "\n" + options.joined())
            + "\n'pacectl help' lists all commands and their common options; 'man pacectl' has the details.\n"
    }

    private static let usage = "Usage: pacectl [OPTION]... COMMAND"

    private static var ofAll: String {
        "pacectl is the command line of paced, the headless sports computer.\n\n\(usage)\n\n"
            + Command.all.filter { $0.isShown }.map(row).joined() + "\n"
            + Options.ofAll.map { entry($0.form, indent: 2, $0.text) }.joined()
                + """

                Exit status: 0 done, 1 failed, 2 usage, 3 paced is not reachable. doctor ends
                with 0 if all checks pass, and with 1 if a remedy is needed.

                """
    }

    private static func row(_ command: Command) -> String {
        entry(command.synopsis, indent: 3 + command.topic.count, command.text)
    }

    /// A head and its text beside it, or below if the head is long.
    ///
    /// - Parameter indent: of the further lines of a head.
    private static func entry(_ head: String, indent: Int, _ text: String) -> String {
        var lines = wrapped(head, to: width - indent).enumerated().map { index, line in
            String(repeating: " ", count: index == 0 ? 2 : indent) + line
        }
        let margin = String(repeating: " ", count: column)
        var texts = wrapped(text, to: width - column)
        if lines.count == 1, lines[0].count + 2 <= column {
            lines[0] += margin.dropFirst(lines[0].count) + texts.removeFirst()
        }
        return (lines + texts.map { margin + $0 }).map { $0 + "\n" }.joined()
    }

    /// Breaks a text between words. What brackets enclose is one word.
    private static func wrapped(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        var word = ""
        var depth = 0
        for character in text + " " {
            if character == "[" { depth += 1 } else if character == "]" { depth -= 1 }
            guard character == " ", depth <= 0 else {
                word.append(character)
                continue
            }
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(word)
            }
            word = ""
        }
        return lines
    }
}

extension Command {
    /// The name, the words and the options: `start [SPORT] [--indoor] [--ago SECONDS]`.
    package var synopsis: String {
        ([name] + arguments.map(\.word) + options.map { "[\($0.form)]" }).joined(separator: " ")
    }
}
