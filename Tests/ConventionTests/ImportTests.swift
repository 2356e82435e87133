import Testing

/// The modules that each target may import. SwiftPM enforces this between our targets, these tests for the others.
@Suite struct ImportTests {
    private static let ring1 = ["Sensors", "Pipeline", "Outputs"]
    private static let shell = ring1 + ["Adapters", "Linux", "Domain", "Glibc"]

    /// C shims import no Swift module.
    private static func allowed(doors: [String]) -> [String: Set<String>] {
        var table: [String: Set<String>] = [
            "Domain": [],
            "Linux": ["CLinux", "CSystemd", "Glibc", "Synchronization", "Domain"],
            "Adapters": Set(doors + ring1 + ["Glibc", "Synchronization", "Linux", "Domain"]).subtracting([
                "CAllocations", "CFuzzer",
            ]),
            "Daemon": Set(shell),
            "Console": Set(shell),
            "paced": ["Daemon", "Glibc"],
            "pacectl": ["Console", "Glibc"],
            "Bench": Set(shell + ["CAllocations"]),
            "Fuzz": Set(shell + ["CFuzzer"]),
        ]
        for room in ring1 { table[room] = ["Domain", "CMath"] }
        return table
    }

    @Test func everyRoomImportsOnlyWhatTheTableAllows() throws {
        let rooms = try Repository.folders(in: "Sources")
        let doors = rooms.filter(Self.isDoor)
        let table = Self.allowed(doors: doors)
        for room in rooms where !doors.contains(room) && room != "TestKit" {
            let allowed = try #require(table[room], "the room \(room) has no row in the table")
            for file in try Repository.files(in: "Sources/" + room, ".swift") {
                for module in try Repository.code(of: file).compactMap(Self.importedModule) {
                    #expect(allowed.contains(module), "\(file) imports \(module)")
                }
            }
        }
    }

    @Test func theTestKitServesAnyTestRunner() throws {
        for file in try Repository.files(in: "Sources/TestKit", ".swift") {
            let modules = try Repository.code(of: file).compactMap(Self.importedModule)
            #expect(!modules.contains("Testing") && !modules.contains("XCTest"), "\(file)")
        }
    }

    @Test func theDoorsHoldNoSwiftAndDefineNoFeatureMacroInAHeader() throws {
        for door in try Repository.folders(in: "Sources") where Self.isDoor(door) {
            #expect(try Repository.files(in: "Sources/" + door, ".swift") == [])
            for header in try Repository.files(in: "Sources/" + door, ".h") {
                for line in try Repository.text(of: header).split(separator: "\n") {
                    #expect(!line.contains(#/^\s*#\s*define\s+_\w+_SOURCE\b/#), "\(header): \(line)")
                }
            }
        }
    }

    @Test func everyFormOfAnImportIsUnderstood() {
        #expect(Self.importedModule("import Glibc") == "Glibc")
        #expect(Self.importedModule("package import Domain") == "Domain")
        #expect(Self.importedModule("  @testable import Linux") == "Linux")
        #expect(Self.importedModule("@_exported internal import struct Foundation.URL") == "Foundation")
        #expect(Self.importedModule("@preconcurrency import func Glibc.read") == "Glibc")
        #expect(Self.importedModule("let important = 1") == nil)
    }

    private static func isDoor(_ folder: String) -> Bool {
        folder.contains(#/^C[A-Z]/#)
    }

    private static func importedModule(_ line: some StringProtocol) -> String? {
        let pattern =
            #/
            ^\s* (?:@\w+\s+)* (?:(?:public|package|internal|fileprivate|private)\s+)?
            import\s+ (?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)? (?<module>\w+)
            /#
        return String(line).firstMatch(of: pattern).map { String($0.module) }
    }
}
