import Foundation
import TestKit
import Testing

/// libgps changes its structures with each release. The C shim must fit those of Debian 12 and 13.
@Suite struct LibgpsHeaderTests {
    @Test(
        "The C shim compiles without a warning against libgps",
        arguments: [("of this machine", nil), ("3.25, API 14", "Tests/Data/gpsd/libgps-3.25")])
    func shimCompilesWithoutWarnings(release: String, headers: String?) throws {
        let include = headers.map { ["-I", Checkout.path($0)] } ?? []
        let compiler = try ChildProcess(
            ["sh", "-c", #""$@" 2>&1 && echo compiled"#, "sh", "clang", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
                + include + ["-I", Checkout.path("Sources/CGps/include"), Checkout.path("Sources/CGps/CGps.c")])
        let output = String(decoding: try compiler.readToEnd(limit: .seconds(60)), as: UTF8.self)
        #expect(output == "compiled\n")
    }
}
