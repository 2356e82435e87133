import Testing

/// The modules that each target may import. SwiftPM enforces this between our targets, these tests for the others.
@Suite struct ImportTests {
    private static let inner: Set = ["JSONCoding", "Sensors", "Pipeline", "Formats", "Wire", "JournalCoding", "Domain"]
    private static let adapters: Set = [
        "Bluetooth", "Gnss", "Board", "Simulation", "Servers", "Import", "SQLite", "Storage",
    ]
    private static let outer = inner.union(adapters).union(["Linux", "Glibc"])

    /// A C library has one target that imports it, apart from the mathematics of libm. C shims import no Swift module.
    private static let allowed: [String: Set<String>] = [
        "Domain": [],
        "JSONCoding": ["CJansson", "Domain"],
        "Sensors": ["CMath", "Domain"],
        "Pipeline": ["CMath", "Domain"],
        "Formats": ["CMath", "JSONCoding", "Domain"],
        "Report": ["CMath", "JSONCoding", "Domain"],
        "Weather": ["CMath", "JSONCoding", "Domain"],
        "Maps": ["CMath", "Pipeline", "JSONCoding", "Domain"],
        "Transit": ["Formats", "Pipeline", "JSONCoding", "Domain"],
        "Zip": ["CZip"],
        "MapStorage": ["Glibc", "SQLite", "Transit", "Maps", "Pipeline", "JSONCoding", "Domain"],
        "Wire": ["Sensors", "JSONCoding", "Domain"],
        "JournalCoding": ["Formats", "Pipeline", "Wire", "JSONCoding", "Domain"],
        "Linux": ["CLinux", "CSystemd", "Glibc", "Synchronization", "Domain"],
        "Client": ["Glibc", "Linux", "Domain"],
        "Program": ["Glibc", "Linux", "Domain"],
        "Bluetooth": ["CBlueZ", "Glibc", "Linux", "Sensors", "Domain"],
        "Gnss": ["CGps", "Glibc", "Linux", "Sensors", "JSONCoding", "Domain"],
        "Board": ["CEvdev", "Glibc", "Linux", "Domain"],
        "Simulation": ["CMath", "Linux", "Domain"],
        "Servers": ["Glibc", "Linux", "Wire", "JSONCoding", "Domain"],
        "Gzip": ["CZlib", "Formats"],
        "Import": ["CExpat", "Formats", "Domain", "Glibc"],
        "Privacy": ["CGcrypt"],
        "HTTPServer": ["CMicroHTTPD", "Glibc", "Linux", "JSONCoding", "Domain"],
        "QRCode": ["CQREncode"],
        "HTTP": ["CCurl", "Glibc", "Linux", "JSONCoding", "Domain"],
        "SQLite": ["CSQLite", "Glibc", "Linux", "Domain"],
        "Storage": [
            "SQLite", "Glibc", "Synchronization", "Linux", "JournalCoding", "Wire", "Formats", "Pipeline", "Sensors",
            "JSONCoding", "Domain",
        ],
        "Daemon": outer.union(["Program"]),
        "Console": outer.union([
            "Client", "Report", "Weather", "Maps", "MapStorage", "Transit", "Zip", "Gzip", "Privacy", "QRCode",
        ]),
        "Network": [
            "Glibc", "HTTP", "Weather", "MapStorage", "Maps", "Transit", "Import", "Servers", "Client", "Program",
            "Linux",
            "SQLite", "Wire", "Formats", "Pipeline", "JSONCoding", "Domain",
        ],
        "Web": [
            "Glibc", "Gzip", "HTTPServer", "Privacy", "SQLite", "Servers", "Client", "Program", "Linux", "Wire",
            "JSONCoding",
            "Domain",
        ],
        "paced": ["Daemon", "Glibc"],
        "paced-net": ["Network", "Glibc"],
        "paced-web": ["Web", "Glibc"],
        "pacectl": ["Console", "Glibc"],
        "Bench": outer.union(["CAllocations", "Weather", "Maps", "MapStorage", "Transit"]),
        "Fuzz": outer.union(["CFuzzer", "Maps", "Transit", "Weather"]),
    ]

    @Test func targetsImportOnlyWhatTheTableAllows() throws {
        let targets = try Repository.folders(in: "Sources").filter { !Self.isShim($0) && $0 != "TestKit" }
        #expect(Set(targets) == Set(Self.allowed.keys))
        for target in targets {
            let allowed = try #require(Self.allowed[target], "\(target) has no row in the table")
            for file in try Repository.files(in: "Sources/" + target, ".swift") {
                for module in try Repository.code(of: file).compactMap(Self.importedModule) {
                    #expect(allowed.contains(module), "\(file) imports \(module)")
                }
            }
        }
    }

    @Test func cLibrariesAreImportedByOneTarget() {
        let shims = Self.allowed.values.flatMap(\.self).filter { Self.isShim($0) && $0 != "CMath" }
        #expect(Set(shims).count == shims.count)
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
