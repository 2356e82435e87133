import Domain
import Glibc
import Linux
import SQLite
import Storage

/// The index of 1,000 activities of an hour at 1 Hz, 3.6 million samples.
struct IndexOfThousandHours {
    /// Of all steps, and of the longest one: both block only the disk worker's thread.
    let seconds: Double
    let longestStepMilliseconds: Double
    /// Of `pacectl` as a process, the median of several; nil if it is not built.
    let bestsMilliseconds: Double?
    let totalsMilliseconds: Double?

    var line: String {
        func text(_ value: Double?, _ decimals: Int) -> String {
            value.flatMap { DecimalFormat.text($0, decimals: decimals) } ?? "?"
        }
        return "1000 activities of an hour indexed in \(text(seconds, 2)) s, longest step "
            + "\(text(longestStepMilliseconds, 0)) ms, pacectl bests \(text(bestsMilliseconds, 0)) ms, "
            + "activities --totals year \(text(totalsMilliseconds, 0)) ms"
    }
}

/// Measures the index. The journal takes 400 MB of /tmp meanwhile.
func measureIndex() throws -> IndexOfThousandHours {
    let directory = try ScratchDirectory()
    let names = ["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", ActivityIndex.name]
    defer { for name in names { unlink(directory.path + "/" + name) } }
    try makeThousandHours(in: directory.path)
    var writer = IndexWriter(in: directory.path)
    var longest = Duration.zero
    let start = Clock.now()
    var isMore = true
    while isMore {
        let begun = Clock.now()
        isMore = try writer.step(scans: false).isMore
        longest = max(longest, Clock.now() - begun)
    }
    let seconds = (Clock.now() - start).inSeconds
    let program =
        CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false).dropLast()
        .joined(separator: "/") + "/pacectl"
    func milliseconds(_ words: [String]) -> Double? {
        guard access(program, X_OK) == 0 else { return nil }
        let durations = (0..<11).map { _ in
            let begun = Clock.now()
            _ = Subprocess.output([program, "--state-dir", directory.path] + words, within: .seconds(60))
            return (Clock.now() - begun).inSeconds * 1000
        }
        return durations.sorted()[durations.count / 2]
    }
    return IndexOfThousandHours(
        seconds: seconds, longestStepMilliseconds: longest.inSeconds * 1000, bestsMilliseconds: milliseconds(["bests"]),
        totalsMilliseconds: milliseconds(["activities", "--totals", "year"]))
}

/// Makes the journal: one activity is imported, and copied with later starts.
private func makeThousandHours(in directory: String) throws {
    let imported = try JournalImport(in: directory, at: ScriptedRun.start)
    var metres = 0.0
    try imported.write(.begin(at: 0, .command))
    for second in 0...3600 {
        var sample = RecordingSample(at: Int64(second) * 1000, elapsedMilliseconds: Int64(second) * 1000)
        metres += 3 + Double(second % 97) / 97
        sample.distanceMetres = metres
        sample.coordinate = Coordinate(latitude: 52 + metres / 111_195, longitude: 13)
        sample.altitude = 50 + Double(second % 60)
        sample.heartRate = 140 + second % 7
        sample.power = 200 + second % 90
        try imported.write(.sample(sample))
    }
    try imported.write(.end(at: 3_600_000, .command))
    var recording = RecordedActivity(sport: .run, started: ScriptedRun.start)
    recording.totalMilliseconds = 3_600_000
    recording.total.elapsedMilliseconds = 3_600_000
    recording.total.distanceMetres = metres
    _ = try imported.finish(recording, gaps: 0)
    let database = try SQLiteDatabase(directory + "/journal.sqlite", .writing)
    try database.execute("PRAGMA synchronous = OFF")
    for table in ["activity", "record"] {
        try database.execute("CREATE TEMP TABLE made_\(table) AS SELECT * FROM \(table)")
    }
    for copy in 1..<1000 {
        try database.execute(
            """
            BEGIN;
            UPDATE made_activity SET id = id + 1, started_ms = started_ms + 86400000;
            UPDATE made_record SET key = key + (1 << 32);
            INSERT INTO activity SELECT * FROM made_activity;
            INSERT INTO record SELECT * FROM made_record;
            COMMIT
            """)
        if copy.isMultiple(of: 100) { try database.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    }
}
