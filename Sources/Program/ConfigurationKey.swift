import Domain
package import Linux

/// A key of a program's configuration file: one row of its table.
///
/// The parser, its errors and a reload follow from the row; of paced.conf the example file and the manual page too.
package struct ConfigurationKey<Configuration>: Sendable {
    /// When a changed value takes effect.
    package enum Effect: Sendable {
        /// At a reload.
        case reload
        /// At the next start: a reload closes no link.
        case start
    }

    /// One that ends with a blank and NAME stands for several, such as `Upload NAME`.
    package let section: String
    package let name: String
    /// The name in release 0.1.0, which the next release rejects.
    package let former: FormerName?
    /// The default as the file has it; empty for none.
    package let initial: String
    package let effect: Effect
    /// What the key does, the values that it takes and what an empty one means, for the manual page and the example file.
    package let text: String
    /// Whether two configurations have the same value.
    package let isEqual: @Sendable (Configuration, Configuration) -> Bool
    /// Copies the value from the first configuration to the second one.
    package let copy: @Sendable (Configuration, inout Configuration) -> Void
    private let set: @Sendable (ConfigurationFile.Assignment, inout Configuration) throws -> Void

    package struct FormerName: Sendable {
        package let name: String
        /// Converts a value that the former name has to the value of the present one.
        let converting: @Sendable (String) -> String

        package init(name: String, converting: @escaping @Sendable (String) -> String = { $0 }) {
            self.name = name
            self.converting = converting
        }
    }

    /// A key with a property of the configuration.
    ///
    /// - Parameters:
    ///   - property: where the configuration keeps the value.
    ///   - parse: reads the value; throws a ``UsageError`` that names the key.
    package init<Value: Equatable & Sendable>(
        _ section: String, _ name: String,
        _ property: any WritableKeyPath<Configuration, Value> & Sendable, former: FormerName? = nil,
        initial: String = "", effect: Effect = .reload, text: String,
        parse: @escaping @Sendable (ConfigurationFile.Assignment) throws -> Value
    ) {
        self.section = section
        self.name = name
        self.former = former
        self.initial = initial
        self.effect = effect
        self.text = text
        set = { $1[keyPath: property] = try parse($0) }
        isEqual = { $0[keyPath: property] == $1[keyPath: property] }
        copy = { $1[keyPath: property] = $0[keyPath: property] }
    }

    /// A key whose value the program compares and reloads by itself.
    ///
    /// - Parameter set: applies an assignment; throws a ``UsageError`` that names the key.
    package init(
        _ section: String, _ name: String, former: FormerName? = nil,
        set: @escaping @Sendable (ConfigurationFile.Assignment, inout Configuration) throws -> Void
    ) {
        self.section = section
        self.name = name
        self.former = former
        initial = ""
        effect = .reload
        text = ""
        self.set = set
        isEqual = { _, _ in true }
        copy = { _, _ in }
    }

    /// A key whose empty value changes nothing.
    ///
    /// - Parameters:
    ///   - rule: what a value must be, for the error.
    ///   - set: applies a value; false for one against the rule.
    package init(
        _ section: String, _ name: String, rule: String,
        set: @escaping @Sendable (inout Configuration, String) -> Bool
    ) {
        self.init(section, name) { assignment, configuration in
            guard assignment.value.isEmpty || set(&configuration, assignment.value) else {
                throw UsageError(line: "\(name) must be \(rule)")
            }
        }
    }

    /// Whether it is a key of a section. A section such as `Upload NAME` stands for all whose name begins so.
    func isIn(_ section: String) -> Bool {
        self.section == section || self.section.hasSuffix(" NAME") && section.hasPrefix(self.section.dropLast(4))
    }

    /// - Throws: ``UsageError``, which names the key; then nothing has changed.
    package func apply(
        _ assignment: ConfigurationFile.Assignment, to configuration: inout Configuration
    ) throws(UsageError) {
        try UsageError.only { try set(assignment, &configuration) }
    }
}

