import Console
import Domain
import Glibc
import Testing

/// What `pacectl complete` offers for a line; the last word is the unfinished one.
struct CompletionTests {
    @Test(arguments: [
        ("st", ["status", "start", "stop"]), ("start --indoor r", ["run", "ride"]), ("sensors f", ["forget"]),
        ("--state-dir /x settings set use", ["use_heart_rate_zones"]), ("settings set metric ", ["yes", "no"]),
        ("export 17 --format g", ["gpx", "geojson"]), ("--js", ["--json"]), ("import Pack", ["\tfiles"]),
        ("activities --totals ", ["week", "month", "year"]), ("activities --sport w", ["walk"]),
        ("settings reset tw", ["twelve_hour_clock"]), ("settings set sport h", ["hike"]),
        ("help sta", ["status", "start"]),
        ("replay --sp", ["--speed", "--sport"]), ("watch --lo", ["--loop"]), ("course lo", ["load"]),
        ("course partner o", ["off"]), ("route --load ", []), ("course import --lo", ["--load"]),
        ("web control ", ["on", "off"]),
        ("--maps-dir ", ["\tdirectories"]), ("weather --at ", []), ("export --format = t", ["tcx"]),
        ("export --format =", ["fit", "gpx", "tcx", "geojson", "kml", "csv"]), ("--colour sch", ["schema"]),
        ("stop ", []), ("bests ", ["--sport", "--since", "--before"]),
    ])
    func lineIsCompleted(line: String, choices: [String]) throws {
        #expect(try offered(line) == choices)
    }

    @Test func commandsHaveATextAndHiddenOnesAreNotOffered() throws {
        let lines = try Invocation(["complete"]).completions(of: ["s"])
        #expect(lines.contains("status\tshow the run, the strap and the receiver"))
        #expect(try offered("comp").isEmpty && offered("vers").isEmpty)
    }

    private func offered(_ line: String) throws -> [String] {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return try Invocation(["complete"]).completions(of: words).map { line in
            line.hasPrefix("\t") ? line : String(line.prefix { $0 != "\t" })
        }
    }
}
