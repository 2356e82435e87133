import Testing

/// The manual pages and the completions match the help texts.
@Suite struct PageTests {
    private static let shells = ["bash", "zsh"]

    @Test(arguments: [
        "paced.8", "paced.conf.5", "paced_json.5", "paced-net.8", "paced-net.conf.5", "paced-web.8", "paced-web.conf.5",
        "pacectl.1",
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
        ("paced-web.8", "Sources/Web/WebOptions.swift"),
    ])
    func manualPageOfADaemonHasEveryOption(page: String, source: String) throws {
        let page = try Self.page(page)
        for option in try Self.options(of: source) { #expect(page.contains(option), "\(option)") }
    }

    @Test func manualPageOfPacectlHasEveryCommandAndOption() throws {
        let page = try Self.page("pacectl.1")
        for option in try Self.options(of: "Sources/Console/HelpText.swift") {
            #expect(page.contains(option), "\(option)")
        }
        for command in try Self.commands() {
            #expect(page.contains(try Regex("\n\\.It Cm \(command)\\b")), "\(command)")
        }
    }

    @Test(arguments: ["paced", "paced-net", "paced-web"])
    func manualPageOfTheConfigurationHasEverySectionAndKey(program: String) throws {
        let page = try Self.page("\(program).conf.5")
        let example = try Repository.text(of: "systemd/\(program).conf")
        for section in example.matches(of: #/(?m)^#? ?\[(\w+)\]/#).map(\.1) {
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

    @Test(arguments: shells)
    func completionHasEveryCommandAndOption(shell: String) throws {
        func file(_ program: String) -> String {
            "completion/" + (shell == "bash" ? program + ".bash" : "_" + program)
        }
        for (program, source) in [
            ("paced", "Sources/Daemon/Options.swift"), ("pacectl", "Sources/Console/HelpText.swift"),
            ("paced-net", "Sources/Network/NetOptions.swift"), ("paced-web", "Sources/Web/WebOptions.swift"),
        ] {
            let file = file(program)
            #expect(try Repository.run(shell, ["-n", file]).output == "")
            let text = try Repository.text(of: file)
            for option in try Self.options(of: source) { #expect(text.contains(option), "\(file) lacks \(option)") }
        }
        let text = try Repository.text(of: file("pacectl"))
        for command in try Self.commands() {
            #expect(text.contains(try Regex("\\b\(command)\\b").wordBoundaryKind(.simple)), "\(command)")
        }
    }

    @Test(arguments: [
        ("pacectl st", "status start stop"), ("pacectl start --indoor r", "run ride"),
        ("pacectl sensors f", "forget"), ("pacectl --state-dir /x settings set use", "use_heart_rate_zones"),
        ("pacectl settings set metric ", "yes no"), ("pacectl export 17 --format g", "gpx geojson"),
        ("pacectl --js", "--json"), ("pacectl import Pack", "Package.swift"), ("pacectl show ", "last 1700 4"),
        ("pacectl activities --totals ", "week month year"), ("pacectl activities --sport w", "walk"),
        ("pacectl activities --before ", "1700 4"), ("pacectl --state-dir /x delete 5", "520"),
        ("pacectl settings reset tw", "twelve_hour_clock"), ("pacectl settings set sport h", "hike"),
        ("pacectl settings set zones ", "1,2,3,4,5"), ("pacectl settings set sensors ", "H10 1"),
        ("pacectl settings set auto_stop_minutes ", ""), ("pacectl help st", "status start stop"),
        ("pacectl replay --sp", "--speed --sport"), ("paced --bl", "--bluetooth"),
        ("paced --rep", "--replay"), ("paced --replay Pack", "Package.swift"), ("pacectl rows l", "last"),
        ("pacectl watch --lo", "--loop"), ("pacectl watch --replay Pack", "Package.swift"),
        ("paced --bluetooth b", "bluetoothd"),
        ("paced --config Pack", "Package.swift"), ("paced-net --ca", "--cache-dir"),
        ("paced-net --config Pack", "Package.swift"), ("paced-net --paced-dir Tes", "Tests"),
        ("paced-web --pag", "--page-dir"), ("paced-web --config Pack", "Package.swift"),
        ("paced-web --page-dir Tes", "Tests"),
    ])
    func bashCompletesALine(line: String, choices: String) throws {
        let script = #"""
            . completion/$1.bash
            \#(Self.program)
            IFS=' ' read -ra COMP_WORDS <<<"$2"
            [[ $2 != *' ' ]] || COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _$1
            echo "${COMPREPLY[*]}"
            """#
        let program = try #require(line.split(separator: " ").first)
        let (output, status) = try Repository.run("bash", ["-uc", script, "bash", String(program), line])
        #expect(status == 0 && output == choices + "\n")
    }

    /// A function in the place of pacectl, with two activities and some settings.
    private static let program = #"""
        pacectl() {
            case "$*" in
            '--state-dir /x activities '*) echo '{"id":520,' ;;
            *'activities --json '*) printf '{"id":%s,\n' 1700 4 ;;
            '--json settings get zones') echo '[1,2,3,4,5]' ;;
            '--json settings get sensors') echo '["H10 1"]' ;;
            *) echo null ;;
            esac
        }
        """#

    /// Types each line and Tab into an interactive zsh, and waits for what it inserts.
    @Test func zshCompletesLines() throws {
        let script = #"""
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell "PS1='> '; stty cols 200; fpath=(\$PWD/completion \$fpath); autoload -Uz compinit; compinit -D -u"
            zpty -w shell "$1"
            zpty -w shell 'print "rea""dy"'
            zpty -r shell output '*ready*'
            shift
            for line inserted; do
                zpty -n -w shell "pacectl $line"$'\t'
                zpty -r shell output "*$inserted*" && print -r -- "$line$inserted"
                zpty -n -w shell $'\x15'
            done
            zpty -d shell
            """#
        let lines = [
            ("settings set sport h", "ike"), ("settings set metric y", "es"), ("settings reset tw", "elve_hour_clock"),
            ("settings set zones ", "1,2,3,4,5"), ("show 17", "00"), ("--state-dir /x activities --before ", "520"),
            ("activities --sport w", "alk"), ("help sche", "ma"),
        ]
        let arguments = lines.flatMap { [$0.0, $0.1] }
        let (output, _) = try Repository.run("timeout", ["120", "zsh", "-fc", script, "zsh", Self.program] + arguments)
        #expect(output == lines.map { $0.0 + $0.1 + "\n" }.joined())
    }

    @Test(arguments: ["paced", "pacectl", "paced-net", "paced-web"])
    func zshFindsTheCompletion(program: String) throws {
        let script = "fpath=(completion $fpath); autoload -Uz compinit; compinit -D -u; print $_comps[$1]"
        #expect(try Repository.run("zsh", ["-fc", script, "zsh", program]).output == "_\(program)\n")
    }

    /// The source of a page, with long options as they are typed.
    private static func page(_ name: String) throws -> String {
        try Repository.text(of: "man/" + name).replacing("Fl \\-", with: "--")
    }

    /// The long options in a help text.
    private static func options(of source: String) throws -> Set<Substring> {
        let text = try Repository.text(of: source)
        let rows = text.matches(of: #/ProgramOption\(\s*"(--[a-z-]+)"/#).map(\.1)
        let help = text.matches(of: #/"""\n(?s:(.*?))"""/#).map(\.1).max { $0.count < $1.count }
        let options = Set(
            rows.isEmpty ? try #require(help).matches(of: #/--[a-z][a-z-]+/#).map(\.0) : rows + ["--version", "--help"])
        try #require(options.count > 5)
        return options
    }

    /// The commands in the help text of pacectl.
    private static func commands() throws -> Set<Substring> {
        let help = try Repository.text(of: "Sources/Console/HelpText.swift")
        let commands = Set(help.matches(of: #/(?m)^      ([a-z]+)(?: |$)/#).map(\.1))
        try #require(commands.count > 10)
        return commands
    }
}
