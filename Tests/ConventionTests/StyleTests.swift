import Testing

/// The conventions of CONTRIBUTING.md for lines and files.
@Suite struct StyleTests {
    /// A type with private state stays in one file: a file is split by topic, not by length.
    @Test(arguments: [("Sources", 500), ("Tests", 350)])
    func filesStayWithinTheirLineLimit(folder: String, limit: Int) throws {
        for file in try Repository.files(in: folder, ".swift") {
            let count = try Repository.text(of: file).split(separator: "\n", omittingEmptySubsequences: false).count - 1
            #expect(count <= limit, "\(file) has \(count) lines")
        }
    }

    @Test func nothingIsPublic() throws {
        try expectNoCode(#/^\s*(@\w+\s+)*(public\b|open\s+(class|func|var|let|subscript)\b)/#)
    }

    @Test func noTypeHasAGenericName() throws {
        let pattern =
            #/\b(struct|class|enum|protocol|typealias)\s+(\w*(Manager|Helpers?|Utils?|Utilities|Handler|Impl)|\w*(Core|Common))\b/#
        try expectNoCode(pattern)
    }

    /// Except the journal's threads, which share only locked state.
    @Test func noCodeUsesConcurrency() throws {
        try expectNoCode(
            #/\b(async|await|actor|nonisolated\(unsafe\))\b|@unchecked|@MainActor/#, butIn: "Linux/Locked.swift")
    }

    /// The sanitizers are not run on their tests (`Package.swift`), because these targets have no pointers.
    @Test func innerRingsUseNoUnsafeCode() throws {
        let targets = [
            "Domain", "Sensors", "Pipeline", "Formats", "Weather", "Maps", "Transit", "Wire", "JournalCoding",
        ]
        for target in targets {
            try expectNoCode(#/\b[Uu]nsafe|withUnsafe/#, in: target)
        }
    }

    /// A test is skipped only where the machine lacks what it needs, and its reason begins with "needs".
    @Test func noTestIsDisabled() throws {
        // Split, so that this file does not contain them itself.
        let words = [
            ".dis" + "abled(", "XCT" + "Skip", "@pytest.mark." + "skip", "pytest." + "skip", "withKnown" + "Issue",
        ]
        var reasons = 0
        for ending in [".swift", ".py"] {
            for file in try Repository.files(in: "Tests", ending) {
                let text = try Repository.text(of: file)
                for word in words { #expect(!text.contains(word), "\(file) has \(word)") }
                for word in [".enabled" + "(if:", "mark.skip" + "if("] {
                    for part in text.split(separator: word).dropFirst() {
                        reasons += 1
                        #expect(part.prefix(200).contains(#""needs "#), "\(file): \(word) \(part.prefix(80))")
                    }
                }
            }
        }
        #expect(reasons > 0)
    }

    private func expectNoCode(
        _ pattern: some RegexComponent, in only: String? = nil, butIn exception: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for target in try Repository.folders(in: "Sources") where target == only ?? target && target != "TestKit" {
            for file in try Repository.files(in: "Sources/" + target, ".swift") {
                if let exception, file.hasSuffix(exception) { continue }
                for line in try Repository.code(of: file) {
                    #expect(!line.contains(pattern), "\(file): \(line)", sourceLocation: sourceLocation)
                }
            }
        }
    }
}
