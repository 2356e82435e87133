import Domain
import Glibc
import JSONCoding
import Pipeline
import Wire

/// The replay of an activity of ten hours, with RR intervals, a fix and a state each second.
struct ReplayOfTenHours {
    /// CPU time, which other processes do not affect.
    let seconds: Double
    /// Growth of the resident memory from the end of the first hour to the end.
    let grownKibibytes: Int

    var line: String {
        "ten hours replayed in \(DecimalFormat.text(seconds, decimals: 3) ?? "?") s, memory grown by \(grownKibibytes) KiB"
    }
}

/// Measures the replay. Entries are generated one at a time, as they are read from a journal.
func measureReplay() throws -> ReplayOfTenHours {
    var run = try ScriptedRun()
    var settings = Settings()
    settings.useHeartRateZones = true
    settings.zones = try Zones([100, 120, 140, 160, 180])
    settings.autoLapMetres = 1000
    let idle = Pipeline(settings: settings, isDemo: false, at: run.now)
    var replay = Replay(idle.snapshot, every: .seconds(1))
    replay.apply(InputLogEntry(at: run.now, .command(.start(.run, indoor: false))))
    var writer = JSONWriter(capacity: 4096)
    var states = 0
    var hourBefore = 0
    let start = clock()
    for second in 1...36_000 {
        for _ in 0..<10 { _ = run.nextTick() }
        let beats = HeartRateMeasurement(beatsPerMinute: UInt16(140 + second % 5), rrIntervals: [438])
        for input in [Input.fix(run.nextFix()), .heart(beats)] {
            replay.apply(InputLogEntry(at: run.now, .input(input))) { _, effects in
                guard let state = effects.state?.state else { return }
                writer.clear()
                writer.stateLine(state, sequence: states)
                states += 1
            }
        }
        if second == 3600 { hourBefore = residentKibibytes() }
    }
    // POSIX defines CLOCKS_PER_SEC as 1 000 000.
    let seconds = Double(clock() - start) / 1e6
    precondition(states == 36_000)
    return ReplayOfTenHours(seconds: seconds, grownKibibytes: residentKibibytes() - hourBefore)
}

/// Source: proc(5), /proc/self/statm: the second number is the resident pages.
private func residentKibibytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
    return pages * sysconf(Int32(_SC_PAGESIZE)) / 1024
}
