import Testing

/// A target imports what Package.swift declares for it. SwiftPM lets it import the dependencies of its dependencies too.
@Suite struct ImportTests {
    /// Rings 0 and 1, which make no system calls.
    private static let pure: Set = [
        "Domain", "JSONCoding", "Sensors", "Pipeline", "Formats", "Weather", "Maps", "Transit", "Report", "Wire",
        "JournalCoding",
    ]
    /// Modules of the system that only these import.
    private static let system: [String: Set<String>] = ["Synchronization": ["Linux", "Storage"]]

    /// The dependencies of each target that Package.swift declares.
    private static func dependencies() throws -> [String: Set<String>] {
        let manifest = try Repository.text(of: "Package.swift")
        func words(_ text: Substring) -> Set<String> {
            Set(text.matches(of: #/"([\w-]+)"/#).map { String($0.1) })
        }
        var lists: [String: Set<String>] = [:]
        for list in manifest.matches(of: #/let (\w+): \[Target\.Dependency\] = \[((?s:.*?))\]/#) {
            lists[String(list.1)] = words(list.2)
        }
        let declaration =
            #/\.(?:target|executableTarget)\(\s*name: "([\w-]+)"(?:,\s*dependencies: (\[(?s:.*?)\](?: \+ \w+)*))?/#
        var found: [String: Set<String>] = [:]
        for target in manifest.matches(of: declaration) {
            let text = target.2 ?? ""
            let added = text.matches(of: #/\+ (\w+)/#).compactMap { lists[String($0.1)] }
            let named = text.hasPrefix("[") ? [] : [lists[String(text)] ?? []]
            found[String(target.1)] = (added + named).reduce(words(text)) { $0.union($1) }
        }
        return found
    }

    @Test func targetsImportOnlyWhatTheManifestDeclares() throws {
        let declared = try Self.dependencies()
        let targets = try Repository.folders(in: "Sources").filter { !Self.isShim($0) && $0 != "TestKit" }
        for target in targets {
            let dependencies = try #require(declared[target], "Package.swift has no target \(target)")
            for file in try Repository.files(in: "Sources/" + target, ".swift") {
                for module in try Repository.code(of: file).compactMap(Self.importedModule) {
                    let isOfSystem = module == "Glibc" && !Self.pure.contains(target)
                    let isAllowed = dependencies.contains(module) || Self.system[module]?.contains(target) == true
                    #expect(isAllowed || isOfSystem, "\(file) imports \(module)")
                }
            }
        }
    }

    /// Apart from the mathematics of libm.
    @Test func cLibrariesAreImportedByOneTarget() throws {
        let shims = try Self.dependencies().filter { Self.isOurs($0.key) }.values.flatMap(\.self)
            .filter { Self.isShim($0) && $0 != "CMath" }
        #expect(Set(shims).count == shims.count && shims.count > 10)
    }

    private static func isOurs(_ target: String) -> Bool {
        !isShim(target) && target != "TestKit"
    }

    /// Inner rings know no outer ones: Package.swift would allow it.
    @Test func pureTargetsDependOnPureTargetsOnly() throws {
        let declared = try Self.dependencies()
        for target in Self.pure {
            let others = try #require(declared[target]).filter { !Self.isShim($0) }
            #expect(others.isSubset(of: Self.pure), "\(target): \(others)")
        }
    }

    @Test func testKitImportsNoTestRunner() throws {
        for file in try Repository.files(in: "Sources/TestKit", ".swift") {
            let modules = try Repository.code(of: file).compactMap(Self.importedModule)
            #expect(!modules.contains("Testing") && !modules.contains("XCTest"), "\(file)")
        }
    }

    @Test func shimsHoldNoSwiftAndDefineNoFeatureMacroInAHeader() throws {
        for shim in try Repository.folders(in: "Sources") where Self.isShim(shim) {
            #expect(try Repository.files(in: "Sources/" + shim, ".swift") == [])
            for header in try Repository.files(in: "Sources/" + shim, ".h") {
                for line in try Repository.text(of: header).split(separator: "\n") {
                    #expect(!line.contains(#/^\s*#\s*define\s+_\w+_SOURCE\b/#), "\(header): \(line)")
                }
            }
        }
    }

    @Test func everyFormOfAnImportIsFound() {
        #expect(Self.importedModule("import Glibc") == "Glibc")
        #expect(Self.importedModule("package import Domain") == "Domain")
        #expect(Self.importedModule("  @testable import Linux") == "Linux")
        #expect(Self.importedModule("@_exported internal import struct Foundation.URL") == "Foundation")
        #expect(Self.importedModule("@preconcurrency import func Glibc.read") == "Glibc")
        #expect(Self.importedModule("let important = 1") == nil)
    }

    private static func isShim(_ folder: String) -> Bool {
        folder.contains(#/^C[A-Z]/#)
    }

    private static func importedModule(_ line: some StringProtocol) -> String? {
        guard line.contains("import") else { return nil }
        let pattern =
            #/
            ^\s* (?:@\w+\s+)* (?:(?:public|package|internal|fileprivate|private)\s+)?
            import\s+ (?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)? (?<module>\w+)
            /#
        return String(line).firstMatch(of: pattern).map { String($0.module) }
    }
}
