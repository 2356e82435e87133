import Domain

/// A command of `pacectl`: a row of the table from which its help, its completion and the check of its words follow.
///
/// Each file of `Commands` begins with the rows that it executes. Source: docs/decisions/programs.md.
package struct Command: Sendable {
    /// Such as `course show`.
    package let name: String
    let words: [Substring]
    /// The first word of the name, which several commands may share.
    let topic: String
    let arguments: [CommandArgument]
    /// In the order of the help.
    let options: [any CommandOptionRow]
    /// Options that other lines of the help describe.
    let others: [any CommandOptionRow]
    /// What the command does, for the help.
    let text: String
    let parse: @Sendable (Arguments) throws(Failure) -> Action

    /// A command with what the user wants of it.
    package struct Action {
        /// What the words and options mean; the type is that of the command.
        package let value: Any
        /// - Returns: the text for standard output.
        let run: (Invocation) throws(Failure) -> String
    }

    /// - Parameters:
    ///   - read: what words and options mean; throws a usage error for those that do not fit together.
    ///   - run: executes that, and returns the text for standard output.
    init<Value>(
        _ name: String, words arguments: [CommandArgument] = [], options: [any CommandOptionRow] = [],
        others: [any CommandOptionRow] = [], _ text: String,
        read: @escaping @Sendable (Arguments) throws -> Value,
        run: @escaping @Sendable (Invocation, Value) throws -> String
    ) {
        self.name = name
        words = name.split(separator: " ")
        topic = String(words[0])
        self.arguments = arguments
        self.options = options
        self.others = others
        self.text = text
        parse = { arguments throws(Failure) in
            let value = try failing { try read(arguments) }
            return Action(value: value) { invocation throws(Failure) in try failing { try run(invocation, value) } }
        }
    }

    /// A command that writes its output itself.
    init<Value>(
        _ name: String, words arguments: [CommandArgument] = [], options: [any CommandOptionRow] = [],
        others: [any CommandOptionRow] = [], _ text: String,
        read: @escaping @Sendable (Arguments) throws -> Value,
        run: @escaping @Sendable (Invocation, Value) throws -> Void
    ) {
        self.init(
            name, words: arguments, options: options, others: others, text, read: read,
            run: { invocation, value in
                try run(invocation, value)
                return ""
            })
    }

    /// A command without words and options.
    init(_ name: String, _ text: String, run: @escaping @Sendable (Invocation) throws -> String) {
        self.init(
            name, text, read: { _ in }, run: { invocation, _ -> String in try run(invocation) })
    }

    /// Whether the help has it; the others are for programs.
    package var isShown: Bool { !text.isEmpty }

    /// The option of this command with a name.
    func option(_ name: String) -> (any CommandOptionRow)? {
        (options + others).first { $0.names.contains(name) }
    }

    /// The word at a place after the name, from 0; nil beyond the last one.
    func argument(at index: Int) -> CommandArgument? {
        guard index < arguments.count else { return arguments.last.flatMap { $0.count.upperBound == .max ? $0 : nil } }
        return arguments[index]
    }

    /// Checks the number of words after the name, and parses what belongs to the command.
    func action(_ arguments: Arguments) throws(Failure) -> Action {
        let count = arguments.words.count
        let least = self.arguments.map(\.count.lowerBound).reduce(0, +)
        let isBounded = !self.arguments.contains { $0.count.upperBound == .max }
        if count < least {
            // The words before the missing one are there.
            throw .usage("\(name) needs \(self.arguments[min(count, self.arguments.count - 1)].needs)")
        }
        if isBounded, count > self.arguments.count {
            throw .usage("unexpected argument '\(arguments.words[self.arguments.count])' after '\(name)'")
        }
        return try parse(arguments)
    }

    /// The commands that a help or a suggestion names, each topic once.
    package static let topics: [String] = all.filter(\.isShown).map(\.topic).reduce(into: []) {
        if $0.last != $1 { $0.append($1) }
    }
}

/// A word, or several, after the name of a command.
struct CommandArgument: Sendable {
    /// As the help has it, such as `[SPORT]`.
    let word: String
    /// What an error says is missing.
    let needs: String
    let completion: Completion
    let count: ClosedRange<Int>

    static func one(_ word: String, _ needs: String, _ completion: Completion = .none) -> CommandArgument {
        CommandArgument(word: word, needs: needs, completion: completion, count: 1...1)
    }

    static func optional(_ word: String, _ completion: Completion = .none) -> CommandArgument {
        CommandArgument(word: "[\(word)]", needs: "", completion: completion, count: 0...1)
    }

    /// One word or more.
    static func some(_ word: String, _ needs: String, _ completion: Completion = .none) -> CommandArgument {
        CommandArgument(word: word, needs: needs, completion: completion, count: 1...Int.max)
    }

    static func any(_ word: String, _ completion: Completion = .none) -> CommandArgument {
        CommandArgument(word: word, needs: "", completion: completion, count: 0...Int.max)
    }
}

/// The words after the name of a command, and its options.
package struct Arguments {
    var words: [String] = []
    fileprivate var values: [String: [Any]] = [:]

    /// The value of an option; the last one if it is given more than once. Nil without it.
    subscript<Value>(option: CommandOption<Value>) -> Value? { all(option).last }

    func all<Value>(_ option: CommandOption<Value>) -> [Value] {
        (values[option.names[0]] ?? []).compactMap { $0 as? Value }
    }

    func has(_ option: CommandOption<Bool>) -> Bool { self[option] ?? false }

    /// All words as one text.
    var text: String { words.joined(separator: " ") }

    /// Reads an option.
    ///
    /// - Parameters:
    ///   - name: as the user has typed it.
    ///   - text: nil if the command line ends before the value.
    mutating func read(_ option: any CommandOptionRow, named name: String, _ text: String?) throws(Failure) {
        values[option.names[0], default: []].append(try option.value(named: name, text))
    }
}

/// A closure without a typed error, as the rows of the table are short with; it throws failures.
private func failing<Value>(_ body: () throws -> Value) throws(Failure) -> Value {
    do {
        return try body()
    } catch {
        throw error as? Failure ?? .failed("\(error)")
    }
}
