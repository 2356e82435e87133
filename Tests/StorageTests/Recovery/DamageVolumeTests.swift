import Domain
import Foundation
import Linux
import SQLite
import Storage
import TestKit
import Testing

/// A journal with four activities, damaged reproducibly by a seed. In some, the newest activity is only in
/// the log. `PACED_DAMAGES` is the number of seeds for each kind of damage.
@Suite(.serialized) struct DamageVolumeTests {
    private static let seeds = Int(ProcessInfo.processInfo.environment["PACED_DAMAGES"] ?? "") ?? 6

    private struct Whole {
        var file: [UInt8] = []
        var log: [UInt8] = []
        var runs: [SyntheticRun] = []
    }

    private static let steps = 300

    /// Made once: each test damages a copy. In the second, a part is only in the log.
    private static let whole = Result { try make(logged: false) }
    private static let logged = Result { try make(logged: true) }

    private static func make(logged: Bool) throws -> Whole {
        let stage = try JournalFixture()
        var whole = Whole()
        whole.runs = (0..<3).map { _ in stage.recordActivity(steps) }
        try stage.checkpoint()
        whole.runs.append(stage.recordActivity(steps))
        if !logged { try stage.checkpoint() }
        whole.file = try stage.bytes()
        whole.log = try stage.bytes("-wal")
        return whole
    }

    enum Kind: String, CaseIterable {
        case bytes, zeros, noise, truncated, swapped, header, log
    }

    @Test(arguments: Kind.allCases)
    func undamagedRowsAreRecovered(kind: Kind) throws {
        let whole = try (kind == .log || kind == .bytes ? Self.logged : Self.whole).get()
        var (setAside, listed, exported, readable, longest) = (0, 0, 0, 0, Duration.zero)
        for seed in 0..<UInt64(Self.seeds) {
            var random = SeededRandom(seed: seed << 8 | UInt64(Kind.allCases.firstIndex(of: kind) ?? 0))
            var (file, log) = (whole.file, whole.log)
            let damaged = Self.damage(&file, &log, kind, &random)
            let stage = try JournalFixture()
            try stage.replace(with: file)
            try stage.replace("-wal", with: log)
            let begun = Clock.now()
            let preparation = try stage.restart()
            longest = max(longest, Clock.now() - begun)
            // Damage of bytes without meaning is not found: then too, no more is lost than was damaged.
            if let path = preparation.damaged?.path {
                setAside += 1
                readable += Self.readable(path)
                try stage.recover()
            }
            let ids = try stage.ids()
            #expect(Set(ids).isSubset(of: 1...4), "\(kind) \(seed)")
            let files = try ids.count { try !stage.export($0).isEmpty }
            if preparation.damaged != nil {
                listed += ids.count
                exported += files
            }
            // The most rows of a page. SQLite ends a log at its first damaged frame, as after a power
            // cut: without other damage, the activity that is only in the log is lost.
            let isCut = kind == .log && preparation.damaged == nil
            let allowed = damaged * 40 + (isCut ? Self.steps : 0)
            var missing = 0
            for (index, run) in whole.runs.enumerated() {
                let id = index + 1
                let rows = Set(try stage.rows(of: id).map { "\($0)" })
                let expected = (0..<Self.steps).map { "\(run.row($0))" }
                missing += expected.count { !rows.contains($0) }
                #expect(rows.count <= Self.steps + 2)
            }
            #expect(missing <= allowed, "\(kind) \(seed): \(missing) rows are missing, \(damaged) pages are damaged")
            if damaged < 8 {
                #expect(
                    ids == [4, 3, 2, 1] || isCut && ids == [3, 2, 1], "\(kind) \(seed): \(damaged) pages are damaged")
            }
        }
        #expect(setAside >= (kind == .log ? 1 : Self.seeds * 2 / 3), "\(kind): \(setAside) of \(Self.seeds)")
        print(
            "\(kind.rawValue): \(Self.seeds) damaged, \(setAside) set aside; of \(4 * setAside) activities "
                + "SQLite reads \(readable), \(listed) are listed, \(exported) exported; start at most \(longest)")
    }

    /// The number of activities that SQLite itself reads completely from a copy.
    private static func readable(_ path: String) -> Int {
        (1...4).count { id in
            guard let database = try? SQLiteDatabase(path, .reading) else { return false }
            let range = "WHERE key >> 32 = \(id)"
            let isListed = (try? database.integer("SELECT count(*) FROM activity WHERE id = \(id)")) == 1
            let rows = try? database.integer("SELECT count(at_ms + ifnull(distance_m, 0)) FROM record \(range)")
            return isListed && rows == Int64(steps)
        }
    }

    /// - Returns: The number of changed pages of the file and frames of the log.
    private static func damage(
        _ file: inout [UInt8], _ log: inout [UInt8], _ kind: Kind, _ random: inout SeededRandom
    ) -> Int {
        let (before, logBefore) = (file, log)
        let pages = file.count / 1024
        func page() -> Int { Int.random(in: 0..<pages, using: &random) }
        switch kind {
        case .bytes:
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                file[Int.random(in: file.indices, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            }
        case .zeros, .noise:
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let start = page() * 1024
                for index in start..<start + 1024 {
                    file[index] = kind == .zeros ? 0 : UInt8.random(in: 0...255, using: &random)
                }
            }
        case .truncated: file.removeLast(Int.random(in: 1...file.count / 2, using: &random))
        case .swapped:
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let (one, other) = (page() * 1024, page() * 1024)
                for offset in 0..<1024 { file.swapAt(one + offset, other + offset) }
            }
        case .header:
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                // The tables' version is not damaged: a journal of a later release is left alone.
                let index = Int.random(in: 0..<60, using: &random)
                file[index] ^= UInt8.random(in: 1...255, using: &random)
            }
            if Bool.random(using: &random) { for index in 100..<1024 { file[index] = 0 } }
        case .log:
            for _ in 0..<Int.random(in: 1...10, using: &random) {
                log[Int.random(in: log.indices, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            }
            file[Int.random(in: 1024..<file.count, using: &random)] ^= 0xFF
        }
        func differences(_ old: [UInt8], _ new: [UInt8], from start: Int, by size: Int) -> Int {
            stride(from: start, to: old.count, by: size).count { first in
                let range = first..<min(first + size, old.count)
                return range.upperBound > new.count || old[range] != new[range]
            }
        }
        return differences(before, file, from: 0, by: 1024) + differences(logBefore, log, from: 32, by: 1048)
    }
}
