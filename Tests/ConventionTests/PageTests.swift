import Testing

/// The manual pages match the tables of options and keys.
@Suite struct PageTests {
    @Test(arguments: [
        "paced.8", "paced.conf.5", "paced_json.5", "paced-net.8", "paced-net.conf.5", "paced-web.8", "paced-web.conf.5",
        "paced-link.8", "paced-link.conf.5", "pacectl.1",
    ])
    func manualPageIsWellFormed(page: String) throws {
        let (output, status) = try Repository.run("mandoc", ["-T", "lint", "-W", "warning", "man/" + page])
        #expect(status == 0 && output == "")
    }

    @Test func readmeIsShort() throws {
        let lines = try Repository.text(of: "README.md").split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 150)
        for line in lines { #expect(line.count <= 100, "\(line)") }
    }

    @Test func readmeLinksEveryHowToPage() throws {
        let readme = try Repository.text(of: "README.md")
        let pages = try Repository.files(in: "docs/how-to", ".md")
        #expect(pages.count > 5)
        for page in pages { #expect(readme.contains("(\(page))"), "\(page)") }
    }

    @Test func protocolManualPageMatchesTheDocumentation() throws {
        let (output, status) = try Repository.run("Tools/protocol-page", ["--check"])
        #expect(status == 0 && output == "")
    }

    @Test(arguments: [
        ("paced.8", "Sources/Daemon/Options.swift"), ("paced-net.8", "Sources/Network/NetOptions.swift"),
        ("paced-web.8", "Sources/Web/WebOptions.swift"), ("paced-link.8", "Sources/Link/LinkOptions.swift"),
    ])
    func manualPageOfADaemonHasEveryOption(page: String, source: String) throws {
        let page = try Self.page(page)
        for option in try Self.options(of: source) { #expect(page.contains(option), "\(option)") }
    }

    @Test(arguments: ["paced", "paced-net", "paced-web", "paced-link"])
    func manualPageOfTheConfigurationHasEverySectionAndKey(program: String) throws {
        let page = try Self.page("\(program).conf.5")
        let example = try Repository.text(of: "systemd/\(program).conf")
        for section in example.matches(of: #/(?m)^#? ?\[([\w ]+)\]/#).map(\.1) {
            #expect(page.contains("\n.Ss [\(section)]"), "\(section)")
        }
        for key in Set(example.matches(of: #/(?m)^#? ?(\w+)=/#).map(\.1)) {
            #expect(page.contains(try Regex("\n\\.It (Cm .*)?\\b\(key) Ns =")), "\(key)")
        }
    }

    @Test func debianPackageHasTheVersionOfTheRelease() throws {
        let version = try Repository.text(of: "Sources/Domain/Release.swift").firstMatch(of: #/version = "(.*)"/#)?.1
        let changelog = try Repository.text(of: "debian/changelog")
        #expect(changelog.hasPrefix("paced (\(try #require(version))) "))
    }

    @Test(arguments: ["paced", "pacectl", "paced-net", "paced-web", "paced-link"])
    func zshFindsTheCompletion(program: String) throws {
        let script = "fpath=(completion $fpath); autoload -Uz compinit; compinit -D -u; print $_comps[$1]"
        let function = program == "pacectl" ? "_pacectl" : "_paced"
        #expect(try Repository.run("zsh", ["-fc", script, "zsh", program]).output == function + "\n")
    }

    /// The source of a page, with long options as they are typed.
    private static func page(_ name: String) throws -> String {
        try Repository.text(of: "man/" + name).replacing("Fl \\-", with: "--")
    }

    /// The long options of a table.
    private static func options(of source: String) throws -> [Substring] {
        let rows = try Repository.text(of: source).matches(of: #/ProgramOption\(\s*"(--[a-z-]+)"/#).map(\.1)
        try #require(rows.count > 3)
        return rows + ["--version", "--help"]
    }
}
