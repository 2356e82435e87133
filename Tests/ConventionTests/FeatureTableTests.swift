import Testing

/// The table of features in Tests/README.md: `make test` has the main path and a failure of each. And the tables
/// of other pages name tests that exist.
@Suite struct FeatureTableTests {
    /// The scenarios of `make first-beat` and `make first-boot`.
    private static let scenarios = [
        "kernel/cold-start", "bluetoothd/cold-start", "systemd/installation", "systemd/first-beat",
    ]

    /// The problem of a test that exists, but is marked `thorough`.
    private static let isOfTestAll = "make test does not run it"

    @Test func everyFeatureHasTwoTestsOfMakeTest() throws {
        let page = try Repository.text(of: "Tests/README.md")
        let table = try #require(page.split(separator: "\n## ").first { $0.hasPrefix("Features\n") })
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(rows.count > 50)
        let suites = try Self.suites()
        for row in rows {
            let tests = row.split(separator: " | ").dropFirst().flatMap { $0.matches(of: #/`([^`]+)`/#).map(\.1) }
            #expect(tests.count == 2, "\(row)")
            for test in tests { #expect(try Self.problem(of: test, suites) == nil, "\(test)") }
        }
    }

    @Test func everyPromiseOfSecurityIsOfThePageAndHasATest() throws {
        let parts = try Repository.text(of: "docs/security.md").split(separator: "\n## Promises and their tests\n")
        let rows = parts[1].split(separator: "\n").filter { $0.hasPrefix("| \"") }
        #expect(rows.count > 10)
        let page = parts[0].split { $0 == " " || $0 == "\n" }.joined(separator: " ").filter { $0 != "`" && $0 != "*" }
        let suites = try Self.suites()
        for row in rows {
            let promise = row.split(separator: "\"")[1]
            #expect(page.contains(promise), "\(promise)")
            let tests = row.matches(of: #/`([^`]+)`/#).map(\.1)
            #expect(!tests.isEmpty, "\(row)")
            for test in tests { #expect(try Self.problem(of: test, suites) == nil, "\(test)") }
        }
    }

    /// The page names tests that `make test` does not run, too.
    @Test func everyTestAndFileOfTheReferenceSystemsExists() throws {
        let page = try Repository.text(of: "docs/reference-systems.md")
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| feature ") }
        #expect(rows.count > 250)
        let suites = try Self.suites()
        for row in rows {
            let cells = row.split(separator: " | ")
            try #require(cells.count == 3, "\(row)")
            let tests = cells[2].matches(of: #/`([^`]+)`/#).map(\.1)
            #expect(!tests.isEmpty || cells[2] == "– |", "\(row)")
            for test in tests {
                let problem = try Self.problem(of: test, suites)
                #expect(problem == nil || problem == Self.isOfTestAll, "\(test)")
            }
        }
        for link in page.matches(of: #/\]\(([^)#]+)/#).map(\.1) {
            #expect((try? Repository.text(of: "docs/\(link)")) != nil, "\(link)")
        }
    }

    @Test func testsThatMakeTestDoesNotRunAreDetected() {
        let head = "import pytest\n\n\n"
        let text = """
            @pytest.mark.thorough
            @pytest.mark.parametrize("x", [
                1])
            def test_a(x):
                pass


            @pytest.mark.parametrize("x", matrix([1, 2], 1))
            def test_b(x):
                pass
            """
        #expect(Self.problem(of: "test_a", in: head + text) == Self.isOfTestAll)
        #expect(Self.problem(of: "test_b", in: head + text) == nil)
        #expect(Self.problem(of: "test_c", in: head + text) == "there is no such test")
        #expect(Self.problem(of: "test_b", in: "pytestmark = pytest.mark.thorough\n" + text) != nil)
    }

    /// Why a test, such as `test_a::test_b`, `Suite/test` or `systemd/installation`, is not one of `make test`.
    private static func problem(of test: Substring, _ suites: [Substring: String]) throws -> String? {
        if let separator = test.firstRange(of: "::") {
            let file = "Tests/EndToEnd/\(test[..<separator.lowerBound]).py"
            return problem(of: test[separator.upperBound...], in: try Repository.text(of: file))
        }
        guard !scenarios.contains(String(test)) else { return nil }
        let parts = test.split(separator: "/", maxSplits: 1)
        guard let first = parts.first, let name = parts.last, let text = suites[first] else {
            return "there is no such suite"
        }
        return text.contains("func \(name)(") || text.contains("func `\(name)`") ? nil : "there is no such test"
    }

    private static func problem(of test: Substring, in text: String) -> String? {
        guard let start = text.firstRange(of: "\ndef \(test)(")?.lowerBound else { return "there is no such test" }
        let decorators = text[..<start].split(separator: "\n", omittingEmptySubsequences: false).reversed()
            .prefix { !$0.isEmpty }
        let isThorough =
            decorators.contains("@pytest.mark.thorough") || text.contains(#/(?m)^pytestmark = .*thorough/#)
        return isThorough ? isOfTestAll : nil
    }

    /// The texts of the files with Swift tests, by the names of their suites.
    private static func suites() throws -> [Substring: String] {
        var suites: [Substring: String] = [:]
        for file in try Repository.files(in: "Tests", "Tests.swift") {
            let text = try Repository.text(of: file)
            for suite in text.matches(of: #/\b(?:struct|class) (\w+Tests)\b/#) { suites[suite.1] = text }
        }
        return suites
    }
}
