import Domain
import Glibc
import Linux

/// The command line of a daemon: the table of its options, from which its help and its reader follow, and its exit status.
///
/// Source: docs/decisions/programs.md.
package struct ProgramDescription<Options: Sendable>: Sendable {
    /// The program's name, such as `paced-net`.
    let name: String
    /// What `--version` prints after the name.
    let version: String
    /// What the program does, for the help.
    let summary: String
    /// The column of the help at which the texts of the options begin, from 0. A longer option has its text on the next line.
    let column: Int
    let options: [ProgramOption<Options>]
    /// The last line of the help.
    let end: String
    /// The options of a command line without any.
    let initial: Options
    /// Checks what the options mean together.
    let check: @Sendable (inout Options) throws(UsageError) -> Void

    package init(
        name: String, version: String = Release.version, summary: String, column: Int,
        options: [ProgramOption<Options>], end: String, initial: Options,
        check: @escaping @Sendable (inout Options) throws(UsageError) -> Void = { _ in }
    ) {
        self.name = name
        self.version = version
        self.summary = summary
        self.column = column
        self.options = options
        self.end = end
        self.initial = initial
        self.check = check
    }

    /// The action that the command line requests.
    package enum Request {
        case run(Options)
        /// Text for standard output.
        case print(String)
    }

    /// Parses the arguments after the program's name: `--option value` and `--option=value`.
    package func read(_ arguments: [String]) throws(UsageError) -> Request {
        var values = initial
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let attached = parts.count == 2 ? parts[1] : nil
            if argument == "--help" { return .print(help) }
            if argument == "--version" { return .print("\(name) \(version)\n") }
            guard let option = options.first(where: { $0.name == parts[0] || $0.former == parts[0] }),
                attached == nil || option.value != .none
            else {
                throw UsageError(
                    line: "unknown option \(SanitizedText(argument)?.text ?? "\"\""); \(name) --help lists them")
            }
            let value =
                switch option.value {
                case .none: ""
                case .required: attached ?? rest.popFirst() ?? ""
                case .optional(let initial, _): attached ?? initial
                }
            if value.isEmpty, option.value != .none { throw UsageError(line: "\(parts[0]) needs a value") }
            try UsageError.only { try option.set(&values, value) }
        }
        try check(&values)
        return .run(values)
    }

    package var help: String {
        let margin = String(repeating: " ", count: column)
        var lines = ["Usage: \(name) [OPTION…]"] + summary.split(separator: "\n").map(String.init) + [""]
        for option in options {
            let head = "  " + option.head
            var text = option.text.split(separator: "\n").map { margin + $0 }
            if head.count + 1 < column, let first = text.first {
                text[0] = head + first.dropFirst(head.count)
            } else {
                text.insert(head, at: 0)
            }
            lines += text
        }
        return (lines + ["  --version, --help", "", end, ""]).joined(separator: "\n")
    }

    /// Runs the program: reads its options, and starts it with them.
    ///
    /// - Parameters:
    ///   - signals: those that the program's loop handles. They are blocked before another thread begins.
    ///   - start: runs until the end of the program, and returns its exit status.
    /// - Returns: the exit status: 2 for a ``UsageError``, 1 for any other error. Standard error has the reason.
    package func main(
        _ arguments: [String], signals: [Int32] = ServiceLoop.signals, start: (Options) throws -> Int32
    ) -> Int32 {
        blockSignals(signals)
        Machine.returnLargeBlocks()
        func fail(_ text: String, status: Int32) -> Int32 {
            for line in text.split(separator: "\n") { LogLevel.error.write(String(line), of: name) }
            return status
        }
        do {
            switch try read(arguments) {
            case .print(let text):
                print(text, terminator: "")
                return 0
            case .run(let options): return try start(options)
            }
        } catch let error as UsageError {
            return fail(error.line, status: 2)
        } catch let failure as StartFailure {
            return fail(failure.line, status: 1)
        } catch {
            return fail("\(error)", status: 1)
        }
    }
}

extension ProgramDescription.Request: Equatable where Options: Equatable {}

/// An option of a daemon: one row of its table.
package struct ProgramOption<Options>: Sendable {
    package enum Value: Equatable, Sendable {
        case none
        /// With the word that stands for it in the help.
        case required(String)
        /// A value that only `=` gives; without one the first value is meant. The second one is for the help.
        case optional(String, String)
    }

    let name: String
    /// The name in an earlier release, which is still read.
    let former: String?
    let value: Value
    /// For the help, with its line breaks.
    let text: String
    let set: @Sendable (inout Options, String) throws -> Void

    package init(
        _ name: String, former: String? = nil, _ value: Value, _ text: String,
        set: @escaping @Sendable (inout Options, String) throws -> Void
    ) {
        self.name = name
        self.former = former
        self.value = value
        self.text = text
        self.set = set
    }

    var head: String {
        switch value {
        case .none: name
        case .required(let word): name + " " + word
        case .optional(_, let words): name + "[=" + words + "]"
        }
    }
}

extension ProgramOption {
    /// The option of a program that uses the sockets of paced.
    package static func pacedDirectory(set: @escaping @Sendable (inout Options, String) -> Void) -> Self {
        ProgramOption(
            "--paced-dir", .required("DIR"),
            """
            the directory of the sockets of paced; default: /run/paced as root,
            else $XDG_RUNTIME_DIR/paced
            """, set: set)
    }
}
