import Domain
import SQLite
import Storage
import TestKit
import Testing

/// A journal with activities that only have a start.
private struct StartList {
    let directory: TemporaryDirectory

    /// Activities from number 1 on: their starts, nil for an undated one, and whether they are imported.
    init(_ activities: [(start: Int?, isImported: Bool)]) throws {
        directory = TemporaryDirectory()
        let database = try SQLiteDatabase(directory.path + "/journal.sqlite", .writing)
        try JournalSchema.migrate(database)
        for activity in activities {
            try database.prepare(
                """
                INSERT INTO activity (sport, indoor, demo, imported, open, started_ms, time_uncertain, total_ms,
                elapsed_ms, moving_ms, distance_m, gaps) VALUES ('run', 0, 0, ?, 0, ?, ?, 0, 0, 0, 0, 0)
                """
            ).run(activity.isImported, activity.start ?? 0, activity.start == nil)
        }
    }

    func page(_ limit: Int, before: Int? = nil) throws -> [Int] {
        try JournalReader(in: directory.path).list(limit: limit, before: before).map(\.id)
    }

    /// All activities, in pages of `limit`.
    func pages(of limit: Int) throws -> [Int] {
        var all: [Int] = []
        while true {
            let next = try page(limit, before: all.last)
            if next.isEmpty { return all }
            all += next
        }
    }
}

@Test func activitiesAreListedByTheirStart() throws {
    // An old file was imported after a run, a newer one before it.
    let list = try StartList([(50, true), (40, false), (10, true), (60, false), (20, true)])
    #expect(try list.page(10) == [4, 1, 2, 5, 3])
    #expect(try list.page(2) == [4, 1])
    #expect(try list.page(2, before: 1) == [2, 5])
    #expect(try list.page(2, before: 3).isEmpty)
}

@Test func undatedActivityFollowsTheRecordedOneNumberedBeforeIt() throws {
    let list = try StartList([
        (nil, false), (40, false), (nil, false), (nil, false), (90, true), (nil, false), (50, false), (nil, true),
    ])
    #expect(try list.page(10) == [5, 8, 7, 6, 4, 3, 2, 1])
}

@Test(arguments: 1...7)
func pagesLoseAndRepeatNothing(limit: Int) throws {
    let starts: [Int?] = [30, 30, nil, 30, 10, nil, 30, 20, nil, 30, 30, nil, 5]
    let list = try StartList(starts.enumerated().map { ($1, $0.isMultiple(of: 3)) })
    let all = try list.page(100)
    #expect(all.sorted() == Array(1...starts.count))
    #expect(try list.pages(of: limit) == all)
}

/// A client may hold the number of an activity that was deleted meanwhile.
@Test func pageContinuesAfterADeletedActivity() throws {
    let list = try StartList([(10, false), (20, false), (30, false)])
    #expect(try list.page(10, before: 9) == [3, 2, 1])
    let database = try SQLiteDatabase(list.directory.path + "/journal.sqlite", .writing)
    try database.execute("DELETE FROM activity WHERE id = 2")
    #expect(try list.page(10, before: 2) == [1])
}