/// The keys of a program's configuration file.
package struct ConfigurationTable<Configuration>: Sendable {
    /// The file that is read without `--config`.
    package let path: String
    package let keys: [ConfigurationKey<Configuration>]
    /// In the order of the keys.
    package let sections: [String]

    package init(path: String, _ keys: [ConfigurationKey<Configuration>]) {
        self.path = path
        self.keys = keys
        sections = keys.reduce(into: []) { if $0.last != $1.section { $0.append($1.section) } }
    }

    /// The names of all keys of a section.
    package func names(in section: String) -> [String] {
        keys.filter { $0.section == section }.map(\.name)
    }

    /// What was applied to a configuration.
    package struct Applied {
        /// A line for each key that has its name of an earlier release.
        package var warnings: [String] = []
        /// The assignments, with the present names of their keys.
        package var assignments: [ConfigurationFile.Assignment] = []
    }

    /// Reads a file and its drop-ins, and applies them.
    ///
    /// - Parameter named: a file that must exist; nil for the default one, which may be missing.
    /// - Throws: ``UsageError``.
    package func read(_ named: String?, into configuration: inout Configuration) throws(UsageError) -> Applied {
        try apply(assignments(of: named), named: named, to: &configuration)
    }

    /// The assignments of a file and its drop-ins; nil if there is no file.
    package func assignments(of named: String?) throws(UsageError) -> [ConfigurationFile.Assignment]? {
        do throws(ConfigurationFile.Failure) {
            return try ConfigurationFile.read(named ?? path)
        } catch {
            throw UsageError(line: error.line)
        }
    }

    /// Applies what ``assignments(of:)`` has read.
    package func apply(
        _ assignments: [ConfigurationFile.Assignment]?, named: String?, to configuration: inout Configuration
    ) throws(UsageError) -> Applied {
        if let assignments { return try apply(assignments, to: &configuration) }
        guard let named else { return Applied() }
        throw UsageError(line: "there is no file \(named); give --config another, or leave it away")
    }

    /// Applies assignments. Of those to the same key in several files, the last one counts.
    ///
    /// - Throws: ``UsageError``, which names the file and the line of each error, one a line.
    package func apply(
        _ assignments: [ConfigurationFile.Assignment], to configuration: inout Configuration
    ) throws(UsageError) -> Applied {
        var applied = Applied()
        var lines: [String: Int] = [:]
        var errors: [String] = []
        let names = Set(assignments.map { $0.section + "." + $0.key })
        for var assignment in assignments {
            let place = "\(assignment.path):\(assignment.line): "
            if let key = keys.first(where: { $0.former?.name == assignment.key && $0.section == assignment.section }),
                let former = key.former
            {
                let isReplaced = names.contains(key.section + "." + key.name)
                let change =
                    isReplaced
                    ? "is ignored, \(key.name)= replaces it"
                    : "is now called \(key.name)=, and is read as \(key.name)=\(SanitizedText(former.converting(assignment.value))?.text ?? ""); change it, the next release rejects it"
                applied.warnings.append("\(place)\(assignment.key)= \(change)")
                if isReplaced { continue }
                assignment.value = former.converting(assignment.value)
                assignment.key = key.name
            }
            do throws(UsageError) {
                let name = "\(assignment.path):\(assignment.section).\(assignment.key)"
                if let line = lines.updateValue(assignment.line, forKey: name) {
                    throw UsageError(line: "\(shown(assignment.key)) is already set in line \(line)")
                }
                try key(of: assignment).apply(assignment, to: &configuration)
                applied.assignments.append(assignment)
            } catch {
                errors.append(place + error.line)
            }
        }
        if !errors.isEmpty { throw UsageError(line: errors.joined(separator: "\n")) }
        return applied
    }

    private func key(
        of assignment: ConfigurationFile.Assignment
    ) throws(UsageError) -> ConfigurationKey<Configuration> {
        let section = assignment.section
        if let key = keys.first(where: { $0.isIn(section) && $0.name == assignment.key }) { return key }
        let list = sections.map { "[\($0)]" }.joined(separator: " ")
        if section.isEmpty {
            throw UsageError(line: "\(shown(assignment.key)) is outside a section; the sections are \(list)")
        }
        guard let known = keys.first(where: { $0.isIn(section) })?.section else {
            throw UsageError(line: "there is no section [\(shown(section))]; the sections are \(list)")
        }
        throw UsageError(
            line: "there is no key \(shown(assignment.key)) in [\(shown(section))]; the keys are "
                + names(in: known).joined(separator: " "))
    }
}

/// A word of a file without characters that a terminal interprets.
private func shown(_ word: String) -> String {
    SanitizedText(word)?.text ?? "\"\""
}
