package import Domain
import JSONCoding

/// A request about recorded activities.
package enum ActivityRequest: Equatable, Sendable {
    /// Summaries, newest first, of the activities that are older than `before`: of the list or of the trash.
    case list(limit: Int, before: Int?, ofTrash: Bool = false)
    case get(Int, fromLap: Int)
    /// Changes sport, name and start. Nil values stay unchanged.
    case edit(Int, Sport?, SanitizedText?, started: UTC? = nil)
    case trash(Int)
    case restore(Int)
    case delete(Int)
    /// Erases the activities and the courses of the trash.
    case emptyTrash
    /// Copies the readable part of a damaged journal in the state directory.
    case recover(file: String)
    /// A range of the samples. Nil means the activity in progress.
    case track(Int?, from: Int64, interval: Int64, columns: [Track.ColumnName])

    /// The starts that an activity can get: every file format can hold them.
    package static let starts = UTC(year: 2000, month: 1, day: 1)..<UTC(year: 2100, month: 1, day: 1)

    /// Whether a text can be the name of a damaged journal in the state directory.
    package static func isJournalName(_ name: String) -> Bool {
        !name.hasPrefix(".") && !name.utf8.contains(UInt8(ascii: "/")) && SanitizedText(name)?.text == name
            && !["journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm"].contains(name)
    }

    static let methods: [RPCMethod<ControlRequest>] = [
        RPCMethod(
            "activities.list", "Returns summaries, the newest first.",
            [limit.optional, before.optional, ofTrash.optional], "summaries",
            .array(of: .summary, #""maxItems":100"#), [.busy, .invalid], .read
        ) { .activities(.list(limit: try $0[limit] ?? 20, before: try $0[before], ofTrash: try $0[ofTrash] ?? false)) },
        RPCMethod(
            "activities.get", "Returns one activity with its laps, its sensors and its time in zones.",
            [id.required, fromLap.optional], "activity", .object, [.busy, .invalid, .notFound], .read
        ) { .activities(.get(try $0.value(of: id), fromLap: try $0[fromLap] ?? 1)) },
        RPCMethod(
            "activities.edit", "Changes the name, the sport or the start. The answer comes when it is on the disk.",
            [id.required, newSport.optional, name.optional, started.optional], "summary", .summary,
            [.busy, .invalid, .refused, .notFound], .change, log: .numbered("edit activity")
        ) {
            let (id, sport, name) = (try $0.value(of: id), try $0[newSport], try $0[name])
            let started = try $0[started]
            if sport == nil, name == nil, started == nil {
                throw RPCError.invalidParameters(nil, "nothing to change: give sport, name or started")
            }
            return .activities(.edit(id, sport, name, started: started))
        },
        RPCMethod(
            "activities.trash",
            "Puts an activity in the trash, which erases it after 30 days. The answer comes when that is on the disk.",
            [endedID.required], "nothing", .null, [.busy, .invalid, .refused, .notFound], .change,
            log: .numbered("trash activity")
        ) { .activities(.trash(try $0.value(of: endedID))) },
        RPCMethod(
            "activities.restore", "Takes an activity out of the trash. The answer comes when that is on the disk.",
            [id.required], "summary", .summary, [.busy, .invalid, .refused, .notFound], .change,
            log: .numbered("restore activity")
        ) { .activities(.restore(try $0.value(of: id))) },
        RPCMethod(
            "trash.empty",
            "Erases the activities and the courses of the trash for good. The answer comes when that is on the disk.",
            [], "erased", .object(required: ["activities", "courses"], ["activities": .integer, "courses": .integer]),
            [.busy, .invalid], .change, log: "empty the trash"
        ) { _ in .activities(.emptyTrash) },
        RPCMethod(
            "activities.delete",
            "Deletes an activity for good, also one in the trash. The answer comes when that is on the disk.",
            [endedID.required], "nothing", .null, [.busy, .invalid, .refused, .notFound], .change,
            log: .numbered("delete activity")
        ) { .activities(.delete(try $0.value(of: endedID))) },
        RPCMethod(
            "activities.recover",
            "Copies what can be read of a damaged journal, in the background. The answer comes when the file is noted.",
            [file.required], "nothing", .null, [.busy, .invalid, .notFound], .change,
            log: RPCLog { "recover \($0.members["file"]?.string ?? "")" }
        ) { .activities(.recover(file: try $0.value(of: file))) },
        RPCMethod(
            "activities.track", "Returns samples of an activity as a table.",
            [idOrOpen.optional, from.optional, every.optional, columns.optional], "track",
            .object(
                required: ["columns", "rows"],
                ["columns": .array(of: nil), "rows": .array(of: .array(of: nil)), "next_ms": .integer]),
            [.busy, .invalid, .refused, .notFound], .read
        ) {
            .activities(
                .track(
                    try $0[idOrOpen], from: Int64(try $0[from] ?? 0), interval: Int64(try $0[every] ?? 1000),
                    columns: try $0[columns] ?? Track.ColumnName.usual))
        },
    ]

    /// Of a list.
    static let limit = RPCParameter.integer("limit", 1...100, "At most this many, 1 to 100. Default 20.")
    private static let before = RPCParameter.record(
        "before", .activity, "The number or uuid of an activity: only older ones in this order.")
    static let ofTrash = RPCParameter.flag("trash", "What is in the trash, in place of the list. Default false.")
    private static let id = RPCParameter.record("id", .activity, "The activity's number or uuid.")
    private static let endedID = RPCParameter.record(
        "id", .activity, "The activity's number or uuid; not that of the activity in progress.")
    private static let idOrOpen = RPCParameter.record(
        "id", .activity, "The activity's number or uuid; the one in progress if it is absent.")
    private static let fromLap = RPCParameter.id("from_lap", "The first lap to return. Default 1.")
    private static let newSport = ControlRequest.sport("The new sport; not of the activity in progress.")
    static let name = RPCParameter.text("name", "The new name, 1 to 64 characters.")
    private static let started = RPCParameter.time(
        "started", "The new start with its zone, 2000 to 2099; not of the activity in progress.", in: starts,
        rule: " from 2000 to 2099")
    private static let file = RPCParameter(
        "file", .string, "The name of a file in the state directory: journal-DATE.damaged.sqlite."
    ) { value, _ in
        guard let name = value.string, isJournalName(name) else {
            throw RPCError.invalidValue("file", "file must be the name of a damaged journal in the state directory")
        }
        return name
    }
    private static let from = RPCParameter.integer(
        "from_ms", 0...Int(Int32.max), "The first moment, since the activity started. Default 0.")
    private static let every = RPCParameter.integer(
        "interval_ms", 1000...3_600_000, "One sample in each interval, 1000 to 3600000. Default 1000.")
    private static let columns = RPCParameter(
        "fields",
        .array(of: .string(pattern: "^[a-z_]+$|^own:[a-z][a-z0-9_]{0,63}$"), #""minItems":1,"uniqueItems":true"#),
        "The columns; the first eight of the list if it is absent."
    ) { value, _ in
        let columns = value.array?.compactMap { $0.string.flatMap { Track.ColumnName($0) } } ?? []
        guard !columns.isEmpty, columns.count == value.array?.count, Set(columns).count == columns.count else {
            let known = Track.Column.allCases.map(\.rawValue).joined(separator: ", ")
            throw RPCError.invalidValue("fields", "fields must be a list of distinct values of \(known)")
        }
        return columns
    }

    static let summarySchema = JSONSchema.object(
        required: ["sport", "open", "elapsed_ms", "total_ms", "distance_m", "laps", "gaps"],
        [
            "id": .id, "uuid": .uuid, "sport": .sport, "name": .text, "open": .boolean, "started": .time,
            "time_guessed": .onlyTrue,
            "ended": .time, "elapsed_ms": .integer, "total_ms": .integer, "moving_ms": .integer,
            "auto_paused_ms": .integer, "distance_m": .number, "average_pace_s_per_m": .number,
            "average_moving_pace_s_per_m": .number, "average_grade_adjusted_pace_s_per_m": .number,
            "max_speed_mps": .number, "laps": .integer, "gaps": .integer, "average_bpm": .integer, "max_bpm": .integer,
            "energy_kcal": .integer, "trimp": .number, "average_power_w": .integer, "max_power_w": .integer,
            "normalized_power_w": .integer, "work_j": .integer, "average_cadence_rpm": .integer,
            "max_cadence_rpm": .integer, "ascent_m": .number, "descent_m": .number, "ascent_error_m": .integer,
            "ascent_source": .oneOf(["barometer", "receiver"]), "demo": .onlyTrue, "trashed": .time,
            "recovered": .object(
                ["id": .id, "lost_rows": .id], #""description":"Copied from a damaged journal.""#),
        ])
}
