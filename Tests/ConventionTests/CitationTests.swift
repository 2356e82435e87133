import Foundation
import Testing

/// The pages that files refer to.
@Suite struct CitationTests {
    private static let endings = [
        ".md", ".swift", ".py", ".c", ".h", ".conf", ".service", ".socket", ".rules", ".1", ".5", ".8", ".sh",
    ]

    /// A reference is a path from the root or from the folder of the file.
    @Test func everyCitedPageExists() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Repository.root.path)
        let top = files.filter { name in name == "Makefile" || Self.endings.contains { name.hasSuffix($0) } }
        let below = try Self.endings.flatMap { try Repository.files($0) }
        let tools = try Repository.files(in: "Tools", "")
        for file in top + below + tools {
            guard let text = try? Repository.text(of: file), text.contains(".md") else { continue }
            let folder = (file as NSString).deletingLastPathComponent
            for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                for page in Self.pages(in: line) {
                    let isThere = [page, folder + "/" + page].contains { path in
                        FileManager.default.fileExists(atPath: Repository.root.appendingPathComponent(path).path)
                    }
                    #expect(isThere, "\(file):\(number + 1) names \(page)")
                }
            }
        }
    }

    /// Pages, licences and tools name sources from the root, or from Sources or Tests.
    @Test func everyCitedSourceExists() throws {
        let files =
            try Repository.files(".md") + Repository.files("LICENSE")
            + ["README.md", "CONTRIBUTING.md"]
            + ["debian", "LICENSES", "Tools"].flatMap { try Repository.files(in: $0, "") }
        var count = 0
        for file in files {
            guard let text = try? Repository.text(of: file) else { continue }
            for match in text.matches(of: #/(?:[A-Z]\w+(?:/[\w+]+)*)/[\w+]+\.swift\b/#) {
                let isThere = ["", "Sources/", "Tests/"].contains { root in
                    let path = Repository.root.appendingPathComponent(root + String(match.output)).path
                    return FileManager.default.fileExists(atPath: path)
                }
                #expect(isThere, "\(file) names \(match.output)")
                count += 1
            }
        }
        #expect(count > 20)
    }

    @Test func everyFormOfACitationIsFound() {
        // Split, so that this file does not name a page itself.
        let end = "." + "md"
        let line = "/// Source: docs/a-b\(end), 1; [c](../c\(end)#d)."
        #expect(Self.pages(in: line[...]) == ["docs/a-b\(end)", "../c\(end)"])
        #expect(Self.pages(in: "files(\"\(end)\"), *\(end), https://example.org/a\(end)") == [])
    }

    private static func pages(in line: Substring) -> [String] {
        line.matches(of: #/(?:[\w.\-]+/)*\w[\w.\-]*\.md\b/#).filter { match in
            let head = line[..<match.range.lowerBound]
            return !head.hasSuffix("//") && !head.hasSuffix("/")
        }.map { String($0.output) }
    }
}
